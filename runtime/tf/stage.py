"""The stage that converted code asks while a `tf.function` is traced: `if`, `while` and `for` over tensors.

Each block is traced once. What the branches of an `if` leave in a variable becomes one tensor, whose
shape is what both have in common (`statements.py`); what a loop changes keeps its element type and
shape (`statements.py`).

A stage of its own with TensorFlow's meaning, which emits the same graphs. It knows one kind of
staged value, tensors; a value without axes is a NumPy scalar in the graph. `apply(name, ...)`
(`tensors.py`) does an operation: eager it runs the kernel, in a trace it appends the operation.
A variable is no memory in the graph (`traces.py`): its value comes in as a parameter, an
assignment makes a new one, the last one is a result that the call stores; a loop whose body
reads or assigns one carries it. Random numbers come from such a variable, a counter, so that a
graph runs again with the same ones. Converted code asks `stage/runtime_stage.py`, which traces each block
once (`statements.py`; what a loop takes from one iteration to the next:
`carried.py`); a body that says what its rows or shape invariants are is traced again from the
start. An operation that fails for some values (integers divided by 0, a negative index) takes
its operand through `require`, so that it fails where its result is used. What a graph calls its
operations, and where it wants them, stands beside it (`graph_view.py`). What nobody uses is
left out before the optimiser sees it (`before_runs.py`), for an operation that could fail is no
effect in TensorFlow. A layer, a loss, an optimizer and a tape's gradient each open a name
scope. Files (`saved_model.py`, `saved_objects.py`, `loaded_objects.py`) are made of the parts
of `saving/`; a trace goes to `rt.export_onnx` and `rt.save` as a function over arrays
(`exported.py`, which `__runtime_export__` calls). A graph may call some functions of this
package, which files name (`names.py`). Under a tape (`recording.py`), eager operations are
linked as those of a graph are; the graph between two values is found by walking back, and
`gradients/reverse.py` takes its derivative.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from autograph.config import exclude
from autograph.registry import register_stage
from autograph.staging import Stage, State, Thunk
from runtime.tf import math
from runtime.tf.block_values import iterator_of, traced, truth
from runtime.tf.debugging import Assert, python_print
from runtime.tf.statements import branches, choice, for_loop, while_loop
from runtime.tf.tensors import SymbolicTensor, Tensor, apply, cast, convert, equal, shape_of
from runtime.tf.traces import current


class TensorStage(Stage):
    """Stages control flow over symbolic tensors."""

    name = "tf"

    def active(self) -> bool:
        return current() is not None

    def awake(self) -> bool:
        return current() is not None

    def claims(self, value: Any) -> bool:
        return isinstance(value, SymbolicTensor) or (current() is not None and hasattr(value, "_as_tensor"))

    def checkpoint(self) -> Any:
        trace = traced()
        return len(trace.block.operations), dict(trace.assigned)

    def rollback(self, checkpoint: Any) -> None:
        trace = traced()
        count, trace.assigned = checkpoint
        del trace.block.operations[count:]

    def if_stmt(self, cond: Any, body: Thunk, orelse: Thunk, state: State) -> None:
        branches(cond, body, orelse, state)

    def while_stmt(self, test: Thunk, body: Thunk, state: State) -> None:
        while_loop(test, lambda _: body(), state)

    def for_stmt(self, iterable: Any, test: Thunk | None, body: Callable[[Any], None], state: State) -> Any:
        if hasattr(iterable, "_as_tensor"):
            iterable = iterable._as_tensor()
        if isinstance(iterable, SymbolicTensor):
            return for_loop(iterable, test, body, state)
        stream = iterator_of(iterable)
        return NotImplemented if stream is None else stream.loop(test, body, state, while_loop)

    def for_rest(
        self, iterator: Iterator[Any], test: Thunk, body: Callable[[Any], None], state: State
    ) -> None:
        """A loop of Python whose end a tensor decides: its iterations are copies, each under an `if`."""
        for item in iterator:
            self.if_stmt(test(), functools.partial(body, item), lambda: None, state)

    def assert_stmt(self, test: Any, message: Thunk | None) -> Any:
        if not self.claims(test):
            return NotImplemented
        Assert(test, [] if message is None else [message()])
        return None

    def if_exp(self, cond: Any, then: Thunk, orelse: Thunk) -> Any:
        return choice(cond, then, orelse)

    def and_(self, a: Any, thunks: tuple[Thunk, ...]) -> Any:
        for thunk in thunks:
            a = choice(a, thunk, _constantly(a)) if self.claims(a) else (a and thunk())
        return a

    def or_(self, a: Any, thunks: tuple[Thunk, ...]) -> Any:
        for thunk in thunks:
            a = choice(a, _constantly(a), thunk) if self.claims(a) else (a or thunk())
        return a

    def not_(self, a: Any) -> Any:
        return apply("logical_not", truth(a))

    def in_(self, item: Any, container: Any) -> Any:
        if isinstance(container, SymbolicTensor):
            return apply("any", container == item, axis=None)
        if not isinstance(container, list | tuple):
            raise TypeError(
                f"a tensor is looked for in a {type(container).__name__}: use a list, or a tensor"
            )
        found: Any = convert(False)
        for each in container:
            found = apply("logical_or", found, equal(item, each))
        return found

    def fstr(self, pieces: tuple[Any, ...]) -> Any:
        convert_piece: dict[Any, Callable[[Any], Any]] = {"r": repr, "s": str, "a": ascii}
        texts = [
            p if isinstance(p, str) else format(convert_piece.get(p[1], lambda v: v)(p[0]), p[2] or "")
            for p in pieces
        ]
        return "".join(texts)

    def set_item(self, target: Any, key: Any, value: Any) -> Any:
        if isinstance(target, Tensor):
            raise TypeError(
                "'SymbolicTensor' object does not support item assignment: make a new tensor with"
                " tf.tensor_scatter_nd_update, tf.where or a tf.TensorArray"
            )
        return NotImplemented

    def call(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        replaced = _BUILTINS.get(function) if _is_hashable(function) else None
        if function is print and traced().prints:
            replaced = python_print
        if args and function in _OF_STREAMS and hasattr(args[0], "_traced_loop"):
            return getattr(args[0], _OF_STREAMS[function])(*args[1:], **kwargs)
        if replaced is None or not args or not any(map(self.claims, args)):
            return NotImplemented
        return replaced(*args, **kwargs)


def _constantly(value: Any) -> Thunk:
    return lambda: value


def _is_hashable(function: Any) -> bool:
    return type(function).__hash__ is not None


def _range(*bounds: Any) -> Tensor:
    return math.range(*bounds)


def _len(x: Any) -> Any:
    return x.shape[0] if x.shape[0] is not None else shape_of(x)[0]


class Rows:
    """What a loop goes over besides one tensor: `item(k)` is given for each row of the shortest part."""

    def __init__(self, item: Callable[[Any], Any], parts: tuple[Tensor, ...]) -> None:
        self.item, self.parts = item, parts

    def __iter__(self) -> Iterator[Any]:
        return iter([self.item(k) for k in range(min(len(x) for x in self.parts))])

    def loop(self, test: Thunk | None, body: Callable[[Any], Any], state: State, while_loop: Any) -> None:
        count = shape_of(self.parts[0])[0]
        for x in self.parts[1:]:
            count = math.minimum(count, shape_of(x)[0])
        for_loop(math.range(count), test, lambda k: body(self.item(k)), state)

    def _traced_loop(self) -> Rows:
        return self

    def _traced_enumerate(self, start: Any = 0) -> Rows:
        return Rows(lambda k: (convert(k) + start, self.item(k)), self.parts)

    def _traced_zip(self, *others: Any) -> Rows:
        return _zip(self, *others)


def _rows(x: Any) -> Rows:
    x = x if isinstance(x, Rows) else convert(x)
    return x if isinstance(x, Rows) else Rows(lambda k: x[k], (x,))


def _enumerate(x: Any, start: Any = 0) -> Rows:
    return _rows(x)._traced_enumerate(start)


def _zip(*iterables: Any) -> Rows:
    rows = list(map(_rows, iterables))
    return Rows(lambda k: tuple([x.item(k) for x in rows]), sum([x.parts for x in rows], ()))


#: what data sets and passes over them have in place of builtins
_OF_STREAMS = {iter: "_traced_loop", enumerate: "_traced_enumerate", zip: "_traced_zip"}

_BUILTINS: dict[Any, Callable[..., Any]] = {
    enumerate: _enumerate,
    zip: _zip,
    range: _range,
    len: _len,
    int: lambda x: cast(x, np.int32),
    float: lambda x: cast(x, np.float32),
    bool: truth,
    abs: lambda x: apply("absolute", convert(x)),
}

exclude("runtime")
stage = TensorStage()
register_stage(stage)
