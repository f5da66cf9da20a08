"""Graphs in the formats of other runtimes."""
