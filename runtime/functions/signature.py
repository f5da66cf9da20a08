"""Arguments -> a flat list of leaves and a hashable key: what a call is matched by.

An array's key is its dtype and shape, a Python number's its kind, anything else that is plain is its value.
Lists, tuples and dicts are taken apart, but for long ones, whose items are data that a guard looks at; other
objects are known by class, and guarded further by what the trace reads.

>>> leaves = []
>>> key_of(2.5, leaves)
<class 'float'>
>>> key_of((np.zeros(3), "mean"), leaves)
('tuple', <class 'tuple'>, (('array', dtype('float64'), (3,)), ('value', (<class 'str'>, 'mean'))))
>>> len(leaves)
2
"""

from __future__ import annotations

import types
from collections.abc import Hashable, Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from autograph.loading import is_loaded
from autograph.plain_items import plain_items
from runtime import messages, tensor
from runtime.functions.tensor_specs import TensorSpec
from runtime.graph import Value
from runtime.guards import keys as key_texts
from runtime.guards.keys import is_constant
from runtime.guards.paths import Argument, Attribute, Constant, Guard, Item, NumberGuard, Path
from runtime.guards.questions import Fits
from runtime.objects.container_data import MAX_KNOWN_TEXT, is_long
from runtime.outside.known import know_keys
from runtime.specs import readers
from runtime.types import STR, ArrayType, NumberType, ScalarType, Type, parse_type

if TYPE_CHECKING:
    from runtime.stage.attempt import Attempt

_NUMBERS = frozenset({int, float, complex})
_INT64 = range(-(2**63), 2**63)


class Open:
    """An argument of which the signature says the class only: a run knows a text, and what is in a list."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value


def key_of(value: Any, leaves: list[Any], data: bool = True) -> Hashable:
    """The key of one argument; its leaves are appended to ``leaves``.

    ``data``: a run knows what is in long lists and texts; else they are taken apart as short ones.
    """
    kind: Any = type(value)
    if kind is np.ndarray:
        leaves.append(value)
        return ("array", value.dtype, value.shape)
    if kind in _NUMBERS:
        if kind is int and value not in _INT64:
            return ("value", value)
        leaves.append(value)
        return kind
    if is_loaded(tensor) and kind is tensor.Tensor:
        leaves.append(value)
        inner = value.numpy()
        return ("tensor", inner.dtype, inner.shape, type(inner) is np.ndarray)
    if isinstance(value, TensorSpec):
        leaves.append(value)
        return ("spec", value.type)
    if isinstance(value, np.generic) and value.dtype.kind in "biufc":
        leaves.append(value)
        return ("scalar", value.dtype)
    if kind is tuple or hasattr(kind, "_make"):
        return ("tuple", kind, tuple([key_of(item, leaves, data) for item in value]))
    if kind is Open or (data and is_data_argument(value)):
        value = value.value if kind is Open else value
        leaves.append(value)
        return ("open", type(value))
    if kind is list:
        leaves.append(value)
        return ("list", tuple([key_of(item, leaves, data) for item in value]))
    if kind is dict:
        leaves.append(value)
        items = tuple([key_of(item, leaves, data) for item in value.values()])
        return ("dict", tuple(map(key_texts.mark, value)), items)
    if value is None or kind in (bool, str, bytes, range, slice):
        return ("value", key_texts.mark(value))
    if isinstance(value, ArrayType | ScalarType | NumberType):
        leaves.append(value)
        return ("type", value)
    if isinstance(value, type | types.FunctionType | types.BuiltinFunctionType | types.ModuleType | np.ufunc):
        return ("identity", key_texts.Same(value))
    if is_constant(value):
        return ("value", key_texts.mark(value))
    leaves.append(value)
    return ("object", kind)


def is_data_argument(value: Any) -> bool:
    """Is it a long text, list or dict, known by its class only, for a run knows what is in it?"""
    kind = type(value)
    if kind in (list, dict):
        return is_long(value) and not describes_items(value)
    return kind is str and len(value) > MAX_KNOWN_TEXT


def describes_items(value: Any) -> bool:
    """Does a list or dict hold specs in place of items?"""
    first = next(iter(value.values() if isinstance(value, dict) else value), None)
    return isinstance(first, ArrayType | ScalarType | NumberType) or (isinstance(first, TensorSpec))


def holds_itself(values: Iterable[Any]) -> bool:
    """Is there a list, tuple or dict among what these hold that holds itself, by way of others too?

    >>> items = [1, ({},)]
    >>> items[1][0]["more"] = items
    >>> holds_itself(items), holds_itself([[], [2], "text"])
    (True, False)
    """
    around: set[int] = set()
    seen: set[int] = set()
    pending = [(value, False) for value in values]
    while pending:
        value, is_left = pending.pop()
        if is_left:
            around.remove(id(value))
        elif id(value) in around:
            return True
        elif id(value) not in seen and isinstance(value, list | tuple | dict):
            seen.add(id(value))
            around.add(id(value))
            pending += [(value, True), *[(item, False) for item in plain_items(value)]]
    return False


def constants_in(key: Hashable) -> Hashable:
    """What of a key is a constant of the trace, in its place; None for what a run gets as an input.

    >>> constants_in(key_of((np.zeros(3), "mean"), []))
    ('tuple', (None, ('value', (<class 'str'>, 'mean'))))
    """
    if not isinstance(key, tuple) or key[0] not in ("tuple", "list", "dict", "value", "identity", "open"):
        return None
    if key[0] in ("value", "identity", "open"):
        return key
    return (key[0], tuple(map(constants_in, key[-1])))


def leaves_by_spec(spec: Any, value: Any, leaves: list[Any]) -> None:
    """As `key_of`; a bool, for that a constant, is an input where the spec is a type of numbers."""
    if isinstance(spec, NumberType):
        leaves.append(value)
    elif isinstance(spec, tuple | list | dict):
        if not isinstance(spec, tuple):
            leaves.append(value)
        for place in spec if isinstance(spec, dict) else range(len(spec)):
            leaves_by_spec(spec[place], value[place], leaves)
    else:
        key_of(value, leaves)


def leaves_of(values: Iterable[Any]) -> list[Any]:
    """The leaves of all these arguments."""
    leaves: list[Any] = []
    for value in values:
        key_of(value, leaves)
    return leaves


class Entry:
    """Turns the arguments of one call into trace-time values and graph parameters."""

    def __init__(self, trace: Attempt) -> None:
        self.trace = trace
        self.positions: list[int] = []  # leaves that are parameters of the graph
        self.count = 0
        self.has_numbers = False

    def leaf(self, name: str) -> Argument:
        path = Argument(self.count, name)
        self.count += 1
        return path

    def param(self, type: Type, path: Argument, name: str, boxed: bool = False, array: Any = None) -> Any:
        value = Value(type, name if name.isidentifier() else name.replace(".", "_"))
        self.trace.body.params.append(value)
        self.positions.append(path.index)
        staged = self.trace.wrap(value)
        if boxed:
            staged = staged.boxed_as_tensor()
        self.trace.outside.bind_argument(path, staged)
        if array is not None:
            self.trace.outside.arrays.append((path, staged, array))
        return staged

    def enter(self, value: Any, name: str) -> Any:
        """The trace-time value of an argument; takes its leaves in the order of ``key_of``."""
        kind = type(value)
        if kind is np.ndarray and not value.dtype.names:
            messages.check_array(value, name, self.trace)
            return self.param(ArrayType(value.dtype, value.shape), self.leaf(name), name, array=value)
        if kind in _NUMBERS:
            return self._number(value, name)
        if is_loaded(tensor) and kind is tensor.Tensor:
            return self._tensor(value, name)
        if isinstance(value, TensorSpec):
            return self.param(value.type, self.leaf(name), value.name or name)
        if isinstance(value, ArrayType | ScalarType | NumberType):
            return self.param(value, self.leaf(name), name)
        if isinstance(value, np.generic) and value.dtype.kind in "biufc":
            return self.param(ScalarType(value.dtype), self.leaf(name), name)
        if kind is tuple or hasattr(kind, "_make"):
            if kind is not tuple:
                self.trace.outside.reach_class(kind)
            items = [self.enter(item, f"{name}[{i}]") for i, item in enumerate(value)]
            return tuple(items) if kind is tuple else kind._make(items)
        if kind is Open or is_data_argument(value):
            return self._open(value.value if kind is Open else value, name)
        if kind in (list, dict):
            return self._container(value, name)
        if value is None or kind in (bool, str, bytes, range, slice):
            return value
        if isinstance(
            value, type | types.FunctionType | types.BuiltinFunctionType | types.ModuleType | np.ufunc
        ):
            return self.trace.outside.import_value(value, Constant(value, name))  # the key has its identity
        if is_constant(value):
            return self.trace.outside.import_value(value, Constant(value, name))  # the key says what it is
        return self.trace.outside.import_value(value, self.leaf(name))

    def _open(self, value: Any, name: str) -> Any:
        """What only a run knows of an argument that is no number: a text, what is in a list or dict."""
        path = self.leaf(name)
        outside = self.trace.outside
        if type(value) is str:
            return self._text(value, path, name)
        if id(value) in outside.stand_ins:
            outside.aliases.same(value, path)
            return outside.stand_ins[id(value)]
        if not self.trace.containers.take_as_data(value, path):
            self.has_numbers = True
            return outside.import_value(value, path)
        outside.aliases.know(value, path)
        kind = self.trace.containers.outside_type(value, path)
        outside.aliases.know_of_run(value, path, kind)
        accepts = readers.Holds(kind)
        outside.guards.append(Guard(path, Fits(accepts), f"a {kind}"))
        if self.trace.references.learn(value):
            self.trace.references.guard(path, f"a {kind}")
        staged = outside.stand_ins[id(value)] = self.param(kind, path, name)
        return staged

    def _text(self, value: str, path: Argument, name: str) -> Any:
        containers = self.trace.containers
        if path in containers.item_by_item:
            return self.trace.outside.import_value(value, path)
        containers.data[path] = value
        return self.param(STR, path, name)

    def _number(self, value: Any, name: str) -> Any:
        if type(value) is int and value not in _INT64:
            return value
        path = self.leaf(name)
        self.has_numbers = True
        decisions = self.trace.decisions
        if decisions.static_numbers and path not in decisions.staged_paths:
            self.trace.outside.guards.append(NumberGuard(path, value))
            return value
        return self.param(NumberType(type(value).__name__), path, name)

    def _tensor(self, value: Any, name: str) -> Any:
        inner = value.numpy()
        array = type(inner) is np.ndarray
        return self.param(
            ArrayType(inner.dtype, inner.shape) if array else ScalarType(inner.dtype),
            self.leaf(name),
            name,
            boxed=True,
            array=inner if array else None,
        )

    def _container(self, value: Any, name: str) -> Any:
        outside = self.trace.outside
        path = self.leaf(name)
        self.trace.taking_in = name
        if id(value) in outside.stand_ins:  # the same container twice
            outside.aliases.same(value, path)
            for item in value.values() if isinstance(value, dict) else value:
                self._skip(item)
            return outside.stand_ins[id(value)]
        outside.aliases.know(value, path)
        if path in self.trace.decisions.data:
            for item in value.values() if isinstance(value, dict) else value:
                self._skip(item)
            kind = self.trace.containers.outside_type(value, path)
            outside.aliases.know_of_run(value, path, kind)
            staged = outside.stand_ins[id(value)] = self.param(kind, path, name)
            return staged
        items: list[Any] | dict[Any, Any]
        if type(value) is list:
            items = [self.enter(item, f"{name}[{i}]") for i, item in enumerate(value)]
        else:
            know_keys(outside, value, path)  # the signature says which they are
            items = {
                key: self.enter(item, f"{name}[{key_texts.text_of_key(key)}]") for key, item in value.items()
            }
        made = outside.stand_ins[id(value)] = self.trace.containers.known_from_outside(value, items, path)
        return made

    def _skip(self, value: Any) -> None:
        skipped: list[Any] = []
        key_of(value, skipped)
        self.count += len(skipped)


def parse_spec(text: str) -> TensorSpec | NumberType | ScalarType:
    """``f64[None,3]``, ``i64``, ``float`` as on the command line."""
    found = parse_type(text)
    if isinstance(found, ArrayType):
        return TensorSpec(found.shape, found.dtype)
    if isinstance(found, NumberType | ScalarType):
        return found
    raise ValueError(f"{text!r} is not an array or a number")


__all__ = ["Attribute", "Constant", "Entry", "Item", "Path", "key_of", "parse_spec"]
