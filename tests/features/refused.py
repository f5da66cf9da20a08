"""The rows that the runtime refuses today; the tests demand a proper refusal, and the table shrinks.

`python -m tests.features --update` writes this file anew.
"""

REFUSED: dict[str, bool] = {}
