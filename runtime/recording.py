"""What a `rt.GradientTape` outside of decorated functions remembers of operations on Tensors and Variables.

A *node* stands for what an array held at one time. A *step* leads from nodes to nodes: one operation of
NumPy's, or one run of a graph. It keeps copies of what went in, for arrays may be written later; how it is
differentiated is not said here (`differentiation/eager_tape.py`).

>>> record = Record()
>>> x = np.array([1.0, 2.0])
>>> start(record); record.watch(x)
>>> note_call(np.sin, (x,), {}, np.sin(x)); stop(record)
>>> [step.function for step in record.steps]
[<ufunc 'sin'>]
"""

from __future__ import annotations

import copy
import operator
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from runtime.arguments import wrong_argument
from runtime.ops.template import Template, build
from runtime.staged.operands import ArrayHolder, Boxed, is_trainable, storage_of
from runtime.tracer.builder import active_builders


class Node:
    """What an array held at one time."""

    __slots__ = ()


class Step:
    """From nodes to nodes. ``inputs`` are flat, each an array or a number, copied; ``nodes`` are theirs, None
    for a constant; ``outputs`` are the nodes of the results, None for one that no derivative goes through.

    ``function``: what was called, with arguments as `hollow` gives them; or a `Program`.
    """

    def __init__(
        self,
        function: Any,
        template: Any,
        inputs: Sequence[Any],
        nodes: Sequence[Node | None],
        outputs: Sequence[Node | None],
    ) -> None:
        self.function = function
        self.template = template
        self.inputs = inputs
        self.nodes = nodes
        self.outputs = outputs


class Record:
    """What one tape knows: the nodes of arrays, and the steps between them."""

    def __init__(self, watches_accessed: bool = True) -> None:
        self.watches_accessed = watches_accessed  # variables, when they are read
        self.variables: dict[int, Any] = {}
        self._nodes: dict[int, tuple[Any, Node | None]] = {}  # by the identity of the array, which is kept
        self._known: set[Node] = set()
        self._sources: dict[int, Node] = {}  # the first node of what was written since, by identity
        self.steps: list[Step] = []

    def clear(self) -> None:
        self.__init__(self.watches_accessed)  # type: ignore[misc]

    def watch(self, array: Any) -> None:
        """From here on the array counts as what derivatives are taken with respect to."""
        if self.node_of(array) is None:
            self.set(array, node_of(array) or Node())

    def watch_variable(self, variable: Any) -> None:
        if id(variable) not in self.variables:
            self.variables[id(variable)] = variable
            self.watch(storage_of(variable))

    def source_of(self, array: Any) -> Node | None:
        """What stands for the array as it was when the tape first knew it."""
        return self._sources.get(id(array)) if id(array) in self._sources else self.node_of(array)

    def set(self, array: Any, node: Node | None) -> None:
        self._nodes[id(array)] = (array, node)
        if node is not None:
            self._known.add(node)

    def node_of(self, array: Any) -> Node | None:
        """What stands for the array now. Raises ArgumentError where it was written through another name."""
        held = self._nodes.get(id(array))
        if held is None or held[0] is not array:
            return None
        if held[1] is _STALE:
            raise wrong_argument(
                "a view of an array is used after the array was written, while a tape records",
                "take the view again after the write, or do this in a decorated function",
            )
        return held[1]

    def knows(self, node: Node | None) -> bool:
        return node in self._known

    def wrote(self, array: Any, node: Node | None) -> None:
        """An array holds something else now; of what shares its memory nobody knows what it holds."""
        for other, known in list(self._nodes.values()):
            if known is not None and other is not array and np.may_share_memory(other, array):
                self._nodes[id(other)] = (other, _STALE)
        held = self._nodes.get(id(array))
        if held is not None and held[1] is not None and held[1] is not _STALE:
            self._sources.setdefault(id(array), held[1])
        self.set(array, node)


_STALE = Node()
_local = threading.local()
#: stands among the active builders, so that calls of decorated functions look here before the short way
_MARK: Any = object()


def records() -> Sequence[Record]:
    """Those of the tapes that record in this thread, outer ones first."""
    return getattr(_local, "records", ())


def start(record: Record) -> None:
    _local.records = [*records(), record]
    active_builders.append(_MARK)


def stop(record: Record) -> None:
    _local.records = [one for one in records() if one is not record]
    active_builders.remove(_MARK)


@contextmanager
def paused(record: Record) -> Iterator[None]:
    """Inside, the tape does not record; what is written is a constant to it."""
    stop(record)
    before = getattr(_local, "paused", ())
    _local.paused = (*before, record)
    try:
        yield
    finally:
        _local.paused = before
        start(record)


def array_read(holder: ArrayHolder) -> Any:
    """The array of a variable; tapes that record are told that it is read."""
    for record in records():
        if record.watches_accessed and is_trainable(holder):
            record.watch_variable(holder)
    return storage_of(holder)


def node_of(array: Any) -> Node | None:
    """The node that a recording tape knows of an array."""
    return next((node for one in records() if (node := one.node_of(array)) is not None), None)


# -- steps ----------------------------------------------------------------------------------------------


def hollow(value: Any, ints: bool = True) -> tuple[Template, list[Any]]:
    """The structure of arguments, with holes in place of arrays and numbers; and these.

    ``ints``: not in place of ints, which are axes and lengths.
    """
    numbers = (float, complex, int) if ints else (float, complex)
    leaves = (Boxed, ArrayHolder, np.ndarray, np.generic)
    template, found = build(value, lambda one: isinstance(one, leaves) or type(one) in numbers)
    return template, list(map(_plain, found))


def _plain(leaf: Any) -> Any:
    if isinstance(leaf, Boxed):
        return leaf.numpy()  # type: ignore[attr-defined]
    return storage_of(leaf) if isinstance(leaf, ArrayHolder) else leaf


def note_call(function: Callable[..., Any], args: Sequence[Any], kwargs: Any, result: Any) -> None:
    """``function(*args, **kwargs)`` gave ``result``: an array, or a structure of arrays."""
    takes_any = isinstance(function, np.ufunc) or function is operator.getitem
    template, leaves = hollow((tuple(args), dict(kwargs)), ints=takes_any)
    _, results = hollow(result)
    made = [each for each in results if not any(each is leaf for leaf in leaves)]
    if any(map(_is_smooth, made)):
        note(function, template, leaves, made)


def note(
    function: Any,
    template: Any,
    leaves: Sequence[Any],
    results: Sequence[Any],
    known: Sequence[Node | None] = (),
    new: int | None = None,
) -> None:
    """A step, noted by each tape that knows one of its inputs.

    ``known``: the nodes of the first inputs, which are copies; ``new``: how many of the results are new
    arrays, the others were written.
    """
    nodes = [*known, *map(node_of, leaves[len(known) :])]
    followers = [one for one in records() if any(map(one.knows, nodes))]
    inputs = list(map(copy.copy, leaves)) if followers else []
    outputs = [Node() if _is_smooth(each) else None for each in results]
    step = Step(function, template, inputs, nodes, outputs)
    for one in records():
        if one in followers:
            one.steps.append(step)
        for k, (array, node) in enumerate(zip(results, outputs, strict=True)):
            if new is not None and k >= new:
                one.wrote(array, node if one in followers else None)
            elif node is not None and one in followers:
                one.set(array, node)


def note_write(array: Any, function: Callable[..., Any], args: Sequence[Any]) -> None:
    """``array`` is about to be written: it will hold what ``function(array, *args)`` gives."""
    for one in getattr(_local, "paused", ()):
        one.wrote(array, None)
    if not records():
        return
    template, leaves = hollow(((array, *args), {}))
    nodes = list(map(node_of, leaves))
    step = Step(function, template, list(map(copy.copy, leaves)), nodes, [Node()])
    for one in records():
        follows = any(map(one.knows, nodes)) and _is_smooth(array)
        if follows:
            one.steps.append(step)
        one.wrote(array, step.outputs[0] if follows else None)


def _is_smooth(value: Any) -> bool:
    return isinstance(value, np.ndarray | np.generic) and value.dtype.kind in "fc"
