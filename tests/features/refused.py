"""The rows that the runtime refuses today; the tests demand a proper refusal, and the table shrinks.

`python -m tests.features --update` writes this file anew.
"""

REFUSED: dict[str, bool] = {
    "any all generator": True,
    "async function": True,
    "dict new key in loop": True,
    "for filter lambda": True,
    "for sorted": True,
    "generator function in loop": True,
    "grad array write": True,
    "grad early return in loop": True,
    "grad for with break": True,
    "grad if": True,
    "grad list append": True,
    "grad newton solver": True,
    "grad while dynamic trip count": True,
    "list append conditional": True,
    "list as stack push pop": True,
    "list comprehension filtered": True,
    "list indexed by tensor": True,
}
