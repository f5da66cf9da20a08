"""Staged `try` and `with`: what runs when an operation raises, or when a block is left."""

from autograph.loading import later

later(__name__, "contexts", "exceptions", "exit_stacks", "raised", "with_statements")
