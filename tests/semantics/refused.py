"""The cases that the runtime refuses today; `python -m tests.semantics --update` writes this file anew."""

REFUSED: dict[str, bool] = {}
