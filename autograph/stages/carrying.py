"""What a statement changes, found by running its blocks: the variables and places that a stage carries.

    places = Places(stage, state, blocks)
    left = places.run(body)      # result, variables, places; everything is as it was before
    places.grown(left)
    places.set(places.values(left))  # now it is as the body leaves it

A place is an attribute, a global, a cell, the contents of a list, dict or set, what the stage's `watch` knows
of a mutable value of the library's. `leaves` takes all of them apart for libraries that carry tuples.
"""

from __future__ import annotations

import copy
import gc
import operator
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache, partial
from itertools import count as count_from
from types import FrameType, FunctionType
from typing import Any

from autograph.converted_code import is_converted_code
from autograph.errors import AutographError
from autograph.operators import all_true
from autograph.records import record
from autograph.registry import trace_of
from autograph.stages.heap import Heap
from autograph.stages.shapes import Const, Shape, built
from autograph.stages.shapes import Missing as Missing
from autograph.stages.slots import Contents, Slot, cells_of, contents_of, same_contents, user_code
from autograph.staging import State, Thunk

#: of an expression, which changes no variable
NO_STATE = State((), tuple, lambda values: None)


@record
class Left:
    """What a block left: its result, the variables of the statement, and the places that it changed."""

    result: Any
    variables: tuple[Any, ...]
    places: dict[tuple[int, Any], tuple[Slot, Any]]


def same_place(a: Any, b: Any) -> bool:
    """Do two readings of a place hold the same objects?"""
    return same_contents(a, b) if isinstance(a, Contents) else a is b


def is_iterator(value: Any) -> bool:
    """Is it used up by reading, without an attribute that would show it?"""
    step = getattr(type(value), "__next__", None)
    return step is not None and not isinstance(step, FunctionType)


def iterators_in(value: Any) -> Iterator[Any]:
    """An iterator, and those that it reads: `enumerate(items)` reads `items`."""
    pending = [value]
    while pending:
        each = pending.pop()
        if hasattr(type(each), "__next__"):
            yield each
            pending += gc.get_referents(each)


def _state_of(iterator: Any) -> Any:
    """Something that is other when an iterator of Python's has been read from, as far as that can be seen."""
    frame = getattr(iterator, "gi_frame", iterator)
    if frame is None or isinstance(frame, FrameType):  # a generator's
        return frame and (frame.f_lasti, [id(value) for value in frame.f_locals.values()])
    return operator.length_hint(iterator, -1), repr(iterator) if type(iterator) is count_from else ""


def roots_of(values: Iterable[Any], holders: int | None = None) -> tuple[list[Any], bool]:
    """What of the values of variables somebody else may hold, and whether there are others.

    A list or dict that nothing holds but one variable is not told from a copy of it.
    """
    roots, found = list[Any](), False
    holders = _HELD_BY_ONE if holders is None else holders
    for value in values:
        if type(value) in (list, dict) and sys.getrefcount(value) == holders:
            parts = value if type(value) is list else value.values()
            roots += roots_of(parts, _HELD_BY_ONE - 1)[0]
            found = True
        else:
            roots.append(value)
    return roots, found


def _held_by_one() -> int:
    held: list[Any] = []

    def get() -> tuple[Any, ...]:
        return (held,)

    counts = []
    for value in get():
        counts.append(sys.getrefcount(value))
    return counts[0]


_HELD_BY_ONE = _held_by_one()


class Places:
    """The variables and places that a statement may change, and what they hold before it."""

    def __init__(self, stage: Any, state: State, blocks: Iterable[Any]) -> None:
        self.stage, self.state = stage, state
        self.slots: dict[tuple[int, Any], Slot] = {}
        self._arrays: list[tuple[Any, Any]] = []
        self._iterators: list[tuple[Any, Any]] = []
        blocks = tuple(blocks)
        self._own = {id(each) for block in blocks for each in iterators_in(block)}  # which the stage reads
        try:
            self.before = state.get()
        except NameError as error:
            stage.refuse(f"the global `{error.name}`, which has no value yet,", "give it one before")
        roots, self._is_copied = roots_of(self.before)
        users = [b for b in user_code(blocks) if type(b) is FunctionType and is_converted_code(b.__code__)]
        self._variables = {name: (*contents_of(cell), None)[0] for cell, name in cells_of(users)}
        for name, held in self._variables.items():
            if name not in state.names and is_iterator(held) and not stage.claims(held):
                stage.refuse(f"the iterator `{name}` in a branch or a loop", "make a list of it before")
        self.heap = Heap.of_statement(state, blocks, self._opaque, stage.watch, roots)

    def _opaque(self, value: Any) -> bool:
        if is_array(value) and not self.stage.claims(value):
            if getattr(getattr(value, "dtype", None), "hasobject", False):
                self.stage.refuse("an array of objects in a branch or a loop", "use a list")
            self._arrays.append((value, copy.copy(value)))
        if is_iterator(value) and id(value) not in self._own:
            self._iterators.append((value, _state_of(value)))
        opaque: bool = self.stage.opaque(value)
        return opaque

    def renew(self) -> None:
        """Begin a block: lists that only a variable holds are copies, which the block may change."""
        if self._is_copied:
            self.state.set(tuple(self.fill(*self.leaves(self.before))))

    def run(self, block: Thunk) -> Left:
        """What the block leaves; then everything is put back. What it raises is refused at its line."""
        try:
            return self.left(self.inside(block))
        finally:
            self.restore()

    def inside(self, block: Thunk) -> Any:
        """The block's result; what it changes stays, unless it raises."""
        here = self.stage._here
        outer, stores = here.places, len(here.stores)
        here.places = (*outer, self)
        try:
            with trace_of(self.stage):
                result = block()
            self._check()
            return result
        except Exception as error:
            here.undo(stores)
            if isinstance(error, AutographError):
                raise
            self.stage.refuse_raised(error)
        finally:
            here.places = outer

    def left(self, result: Any = None) -> Left:
        """What is there now, as what a block left."""
        places = {slot.identity: (slot, slot.read()) for slot in self.heap.changes()}
        return Left(result, self.state.get(), places)

    def restore(self) -> None:
        """Put everything back."""
        self.heap.restore()
        self.state.set(self.before)

    def _check(self) -> None:
        changed = [pair for pair in self._arrays if not _same_array(*pair)]
        for array, before in changed:
            array[... if hasattr(array, "shape") else slice(None)] = before
        if changed:
            name = type(changed[0][0]).__name__
            self.stage.refuse(f"a change of an array ({name}) in a branch or a loop", "make another one")
        if any(_state_of(iterator) != state for iterator, state in self._iterators):
            self.stage.refuse("an iterator in a branch or a loop", "make a list of it before")

    def name_of(self, slot: Slot) -> str:
        """What the program calls a place: the variable that holds a container, or where it stands."""
        if slot.key != "contents":
            return f"`{slot.name}`"
        held = [*zip(self.state.names, self.before, strict=True), *self._variables.items()]
        name = next((name for name, value in held if value is slot.owner), self.heap.holder(slot.owner))
        return slot.name if name is None else f"{slot.name} `{name}`"

    # As tuples of leaves

    def grown(self, left: Left) -> bool:
        """Did the block change more than `slots`? Then they are more now."""
        new = {identity: slot for identity, (slot, _) in left.places.items() if identity not in self.slots}
        self.slots.update(new)
        return bool(new)

    def names(self) -> tuple[str, ...]:
        """What `values` are, for people."""
        returned = "what is returned"  # for which the conversion has a variable
        names = [returned if name.startswith("retval") else f"`{name}`" for name in self.state.names]
        return (*names, *map(self.name_of, self.slots.values()), "the result")

    def values(self, left: Left | None = None, result: Any = None) -> list[Any]:
        """What variables and `slots` hold after a block (or before the statement), and its result."""
        if left is None:
            return [*self.before, *map(self.heap.before, self.slots.values()), result]
        held = ((left.places.get(s.identity) or (s, self.heap.before(s)))[1] for s in self.slots.values())
        return [*left.variables, *held, left.result]

    def set(self, values: Sequence[Any]) -> Any:
        """Let variables and `slots` hold these; gives the last one, the result."""
        count = len(self.state.names)
        self.state.set(tuple(values[:count]))
        for slot, value in zip(self.slots.values(), values[count:-1], strict=True):
            slot.write(value)
        return values[-1]

    def leaves(self, values: Iterable[Any]) -> tuple[list[Any], Shape]:
        """Values taken apart: what the library carries, and how to build them again."""
        leaves: list[Any] = []
        seen: dict[int, tuple[int, Any]] = {}
        return leaves, [self._flatten(value, leaves, seen) for value in values]

    def _flatten(self, value: Any, leaves: list[Any], seen: dict[int, tuple[int, Any]]) -> Any:
        kind, keys, parts = type(value), (), value
        if kind is Contents:
            keys, parts = value.keys, value.values
        elif kind in (list, dict):
            if not self.stage.takes_apart(value, value in self.heap):
                return Const(value)
            if id(value) in seen:  # a list in two places stays one list
                return "again", seen[id(value)][0]
            seen[id(value)] = len(seen), value
            keys, parts = (tuple(value), value.values()) if kind is dict else ((), value)
        elif not isinstance(value, tuple):
            if not self.stage.is_leaf(value):
                return Const(value)
            leaves.append(value)
            return "leaf"
        return kind, [*map(Const, keys)], [self._flatten(part, leaves, seen) for part in parts]

    def fill(self, leaves: Iterable[Any], shape: Shape) -> list[Any]:
        """The opposite of `leaves`."""
        given, made = iter(leaves), list[Any]()
        return [built(part, given, made) for part in shape]


def is_array(value: Any) -> bool:
    """Is it an array that can be stored to: NumPy's, or one of `array` and `bytearray`?"""
    kind: Any = type(value)
    return _is_array_class(kind) and (not hasattr(value, "flags") or bool(value.flags.writeable))


@lru_cache(maxsize=1024)
def _is_array_class(kind: type) -> bool:
    names = {(base.__module__, base.__name__) for base in kind.__mro__}
    return not names.isdisjoint({("numpy", "ndarray"), ("array", "array"), ("builtins", "bytearray")})


def _same_array(a: Any, b: Any) -> bool:
    same_bytes = a == b if isinstance(a, bytearray) else a.tobytes() == b.tobytes()
    return bool(same_bytes)


class Steps:
    """A `range` with a bound of the library's, which a `for` loop takes and nobody else."""

    def __init__(self, stage: Any, start: Any, stop: Any, step: Any, item: Callable[[Any], Any]) -> None:
        self.stage, self.at, self.stop, self.step, self.item = stage, start, stop, step, item
        if stage.claims(step):
            stage.refuse("a `range` whose step is a value", "write a `while` loop")
        range(0, 0, step)  # raises what Python does

    def _refused(self, *_: Any) -> Any:
        self.stage.refuse("a `range` whose bound is a value, outside of `for`,", "write a `for` loop")

    __iter__ = __len__ = __getitem__ = __contains__ = __bool__ = _refused

    def goes_on(self, at: Any) -> Any:
        """Is there an iteration for this number?"""
        return at > self.stop if self.step < 0 else at < self.stop

    def iterated(self, at: Any, test: Thunk | None, body: Callable[[Any], None]) -> tuple[Any, Any]:
        """Do one iteration: the next number, and whether there is another one."""
        body(self.item(at))
        following = at + self.step
        if test is None:
            return following, self.goes_on(following)
        return following, all_true(test(), partial(self.goes_on, following))


class Here(threading.local):
    """Where a thread is: the statements whose blocks run, their conditions, and stores to undo."""

    places: tuple[Places, ...] = ()
    path: tuple[Any, ...] = ()
    refusal: AutographError | None = None

    def __init__(self) -> None:
        self.stores: list[tuple[Any, Any, Any]] = []

    def undo(self, count: int) -> None:
        """Take back the stores after the first ones."""
        while len(self.stores) > count:
            target, key, before = self.stores.pop()
            target[key] = before
