"""The rows that the runtime refuses today; the tests demand a proper refusal, and the table shrinks.

`python -m tests.features --update` writes this file anew.
"""

REFUSED: dict[str, bool] = {
    "grad array write": True,
    "grad early return in loop": True,
    "grad for with break": True,
    "grad if": True,
    "grad list append": True,
    "grad newton solver": True,
    "grad while dynamic trip count": True,
}
