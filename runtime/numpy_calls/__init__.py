"""What calls of NumPy's functions, of ``math`` and of Python's builtins mean on staged values."""

from autograph.loading import later

later(__name__, "chosen_items", "complaints", "creation", "staged_calls", "vectorized", "whole")
