"""A tape in a decorated function: a mark where it begins, and a `gradient` operation where it is asked.

The gradient is that of the part of the graph in between (`gradients/expand.py`).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from autograph.operators import call
from runtime.arguments import wrong_argument
from runtime.differentiation.derivatives import emitted, settled
from runtime.differentiation.eager_tape import refuse_target
from runtime.differentiation.leaves import is_float
from runtime.differentiation.marks import by_mark
from runtime.differentiation.pushed import shape_of
from runtime.graph import Block, Operation, Value
from runtime.staged.operands import ArrayHolder, Boxed, is_trainable, storage_of
from runtime.tracer.builder import emit
from runtime.tracer.spec import Choice
from runtime.tracer.trace import Trace, current_trace
from runtime.types import is_known

#: so many items a target may have of which a tape in a graph gives the Jacobian, a sweep for each
MOST_ROWS = 64


class TracedTape:
    """What `GradientTape` does in a decorated function."""

    def __init__(self, watches_accessed: bool) -> None:
        self.watches_accessed = watches_accessed
        self.is_recording = False
        self.reset()

    def reset(self) -> None:
        #: the marks behind which derivatives with respect to these values begin
        self._marks: dict[Value, object] = {}
        self._variables: dict[int, Any] = {}
        self._used_in: list[Block] = []
        self._mark = self._new_mark() if self.is_recording else None

    def note_use(self) -> bool:
        """Is this the first use on this path?"""
        blocks = self._trace.blocks
        first = not any(block is used for block in blocks for used in self._used_in)
        self._used_in.append(blocks[-1])
        return first

    @property
    def _trace(self) -> Trace:
        trace = current_trace()
        assert trace is not None
        return trace

    def start(self) -> None:
        if self._mark is None:
            self._mark = self._new_mark()
        else:
            emit("record", [], tape=self, on=True)
        self.is_recording = True
        self._trace.tapes.append(self)

    def stop(self) -> None:
        self.is_recording = False
        self._trace.tapes.remove(self)
        emit("record", [], tape=self, on=False)

    @contextmanager
    def paused(self) -> Iterator[None]:
        self.stop()
        try:
            yield
        finally:
            self.start()

    def _new_mark(self) -> object:
        """A mark here; the last one, where nothing was computed since."""
        operations = self._trace.block.operations
        last = operations[-1] if operations else None
        if last is not None and "mark" in last.attributes:
            return last.attributes["mark"]
        mark = object()
        emit("watch", [], mark=mark)
        return mark

    # -- what is watched ----------------------------------------------------------------------------------

    def watch(self, leaf: Any) -> None:
        if isinstance(leaf, ArrayHolder):
            self.watch_variable(leaf)
        elif leaf.value not in self._marks and not self._is_made_inside(leaf.value):
            self._marks[leaf.value] = self._new_mark()

    def accessed(self, variable: Any) -> None:
        """A variable is read."""
        if self.watches_accessed and is_trainable(variable):
            self.watch_variable(variable)

    def watch_variable(self, variable: Any) -> None:
        if id(variable) not in self._variables:
            self._variables[id(variable)] = variable
            if not self._is_made_inside(storage_of(variable).value):
                self._marks[storage_of(variable).value] = self._mark

    def variables(self) -> list[Any]:
        return list(self._variables.values())

    def _is_made_inside(self, value: Value) -> bool:
        """Is it computed since the tape began, in this block?"""
        return any(op is value.owner for op in self._since_begin())

    def _since_begin(self) -> list[Operation]:
        """The operations of this block since the tape began; none, where it began in another one."""
        operations = self._trace.block.operations
        for k, op in enumerate(operations):
            if op.attributes.get("mark") is self._mark:
                return operations[k:]
        return []

    # -- targets and sources ------------------------------------------------------------------------------

    def target(self, what: str, leaf: Any, name: str) -> Any:
        is_followed = isinstance(leaf, Boxed)
        if isinstance(leaf, Choice):  # a number that began as an int, say: the promoted one is recorded, too
            is_followed = any(isinstance(one, Boxed) for one in leaf.values)
            emit("record", [], tape=self, on=True)
            leaf = settled(f"GradientTape.{what}", leaf, _the_target)
            emit("record", [], tape=self, on=self.is_recording)
        if isinstance(leaf, ArrayHolder):
            return storage_of(leaf)
        if not is_followed:
            raise refuse_target(what, leaf, name)
        if not is_float(leaf):
            raise wrong_argument(
                f"GradientTape.{what}: `{name}` is {leaf.type}; derivatives are of floats",
                "compute it with floats all the way",
                name,
            )
        return leaf

    def dtype(self, leaf: Any) -> Any:
        staged = storage_of(leaf) if isinstance(leaf, ArrayHolder) else leaf
        return getattr(staged.type, "dtype", None)

    def shape(self, target: Any) -> tuple[int | None, ...]:
        return shape_of(target)

    def zeros(self, source: Any, lead: tuple[int | None, ...] = ()) -> Any:
        array = storage_of(source) if isinstance(source, ArrayHolder) else source
        made = call(np.zeros, (*lead, *array.shape), array.dtype)
        return made.boxed_as_tensor()

    # -- gradients ----------------------------------------------------------------------------------------

    def gradient(self, targets: Sequence[Any], weights: Sequence[Any], sources: Sequence[Any]) -> list[Any]:
        given = [_weight(target, weight) for target, weight in zip(targets, weights, strict=True)]
        staged = [storage_of(x) if isinstance(x, ArrayHolder) else x for x in sources]
        found: dict[Value, Any] = {}
        operations = self._since_begin()
        ys = [target.value for target in targets]
        groups = by_mark(operations, [x.value for x in staged], self._marks, ys, self)
        for begin, values in groups.items():
            mark = None if isinstance(begin, Value) else begin
            inputs = [*targets, *given, *map(self._trace.wrap, values)]
            made = emitted("gradient", inputs, len(targets), strict=False, since=mark, tape=self)
            found.update(zip(values, made, strict=True))
        return [found[x.value].boxed_as_tensor() if x.value in found else None for x in staged]

    def check_rows(self, target: Any) -> None:
        shape = self.shape(target)
        if not is_known(shape) or math.prod(shape) > MOST_ROWS:
            raise wrong_argument(
                f"GradientTape.jacobian: the target is {target.type}, and in a decorated function it has at "
                f"most {MOST_ROWS} items, of known number",
                "take rt.jacobian(f), or the tape outside of the decorated function",
                "target",
            )


def _the_target() -> None:
    """What messages call the target."""


def _weight(target: Any, weight: Any) -> Any:
    if weight is not None:
        return call(np.asarray, weight)
    if shape_of(target):
        return call(np.ones_like, target)
    return target.type.dtype.type(1)
