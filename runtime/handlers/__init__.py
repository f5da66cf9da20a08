"""Staged `try` and `with`: what runs when an operation raises, or when a block is left."""
