"""A Python structure with holes, filled with the values of a run.

>>> Template(("total:", Hole(0), {"n": [Hole(1)]})).fill([2.5, 3])
('total:', 2.5, {'n': [3]})
>>> Template(Hole(0)).fill([7])
7
"""

from __future__ import annotations

import operator
import sys
from collections.abc import Callable, Iterable, Sequence
from types import FunctionType
from typing import Any

from autograph.errors import StagingError, error_at_frame
from autograph.plain_items import plain_items as plain_items
from autograph.records import record


@record
class Hole:
    """Stands for the k-th value."""

    index: int

    def __repr__(self) -> str:
        return f"Hole({self.index})"


@record
class Make:
    """An object that a run makes anew: ``function(*args, **kwargs)``, where these may have holes.

    >>> Template(Make(slice, (Hole(0), None))).fill([3])
    slice(3, None, None)
    """

    function: Callable[..., Any]
    args: tuple[Any, ...] = ()
    kwargs: tuple[tuple[str, Any], ...] = ()


class Template:
    """A structure of tuples, lists, dicts, slices, ``Make`` and holes; everything else stands for itself.

    ``fill`` makes new containers each time, as the code that it stands for would.
    """

    __slots__ = ("_fill", "structure")

    def __init__(self, structure: Any) -> None:
        self.structure = structure
        self._fill = _filler(structure)

    def fill(self, values: Sequence[Any]) -> Any:
        return self._fill(values)

    def holes(self) -> list[int]:
        """The indices of its holes, in order.

        >>> Template([Hole(1), (Hole(0),)]).holes()
        [1, 0]
        """
        return list(_holes(self.structure))

    def makes_anew(self) -> bool:
        """Is what a fill gives another object each time?

        >>> Template((1, "a")).makes_anew(), Template([1]).makes_anew(), Template((1, Hole(0))).makes_anew()
        (False, True, True)
        """
        return any(_holes(self.structure, mutable=True))

    def __repr__(self) -> str:
        return f"Template({self.structure!r})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Template):
            return NotImplemented
        return _same(self.structure, other.structure)

    def __hash__(self) -> int:
        return hash(tuple(self.holes()))


def tuple_of(like: tuple[Any, ...], parts: Iterable[Any]) -> Any:
    """A tuple of these parts, of the class of another one: a namedtuple, a class of the user's.

    >>> class Pair(tuple): pass
    >>> type(tuple_of(Pair((1, 2)), [3, 4])).__name__
    'Pair'
    """
    if type(like) is tuple:
        return tuple(parts)
    if is_more_than_items(like):
        raise refused_tuple(like)
    return tuple.__new__(type(like), parts)


def is_more_than_items(value: tuple[Any, ...]) -> bool:
    """Would a tuple that is made anew of what iterating over this one gives be another?"""
    return type(value) is not tuple and bool(getattr(value, "__dict__", None) or reads_itself(type(value)))


def reads_itself(cls: type) -> bool:
    """Does a class of tuples say itself what its items are, or how many there are?"""
    methods = (getattr(cls, name) for name in ("__getitem__", "__iter__", "__len__"))
    return cls is not tuple and any(isinstance(method, FunctionType) for method in methods)


def refused_tuple(value: tuple[Any, ...]) -> StagingError:
    """Of a tuple that has attributes, which one made anew of its items would lack, or reads itself."""
    own, hint = "attributes of its own", "make them items of it, or make it a dataclass"
    if reads_itself(type(value)):
        own, hint = "methods of its own to read its items", "give the methods other names"
    return error_at_frame(
        StagingError,
        f"a {type(value).__name__} is a tuple with {own}, and holds what only a run knows",
        sys._getframe(1),
        hint=hint,
    )


def build(structure: Any, is_value: Callable[[Any], bool]) -> tuple[Template, list[Any]]:
    """The template of a structure that contains values, and these values in the order of the holes.

    >>> template, values = build(("x is", 3, [4]), lambda item: isinstance(item, int))
    >>> template, values
    (Template(('x is', Hole(0), [Hole(1)])), [3, 4])
    """
    values: list[Any] = []

    def visit(item: Any) -> Any:
        if is_value(item):
            values.append(item)
            return Hole(len(values) - 1)
        return mapped(item, visit)

    return Template(visit(structure)), values


def mapped(item: Any, visit: Callable[[Any], Any]) -> Any:
    """A structure with its parts visited; anything else as it is."""
    if isinstance(item, Make):
        kwargs = tuple((name, visit(v)) for name, v in item.kwargs)
        return Make(item.function, tuple(map(visit, item.args)), kwargs)
    if type(item) is list:
        return [visit(part) for part in item]
    if type(item) is dict:
        return {key: visit(part) for key, part in item.items()}
    if type(item) is slice:
        return slice(visit(item.start), visit(item.stop), visit(item.step))
    if isinstance(item, tuple):
        parts = [visit(part) for part in item]
        same = type(item) is not tuple and all(map(operator.is_, parts, item))
        return item if same else tuple_of(item, parts)
    return item


def _filler(item: Any) -> Callable[[Sequence[Any]], Any]:
    if isinstance(item, Hole):
        return operator.itemgetter(item.index)
    if isinstance(item, Make):
        args = _filler(item.args)
        kwargs = _filler(dict(item.kwargs))
        function = item.function
        return lambda values: function(*args(values), **kwargs(values))
    if isinstance(item, tuple) and not any(_holes(item, mutable=True)):
        return lambda values: item
    if isinstance(item, tuple | list | dict | slice):
        return _container_filler(item)
    return lambda values: item


def _container_filler(item: Any) -> Callable[[Sequence[Any]], Any]:
    if type(item) is slice:
        bounds = [_filler(part) for part in (item.start, item.stop, item.step)]
        return lambda values: slice(*[fill(values) for fill in bounds])
    if isinstance(item, dict):
        if type(item) is not dict:
            return lambda values: item
        entries = [(key, _filler(part)) for key, part in item.items()]
        return lambda values: {key: fill(values) for key, fill in entries}
    if type(item) is tuple and len(item) > 1 and all(isinstance(part, Hole) for part in item):
        return operator.itemgetter(*[part.index for part in item])
    parts = [_filler(part) for part in item]
    if type(item) is list:
        return lambda values: [fill(values) for fill in parts]
    if type(item) is tuple:
        return lambda values: tuple([fill(values) for fill in parts])
    return lambda values: tuple_of(item, [fill(values) for fill in parts])


def _holes(item: Any, mutable: bool = False) -> Any:
    """Indices of holes; with ``mutable`` also a True for each container that a fill must make anew."""
    if isinstance(item, Hole):
        yield True if mutable else item.index
    elif isinstance(item, Make):
        if mutable:
            yield True
        yield from _holes(item.args, mutable)
        yield from _holes(dict(item.kwargs), mutable)
    elif type(item) is slice:
        yield from _holes((item.start, item.stop, item.step), mutable)
    elif isinstance(item, tuple | list):
        if mutable and not isinstance(item, tuple):
            yield True
        for part in item:
            yield from _holes(part, mutable)
    elif isinstance(item, dict):
        if mutable:
            yield True
        for part in item.values():
            yield from _holes(part, mutable)


def _same(a: Any, b: Any) -> bool:
    if type(a) is not type(b):
        return False
    if isinstance(a, tuple | list):
        return len(a) == len(b) and all(map(_same, a, b))
    if isinstance(a, dict):
        return list(a) == list(b) and all(map(_same, a.values(), b.values()))
    if isinstance(a, int | float | complex | str | bytes | slice | Hole):
        return repr(a) == repr(b)
    if isinstance(a, Make):
        return a.function is b.function and _same(a.args, b.args) and _same(a.kwargs, b.kwargs)
    return a is b
