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
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from types import FunctionType
from typing import Any

from autograph.errors import AutographError
from autograph.operators import Undefined, all_true
from autograph.records import record
from autograph.registry import trace_of
from autograph.stages.heap import Contents, Heap, Slot
from autograph.staging import Stage, State, Thunk


@record
class Left:
    """What a block left: its result, the variables of the statement, and the places that it changed."""

    result: Any
    variables: tuple[Any, ...]
    places: dict[tuple[int, Any], tuple[Slot, Any]]


class Places:
    """The variables and places that a statement may change, and what they hold before it."""

    def __init__(self, stage: Any, state: State, blocks: tuple[Any, ...], path: tuple[Any, ...] = ()) -> None:
        self.stage, self.state, self.path = stage, state, path
        self.slots: dict[tuple[int, Any], Slot] = {}
        self._own = {id(each) for block in blocks for each in iterators_in(block)}  # which the stage reads
        try:
            self.before = state.get()
        except NameError as error:
            stage.refuse(f"the global `{error.name}`, which has no value yet,", "give it one before")
        self.heap = Heap(blocks, state, stage.opaque, self._watch)

    def _watch(self, value: Any) -> Slot | None:
        step = getattr(type(value), "__next__", None)
        if self.stage.claims(value):
            pass
        elif step is not None and not isinstance(step, FunctionType) and id(value) not in self._own:
            self.stage.refuse("an iterator in a branch or a loop", "make a list of it before")
        elif is_array(value):
            if getattr(getattr(value, "dtype", None), "hasobject", False):
                self.stage.refuse("an array of objects in a branch or a loop", "use a list")
            return _array_slot(value)
        slot: Slot | None = self.stage.watch(value)
        return slot

    def run(self, block: Thunk) -> Left:
        """What the block leaves; then everything is put back. What it raises is refused at its line."""
        try:
            return self.left(self.inside(block))
        finally:
            self.restore()

    def inside(self, block: Thunk) -> Any:
        """The block's result; what it changes stays, unless it raises."""
        here = self.stage._here
        outer, path = here.places, here.path
        here.places, here.path = (*outer, self), self.path or path
        try:
            with trace_of(self.stage):
                return block()
        except AutographError:
            raise
        except Exception as error:  # noqa: BLE001  # the library's, or Python's
            self.stage.refuse_raised(error)
        finally:
            here.places, here.path = outer, path

    def left(self, result: Any = None) -> Left:
        """What is there now, as what a block left."""
        changes = self.heap.changes()
        for slot in changes:
            if slot.key == "array":
                self.stage.refuse(f"a change of {slot.name} in a branch or a loop", "make another one")
        return Left(result, self.state.get(), {slot.identity: (slot, slot.read()) for slot in changes})

    def restore(self) -> None:
        """Put everything back."""
        self.heap.restore()
        self.state.set(self.before)

    def name_of(self, slot: Slot) -> str:
        """What the program calls a place: the variable that holds a container, or where it stands."""
        if slot.key != "contents":
            return f"`{slot.name}`"
        held = zip(self.state.names, self.before, strict=True)
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

    def values(self, left: Left) -> list[Any]:
        """What variables and `slots` hold after a block, and its result."""
        held = ((left.places.get(s.identity) or (s, self.heap.before(s)))[1] for s in self.slots.values())
        return [*left.variables, *held, left.result]

    def set(self, values: Sequence[Any]) -> Any:
        """Let variables and `slots` hold these; gives the last one, the result."""
        count = len(self.state.names)
        self.state.set(tuple(values[:count]))
        for slot, value in zip(self.slots.values(), values[count:-1], strict=True):
            slot.write(value)
        return values[-1]

    def leaves(self, values: Sequence[Any]) -> tuple[list[Any], Shape]:
        """Values taken apart: what the library carries, and how to build them again."""

        def kept(value: Any) -> bool:
            if type(value) in (list, dict):
                return not self.stage.takes_apart(value, value in self.heap)
            return not isinstance(value, tuple) and not self.stage.is_leaf(value)

        return taken_apart(values, kept)

    # What two paths leave

    def gaps(self, values: Sequence[Any], others: Sequence[Any]) -> dict[int, Any]:
        """The variables that have a value on one path only, and what they are to hold then: `Missing`.

        A variable of the conversion's own is not read on the other path: it holds the one value.
        """
        found = {}
        for place, (name, x, y) in enumerate(zip(self.names(), values, others, strict=True)):
            if (is_missing(x) or is_missing(y)) and not same(x, y):
                if place >= len(self.state.names):
                    self.stage.differs(name, "is set on one path only")
                missing, value = (x, y) if is_missing(x) else (y, x)
                own = not is_missing(value) and isinstance(missing, Undefined) and not missing.name
                found[place] = value if own else Missing(self.state.names[place], self.stage)
        return found

    def agree(self, shape: Shape, other: Shape) -> None:
        """What two paths leave must be of one shape."""
        for name, x, y in zip(self.names(), shape, other, strict=True):
            if x != y:
                self.stage.differs(name, difference(x, y))


def iterators_in(value: Any) -> Iterator[Any]:
    """An iterator, and those that it reads: `enumerate(items)` reads `items`."""
    pending = [value]
    while pending:
        each = pending.pop()
        if hasattr(type(each), "__next__"):
            yield each
            pending += gc.get_referents(each)


def is_array(value: Any) -> bool:
    """Is it an array that can be stored to: NumPy's, or one of `array` and `bytearray`?"""
    kinds = type(value).__mro__
    return any(each.__name__ in _ARRAYS and each.__module__ == _ARRAYS[each.__name__] for each in kinds)


_ARRAYS = {"ndarray": "numpy", "array": "array", "bytearray": "builtins"}


def _array_slot(array: Any) -> Slot:
    """An array as a place, which holds the same copy as long as nobody stores to it."""
    before, contents = copy.copy(array), getattr(array, "tobytes", None) or array.copy
    first = contents()

    def read() -> Any:
        return before if contents() == first else copy.copy(array)

    def write(value: Any) -> None:
        array[... if hasattr(array, "shape") else slice(None)] = value

    return Slot(array, "array", f"an array ({type(array).__name__})", read, write)


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
    """Where a thread is: the statements whose blocks run, their conditions, and what was stored to values."""

    places: tuple[Places, ...] = ()
    path: tuple[Any, ...] = ()
    stores: tuple[tuple[Any, Any, Any], ...] = ()
    refusal: AutographError | None = None


# Values taken apart
#
# The shape of a leaf is "leaf", that of what no library carries a `Const`, that of a container its kind, its
# keys and the shapes of its parts; a list that stands in two places is ("again", number) in the second one.

_ATOMS = (bool, int, float, complex, str, bytes, type(None))


class Missing:
    """A variable that has a value on one path only: its stage claims it, and refuses to read it."""

    def __init__(self, name: str, stage: Stage) -> None:
        self.name, self.stage = name, stage


class Const:
    """What no library carries: it must be the same on all paths."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return type(other) is Const and same(self.value, other.value)


Shape = list[Any]
"""The shapes of several values."""


def same(a: Any, b: Any) -> bool:
    """One object, or equal numbers or texts of one type, or no value: nobody's `==` is asked."""
    if a is b or type(a) is not type(b):
        return a is b
    if isinstance(a, (Missing, Undefined)):
        return bool(a.name == b.name)
    return type(a) in _ATOMS and repr(a) == repr(b)


def is_missing(value: Any) -> bool:
    """Is it what stands for no value?"""
    return isinstance(value, (Undefined, Missing))


def taken_apart(values: Iterable[Any], kept: Callable[[Any], bool]) -> tuple[list[Any], Shape]:
    """The leaves of values, and their shapes; what is `kept` is a `Const`."""
    leaves: list[Any] = []
    seen: dict[int, tuple[int, Any]] = {}
    return leaves, [_shape(value, kept, leaves, seen) for value in values]


def _shape(
    value: Any, kept: Callable[[Any], bool], leaves: list[Any], seen: dict[int, tuple[int, Any]]
) -> Any:
    kind, keys, parts = type(value), (), value
    if kind is Contents:
        keys, parts = value.keys, value.values
    elif kept(value):
        return Const(value)
    elif kind in (list, dict):
        if id(value) in seen:  # a list in two places stays one list
            return "again", seen[id(value)][0]
        seen[id(value)] = len(seen), value
        keys, parts = (tuple(value), value.values()) if kind is dict else ((), value)
    elif not isinstance(value, tuple):
        leaves.append(value)
        return "leaf"
    return kind, [*map(Const, keys)], [_shape(part, kept, leaves, seen) for part in parts]


def built(shape: Shape, leaves: Iterable[Any]) -> list[Any]:
    """The opposite: values of these shapes, of these leaves."""
    given: Iterator[Any] = iter(leaves)
    made: list[Any] = []
    return [_built(part, given, made) for part in shape]


def _built(shape: Any, given: Iterator[Any], made: list[Any]) -> Any:
    if isinstance(shape, Const):
        return shape.value
    if shape == "leaf":
        return next(given)
    if shape[0] == "again":
        return made[shape[1]]
    kind, names, parts = shape
    container: Any = kind() if kind in (list, dict) else None
    if container is not None:
        made.append(container)
    keys, items = [name.value for name in names], [_built(part, given, made) for part in parts]
    if kind is list:
        container.extend(items)
    elif kind is dict:
        container.update(zip(keys, items, strict=True))
    elif kind is Contents:
        return Contents(tuple(keys), tuple(items))
    else:
        return kind(*items) if hasattr(kind, "_fields") else kind(items)
    return container


def count(shape: Any) -> int:
    """How many leaves there are in a shape."""
    if isinstance(shape, Const) or shape[0] == "again":
        return 0
    return 1 if shape == "leaf" else sum(map(count, shape[2]))


def difference(a: Any, b: Any) -> str:
    """In which way two shapes differ, in words."""
    x, y = _kind(a), _kind(b)
    if x != y:
        return f"is {x} on one path and {y} on the other"
    if isinstance(a, Const) or isinstance(b, Const):
        return f"is one {x.partition(' ')[2]} or another"
    return "changes its length or keys"


def _kind(shape: Any) -> str:
    if shape == "leaf":
        return "a number"
    kind = type(shape.value) if isinstance(shape, Const) else shape[0]
    if kind == "again":
        return "a list of two names"
    name = kind.__name__
    return "None" if name == "NoneType" else f"{'an' if name[0] in 'aeiouAEIOU' else 'a'} {name}"
