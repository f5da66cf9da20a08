"""A nest as a Python function: NumPy's kernels, one operation after the other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from runtime.engines.tracebacks import located
from runtime.graph import Operation, Value
from runtime.ops.definition import REGISTRY

if TYPE_CHECKING:
    pass


def one_after_another(
    members: Sequence[Operation], inputs: Sequence[Value], results: Sequence[Value]
) -> Callable[..., Any]:
    """The nest as a Python function: each operation's kernel, in program order."""

    def nest(*arguments: Any) -> Any:
        values = dict(zip(inputs, arguments, strict=True))
        for op in members:
            try:
                found = REGISTRY[op.name].kernel(*[values[v] for v in op.inputs], **op.attributes)  # type: ignore[misc]
            except BaseException as error:  # noqa: BLE001 - it goes on, with the user's line
                raise located(error, op.location) from error.__cause__
            values |= dict.fromkeys(op.outputs, found)
        made = tuple([values[v] for v in results])
        return made if len(made) != 1 else made[0]

    return nest
