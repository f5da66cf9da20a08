"""Staged `if`, `while` and `for`: blocks, what they leave behind, and how that is joined."""
