"""Operations with blocks: ``if``, ``while``, ``for``, ``try``. Engines run them, the tracer types them."""

from __future__ import annotations

from runtime.ops.definition import BY_SWEEP, op

for _name in ("if", "while", "for", "try"):
    op(
        _name,
        None,
        None,
        # besides those of what stands in the blocks
        family="control flow",
        vjp=BY_SWEEP,
    )
