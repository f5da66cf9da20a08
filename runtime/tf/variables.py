"""`tf.Variable` and `tf.Module`.

A variable holds an array that nobody writes into: an assignment gives it another one. So a
tensor that was read stays what it was, and a traced function takes the array in and gives the new
one back.
"""

from __future__ import annotations

import contextlib
import weakref
from collections.abc import Iterator
from typing import Any

import numpy as np

from runtime.engines import numpy_engine
from runtime.graph import Block
from runtime.tf import recording
from runtime.tf.dtypes import DType, TensorShape, as_dtype
from runtime.tf.recording import operations_between
from runtime.tf.tensors import (
    CPU,
    EagerTensor,
    Operators,
    SymbolicTensor,
    Tensor,
    convert,
    value_in,
)
from runtime.tf.traces import current, init_scope


class Variable(Operators):
    """A tensor that can be assigned.

    >>> v = Variable(2.0, name="weight")
    >>> v.assign_add(1.0).numpy(), v.name
    (np.float32(3.0), 'weight:0')
    """

    __slots__ = ("__weakref__", "_device", "_held", "_hint", "trainable")

    def __init__(
        self,
        initial_value: Any = None,
        trainable: bool = True,
        validate_shape: bool = True,
        name: str | None = None,
        dtype: Any = None,
        shape: Any = None,
    ) -> None:
        trace = current()
        if initial_value is None:
            raise ValueError("initial_value must be specified.")
        if not validate_shape or (shape is not None and None in TensorShape(shape)):
            raise NotImplementedError("a variable whose shape changes is not supported: shape=")
        if trace is not None and not trace.may_create:
            raise ValueError(
                "tf.function only supports singleton tf.Variables created on the first call. Make sure the"
                " tf.Variable is only created once or created outside tf.function."
            )
        with init_scope():
            given = initial_value() if callable(initial_value) else initial_value
            self._held = _array_of(given, dtype)
            self._device = convert(0).device
        if shape is not None and TensorShape(shape) != self._held.shape:
            raise ValueError(f"the initial value has shape {self._held.shape}, not {TensorShape(shape)}")
        self._hint = name or "Variable"
        self.trainable = trainable
        if trace is not None:
            trace.created.append(self)

    # -- what it is ------------------------------------------------------------------------------------

    @property
    def name(self) -> str:
        return self._hint + ":0"

    @property
    def dtype(self) -> DType:
        return as_dtype(self._held.dtype)

    @property
    def shape(self) -> TensorShape:
        return TensorShape(self._held.shape)

    @property
    def device(self) -> str:
        return self._device

    def __len__(self) -> int:
        return len(self._held)

    def __hash__(self) -> int:
        return id(self)

    # -- reading ---------------------------------------------------------------------------------------

    def _as_tensor(self) -> Any:
        trace = current()
        if trace is not None:
            value = trace.read(self)
            _note_read(self, value, trace)
            return SymbolicTensor(value, trace)
        tensor = EagerTensor(self._held)
        if self._device != CPU:
            tensor._device = self._device
        if recording.active():
            _note_read(self, tensor, None)
        return tensor

    def read_value(self) -> Any:
        return self._as_tensor()

    value = read_value

    def numpy(self) -> Any:
        if current() is not None:
            raise NotImplementedError("numpy() is only available when eager execution is enabled.")
        return self._held.copy()

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return np.array(self.numpy(), dtype=None if dtype is None else np.dtype(dtype))

    def __getitem__(self, key: Any) -> Tensor:
        return self._as_tensor()[key]

    def __bool__(self) -> bool:
        return bool(self._as_tensor())

    def __int__(self) -> int:
        return int(self._as_tensor())

    def __float__(self) -> float:
        return float(self._as_tensor())

    # -- assigning -------------------------------------------------------------------------------------

    def assign(
        self, value: Any, use_locking: bool = False, name: str | None = None, read_value: bool = True
    ) -> Any:
        """It holds ``value`` from now on."""
        trace = current()
        if trace is not None:
            tensor = convert(value, self.dtype if not isinstance(value, Tensor) else None)
            self._require_like(tensor)
            return trace.assign(self, value_in(trace, tensor))
        tensor = convert(value, None if isinstance(value, Tensor) else self.dtype)
        self._require_like(tensor)
        self._store(tensor._held)
        return self if read_value else None

    def _store(self, array: Any) -> None:
        self._held = array

    def _require_like(self, tensor: Tensor) -> None:
        if tensor.dtype != self.dtype:
            raise ValueError(
                f"Tensor conversion requested dtype {self.dtype.name} for Tensor with dtype"
                f" {tensor.dtype.name}"
            )
        if not self.shape.is_compatible_with(tensor.shape):
            raise ValueError(
                f"Cannot assign value to variable '{self.name}': Shape mismatch."
                f"The variable shape {self.shape}, and the assigned value shape {tensor.shape} are"
                f" incompatible."
            )

    def assign_add(
        self, delta: Any, use_locking: bool = False, name: str | None = None, read_value: bool = True
    ) -> Any:
        return self.assign(self._as_tensor() + delta, read_value=read_value)

    def assign_sub(
        self, delta: Any, use_locking: bool = False, name: str | None = None, read_value: bool = True
    ) -> Any:
        return self.assign(self._as_tensor() - delta, read_value=read_value)

    def __repr__(self) -> str:
        if current() is not None:
            return f"<tf.Variable '{self.name}' shape={self.shape} dtype={self.dtype.name}>"
        value = repr(EagerTensor(self._held)).partition("numpy=")[2]
        return f"<tf.Variable '{self.name}' shape={self.shape} dtype={self.dtype.name}, numpy={value}"


def _note_read(variable: Variable, value: Any, trace: Any) -> None:
    if variable.trainable and variable.dtype.is_floating:
        for tape in recording.active():
            if tape.trace is trace:
                tape.note_read(variable, value)


def _array_of(given: Any, dtype: Any) -> Any:
    """The array of an initial value, which may have been computed in a trace."""
    if isinstance(given, SymbolicTensor):
        given = _computed(given)
    if isinstance(given, Variable):
        given = given._as_tensor()
    tensor = convert(given, dtype)
    return np.array(tensor._held)[()]


def _computed(tensor: SymbolicTensor) -> Tensor:
    """The value of a symbolic tensor that hangs on nothing that a call gives."""
    known = {id(value): held for held, value in tensor._trace.captured.values()}
    known |= {id(value): held for value, held in tensor._trace.arguments.items()}
    known |= {
        id(value): variable for scope in tensor._trace.scopes for variable, value in scope.params.items()
    }
    operations, leaves = operations_between([tensor._value], set())
    if not all(id(leaf) in known and hasattr(known[id(leaf)], "_held") for leaf in leaves):
        raise ValueError(
            "the initial value of a variable that is made in a traced function hangs on an argument: give a"
            " function, or make the variable outside"
        )
    body = recording.Copy({}).block(Block(leaves, operations, (tensor._value,)))
    run = numpy_engine.compile(tensor._trace.program(body))
    return EagerTensor(run([known[id(leaf)]._held for leaf in leaves])[0])


#: checkpoints that were restored, and hold values for which there was no variable
waiting: weakref.WeakSet[Any] = weakref.WeakSet()


class Module:
    """A base class for objects that hold variables, in attributes, lists, tuples, dicts and other modules."""

    def __init__(self, name: str | None = None) -> None:
        self._name = name

    def __setattr__(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value)
        if isinstance(value, Variable | Module | list | dict):
            for checkpoint in list(waiting):
                checkpoint.assign_pending()

    @property
    def name(self) -> str:
        return getattr(self, "_name", None) or type(self).__name__.lower()

    @property
    def variables(self) -> tuple[Variable, ...]:
        return tuple([v for v in self._held_below() if isinstance(v, Variable)])

    def _held_below(self) -> list[Any]:
        """All variables and modules in it, each once: by the name of the attribute, and what is in
        other modules last."""
        found: dict[int, Any] = {}
        todo: list[Module] = [self]
        while todo:
            own = [x for _, value in sorted(vars(todo.pop(0)).items()) for x in _members(value)]
            new = {id(x): x for x in own if id(x) not in found and x is not self}
            found |= new
            todo = [x for x in new.values() if isinstance(x, Module)] + todo
        return list(found.values())

    @property
    def trainable_variables(self) -> tuple[Variable, ...]:
        return tuple([v for v in self.variables if v.trainable])

    @property
    def non_trainable_variables(self) -> tuple[Variable, ...]:
        return tuple([v for v in self.variables if not v.trainable])

    @property
    def submodules(self) -> tuple[Module, ...]:
        return tuple([m for m in self._held_below() if isinstance(m, Module)])

    def name_scope(self) -> Any:
        return contextlib.nullcontext()

    @classmethod
    def with_name_scope(cls, method: Any) -> Any:
        return method


def children(owner: Any) -> list[tuple[str, Any]]:
    """What an object or container holds, by name."""
    if isinstance(owner, dict):
        return [(str(key), value) for key, value in owner.items()]
    if isinstance(owner, list | tuple):
        return [(str(k), value) for k, value in enumerate(owner)]
    if isinstance(owner, Module):
        return list(vars(owner).items())
    return []


def variables_in(owner: Any) -> list[tuple[str, Variable]]:
    """The variables of a tree of objects by path, each once."""
    found: list[tuple[str, Variable]] = []
    seen: set[int] = set()

    def visit(path: str, value: Any) -> None:
        if id(value) in seen:
            return
        if isinstance(value, Variable):
            seen.add(id(value))
            found.append((path, value))
        elif isinstance(value, Module | list | tuple | dict):
            seen.add(id(value))
            for name, child in children(value):
                visit(f"{path}/{name}" if path else name, child)

    visit("", owner)
    return found


def _members(value: Any) -> Iterator[Any]:
    """The variables and modules in a value, or in containers of them."""
    if isinstance(value, Variable | Module):
        yield value
    elif isinstance(value, dict):
        for _, part in sorted(value.items(), key=lambda pair: str(pair[0])):
            yield from _members(part)
    elif isinstance(value, list | tuple):
        for part in value:
            yield from _members(part)
