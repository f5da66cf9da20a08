"""An item of a real container, taken apart as its spec says: the flat values that a graph holds of it.

Where items differ in kind (ints and floats, arrays of two dtypes, None and a tuple) the spec of an item is a
Variant of exactly these kinds: what is read is the very item that was put in, and nothing is promoted.

>>> from runtime.types import FLOAT, INT
>>> reader = Reader(Variant((Leaf(INT), Leaf(FLOAT))))
>>> [str(t) for t in reader.types], reader.read(2.5)
(['int', 'int', 'float'], (1, 0, 2.5))

Do real objects hold what a trace knows of their classes? A guard asks, and a handler of exceptions.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection
from typing import Any

import numpy as np

from autograph.errors import StagingError
from autograph.operators import Undefined
from runtime.ops.conversion import nobody_reads
from runtime.ops.instances import are_atoms, attributes, is_user_instance, real_class
from runtime.ops.item_patterns import (
    CONTAINERS,
    OneOf,
    Pattern,
    Row,
    Same,
    Text,
    Typed,
    Unknown,
    class_of,
    surely_fit,
)
from runtime.ops.python_numbers import fitting
from runtime.ops.template import reads_itself
from runtime.specs.spec import (
    Const,
    Leaf,
    Opaque,
    Spec,
    Tuple,
    Variant,
    is_compared,
    leaf_types,
    same_constant,
)
from runtime.types import (
    CLASS,
    EXCEPTION,
    INT,
    ArrayType,
    ContainerType,
    InstanceType,
    ObjectType,
    ScalarType,
    Type,
)

#: a staged int is below this
LIMIT = 2**63


class Reader:
    """Takes an item apart, as its spec says: the flat values that a graph holds of it."""

    __slots__ = ("_accepts", "_flatten", "element", "pattern", "read", "types")

    def __init__(self, element: Spec | None) -> None:
        self.element = element
        self.types: tuple[Type, ...] = () if element is None else tuple(leaf_types(element, of_item=True))
        self.pattern = pattern_of(element)
        self._flatten = _flattener(element) if element is not None else lambda item, flat: False
        #: the flat values of an item: none, one by itself, or a tuple
        self.read: Callable[[Any], Any] = self._read
        if isinstance(element, Leaf) and not element.boxed:
            self.read = self._read_one
            self._accepts = accepts_type(element.type)

    def _read_one(self, item: Any) -> Any:
        if self._accepts(item):
            return item
        raise unexpected(item, self.element)

    def _read(self, item: Any) -> Any:
        flat: list[Any] = []
        if not self._flatten(item, flat):
            raise unexpected(item, self.element)
        return flat[0] if len(flat) == 1 else tuple(flat)

    def companions(self, companion: Any) -> list[Any]:
        """The parts of an item's companion (ops/companions.py) that belong to the flat values; None for those
        that have none. What an item is not, where it may be one of several, has a part for nobody."""
        return [] if self.element is None else _companions(self.element, companion)

    def accepts(self, item: Any) -> bool:
        """Is it an item of this spec?"""
        return self._flatten(item, [])

    def of_parts(self) -> tuple[Reader, ...]:
        """A reader for each item of a tuple; none where items are something else."""
        spec = self.element
        return tuple(map(Reader, spec.items)) if isinstance(spec, Tuple) and spec.cls is tuple else ()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Reader) and other.element == self.element

    def __hash__(self) -> int:
        return hash(self.element)

    def __repr__(self) -> str:
        return f"Reader({self.element})"


def pattern_of(element: Spec | None) -> Pattern:
    """What the spec of an item says, for engines.

    >>> from runtime.types import STR
    >>> pattern_of(Tuple((Leaf(STR), Const(None))))
    Row(cls=<class 'tuple'>, parts=(Typed(kind=ObjectType(name='str'), cls=<class 'str'>), Same(value=None)))
    """
    if isinstance(element, Leaf) and not element.boxed:
        return Typed(element.type, _class_of(element.type))
    if isinstance(element, Const) and isinstance(element.value, Opaque):
        return Unknown()  # anything: nobody reads it
    if isinstance(element, Const) and type(element.value) is str:
        return Text(element.value)
    if isinstance(element, Const) and (
        isinstance(element.value, Undefined) or not is_compared(element.value)
    ):
        return Same(element.value)  # Undefined is no object that a run meets
    if isinstance(element, Tuple) and not reads_itself(element.cls):
        return Row(element.cls, tuple(map(pattern_of, element.items)))
    if isinstance(element, Variant):
        return OneOf(tuple(map(pattern_of, element.alternatives)))
    return Unknown()


def unexpected(item: Any, element: Spec | None) -> Exception:
    """An int beyond 64 bits, or an item that code outside put in, during the run or before it."""
    for part in item if type(item) is tuple else (item,):
        if type(part) is int:
            try:
                fitting(part, "sum()")
            except OverflowError as error:
                return error
    return StagingError(
        f"a container holds a {type(item).__name__}, where the trace knew of {element} only",
        hint="pass it as an argument, so that each call looks at what it holds",
    )


Flattener = Callable[[Any, "list[Any]"], bool]  # False: the item is of another kind


def _companions(spec: Spec, companion: Any) -> list[Any]:
    if isinstance(spec, Const):
        return []
    if isinstance(spec, Leaf):
        return [_companion_of_leaf(spec.type, companion)]
    if isinstance(spec, Tuple):
        parts = companion if isinstance(companion, tuple) and len(companion) == len(spec.items) else None
        parts = (None,) * len(spec.items) if parts is None else parts
        return [one for item, part in zip(spec.items, parts, strict=True) for one in _companions(item, part)]
    assert isinstance(spec, Variant), f"{spec} is no spec of an item"
    return [None, *[one for each in spec.alternatives for one in _companions(each, companion)]]


def _companion_of_leaf(type_: Type, companion: Any) -> Any:
    if isinstance(type_, ContainerType | InstanceType):
        return companion if isinstance(companion, list | dict | deque | tuple) else {}
    if isinstance(type_, ObjectType) or type_.dtype.kind not in "fc":
        return None
    if isinstance(companion, np.ndarray) and companion.ndim == type_.ndim:
        return companion
    return np.zeros([n or 0 for n in type_.shape], type_.dtype)


def _flattener(spec: Spec) -> Flattener:
    if isinstance(spec, Leaf):
        return _leaf(spec)
    if isinstance(spec, Const):
        value = spec.value
        if isinstance(value, Opaque):
            return lambda item, flat: True  # anything: nobody reads it
        return lambda item, flat: same_constant(item, value)
    if isinstance(spec, Tuple):
        return _tuple(spec)
    assert isinstance(spec, Variant), f"{spec} is no spec of an item"
    return _variant(spec)


def _leaf(spec: Leaf) -> Flattener:
    """Of a Tensor, the graph holds what is in it."""
    accepts, boxed = accepts_type(spec.type), spec.boxed

    def flatten(item: Any, flat: list[Any]) -> bool:
        if boxed:
            if not getattr(type(item), "boxed", False):
                return False
            item = item.numpy()
        if not accepts(item):
            return False
        flat.append(item)
        return True

    return flatten


def accepts_type(type_: Type) -> Callable[[Any], bool]:
    """Is an object of exactly this type?"""
    if type_ == INT:
        return lambda item: type(item) is int and -LIMIT <= item < LIMIT
    if isinstance(type_, ScalarType):
        dtype = type_.dtype
        return lambda item: isinstance(item, np.generic) and item.dtype == dtype
    if isinstance(type_, ArrayType):
        dtype, shape, ndim = type_.dtype, type_.shape, type_.ndim
        fits = lambda held: held == shape or all(map(lambda n, m: n is None or n == m, shape, held))
        return lambda x: type(x) is np.ndarray and x.dtype == dtype and x.ndim == ndim and fits(x.shape)
    if type_ in (EXCEPTION, CLASS):
        kind = BaseException if type_ == EXCEPTION else type
        return lambda item: isinstance(item, kind)
    cls = _class_of(type_) or str
    return lambda item: type(item) is cls


def _class_of(type_: Type) -> type | None:
    return real_class(type_.cls) if isinstance(type_, InstanceType) else class_of(type_)


class Holds:
    """Is an object a container of this kind, all of whose items the spec holds, and the items of these?

    Machine code asks quicker (functions/dispatch.py).
    """

    __slots__ = ("_item", "_key", "cls", "inside", "key_pattern", "kind", "pattern")

    def __init__(self, kind: ContainerType) -> None:
        self.kind = kind
        self.cls: Any = CONTAINERS[kind.name]
        self.pattern = pattern_of(kind.element)
        self.key_pattern = pattern_of(kind.key) if kind.is_mapping else None
        self._item = Reader(kind.element)
        self._key = Reader(kind.key)
        #: what containers within an item must hold; None where an item has none
        self.inside = _inside(kind.element)

    def __call__(self, container: Any) -> bool:
        if type(container) is not self.cls:
            return False
        items = container.values() if self.kind.is_mapping else container
        if self.kind.is_mapping and not _all_fit(self._key, container):
            return False
        return _all_fit(self._item, items) and (self.inside is None or all(map(self.inside, items)))


def _inside(spec: Spec | None) -> Callable[[Any], bool] | None:
    if isinstance(spec, Leaf) and isinstance(spec.type, ContainerType):
        return Holds(spec.type)
    if isinstance(spec, Tuple):
        parts = [*map(_inside, spec.items)]
        if any(parts):
            return lambda item: all(map(lambda part, value: part is None or part(value), parts, item))
    if isinstance(spec, Variant):
        kinds = [(_flattener(one), _inside(one)) for one in spec.alternatives]
        if any(inside for _, inside in kinds):
            return lambda item: any(
                fits(item, []) and (inside is None or inside(item)) for fits, inside in kinds
            )
    return None


def _all_fit(reader: Reader, items: Collection[Any]) -> bool:
    return not items or surely_fit(reader.pattern, items) or all(map(reader.accepts, items))


def _tuple(spec: Tuple) -> Flattener:
    parts = [_flattener(item) for item in spec.items]
    cls: object = spec.cls

    def flatten(item: Any, flat: list[Any]) -> bool:
        if type(item) is not cls or len(item) != len(parts):
            return False
        return all(part(value, flat) for part, value in zip(parts, item, strict=True))

    return flatten


def _variant(spec: Variant) -> Flattener:
    parts = [
        (_flattener(item), [nobody_reads(t) for t in leaf_types(item, of_item=True)])
        for item in spec.alternatives
    ]

    def flatten(item: Any, flat: list[Any]) -> bool:
        for tag, (part, _) in enumerate(parts):
            own: list[Any] = []
            if part(item, own):
                flat.append(tag)
                for other, (_, padding) in enumerate(parts):
                    flat += own if other == tag else padding
                return True
        return False

    return flatten


def parts_of_object(item: Any) -> list[Any]:
    """What an object from outside refers to, as far as a trace looks."""
    if isinstance(item, tuple | list | set | deque):
        return [] if are_atoms(item) else list(item)
    if isinstance(item, dict):
        return parts_of_object([*item.values()])
    return list(attributes(item).values()) if is_user_instance(item) and not isinstance(item, type) else []


#: what `raise ... from` and `add_note` leave on an exception, of which a trace may know nothing
_OF_RAISING = {"__suppress_context__", "__notes__"}


class HoldsKnown:
    """Do an object, and all that it refers to, hold what a trace knows of? Machine code asks quicker
    (functions/dispatch.py)."""

    __slots__ = ("_readers", "kinds")

    def __init__(self, specs: dict[type, dict[str, Spec | None]]) -> None:
        self._readers = readers = {
            cls: {name: Reader(spec) for name, spec in sorted(known.items())} for cls, known in specs.items()
        }
        self.kinds = tuple(
            [(cls, tuple([(n, one.pattern) for n, one in known.items()])) for cls, known in readers.items()]
        )

    def __call__(self, value: Any) -> bool:
        waiting, seen = [value], {id(value)}
        while waiting:
            item = waiting.pop()
            known = self._readers.get(type(item))
            if known is not None:
                held = attributes(item)
                if not held.keys() <= known.keys() | _OF_RAISING:
                    return False
                if not all(one.accepts(held.get(name, Undefined(name))) for name, one in known.items()):
                    return False
            for part in parts_of_object(item):
                if id(part) not in seen:
                    seen.add(id(part))
                    waiting.append(part)
        return True
