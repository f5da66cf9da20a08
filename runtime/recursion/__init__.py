"""Functions of a graph: calls of a function that is under way already."""
