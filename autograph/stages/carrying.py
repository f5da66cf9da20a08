"""What a statement changes, found by running its blocks, and what both bases of stages share.

    places = Places(stage, state, blocks)
    left = places.run(body)      # result, variables, places; everything is as it was before
    places.write(left)           # now it is as the body leaves it

A place is an attribute, a global, a cell, the contents of a list, dict or set, what the stage's `watch` knows
of a mutable value of the library's. `leaves` takes all of them apart for libraries that carry tuples.
"""

from __future__ import annotations

import copy
import operator
import threading
from collections.abc import Callable, Iterable
from functools import partial, reduce
from types import FunctionType, ModuleType
from typing import Any, NoReturn

from autograph.api import convert
from autograph.config import is_excluded
from autograph.converted_code import is_converted_code
from autograph.errors import AutographError, StagingError, error_at_entry, error_at_frame
from autograph.operators import Undefined, all_true, any_true, if_exp
from autograph.records import record
from autograph.registry import trace_of
from autograph.stages.heap import Heap
from autograph.stages.slots import MISSING, Contents, Slot, cells_of, contents_of, user_code
from autograph.staging import Handler, Stage, State, Thunk

#: of an expression, which changes no variable
NO_STATE = State((), tuple, lambda values: None)
_ATOMS = (bool, int, float, complex, str, bytes, type(None))


class Missing:
    """A variable that has a value on one path only: its stage claims it, and refuses to read it."""

    def __init__(self, name: str, stage: Stage) -> None:
        self.name, self.stage = name, stage


@record
class Left:
    """What a block left: its result, the variables of the statement, and the places that it changed."""

    result: Any
    variables: tuple[Any, ...]
    places: dict[tuple[int, Any], tuple[Slot, Any]]


class Const:
    """What no library carries: it must be the same on all paths."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return type(other) is Const and same(self.value, other.value)

    __hash__ = None  # type: ignore[assignment]


Shape = list[Any]
"""How values were taken apart: "leaf", a Const, or the kind of a container and the shapes of its parts."""


def same(a: Any, b: Any) -> bool:
    """One object, or equal numbers or texts of one type: nobody's `==` is asked."""
    return a is b or (type(a) is type(b) and type(a) in _ATOMS and repr(a) == repr(b))


def same_keys(a: Contents, b: Contents) -> bool:
    """Do these contents have the same keys, and as many items?"""
    same_length = len(a.keys) == len(b.keys) and len(a.values) == len(b.values)
    return same_length and all(map(same, a.keys, b.keys))


def is_missing(value: Any) -> bool:
    """Is it what stands for no value?"""
    return value is MISSING or isinstance(value, (Undefined, Missing))


def is_iterator(value: Any) -> bool:
    """Is it used up by reading, without an attribute that would show it?"""
    step = getattr(type(value), "__next__", None)
    return step is not None and not isinstance(step, FunctionType)


class Places:
    """The variables and places that a statement may change, and what they hold before it."""

    def __init__(self, stage: CarryingStage, state: State, blocks: Iterable[Any]) -> None:
        self.stage, self.state = stage, state
        self.slots: dict[tuple[int, Any], Slot] = {}
        self._arrays: list[tuple[Any, Any]] = []
        blocks = tuple(blocks)
        try:
            self.before = state.get()
        except NameError as error:
            stage.refuse(f"the global `{error.name}`, which has no value yet,", "give it one before")
        users = [b for b in user_code(blocks) if type(b) is FunctionType and is_converted_code(b.__code__)]
        for cell, name in cells_of(users):
            held = None if name in state.names else (*contents_of(cell), None)[0]
            if is_iterator(held) and not stage.claims(held):
                stage.refuse(f"the iterator `{name}` in a branch or a loop", "make a list of it before")
        self.heap = Heap.of_statement(state, blocks, self._opaque, stage.watch)

    def _opaque(self, value: Any) -> bool:
        if self.stage.opaque(value):
            if is_array(value) and not self.stage.claims(value):
                self._arrays.append((value, copy.copy(value)))
            return True
        if is_array(value):
            self._arrays.append((value, copy.copy(value)))
        return False

    def run(self, block: Thunk) -> Left:
        """What the block leaves; then everything is put back. What it raises is refused at its line."""
        try:
            return self.left(self.inside(block))
        finally:
            self.restore()

    def inside(self, block: Thunk) -> Any:
        """The block's result; what it changes stays, unless it raises."""
        here = self.stage.here
        outer, stores = here.places, here.stores
        here.places, here.stores = (*outer, self), []
        try:
            with trace_of(self.stage):
                result = block()
            self._check_arrays()
            return result
        except Exception as error:
            while here.stores:
                target, key, before = here.stores.pop()
                target[key] = before
            if isinstance(error, AutographError):
                raise
            self.stage.refuse_raised(error)
        finally:
            here.places, here.stores = outer, stores + here.stores

    def left(self, result: Any = None) -> Left:
        """What is there now, as what a block left."""
        places = {slot.identity: (slot, slot.read()) for slot in self.heap.changes()}
        return Left(result, self.state.get(), places)

    def restore(self) -> None:
        """Put everything back."""
        self.heap.restore()
        self.state.set(self.before)

    def _check_arrays(self) -> None:
        changed = [pair for pair in self._arrays if not _same_array(*pair)]
        for array, before in changed:
            array[... if hasattr(array, "shape") else slice(None)] = before
        if changed:
            name = type(changed[0][0]).__name__
            self.stage.refuse(f"a change of a {name} in a branch or a loop", "make another one")

    def write(self, left: Left) -> None:
        """Let variables and places hold what a block left."""
        self.state.set(left.variables)
        for slot, value in left.places.values():
            slot.write(value)

    def held(self, left: Left, slot: Slot) -> Any:
        """What a place holds after a block."""
        return left.places[slot.identity][1] if slot.identity in left.places else self.heap.before(slot)

    # For libraries that carry tuples

    def grown(self, left: Left) -> bool:
        """Did the block change more than `slots`? Then they are more now, and it is to be traced again."""
        new = {identity: slot for identity, (slot, _) in left.places.items() if identity not in self.slots}
        self.slots.update(new)
        return bool(new)

    def names(self) -> tuple[str, ...]:
        """The variables' names, and those of the places."""
        return (*(f"`{name}`" for name in self.state.names), *(slot.name for slot in self.slots.values()))

    def values(self, left: Left | None = None) -> tuple[Any, ...]:
        """What variables and `slots` hold before the statement, or after a block."""
        if left is None:
            return (*self.before, *map(self.heap.before, self.slots.values()))
        return (*left.variables, *(self.held(left, slot) for slot in self.slots.values()))

    def leaves(self, values: Iterable[Any]) -> tuple[list[Any], Shape]:
        """Values taken apart: what the library carries, and how to build them again."""
        leaves: list[Any] = []
        seen: dict[int, tuple[int, Any]] = {}
        return leaves, [self._flatten(value, leaves, seen) for value in values]

    def _flatten(self, value: Any, leaves: list[Any], seen: dict[int, tuple[int, Any]]) -> Any:
        if isinstance(value, Contents):
            return Contents, value.keys, [self._flatten(part, leaves, seen) for part in value.values]
        kind = type(value)
        if kind in (list, dict):
            if not self.stage.takes_apart(value, value in self.heap):
                return Const(value)
            if id(value) in seen:  # a list in two places stays one list
                return "again", seen[id(value)][0]
            seen[id(value)] = len(seen), value
        elif not isinstance(value, tuple):
            if self.stage.is_leaf(value):
                leaves.append(value)
                return "leaf"
            return Const(value)
        parts = value.values() if kind is dict else value
        keys = [Const(key) for key in value] if kind is dict else None
        return kind, keys, [self._flatten(part, leaves, seen) for part in parts]

    def fill(self, leaves: Iterable[Any], shape: Shape) -> tuple[Any, ...]:
        """The opposite of `leaves`."""
        given, made = iter(leaves), list[Any]()
        return tuple([self._build(part, given, made) for part in shape])

    def _build(self, shape: Any, leaves: Any, made: list[Any]) -> Any:
        if isinstance(shape, Const):
            return shape.value
        if shape == "leaf":
            return next(leaves)
        if shape[0] == "again":
            return made[shape[1]]
        kind, keys, parts = shape
        if kind in (list, dict):
            built = kind()
            made.append(built)
            items = [self._build(part, leaves, made) for part in parts]
            pairs = zip([key.value for key in keys or ()], items, strict=False)
            built.extend(items) if kind is list else built.update(pairs)
            return built
        items = [self._build(part, leaves, made) for part in parts]
        if kind is Contents:
            return Contents(keys, tuple(items))
        return kind(*items) if hasattr(kind, "_fields") else kind(items)

    def set(self, values: tuple[Any, ...]) -> None:
        """Let variables and `slots` hold these."""
        count = len(self.state.names)
        self.state.set(values[:count])
        for slot, value in zip(self.slots.values(), values[count:], strict=True):
            slot.write(value)


def is_array(value: Any) -> bool:
    """Is it an array, as NumPy, `array` and `bytearray` make them?"""
    kind = type(value)
    return kind is bytearray or (hasattr(kind, "tobytes") and hasattr(kind, "__setitem__"))


def _same_array(a: Any, b: Any) -> bool:
    same_bytes = a == b if isinstance(a, bytearray) else a.tobytes() == b.tobytes()
    return bool(same_bytes)


class Steps:
    """A `range` with a bound of the library's, which a `for` loop takes and nobody else."""

    def __init__(
        self, stage: CarryingStage, start: Any, stop: Any, step: Any, item: Callable[[Any], Any]
    ) -> None:
        self.stage, self.at, self.stop, self.step, self.item = stage, start, stop, step, item
        if stage.claims(step):
            stage.refuse("a `range` whose step is a value", "write a `while` loop")
        range(0, 0, step)  # raises what Python does

    def _refused(self, *_: Any) -> Any:
        self.stage.refuse("a `range` whose bound is a value, outside of `for`,", "write a `for` loop")

    __iter__ = __len__ = __getitem__ = __contains__ = __bool__ = _refused

    def as_while(self, test: Thunk | None, body: Callable[[Any], None]) -> tuple[Any, Thunk]:
        """The first test of the loop, and an iteration, which gives the next one; `at` is where it is."""

        def go_on() -> Any:
            return self.at > self.stop if self.step < 0 else self.at < self.stop

        def step() -> Any:
            body(self.item(self.at))
            self.at = self.at + self.step
            return go_on() if test is None else all_true(test(), go_on)

        return go_on(), step


class _Here(threading.local):
    """Where a thread is: the statements whose blocks run, their conditions, and stores to undo."""

    places: tuple[Places, ...] = ()
    path: tuple[Any, ...] = ()
    stores: list[tuple[Any, Any, Any]]

    refusal: StagingError | None = None

    def __init__(self) -> None:
        self.stores = []
        self.spent: dict[int, Any] = {}


class CarryingStage(Stage):
    """What both bases know: whose values are whose, and what a block must not do. `types` must be given."""

    #: the classes of the library's values
    types: tuple[type, ...] = ()
    #: Python's values that the library takes in place of its own
    plain: tuple[type, ...] = (bool, int, float)
    here: _Here

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        made = super().__new__(cls)
        made.here = _Here()
        return made

    def lacks(self) -> str | None:
        own = type(self).claims is not CarryingStage.claims
        return None if self.types or own else "`types`, the classes of the library's values"

    def convert(self, function: Any) -> Any:
        """`autograph.convert(function, stage=self)`: the entry, and a decorator."""
        return convert(function, stage=self)

    def at_work(self) -> trace_of:
        """`with stage.at_work():` as `autograph.trace_of(stage)`, for what is not a function."""
        return trace_of(self)

    def claims(self, value: Any) -> bool:
        return isinstance(value, self.types) or (type(value) in (Missing, Steps) and value.stage is self)

    def is_leaf(self, value: Any) -> bool:
        """Does the library carry this value?"""
        return isinstance(value, self.types) or self.is_plain(value)

    def takes_apart(self, value: Any, was_there: bool) -> bool:
        """Is a list or dict in a variable carried by its items? One that was there before is that object."""
        return not was_there

    def opaque(self, value: Any) -> bool:
        """Is this none of the program's objects? Nobody looks into it, for what a block may change."""
        module = type(value).__module__ or ""
        root = module.partition(".")[0]
        return self.claims(value) or root in self.packages or (is_excluded(module) and not is_python(root))

    def is_plain(self, value: Any) -> bool:
        """Does the library take this value of Python's (or number of NumPy's) in place of its own?"""
        kind = type(value)
        return kind in self.plain or (kind.__module__ == "numpy" and isinstance(value, self.plain))

    def refuse(self, construct: str, hint: str | None = None) -> NoReturn:
        try:
            super().refuse(construct, hint)
        except StagingError as error:
            self.here.refusal = error
            raise

    def trace_ended(self, raised: bool) -> None:
        here = self.here
        refusal, here.refusal = here.refusal, None
        here.spent.clear()
        if refusal is not None and not raised:
            raise refusal  # a handler of the program's has caught it

    def refuse_raised(self, error: Exception, where: str = "a branch or a loop") -> NoReturn:
        """What a block raises, or a method of the stage: not for a handler of the program's.

        Other values may not reach the place. A stage may raise the exception itself.
        """
        what = f"{type(error).__name__} ({error})" if str(error) else type(error).__name__
        if isinstance(error, RecursionError):
            what = "a recursion whose end depends on a value"
        entry, users = error.__traceback__, None
        while entry is not None:
            users = entry if is_converted_code(entry.tb_frame.f_code) else users
            entry = entry.tb_next
        message = f"{what} in {where} over values of stage {self.name!r} is not supported"
        hint = "both branches run, and a loop's body runs for values that the test would end it at"
        if users is None:
            raise error_at_frame(StagingError, message) from error
        raise error_at_entry(StagingError, message, users, hint=hint) from error

    def bound(self, value: Any) -> Any:
        if isinstance(value, Missing):
            self.refuse(f"`{value.name}`, which has a value on one path only,", "give it a value before")
        return value

    def is_(self, a: Any, b: Any) -> Any:
        if a is not b:
            for one, other in ((a, b), (b, a)):
                if self.claims(one) and (type(other) in self.plain or self.claims(other)):
                    self.refuse("`is`", "write `==`, or ask for the value itself")
        return a is b

    def in_(self, item: Any, container: Any) -> Any:
        found: Any = False
        for other in container:
            found = any_true(found, partial(operator.eq, item, other))
        return found

    # What a block must not do

    def for_stmt(self, iterable: Any, test: Thunk | None, body: Callable[[Any], None], state: State) -> Any:
        steps = self.steps(iterable)
        if steps is not None:
            return self.for_range(Steps(self, *steps), test, body, state)
        self._check_iterator(iterable)
        return NotImplemented

    def steps(self, iterable: Any) -> tuple[Any, Any, Any, Callable[[Any], Any]] | None:
        """`start, stop, step, item` of what a `for` goes over by numbers, `item(i)` in place of `i`; or None.

        By default a `range` with a bound of the library's. None leaves a loop to Python.
        """
        if type(iterable) is not Steps:
            return None
        return iterable.at, iterable.stop, iterable.step, iterable.item

    def for_range(self, steps: Steps, test: Thunk | None, body: Callable[[Any], None], state: State) -> None:
        """`for` over a range whose bound is a value."""
        self.refuse("a `for` loop over a range")

    def _check_iterator(self, value: Any) -> None:
        if not is_iterator(value) or self.claims(value):
            return
        if id(value) in self.here.spent:
            self.refuse("an iterator after a loop that a value has ended", "make a list of it before")
        if self.here.places and value in self.here.places[-1].heap:
            self.refuse("an iterator in a branch or a loop", "make a list of it before")

    def try_stmt(
        self,
        body: Thunk,
        handlers: tuple[Handler, ...],
        orelse: Thunk | None,
        finalbody: Thunk | None,
        state: State,
    ) -> Any:
        if handlers and self.reaches([body, *state.get()]):
            self.refuse("`try` with `except`", "test for what would be raised")
        return NotImplemented

    def reaches(self, roots: Iterable[Any]) -> bool:
        """Is there a value of the library's in what these hold?"""
        found = False

        def look(value: Any) -> bool:
            nonlocal found
            found = found or self.claims(value)
            return found or self.opaque(value)

        Heap(user_code(roots), opaque=look)
        return found

    def stored_to(self, owner: Any, name: str) -> Any:
        if self.here.places and (isinstance(owner, ModuleType) or self.opaque(owner)):
            self.refuse(f"a store to `{name}` of a {type(owner).__name__} in a branch or a loop")
        return owner

    def raise_stmt(self, exception: Any, cause: Any) -> Any:
        if self.here.places:
            self.refuse("a `raise` in a branch or a loop", "return a value that stands for the error")
        return NotImplemented

    def passes_on(self, function: Any) -> bool:
        sorts = type(getattr(function, "__self__", None)) is list and function.__name__ == "sort"
        return sorts or any(function is each for each in (map, filter, sorted, min, max, reduce))

    def call(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        owner = getattr(function, "__self__", None)
        for value in (owner, *args, *kwargs.values()):
            self._check_iterator(value)
        if self.here.places and is_effect(function, owner):
            self.refuse(f"a call of `{function.__name__}` in a branch or a loop")
        if function is range and any(map(self.claims, args)):
            start, stop = args[:2] if len(args) > 1 else (0, args[0])
            return Steps(self, start, stop, args[2] if len(args) > 2 else 1, _itself)
        if function in (min, max):
            return self._extreme(function, args, kwargs)
        if function in (any, all) and len(args) == 1 and not kwargs:
            return self._any_or_all(args[0], function is all)
        return NotImplemented

    def _extreme(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        items = list(args[0] if len(args) == 1 else args)
        if not any(map(self.claims, items)):
            return function(items, **kwargs) if items or len(args) == 1 else NotImplemented
        if kwargs:
            self.refuse(f"`{function.__name__}` with `{next(iter(kwargs))}`", "write a loop")
        best = items[0]
        for item in items[1:]:
            better = item > best if function is max else item < best
            best = if_exp(better, partial(_itself, item), partial(_itself, best))
        return best

    def _any_or_all(self, items: Iterable[Any], conjunction: bool) -> Any:
        """Each item is asked for on the path on which Python asks for it."""
        found, iterator, ended = conjunction, iter(items), False
        joined = all_true if conjunction else any_true

        def following() -> Any:
            nonlocal ended
            for item in iterator:
                return item
            ended = True
            return conjunction

        while not ended and (self.claims(found) or bool(found) is conjunction):
            found = joined(found, following)
        return found if self.claims(found) else bool(found)


def _itself(value: Any) -> Any:
    return value


_WORLD = frozenset(
    "io _io random _random time os posix nt sys subprocess socket shutil logging secrets uuid".split()
)


def is_effect(function: Any, owner: Any) -> bool:
    """Does a call do something to the world, or ask it for something, that both branches would do?"""
    if function in (print, input, open):
        return True
    module = getattr(function, "__module__", None) or type(owner).__module__ or ""
    return module.partition(".")[0] in _WORLD or module.startswith("numpy.random")


def is_python(root: str) -> bool:
    """Is this module of Python's own library, whose objects may hold those of the program?"""
    import sys

    return root in sys.stdlib_module_names
