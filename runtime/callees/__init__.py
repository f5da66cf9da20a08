"""Calls of what is not converted: builtins, library functions, what acts on the world."""
