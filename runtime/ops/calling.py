"""``call_function``: a call of one of the graph's own functions, for recursion.

    y: i64 = @factorial(n)

``function`` is its name in ``graph.functions``; ``effects`` is what a call of it does, the calls that it
makes itself included (`graph/functions.py` finds out). Engines make the call. ``checkpoint``: a gradient
computes it again (`gradients/checkpoints.py`).
"""

from __future__ import annotations

from runtime.ops.definition import BY_SWEEP, Effects, op

CALL = "call_function"

#: what a call may do before anything is known: a recursion may always be too deep
UNKNOWN_EFFECTS = Effects(ordered=True, may_raise=True)

op(
    CALL,
    None,
    None,  # the types are those of the function's results
    lambda types, function, effects, checkpoint=False: effects,
    family="control flow",
    vjp=BY_SWEEP,
)
