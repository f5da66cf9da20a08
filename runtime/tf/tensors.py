"""`tf.Tensor`: immutable arrays, eager ones that hold values and symbolic ones that stand for a value of
a graph; and `apply`, by which every function of this package does its work.

    apply("add", a, b)      eager: runs the kernel of the operation `add` on the arrays that a and b hold
                            while a function is traced: appends the operation to its graph

What has no axes is held as a NumPy scalar. Nobody writes into an array that a tensor holds.
"""

from __future__ import annotations

import operator
from abc import ABCMeta
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from runtime import recording
from runtime.differentiation.replay import Named
from runtime.graph import Value
from runtime.ops import REGISTRY
from runtime.ops.definition import Dynamic
from runtime.ops.template import Hole, Template
from runtime.tf.dtypes import DType, TensorShape, as_dtype, numpy_dtype
from runtime.tf.errors import InvalidArgumentError
from runtime.tf.graph_view import GraphView, NamedTensor
from runtime.tf.traces import Trace, current, eager_devices, is_tracing, leaked
from runtime.types import ArrayType, ScalarType, type_of

HOST = "/job:localhost/replica:0/task:0"
CPU = HOST + "/device:CPU:0"


_Method = Callable[[Any, Any], Any]


def _both_ways(compute: _Method) -> tuple[_Method, _Method]:
    """An operator of a tensor on the left, and of one on the right."""
    return (lambda self, other: compute(self, other)), (lambda self, other: compute(other, self))


class Operators:
    """What tensors and variables have in common, Python's operators first of all."""

    __slots__ = ()
    shape: Any

    @property
    def ndim(self) -> int:
        return len(self.shape)

    def get_shape(self) -> TensorShape:
        shape: TensorShape = self.shape
        return shape

    def ref(self) -> Reference:
        return Reference(self)

    def __neg__(self) -> Any:
        return apply("negative", convert(self))

    def __abs__(self) -> Any:
        return apply("absolute", convert(self))

    def __invert__(self) -> Any:
        return apply("invert", convert(self))

    def __eq__(self, other: object) -> Any:
        return equal(self, other)

    def __ne__(self, other: object) -> Any:
        return equal(self, other, "not_equal")

    def __hash__(self) -> int:
        return id(self)

    __lt__, _ = _both_ways(lambda a, b: apply("less", *pair(a, b)))
    __le__, _ = _both_ways(lambda a, b: apply("less_equal", *pair(a, b)))
    __gt__, _ = _both_ways(lambda a, b: apply("greater", *pair(a, b)))
    __ge__, _ = _both_ways(lambda a, b: apply("greater_equal", *pair(a, b)))
    __add__, __radd__ = _both_ways(lambda a, b: arithmetic("add", a, b))
    __sub__, __rsub__ = _both_ways(lambda a, b: arithmetic("subtract", a, b))
    __mul__, __rmul__ = _both_ways(lambda a, b: arithmetic("multiply", a, b))
    __pow__, __rpow__ = _both_ways(lambda a, b: arithmetic("power", a, b))
    __floordiv__, __rfloordiv__ = _both_ways(lambda a, b: whole_divide(a, b))
    __mod__, __rmod__ = _both_ways(lambda a, b: whole_divide(a, b, "remainder"))
    __truediv__, __rtruediv__ = _both_ways(lambda a, b: true_divide(a, b))
    __matmul__, __rmatmul__ = _both_ways(lambda a, b: matmul(a, b))
    __and__, __rand__ = _both_ways(lambda a, b: apply("bitwise_and", *pair(a, b)))
    __or__, __ror__ = _both_ways(lambda a, b: apply("bitwise_or", *pair(a, b)))
    __xor__, __rxor__ = _both_ways(lambda a, b: apply("bitwise_xor", *pair(a, b)))


class Tensor(Operators, metaclass=ABCMeta):  # those of finished graphs are registered
    """A value of an element type and a shape."""

    __slots__ = ()
    __array_priority__ = 100

    @property
    def dtype(self) -> DType:
        raise NotImplementedError

    @property
    def shape(self) -> TensorShape:
        raise NotImplementedError

    @property
    def device(self) -> str:
        raise NotImplementedError

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("Scalar tensor has no `len()`")
        if self.shape[0] is None:
            raise TypeError("len is not well defined for a symbolic Tensor of unknown length: tf.shape(x)[0]")
        return int(self.shape[0])

    def __getitem__(self, key: Any) -> Tensor:
        return item(self, key)

    def __hash__(self) -> int:
        raise TypeError("Tensor is unhashable. Instead, use tensor.ref() as the key.")

    def __pos__(self) -> Tensor:
        return self


class EagerTensor(Tensor):
    """A tensor that holds its value."""

    __slots__ = ("__weakref__", "_device", "_held")
    #: where the program wants it; not set where it does not say
    _device: str

    def __init__(self, held: Any) -> None:
        self._held = held

    @property
    def device(self) -> str:
        return getattr(self, "_device", CPU)

    @property
    def dtype(self) -> DType:
        return as_dtype(self._held.dtype)

    @property
    def shape(self) -> TensorShape:
        return TensorShape(self._held.shape)

    def numpy(self) -> Any:
        """The value: an array of one's own, or a NumPy scalar."""
        return self._held.copy() if isinstance(self._held, np.ndarray) else self._held

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return np.array(self._held, dtype=None if dtype is None else np.dtype(dtype))

    def __iter__(self) -> Iterator[Tensor]:
        if not self.shape:
            raise TypeError("Cannot iterate over a scalar tensor.")
        return iter([self[k] for k in range(len(self))])

    def __bool__(self) -> bool:
        if self._held.size != 1:
            raise ValueError(
                "The truth value of an array with more than one element is ambiguous. Use a.any() or a.all()"
            )
        return bool(self._held)

    def __int__(self) -> int:
        return int(self._held.item())

    def __float__(self) -> float:
        return float(self._held.item())

    def __complex__(self) -> complex:
        return complex(self._held.item())

    def __index__(self) -> int:
        return operator.index(self._held.item())

    def __format__(self, spec: str) -> str:
        return format(self._held, spec)

    def cpu(self) -> EagerTensor:
        return self

    def gpu(self) -> EagerTensor:
        raise InvalidArgumentError(message="there is no GPU here: the only device is /device:CPU:0")

    def __str__(self) -> str:
        value = _on_lines_of_its_own(str(self._held))
        return f"tf.Tensor({value}, shape={self.shape}, dtype={self.dtype.name})"

    def __repr__(self) -> str:
        value = _on_lines_of_its_own(np.array_repr(self._held)) if self.shape else repr(self._held.item())
        return f"<tf.Tensor: shape={self.shape}, dtype={self.dtype.name}, numpy={value}>"


def _on_lines_of_its_own(text: str) -> str:
    return "\n" + text if "\n" in text else text


Tensor.register(NamedTensor)


class SymbolicTensor(Tensor):
    """A tensor that stands for a value of the graph that is being traced."""

    __slots__ = ("__weakref__", "_trace", "_value")

    def __init__(self, value: Value, trace: Trace) -> None:
        self._value = value
        self._trace = trace

    @property
    def dtype(self) -> DType:
        return as_dtype(self._value.dtype)

    @property
    def shape(self) -> TensorShape:
        return TensorShape(self._value.shape)

    @property
    def name(self) -> str:
        return self._trace.name_of(self._value)

    @property
    def device(self) -> str:
        owner = self._value.owner
        return "" if owner is None else self._trace.device_of.get(owner, "")

    @property
    def graph(self) -> Any:
        """The `tf.Graph` that is built, or what there is so far of the function that is traced."""
        return self._trace.owner or self._view()

    def _view(self) -> GraphView:
        trace = self._trace
        if trace.owner is not None:
            return trace.owner._view()
        return GraphView(trace.program(), trace.name, trace.names, trace.constants, trace.device_of)

    @property
    def op(self) -> Any:
        return self._view().tensor(self._value).op

    def set_shape(self, shape: Any) -> None:
        """Say what is known of the shape besides."""
        known = TensorShape(shape)
        if not self.shape.is_compatible_with(known):
            raise ValueError(f"Tensor's shape {self.shape} is not compatible with supplied shape {known}")
        merged = tuple([b if a is None else a for a, b in zip(self.shape, known, strict=True)])
        if merged:
            self._value = (
                self._trace.append(
                    "broadcast_to", (self._value,), (ArrayType(self.dtype._numpy, merged),), {"shape": merged}
                )[0]
                if None not in merged
                else self._value
            )

    def numpy(self) -> Any:
        raise NotImplementedError(
            "numpy() is only available when eager execution is enabled: a tensor has no value while a"
            " function is traced"
        )

    def _refuse(self, what: str) -> Any:
        raise TypeError(
            f"Using a symbolic `tf.Tensor` as {what} is not allowed: it has a value only when the function"
            " runs. Write `if`, `while`, `and` in a function that AutoGraph converts, or tf.cond"
        )

    def __bool__(self) -> bool:
        return bool(self._refuse("a Python `bool`"))

    def __int__(self) -> int:
        return int(self._refuse("a Python number"))

    __float__ = __complex__ = __index__ = __int__

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        raise NotImplementedError(
            f"Cannot convert a symbolic tf.Tensor ({self.name}) to a numpy array: a call of NumPy in a traced"
            " function is not part of the graph; use the tf function of that name"
        )

    def __iter__(self) -> Iterator[Tensor]:
        if not self.shape or self.shape[0] is None:
            raise TypeError(
                "Iterating over a symbolic `tf.Tensor` is not allowed outside of a `for` statement"
            )
        return iter([self[k] for k in range(self.shape[0])])

    def __hash__(self) -> int:  # a key of what a session is fed
        return id(self)

    def __repr__(self) -> str:
        return f"<tf.Tensor '{self.name}' shape={self.shape} dtype={self.dtype.name}>"

    def __str__(self) -> str:
        return f'Tensor("{self.name}", shape={self.shape}, dtype={self.dtype.name})'


class Reference:
    """What stands for a tensor as a key."""

    def __init__(self, tensor: Any) -> None:
        self._tensor = tensor

    def deref(self) -> Any:
        return self._tensor

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Reference) and self._tensor is other._tensor

    def __hash__(self) -> int:
        return id(self._tensor)


# -- doing an operation ------------------------------------------------------------------------------------


def value_in(trace: Trace, tensor: Any) -> Value:
    """The value of the graph for an operand."""
    if isinstance(tensor, SymbolicTensor):
        if tensor._trace is trace:
            if not trace.is_visible(tensor._value):
                raise TypeError(
                    f"{tensor!r} is out of scope and cannot be used here: it was made in a branch"
                    f" or loop, and kept"
                    " in a list or an object. Use variables of the function, return values, or a"
                    " tf.TensorArray"
                )
            return tensor._value
        if is_tracing(tensor._trace):  # of a function around this one: it comes in as a parameter
            return trace.capture(tensor, tensor._value.type)
        raise leaked(str(tensor))
    if isinstance(tensor, EagerTensor):
        return trace.capture(tensor, type_of(tensor._held))
    return trace.constant(tensor)


def apply(name: str, /, *inputs: Any, **attributes: Any) -> Any:
    """Do the operation of that name: now, or in the graph. Inputs are tensors, or what counts (int)."""
    trace = current()
    if trace is not None:
        try:
            values = trace.emit(name, [value_in(trace, x) for x in inputs], attributes)
        except IndexError as error:
            raise ValueError(str(error)) from None
        made: list[Any] = [SymbolicTensor(value, trace) for value in values]
        return made[0] if len(made) == 1 else tuple(made)
    for x in inputs:
        if isinstance(x, SymbolicTensor):
            raise leaked(str(x))
    kernel: Any = REGISTRY[name].kernel
    try:
        with np.errstate(all="ignore"):
            found = kernel(*[x._held if isinstance(x, EagerTensor) else x for x in inputs], **attributes)
    except (ValueError, IndexError, np.linalg.LinAlgError) as error:
        raise InvalidArgumentError(message=str(error)) from None
    outputs = [_placed(held(each)) for each in (found if isinstance(found, tuple) else (found,))]
    if recording.records():
        recording.note(Named(name, attributes, outputs), inputs, outputs)
    return tuple(outputs) if isinstance(found, tuple) else outputs[0]


def _placed(array: Any) -> EagerTensor:
    """A tensor on the device that the program wants."""
    made = EagerTensor(array)
    devices = eager_devices()
    if devices:
        made._device = HOST + devices[-1]
    return made


def not_of(text: str) -> Exception:
    """The error for an element type that an operation has not: of a run, or of a graph that is built."""
    return InvalidArgumentError(message=text) if current() is None else TypeError(text)


def misfit(text: str) -> Exception:
    """The error for shapes that do not fit: TensorFlow's of a run, or of a graph that is built."""
    return InvalidArgumentError(message=text) if current() is None else ValueError(text)


def require(x: Any, holds: Any, message: str) -> Any:
    """The tensor x, where all of ``holds`` does; else InvalidArgumentError, if the result is used."""
    return apply("require", x, holds, message=message)


def not_negative(index: Any, message: str) -> Any:
    return require(index, apply("greater_equal", index, convert(0, index.dtype)), message)


def held(value: Any) -> Any:
    """An array, or the scalar for one without axes."""
    if isinstance(value, np.ndarray):
        return value if value.ndim else value[()]
    return value if isinstance(value, np.generic) else convert_array(value, None)


# -- making tensors ----------------------------------------------------------------------------------------


def convert_array(value: Any, dtype: np.dtype | None) -> Any:
    """What Python or NumPy holds as the array of a tensor: float32 and int32 from Python numbers."""
    is_numpy = isinstance(value, np.ndarray | np.generic)
    found = np.asarray(value)
    if found.dtype.kind not in "biufc":
        raise ValueError(f"Attempt to convert a value ({value!r}) with an unsupported type to a Tensor.")
    if dtype is not None:
        kinds = "biufc"
        known = found.dtype.kind.replace("u", "i"), dtype.kind.replace("u", "i")
        if found.size and (
            (known[0] == "b") != (known[1] == "b") or kinds.index(known[0]) > kinds.index(known[1])
        ):
            raise TypeError(f"Cannot convert {value!r} to EagerTensor of dtype {dtype.name}")
        made = found.astype(dtype)
        if known == ("i", "i") and not np.array_equal(made, found):
            raise ValueError(f"Can't convert Python sequence with out-of-range integer to Tensor: {value!r}")
        return held(made)
    if not is_numpy and not _holds_numpy(value):
        if found.dtype == np.float64:
            found = found.astype(np.float32)
        elif found.dtype == np.int64:
            if found.size and (found.max() > 2**31 - 1 or found.min() < -(2**31)):
                return held(found)
            found = found.astype(np.int32)
    return held(found.copy() if isinstance(value, np.ndarray) else found)


def _holds_numpy(value: Any) -> bool:
    """Does a list hold arrays, whose element type it has then?"""
    while isinstance(value, list | tuple) and value:
        value = value[0]
    return isinstance(value, np.ndarray | np.generic)


def _holds_tensor(value: Any) -> bool:
    if isinstance(value, list | tuple):
        return any(map(_holds_tensor, value))
    return isinstance(value, Tensor) or hasattr(value, "_as_tensor")


def convert(value: Any, dtype: Any = None, like: Tensor | None = None) -> Any:
    """`tf.convert_to_tensor`. `like`: a tensor whose element type a plain value takes, where it can."""
    if hasattr(value, "_as_tensor"):
        value = value._as_tensor()
    wanted = None if dtype is None else numpy_dtype(dtype)
    if isinstance(value, Tensor):
        if wanted is not None and value.dtype != wanted:
            raise ValueError(
                f"Tensor conversion requested dtype {wanted.name} for Tensor with dtype"
                f" {value.dtype.name}: {value!r}"
            )
        return value
    if isinstance(value, list | tuple) and not isinstance(value, TensorShape) and _holds_tensor(value):
        return _stacked(value, wanted)
    if value is None:
        raise ValueError("None values not supported.")
    if wanted is None and like is not None:
        wanted = like.dtype._numpy
    found = convert_array(value, wanted)
    trace = current()
    if trace is not None:
        return (
            SymbolicTensor(trace.constant(found), trace) if not found.ndim else _array_constant(trace, found)
        )
    return _placed(found)


def _array_constant(trace: Trace, found: Any) -> Tensor:
    """Arrays come in as parameters: what is in a graph is small, and known."""
    tensor = EagerTensor(found)
    value = trace.capture(tensor, type_of(found))
    trace.constants[value] = found
    trace.call(value, "Const")
    return SymbolicTensor(value, trace)


def _stacked(value: Any, dtype: np.dtype | None) -> Any:
    """Nested lists with tensors among them."""
    first = next((x for x in _leaves(value) if isinstance(x, Tensor)), None)
    wanted = dtype if dtype is not None else (None if first is None else first.dtype._numpy)
    parts = [_stacked(x, wanted) if isinstance(x, list | tuple) else convert(x, wanted) for x in value]
    return apply("stack", *parts, axis=0)


def _leaves(value: Any) -> Iterator[Any]:
    if isinstance(value, list | tuple):
        for part in value:
            yield from _leaves(part)
    else:
        yield value._as_tensor() if hasattr(value, "_as_tensor") else value


def pair(a: Any, b: Any) -> tuple[Any, Any]:
    """Two operands of one element type: a plain value takes that of the tensor beside it."""
    if hasattr(a, "_as_tensor"):
        a = a._as_tensor()
    if hasattr(b, "_as_tensor"):
        b = b._as_tensor()
    if isinstance(a, Tensor):
        b = convert(b, like=a)
    elif isinstance(b, Tensor):
        a = convert(a, like=b)
    else:
        a = convert(a)
        b = convert(b, like=a if not isinstance(b, np.ndarray | np.generic | float) else None)
        if a.dtype != b.dtype:
            a, b = _promoted(a, b)
    if a.dtype != b.dtype:
        text = f"cannot compute an operation of a {a.dtype.name} and a {b.dtype.name} tensor: use tf.cast"
        raise not_of(text)
    return a, b


def _promoted(a: Tensor, b: Tensor) -> tuple[Any, Any]:
    """Two plain values: an int beside a float is a float."""
    wanted = a.dtype if a.dtype.is_floating else b.dtype
    return cast(a, wanted), cast(b, wanted)


def cast(x: Any, dtype: Any) -> Any:
    x = convert(x)
    wanted = numpy_dtype(dtype)
    return x if x.dtype == wanted else apply("astype", x, dtype=wanted)


# -- lengths and items -------------------------------------------------------------------------------------


def shape_parts(shape: Any) -> tuple[tuple[Any, ...], list[Any]]:
    """A shape as an operation takes it: lengths, with `Dynamic` for those that only a run knows; and
    these."""
    if hasattr(shape, "_as_tensor"):
        shape = shape._as_tensor()
    if isinstance(shape, EagerTensor):
        shape = shape._held.tolist()
    if isinstance(shape, SymbolicTensor):
        shape = _elements(shape)
    if not isinstance(shape, list | tuple | np.ndarray):
        shape = (shape,)
    found: list[Any] = []
    dynamic: list[Any] = []
    for n in shape:
        if isinstance(n, SymbolicTensor):
            known = known_value(n)
            if known is None:
                found.append(Dynamic(len(dynamic)))
                dynamic.append(SymbolicTensor(n._trace.int_of(n._value), n._trace))
            else:
                found.append(int(known))
        elif n is None:
            raise ValueError("a length is None: take it from tf.shape(x), which a run knows")
        else:
            found.append(int(n))
    return tuple(found), dynamic


def _elements(shape: SymbolicTensor) -> list[Any]:
    """The numbers of a vector, each known where the graph shows it."""
    if shape.ndim == 0:
        return [shape]
    n = shape.shape[0]
    if n is None:
        raise NotImplementedError("a shape whose number of dimensions only a run knows is not supported")
    owner = shape._value.owner
    if (
        owner is not None
        and owner.name in ("array", "stack")
        and all(not SymbolicTensor(v, shape._trace).shape for v in owner.inputs)
    ):
        parts = (
            owner.attributes["template"].structure
            if "template" in owner.attributes
            else [Hole(k) for k in range(n)]
        )
        return [
            SymbolicTensor(owner.inputs[p.index], shape._trace) if isinstance(p, Hole) else p for p in parts
        ]
    if shape._value in shape._trace.constants:
        return shape._trace.constants[shape._value].tolist()
    return [shape[k] for k in range(n)]


def known_value(x: SymbolicTensor) -> Any:
    """The number that a symbolic scalar always is; None where a run decides."""
    owner = x._value.owner
    while owner is not None and owner.name in ("cast", "astype"):
        value = owner.inputs[0]
        owner = value.owner
    return owner.attributes["value"] if owner is not None and owner.is_constant else None


def item(x: Tensor, key: Any) -> Any:
    """`x[key]`: numbers, slices, `...`, `tf.newaxis`, and scalar tensors for numbers."""
    parts: list[Any] = []
    dynamic: list[Any] = []

    def place(part: Any) -> Any:
        if hasattr(part, "_as_tensor"):
            part = part._as_tensor()
        if isinstance(part, slice):
            return slice(place(part.start), place(part.stop), place(part.step))
        if part is None or part is Ellipsis:
            return part
        if isinstance(part, SymbolicTensor) and not part.ndim:
            known = known_value(part)
            if known is not None:
                return int(known)
            dynamic.append(SymbolicTensor(part._trace.int_of(part._value), part._trace))
            return Dynamic(len(dynamic) - 1)
        if isinstance(part, Tensor | np.ndarray) and part.dtype == np.bool_ and part.ndim:
            dynamic.append(convert(part))
            return Dynamic(len(dynamic) - 1)
        if isinstance(part, int | np.integer | EagerTensor) and not isinstance(part, bool):
            return operator.index(part)
        raise TypeError(
            "Only integers, slices (`:`), ellipsis (`...`), tf.newaxis (`None`) and scalar tf.int32/tf.int64"
            f" tensors are valid indices, got {part!r}: use tf.gather or tf.boolean_mask"
        )

    for part in key if isinstance(key, tuple) else (key,):
        parts.append(place(part))
    return apply("getitem", x, *dynamic, index=tuple(parts))


def dim(x: Tensor, axis: int) -> Any:
    """A length: an int where it is known, else a tensor."""
    n = x.shape[axis]
    if n is not None:
        return n
    trace = current()
    assert trace is not None
    found = trace.emit("dim", [value_in(trace, x)], {"axis": axis % x.ndim})
    return SymbolicTensor(
        trace.append("cast", found, (ScalarType(np.dtype("int32")),), {"to": ScalarType(np.dtype("int32"))})[
            0
        ],
        trace,
    )


def shape_of(x: Any, out_type: Any = np.int32) -> Any:
    """`tf.shape`."""
    x = convert(x)
    if None not in x.shape:
        return convert(np.array(x.shape, numpy_dtype(out_type)))
    lengths = [dim(x, k) for k in range(x.ndim)]
    dynamic = [n for n in lengths if isinstance(n, Tensor)]
    places = iter(range(len(dynamic)))
    structure = [Hole(next(places)) if isinstance(n, Tensor) else n for n in lengths]
    return apply("array", *dynamic, template=Template(structure), dtype=numpy_dtype(out_type))


# -- operators ---------------------------------------------------------------------------------------------


def true_divide(a: Any, b: Any) -> Any:
    a, b = pair(a, b)
    if a.dtype.is_integer:  # int8 and int16 give float32, others float64
        wanted = "float32" if a.dtype.size < 4 else "float64"
        a, b = cast(a, wanted), cast(b, wanted)
    return apply("true_divide", a, b)


def whole_divide(a: Any, b: Any, name: str = "floor_divide") -> Any:
    """`a // b` and `a % b`, of integers only by what is not 0."""
    a, b = pair(a, b)
    if a.dtype.is_integer and not (isinstance(b, SymbolicTensor) and known_value(b)):
        b = require(b, apply("not_equal", b, convert(0, b.dtype)), "Integer division by zero")
    return apply(name, a, b)


def equal(a: Any, b: Any, name: str = "equal") -> Any:
    """`a == b` element by element; with None, or shapes that do not fit, a bool."""
    differ = name == "not_equal"
    if b is None or isinstance(b, str):
        return differ
    a, b = pair(a, b)
    if not _fit(a.shape, b.shape):
        return convert(differ)
    return apply(name, a, b)


def _fit(a: TensorShape, b: TensorShape) -> bool:
    """Can arrays of these shapes be operands of one operation?"""
    lengths = zip(reversed(a), reversed(b), strict=False)
    return all(m == n or m in (1, None) or n in (1, None) for m, n in lengths)


def matmul(a: Any, b: Any, transpose_a: bool = False, transpose_b: bool = False) -> Any:
    """`tf.matmul`: of matrices, or of stacks of them."""
    a, b = pair(a, b)
    if a.ndim < 2 or b.ndim < 2:
        raise misfit(f"In[0] and In[1] must be matrices, got shapes {_lengths(a)} and {_lengths(b)}")
    a = apply("swapaxes", a, axis1=-1, axis2=-2) if transpose_a else a
    b = apply("swapaxes", b, axis1=-1, axis2=-2) if transpose_b else b
    inner = a.shape[-1], b.shape[-2]
    if None not in inner and inner[0] != inner[1]:
        raise misfit(f"Matrix size-incompatible: In[0]: {_lengths(a)}, In[1]: {_lengths(b)}")
    return apply("matmul", a, b)


def _lengths(x: Tensor) -> str:
    """A shape as TensorFlow's messages write it."""
    return str(list(x.shape)).replace(" ", "")


def binary(name: str) -> Callable[[Any, Any], Any]:
    return lambda a, b: apply(name, *pair(a, b))


def arithmetic(name: str, a: Any, b: Any) -> Any:
    """An operation of numbers, which truth values are not."""
    a, b = pair(a, b)
    if a.dtype.is_bool:
        raise not_of(f"{name}: truth values are no numbers: use tf.cast")
    return apply(name, a, b)
