"""The one way to add an operation to the graph that is being traced: ``emit``.

    y = emit("add", [x, 2.0])          # x staged, 2.0 becomes a constant; y is staged
    s = emit("sum", [x], axis=0)

``emit`` asks the operation's definition for the output types, notes the user's line, appends to the
current block and wraps the outputs in the classes of ``runtime/tensor.py``.

Attributes of staged values that are for our own code alone: for the user's there is none of that name.

    try:
        return node.value
    except AttributeError:
        return node  # a staged array has no `value`, as an array has none

Code that is being traced is known by its globals, which are no plain dict (runtime/outside/outside.py). A
read by it finds nothing, so that Python asks the `__getattr__` of the class, which has NumPy's and Python's
words.
"""

from __future__ import annotations

import collections
import os
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from opcode import opname
from sys import _getframe
from types import FrameType
from typing import Any

import numpy as np

from autograph.code_objects import read_as_program
from autograph.errors import StagingError, error_at_frame, register_internal_directory
from autograph.loading import loaded
from runtime.graph import Block, Location, Operation, Value
from runtime.graph.user_locations import user_location
from runtime.ops.definition import REGISTRY, UnsupportedError
from runtime.types import (
    ArrayType,
    ContainerType,
    InstanceType,
    NumberType,
    ObjectType,
    ScalarType,
    Type,
    type_of,
)

_PLAIN = (
    bool, int, float, complex, str, bytes, list, tuple, range, dict, set, frozenset, slice, BaseException,
    collections.deque, collections.OrderedDict, collections.defaultdict, collections.Counter,
    np.ndarray, np.generic, np.flatiter,
)  # fmt: skip
#: what some plain value has, a staged one may show
_SHOWN = frozenset().union(*map(dir, _PLAIN))


def hide_own_attributes(cls: type, public: tuple[str, ...] = ()) -> None:
    """Hide from traced code what the class body defines beside `public` and what plain values have."""
    for name, attribute in list(vars(cls).items()):
        if name not in _SHOWN and name not in public and not name.startswith("__"):
            setattr(cls, name, _OwnAttribute(name, attribute))


def is_hidden(cls: type, name: str, frame: FrameType) -> bool:
    """Does traced code in this frame ask for what is our own? A class with a ``__getattribute__`` asks so."""
    if type(frame.f_globals) is dict:
        return False
    return any(isinstance(vars(base).get(name), _OwnAttribute) for base in cls.__mro__)


class _OwnAttribute:
    """A slot, property, method or constant of a class, where the code that asks is our own."""

    __slots__ = ("attribute", "name", "read")

    def __init__(self, name: str, attribute: Any) -> None:
        self.name = name
        self.attribute = attribute
        is_constant = not hasattr(type(attribute), "__get__")
        self.read = (lambda owner, cls: attribute) if is_constant else attribute.__get__

    def __get__(self, owner: Any, cls: type) -> Any:
        if type(_getframe(1).f_globals) is dict or owner is None:
            return self.read(owner, cls)
        raise AttributeError(self.name)

    def __set__(self, owner: Any, value: Any) -> None:
        if type(_getframe(1).f_globals) is not dict:
            raise AttributeError(no_attribute(type(owner).__name__, self.name), name=self.name, obj=owner)
        self.attribute.__set__(owner, value)

    def __delete__(self, owner: Any) -> None:
        raise AttributeError(no_attribute(type(owner).__name__, self.name), name=self.name, obj=owner)


def reads_attribute(frame: FrameType, name: str) -> bool:
    """Does the line of traced code that runs read the attribute, and not C code that it called?"""
    code = frame.f_code
    if code is read_as_program.__code__:
        return True
    if type(frame.f_globals) is dict or name not in code.co_names:
        return False
    return opname[code.co_code[frame.f_lasti]] in ("LOAD_ATTR", "LOAD_METHOD")


def no_attribute(kind: str, name: str) -> str:
    """Python's words for a store to an object without a `__dict__`."""
    more = " and no __dict__ for setting new attributes" if sys.version_info >= (3, 13) else ""
    return f"{kind!r} object has no attribute {name!r}{more}"


register_internal_directory(os.path.dirname(np.__file__))
register_internal_directory(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


class Staged:
    """A value of the graph as converted code sees it. Subclasses: runtime/tensor.py.

    What a subclass has beside the attributes of the plain values it stands for, and beside those it names as
    `public`, is for our own code alone (runtime/tracer/builder.py).
    """

    __slots__ = ("builder", "value")

    def __init__(self, value: Value, builder: Builder) -> None:
        self.value = value
        self.builder = builder

    def __init_subclass__(cls, public: tuple[str, ...] = (), **options: Any) -> None:
        super().__init_subclass__(**options)
        hide_own_attributes(cls, public)

    @property
    def type(self) -> Type:
        return self.value.type


hide_own_attributes(Staged)


class StandIn:
    """Stands for a part of something outside, or for what a trace knows part by part: it never leaves."""

    __slots__ = ()
    __runtime_traced_methods__ = True

    def refusal(self) -> StagingError:
        """The error (not raised) where it would leave the trace, or is one of several things."""
        raise NotImplementedError


def type_of_staged(value: Any) -> Type | None:
    """The type of a staged value; None of anything else, whatever its attribute `type` may be."""
    return value.type if isinstance(value, Staged) else None


class Builder:
    """The blocks under construction, innermost last. One per trace."""

    numpy: Any  # numpy_calls/protocols.py: what NumPy asks of staged values
    #: what to read the attributes of an object from, and to store them to: our own code, too
    seen: Callable[[Any], Any]
    #: containers of these types are values of one variable: both hold what either holds from now on
    unite_containers: Callable[[Type, Type], None]

    def __init__(self, body: Block) -> None:
        self.blocks = [body]
        self.tapes: list[Any] = []  # `rt.GradientTape` that record, outer ones first
        #: called with each operation after it was appended (the tracer's journal and try statements listen)
        self.listeners: list[Callable[[Operation], None]] = []
        #: code is traced to see what it does, and what it gives is thrown away
        self.in_vain = False
        #: where an exception was raised that Python has unwound already; else the user's current line counts
        self.location: Location | None = None

    def reference_of(self, value: Any) -> Staged | None:
        """The object of the run that a trace-time instance stands for, as a staged value."""
        return None

    @property
    def block(self) -> Block:
        return self.blocks[-1]

    @contextmanager
    def into(self, block: Block) -> Iterator[Block]:
        """Operations emitted inside the ``with`` go into ``block``."""
        self.blocks.append(block)
        try:
            yield block
        finally:
            self.blocks.pop()

    def append(self, operation: Operation) -> Operation:
        if operation.location is None:
            operation.location = self.location or user_location()
        self.block.append(operation)
        for listener in self.listeners:
            listener(operation)
        return operation

    def value_of(self, item: object) -> Value:
        """The graph value of an operand: a staged value's own, or a constant's for a plain Python value."""
        if isinstance(item, Staged):
            if item.builder is not self:
                raise leaked(item)
            return item.value
        return self.constant(item)

    def constant(self, item: object, type: Type | None = None) -> Value:
        """A constant: a number, a NumPy scalar or any Python object (typed ``object``).

        Raises StagingError for an array or a NumPy scalar whose dtype no staged value has.
        """
        if isinstance(item, StandIn):
            raise item.refusal()
        try:
            constant_type = type or type_of(item)
        except TypeError as error:
            hint = "convert it to another dtype before"
            raise error_at_frame(StagingError, str(error), hint=hint) from None
        return self.append(Operation("constant", (), (constant_type,), {"value": item})).output

    def wrap(self, value: Value) -> Any:
        kind = value.type.__class__
        if kind not in WRAPPERS:
            loaded(_WRAPPED_BY[kind])
        return WRAPPERS[kind](value, self)

    def as_tensor(self, value: Value) -> Any:
        """The same of an array that the program has as an rt.Tensor."""
        return loaded("runtime.tensor").StagedTensor(value, self)


#: class of a type -> what wraps a value of it
WRAPPERS: dict[type, Callable[[Value, Builder], Any]] = {}
#: and the module that enters it there, loaded when the first such value is wrapped
_WRAPPED_BY: dict[type, str] = {
    ArrayType: "runtime.staged.arrays",
    ScalarType: "runtime.staged.arrays",
    NumberType: "runtime.staged.numbers",
    ContainerType: "runtime.staged.containers",
    ObjectType: "runtime.staged.exceptions",
    InstanceType: "runtime.objects.references",
}

_local = threading.local()

#: the builders of all threads: as long as there is none, nobody needs to ask for his own
active_builders: list[Builder] = []


def current() -> Builder | None:
    """The builder of the trace that is under way in this thread."""
    stack = getattr(_local, "stack", None)
    return stack[-1] if stack else None


@contextmanager
def activate(builder: Builder) -> Iterator[Builder]:
    stack = _local.__dict__.setdefault("stack", [])
    stack.append(builder)
    active_builders.append(builder)
    try:
        yield builder
    finally:
        active_builders.remove(builder)
        stack.pop()


def emit(name: str, inputs: Sequence[object] = (), /, **attributes: Any) -> Any:
    """Append operation ``name`` and return its output: staged, a tuple of staged, or None for no output.

    Raises what the operation's type rule raises (TypeError, ValueError with NumPy's words), and
    StagingError when no trace is under way or a staged value belongs to another trace.
    """
    builder = current()
    if builder is None:
        raise leaked(next((i for i in inputs if isinstance(i, Staged)), None))
    definition = REGISTRY[name]
    values = tuple([builder.value_of(item) for item in inputs])
    try:
        types = definition.output_types([v.type for v in values], attributes)
    except UnsupportedError as error:
        raise error_at_frame(
            StagingError, str(error), hint="use other functions of NumPy, or do this outside the function"
        ) from None
    _check_lengths(types)
    operation = builder.append(Operation(name, values, types, attributes))
    outputs = tuple([builder.wrap(value) for value in operation.outputs])
    return outputs[0] if len(outputs) == 1 else (outputs or None)


def _check_lengths(types: tuple[Type, ...]) -> None:
    """Raises TypeError where a length was computed from an argument that is no integer."""
    for made in types:
        if isinstance(made, ArrayType):
            for n in made.shape:
                if n is not None and (type(n) is bool or not isinstance(n, int | np.integer)):
                    raise TypeError(f"{type(n).__name__!r} object cannot be interpreted as an integer")


def leaked(item: object) -> StagingError:
    """The error for a staged value outside its trace."""
    what = f"a staged value ({item.type})" if isinstance(item, Staged) else "a staged value"
    return error_at_frame(
        StagingError,
        f"{what} is used outside the trace that made it",
        hint="return it from the function, or pass it as an argument, "
        "instead of keeping it in an outer variable",
    )


def refuse(message: str, hint: str) -> StagingError:
    """The error (not raised) for what cannot be staged, at the user's line."""
    return error_at_frame(StagingError, message, hint=hint)
