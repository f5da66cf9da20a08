"""Take out of a loop's state what the loop never changes.

>>> from runtime.formats.parse import parse
>>> print(remove_constant_state(parse('''
... graph f(x: float, n: int) -> float:
...     t: float, y: float = for i: int in range(0, n, 1) with t: float = 0.0, y: float = x:
...         t.2: float = py.add(t, y)
...         yield t.2, y
...     z: float = py.add(t, y)
...     return z
... ''')), end="")
graph f(x: float, n: int) -> float:
    t: float = for i: int in range(0, n, 1) with t: float = 0.0:
        t.2: float = py.add(t, x)
        yield t.2
    z: float = py.add(t, x)
    return z
"""

from __future__ import annotations

from runtime import debug
from runtime.graph import Block, Graph, Operation, Value, loop_state
from runtime.graph.rewrite import is_undefined
from runtime.passes.keep_results import KeepResults


def remove_constant_state(graph: Graph) -> Graph:
    found = any(map(_constant_state, graph.operations()))
    return _RemoveConstantState().graph(graph) if found else graph


class _RemoveConstantState(KeepResults):
    def operation(self, op: Operation, block: Block) -> None:
        constant = _constant_state(op)
        if not constant:
            block.append(self.copy(op))
            return
        debug.fired("never changed by the loop", op)
        state = loop_state(op)
        kept = [k for k in range(len(state)) if k not in constant]
        for k in constant:
            stays = self.values[state[k]]
            self.values[op.outputs[k]] = stays
            for nested in op.blocks:
                self.values[nested.params[len(nested.params) - len(state) + k]] = stays
        block.append(self.keep(op, kept))


def _constant_state(op: Operation) -> list[int]:
    """The places in the state where the body yields what it was given, or the value from before the loop.

    Or what nobody reads: the value from before the loop is as good.
    """
    body = op.blocks[-1] if op.blocks else None
    if op.name not in ("while", "for") or body is None or body.ends == "never":
        return []
    state = loop_state(op)
    skipped = len(body.params) - len(state)
    return [
        k
        for k, initial in enumerate(state)
        if (body.results[k] in (body.params[skipped + k], initial) or is_undefined(body.results[k]))
        and _one_type(op, k, initial)
    ]


def _one_type(op: Operation, k: int, initial: Value) -> bool:
    """Known alike everywhere: a sharper type in the loop could make a run-time error come now."""
    places = [block.params[len(block.params) - len(loop_state(op)) + k] for block in op.blocks]
    return all(value.type == initial.type for value in (*places, op.outputs[k]))
