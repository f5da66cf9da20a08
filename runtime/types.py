"""What a staged value can be, how it prints, and how two types join.

    f64[10,None]     ArrayType   an ndarray: a reference to mutable memory; None = length not known
    f64              ScalarType  a NumPy scalar (``np.float64(1.5)``), immutable
    int float bool complex       NumberType: a Python number that became staged
                     (Python's rules; an int is checked to fit into 64 bits)
    str, object      ObjectType  any other Python object, known only at run time
    list[f64] dict[int, f64] deque[int] set[str] tuple[int]
                     ContainerType  a real one, of which only a run knows the length: a reference
    buffer[f64]      BufferType  a list of numbers or arrays that nobody else sees; the pass
                     `use_buffers` makes it of a list

NumPy's own difference between a 0-d array (``f64[]``) and a scalar (``f64``) is kept, because plain
Python keeps it: ``x.sum()`` is immutable, ``np.array(1.0)`` is not. A number and a 0-d array are
never joined into one, for only the array can be written; Tensors are.

>>> print(parse_type("f64[10,None]"), parse_type("i64"), parse_type("float"))
f64[10,None] i64 float
>>> print(join(parse_type("f64[3]"), parse_type("f64[4]")))
f64[None]
"""

from __future__ import annotations

import re
import sys
from dataclasses import replace
from typing import Any, TypeAlias, TypeGuard

import numpy as np

from autograph.records import record

Shape: TypeAlias = tuple[int | None, ...]

#: short name <-> NumPy dtype, the spelling of the text form and of the command line
DTYPE_NAMES: dict[str, np.dtype] = {
    "bool": np.dtype("bool"),
    "i8": np.dtype("int8"),
    "i16": np.dtype("int16"),
    "i32": np.dtype("int32"),
    "i64": np.dtype("int64"),
    "u8": np.dtype("uint8"),
    "u16": np.dtype("uint16"),
    "u32": np.dtype("uint32"),
    "u64": np.dtype("uint64"),
    "f16": np.dtype("float16"),
    "f32": np.dtype("float32"),
    "f64": np.dtype("float64"),
    "c64": np.dtype("complex64"),
    "c128": np.dtype("complex128"),
}
#: arrays of the other byte order, f64be where machines are little-endian: what files and networks hold
_OTHER_ORDER = "be" if sys.byteorder == "little" else "le"
DTYPE_NAMES |= {
    name + _OTHER_ORDER: dtype.newbyteorder() for name, dtype in DTYPE_NAMES.items() if dtype.itemsize > 1
}
_SHORT = {dtype: name for name, dtype in DTYPE_NAMES.items()}

#: Python number kinds in the order in which Python promotes them, with the dtype that stores them
NUMBER_DTYPES: dict[str, np.dtype] = {
    "bool": np.dtype("bool"),
    "int": np.dtype("int64"),
    "float": np.dtype("float64"),
    "complex": np.dtype("complex128"),
}
PYTHON_TYPES: dict[str, type] = {"bool": bool, "int": int, "float": float, "complex": complex}


def short_dtype(dtype: np.dtype) -> str:
    """``f64`` for float64. Raises TypeError for a dtype that no staged value can have."""
    name = _SHORT.get(dtype)
    if name is None:
        known = ", ".join(name for name, known in DTYPE_NAMES.items() if known.isnative)
        raise TypeError(f"arrays of dtype {dtype} cannot be staged; supported are {known}")
    return name


def is_supported_dtype(dtype: np.dtype) -> bool:
    """One of DTYPE_NAMES, in either byte order."""
    return dtype in _SHORT


@record
class ArrayType:
    """An ndarray: a reference to memory that may be written."""

    dtype: np.dtype
    shape: Shape

    @property
    def ndim(self) -> int:
        return len(self.shape)

    def __str__(self) -> str:
        return f"{short_dtype(self.dtype)}[{','.join(str(n) for n in self.shape)}]"


@record
class ScalarType:
    """A NumPy scalar: immutable, with NumPy's promotion and arithmetic. NumPy's bool prints as ``b1``."""

    dtype: np.dtype

    def __post_init__(self) -> None:
        if not self.dtype.isnative:  # scalars have none but the machine's own order
            object.__setattr__(self, "dtype", self.dtype.newbyteorder("="))

    @property
    def shape(self) -> Shape:
        return ()

    @property
    def ndim(self) -> int:
        return 0

    def __str__(self) -> str:
        name = short_dtype(self.dtype)
        return "b1" if name == "bool" else name


@record
class NumberType:
    """A Python number that became staged: Python's arithmetic; an int is kept within 64 bits."""

    kind: str  # bool, int, float, complex

    @property
    def dtype(self) -> np.dtype:
        return NUMBER_DTYPES[self.kind]

    @property
    def shape(self) -> Shape:
        return ()

    @property
    def ndim(self) -> int:
        return 0

    def __str__(self) -> str:
        return self.kind


@record
class ObjectType:
    """Any other Python object, known only at run time. ``name`` is the class name or ``object``."""

    name: str = "object"

    def __str__(self) -> str:
        return self.name


#: the containers that have keys
MAPPINGS = frozenset({"dict", "defaultdict", "Counter", "OrderedDict"})


@record
class ContainerType(ObjectType):
    """A Python list, deque, dict or set of which a run knows the length: a reference to the real one.

    ``element`` (and for a dict ``key``) is the spec that holds each item, None while none was seen (see
    specs/spec.py). ``sites`` are the places of the program that may have made it: where an item of
    another kind is put in, the trace begins again with these places knowing of it.
    """

    name: str = "list"
    element: Any = None
    sites: frozenset[Any] = frozenset()
    key: Any = None

    @property
    def is_mapping(self) -> bool:
        return self.name in MAPPINGS

    def __str__(self) -> str:
        items = "" if self.element is None else str(self.element)
        return f"{self.name}[{self.key}, {items}]" if self.is_mapping and items else f"{self.name}[{items}]"


@record
class InstanceType(ObjectType):
    """An instance of a user's class, as a reference to the real one (see runtime/objects/references.py)."""

    cls: type = object


@record
class BufferType(ObjectType):
    """A list of the run that nobody else sees, as memory that grows (see runtime/ops/buffers.py)."""

    name: str = "buffer"
    item: NumberType | ScalarType | ArrayType = NumberType("float")

    def __str__(self) -> str:
        return f"buffer[{self.item}]"


Type: TypeAlias = ArrayType | ScalarType | NumberType | ObjectType
NumericType: TypeAlias = ArrayType | ScalarType | NumberType


def numeric(type: Type) -> NumericType:
    """The same type, of a number or an array. Raises TypeError for a reference: it has no dtype, no shape.

    >>> numeric(STR)
    Traceback (most recent call last):
    TypeError: a value of type str has no dtype and no shape
    """
    if isinstance(type, ObjectType):
        raise TypeError(f"a value of type {type} has no dtype and no shape")
    return type


def is_known(shape: Shape) -> TypeGuard[tuple[int, ...]]:
    """Are all lengths known?"""
    return None not in shape


def lengths(shape: Shape) -> tuple[int, ...]:
    """The same shape, whose lengths are all known. Raises TypeError where one is not."""
    if not is_known(shape):
        raise TypeError(f"not all lengths of {shape} are known")
    return shape


BOOL = NumberType("bool")
INT = NumberType("int")
FLOAT = NumberType("float")
COMPLEX = NumberType("complex")
OBJECT = ObjectType("object")
STR = ObjectType("str")
#: an exception, and a class, that only a run knows
EXCEPTION = ObjectType("exception")
CLASS = ObjectType("type")
#: what the forward part of a gradient keeps for the backward part (runtime/ops/stacks.py)
STACK = ObjectType("stack")
#: what holds the adjoints of what a list or an object holds (runtime/ops/companions.py)
COMPANION = ObjectType("companion")


class JoinError(TypeError):
    """Two types have no common type."""


def type_of(value: object) -> Type:
    """The type of a concrete Python value.

    >>> print(type_of(1.5), type_of(np.float32(1)), type_of(np.zeros((2, 3))))
    float f32 f64[2,3]
    """
    for kind, python_type in PYTHON_TYPES.items():
        if type(value) is python_type:
            return NumberType(kind)
    if type(value) is np.ndarray:
        short_dtype(value.dtype)
        return ArrayType(value.dtype, value.shape)
    if isinstance(value, np.generic) and is_supported_dtype(value.dtype):
        return ScalarType(value.dtype)
    if type(value) is str:
        return STR
    return OBJECT


def parse_type(text: str) -> Type:
    """The inverse of ``str(type)``. Raises ValueError with the spelling that was expected."""
    text = text.strip()
    if text in NUMBER_DTYPES:
        return NumberType(text)
    if text == "b1":
        return ScalarType(np.dtype("bool"))
    if text in DTYPE_NAMES:
        return ScalarType(DTYPE_NAMES[text])
    if text.startswith("buffer[") and text.endswith("]"):
        item = parse_type(text[len("buffer[") : -1])
        if isinstance(item, NumberType | ScalarType | ArrayType):
            return BufferType(item=item)
    match = re.fullmatch(r"(\w+)\[([^\]]*)\]", text)
    if match and match[1] in DTYPE_NAMES:
        parts = [part.strip() for part in match[2].split(",") if part.strip()]
        if all(part.isdigit() or part in ("None", "?") for part in parts):
            return ArrayType(DTYPE_NAMES[match[1]], tuple(int(p) if p.isdigit() else None for p in parts))
    if re.fullmatch(r"[A-Za-z_][\w.]*", text):
        return ObjectType(text)
    raise ValueError(f"{text!r} is not a type; write for example f64[10,None], i64, float or object")


def join_dims(a: int | None, b: int | None) -> int | None:
    return a if a == b else None


def join_shapes(a: Shape, b: Shape) -> Shape:
    """Dimension by dimension; differing lengths become None. Raises JoinError for differing ranks."""
    if len(a) != len(b):
        raise JoinError(f"one has {len(a)} dimensions, the other {len(b)}")
    return tuple(map(join_dims, a, b))


def join_dtypes(a: NumericType, b: NumericType) -> np.dtype:
    """NumPy 2 promotion; a Python number is weak beside a NumPy value."""
    if isinstance(a, NumberType) and not isinstance(b, NumberType):
        a, b = b, a
    if isinstance(b, NumberType) and not isinstance(a, NumberType):
        return np.result_type(a.dtype, PYTHON_TYPES[b.kind](0))
    return np.promote_types(a.dtype, b.dtype)


def join(a: Type, b: Type) -> Type:
    """The type that can hold a value of either as it is. Raises JoinError where there is none.

    Arrays of one dtype and one number of dimensions are arrays of any length; numbers, scalars and arrays
    of different dtypes have no common type, for a value keeps its own.
    """
    if a == b:
        return a
    if isinstance(a, ContainerType) and isinstance(b, ContainerType):
        if replace(a, sites=b.sites) == b:
            return replace(a, sites=a.sites | b.sites)
    elif isinstance(a, ArrayType) and isinstance(b, ArrayType):
        if a.dtype == b.dtype:
            return ArrayType(a.dtype, join_shapes(a.shape, b.shape))
    elif _is_plain_object(a) and _is_plain_object(b):
        return OBJECT
    raise JoinError(f"{a} and {b}")


def _is_plain_object(type: Type) -> bool:
    return isinstance(type, ObjectType) and not isinstance(type, ContainerType | InstanceType | BufferType)


def is_subtype(a: Type, b: Type) -> bool:
    """Can a value of type ``a`` stand where ``b`` is expected, with no conversion?"""
    if isinstance(a, ArrayType) and isinstance(b, ArrayType):
        dims = zip(a.shape, b.shape, strict=False)
        return a.dtype == b.dtype and a.ndim == b.ndim and all(n is None or m == n for m, n in dims)
    if isinstance(a, ContainerType) and isinstance(b, ContainerType):
        return a.sites <= b.sites and replace(a, sites=b.sites) == b
    return a == b or b == OBJECT
