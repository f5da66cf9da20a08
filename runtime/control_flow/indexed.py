"""What a staged `for` can run over: things with a length and an item for each index.

``range`` with staged bounds, arrays, and ``enumerate``, ``zip``, ``reversed`` of these. Each also iterates as
Python where its length is known, which is how short loops are unrolled.
"""

from __future__ import annotations

import operator
import sys
from collections.abc import Callable, Iterator
from typing import Any, NoReturn

import numpy as np

from autograph import operators
from autograph.errors import is_internal_code
from autograph.loading import loaded_classes
from runtime.control_flow.iterators import name_in_messages
from runtime.guards.paths import Attribute
from runtime.tracer.builder import Staged, emit, no_attribute, type_of_staged
from runtime.tracer.trace import Trace, require_trace
from runtime.types import INT, STR, ArrayType, ContainerType, NumberType, ScalarType


class Indexed:
    """``item(i) for i in range(start, stop, step)``; each bound a Python int or a staged one."""

    #: has the program's object a `__len__`, so that an empty one counts as false?
    is_sized = False
    #: may its turns run in any order, see `builtin_iterables.parallel_range`?
    is_parallel = False

    def __init__(
        self,
        bounds: tuple[Any, Any, Any],
        item: Callable[[Any], Any],
        what: str,
        over: tuple[Any, ...] = (),
        known: tuple[Any, ...] = (),
    ) -> None:
        """It runs over containers ``over`` whose lengths only a run knows, and ``known`` ones."""
        self.bounds = bounds
        self.item = item
        self.what = what
        self.over = over
        self.known = known
        self._stores = require_trace().heap.stores() if over else (0, 0)  # until now

    def __getattribute__(self, name: str) -> Any:
        """The user's code finds the class that Python's own has, and none of what is ours."""
        frame = sys._getframe(1)
        asks_for_class = name == "__class__" and frame.f_code is operators.class_of.__code__
        if asks_for_class or type(frame.f_globals) is not dict:
            cls = operators.call(type, self)
            if asks_for_class:
                return cls
            if not hasattr(cls, name):
                words = f"{name_in_messages(cls)!r} object has no attribute {name!r}"
                raise AttributeError(words, name=name)
        return super().__getattribute__(name)

    def __setattr__(self, name: str, value: Any) -> None:
        if not is_internal_code(sys._getframe(1).f_code):
            self.refuse_store(name)
        object.__setattr__(self, name, value)

    def refuse_store(self, name: str) -> NoReturn:
        """A range or an iterator has no attributes that can be set."""
        raise AttributeError(no_attribute(getattr(self, "name", type(self).__name__), name), name=name)

    def length(self) -> Any:
        """How many items: an int, or a staged int."""
        if self.static is not None:
            return len(self.static)
        start, stop, step = self.bounds
        if type(step) is int and step == 1 and type(start) is int and start == 0:
            return _select("py.gt", stop, 0)
        return emit("py.range_length", [start, stop, step])

    def is_resized(self) -> bool:
        """May a container behind it have another length than when it was made?"""
        return any(one.builder.heap.is_resized_since(self._stores, one.value) for one in self.over)

    @property
    def static(self) -> range | None:
        """The range of indices where it is known, and no container behind can have changed since."""
        if self.is_resized() or any(isinstance(bound, Staged) for bound in self.bounds):
            return None
        return range(*self.bounds)

    @property
    def is_range(self) -> bool:
        """Is it a ``range`` of the program's?"""
        return self.item is itself

    def __iter__(self) -> Iterator[Any]:
        if self.static is None:
            raise require_trace().refuse(
                f"{self.what} has a length that is only known at run time, "
                "so Python cannot iterate over it here",
                "iterate over it with a `for` statement of its own",
            )
        return KnownTurns(self, self._refuse_change) if self.over else map(self.item, self.static)

    def _refuse_change(self) -> NoReturn:
        raise require_trace().refuse(
            f"what {self.what} runs over changes meanwhile", "iterate over a copy: list(...)"
        )

    def __bool__(self) -> bool:
        """Asked by Python's own code; `truth` in converted code asks the run."""
        if is_empty_or_not(self):
            raise require_trace().refuse(
                f"Python asks here whether {self.what} is empty, which only a run knows",
                "ask for its truth in converted code, in an `if`",
            )
        return not self.is_sized or bool(self.static)

    def like(
        self, bounds: tuple[Any, Any, Any], item: Callable[[Any], Any], what: str | None = None
    ) -> Indexed:
        """Other indices, or other items, over the same containers."""
        return Indexed(bounds, item, what or self.what, self.over, self.known)

    def now(self) -> Indexed:
        """The items as they are now, which of a view of a dict may be others than when it was made."""
        return self

    def begun(self, early: bool) -> Indexed:
        """What a loop that begins now runs over; ``early``: it may end before the last item."""
        return self

    def counted(self) -> Indexed:
        """The same items, with indices from 0."""
        start, _, step = self.bounds
        if type(start) is int and start == 0 and type(step) is int and step == 1:
            return self
        return self.like((0, self.length(), 1), lambda i: self.item(start + i * step))


class KnownTurns(Iterator[Any]):
    """The items of what has a known length, one by one, as long as the containers behind stay as long.

    They may get other items, which are read in their turn.
    """

    def __init__(self, source: Indexed, on_change: Callable[[], NoReturn]) -> None:
        self._values, self._on_change = [container.value for container in source.over], on_change
        self._items = map(source.item, source.static or ())
        self._heap = require_trace().heap
        self._stores = self._heap.stores()

    def __next__(self) -> Any:
        if any(self._heap.is_resized_since(self._stores, value) for value in self._values):
            self._on_change()
        return next(self._items)


class Collected:
    """What a comprehension runs over that keeps what each turn gives.

    As long as that costs nothing (plain numbers, texts, functions), a loop over a range is unrolled, however
    many turns it has. ``in_run`` is called where the turns are no longer the trace's: the items are appended
    to a list of the run from there on.
    """

    def __init__(self, items: Any, in_run: Callable[[], None]) -> None:
        self.items = items
        self.in_run = in_run

    @property
    def may_be_free(self) -> bool:
        return type(self.items) is range


def is_empty_or_not(value: Any) -> bool:
    """Does only a run know whether this range, or view of a dict, has items, and so counts as true?"""
    return issubclass(type(value), Indexed) and value.is_sized and value.static is None


def as_int(bound: Any) -> Any:
    """What Python takes an index, a bound or a start for: an int. Raises TypeError where it is none."""
    if not isinstance(bound, Staged):
        return operator.index(bound)
    if not is_int(bound):
        if isinstance(bound.type, ArrayType):
            raise TypeError("only integer scalar arrays can be converted to a scalar index")
        raise TypeError(f"'{_python_name(bound)}' object cannot be interpreted as an integer")
    return bound if bound.type == INT else emit("py.int", [bound])


def itself(index: Any) -> Any:
    """The item of a range at an index."""
    return index


def is_int(value: Staged) -> bool:
    """Does Python take the value for an integer?"""
    kind = value.type
    if isinstance(kind, NumberType):
        return kind.kind in ("int", "bool")
    return isinstance(kind, ScalarType | ArrayType) and kind.ndim == 0 and kind.dtype.kind in "iu"


def _python_name(value: Staged) -> str:
    cls = operators.call(type, value)
    if isinstance(cls, type):
        return name_in_messages(cls)
    raise require_trace().refuse(
        "an object of which only a run knows the class is taken for an integer here", "pass a number"
    )


def over_array(array: Any) -> Indexed:
    """The items of an array along its first axis. Raises TypeError for a 0-d array, as NumPy does."""
    if array.type.ndim == 0:
        if isinstance(array.type, ArrayType):
            raise TypeError("iteration over a 0-d array")
        raise TypeError(f"'{_python_name(array)}' object is not iterable")
    return Indexed((0, array.shape[0], 1), lambda i: array[i], "this array")


def indexed(value: Any) -> Indexed | None:
    """``value`` as something a staged loop can run over, or None."""
    if isinstance(value, Indexed):
        return value.now()
    if isinstance(value, range):
        return Indexed((value.start, value.stop, value.step), lambda i: i, "this range")
    if hasattr(type(value), "__runtime_items__"):
        return value.__runtime_items__()
    kind = type_of_staged(value)
    if isinstance(kind, ArrayType | ScalarType | NumberType):
        return over_array(value)
    if isinstance(kind, ContainerType):  # what is no list gives the items that it has now
        items = value if kind.name == "list" else value.items_now()
        return Indexed((0, items.length(), 1), lambda i: items[i], f"this {kind.name}", (value,))
    if kind == STR:
        return Indexed((0, value.length(), 1), lambda i: value[i], "this string")
    return None


def staged_enumerate(iterable: Any, start: Any = 0) -> Any:
    source = indexed(iterable)
    if source is None and isinstance(start, Staged):
        source = over_items(iterable)
    if source is None:
        return NotImplemented
    counted = source.counted()
    pair = lambda i: (i if type(start) is int and start == 0 else start + i, counted.item(i))
    return counted.like(counted.bounds, pair, "this enumerate")


def in_groups(source: Indexed, count: int) -> Indexed:
    """``zip(items, items)`` of one iterator: each item is a tuple of the next ``count`` ones."""
    start, _, step = source.bounds

    def group(place: Any) -> Any:
        return tuple([source.item(start + (place * count + k) * step) for k in range(count)])

    return Indexed((0, source.length() // count, 1), group, "this zip", source.over, source.known)


def staged_zip(*iterables: Any, strict: bool = False) -> Any:
    sources = [indexed(iterable) for iterable in iterables]
    if any(source is not None and source.static is None for source in sources):
        sources = [
            over_items(iterable) if source is None else source
            for source, iterable in zip(sources, iterables, strict=True)
        ]
    if strict or not sources or any(source is None for source in sources):
        return NotImplemented
    counted = [source.counted() for source in sources if source is not None]
    length, *others = [source.bounds[1] for source in counted]
    for stop in others:
        staged = isinstance(length, Staged) or isinstance(stop, Staged)
        length = _select("py.lt", length, stop) if staged else min(length, stop)
    over = tuple([container for source in counted for container in source.over])
    known = tuple([container for source in counted for container in source.known])
    return Indexed((0, length, 1), lambda i: tuple([s.item(i) for s in counted]), "this zip", over, known)


def over_items(items: Any) -> Indexed | None:
    """A list or tuple that the trace knows item by item, beside something with a length that it does not."""
    if type(items) not in (list, tuple, str):
        return None
    return Indexed((0, len(items), 1), lambda i: operators.get_item(items, i), "this list")


def _select(comparison: str, a: Any, b: Any) -> Any:
    """``a`` where it compares so with ``b``, else ``b``: the lesser, or the greater, of two staged ints."""
    return emit("py.select", [emit(comparison, [a, b]), a, b])


def staged_reversed(sequence: Any) -> Any:
    kind = type_of_staged(sequence)
    is_set = isinstance(kind, ContainerType) and kind.name in ("set", "frozenset")
    if is_set or isinstance(kind, ArrayType | NumberType | ScalarType) and not kind.ndim:
        raise TypeError("argument to reversed() must be a sequence")
    source = indexed(sequence)
    if source is None:
        return NotImplemented
    counted = source.counted()
    last = counted.bounds[1] - 1
    return counted.like(counted.bounds, lambda i: counted.item(last - i), "this reversed sequence")


def values_of(trace: Trace, items: Any) -> Any:
    """The values of a Series or an Index of pandas, an array that each call reads; None for anything else.

    None too where pandas holds them otherwise: texts, dates, categories, numbers that may be missing.
    """
    if not trace.outside.is_foreign(items) or type(items) not in loaded_classes(*_OF_PANDAS):
        return None
    values = items.values
    if type(values) is not np.ndarray or values.dtype.kind not in "biufc":
        return None
    path = trace.outside.path_of(items)
    return None if path is None else trace.outside.import_value(values, Attribute(path, "values"))


_OF_PANDAS = (
    "pandas.core.series.Series", "pandas.core.indexes.base.Index", "pandas.core.indexes.range.RangeIndex",
)  # fmt: skip
