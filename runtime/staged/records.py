"""Structured arrays in a trace: each field is an array of its own, a view of the caller's memory.

``p["x"]``, ``p[i]["x"]``, ``p.x`` of a recarray, ``for r in p`` and stores to these become reads and
writes of the arrays of fields. A record (``p[i]``) is its array and its place, as NumPy's is a view.
What needs all fields at once (sorting, comparing, making a structured array) is refused.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NoReturn

import numpy as np

from autograph.errors import StagingError
from runtime.control_flow.indexed import Indexed, is_int
from runtime.staged.needed_now import STANDING_FOR
from runtime.tracer.builder import Staged, StandIn, refuse
from runtime.tracer.known_items import with_known_items
from runtime.tracer.spec import Choice

_HINT = "work with its fields, each an array: p['x']"
_HINT_OF_VIEWS = "return or keep its fields, or the whole array and the index"


class _OfFields(StandIn):
    """What a structured array and a record have in common: names, and something for each."""

    __slots__ = ("_names", "dtype")
    has_attributes = False

    def __init__(self, dtype: np.dtype) -> None:
        object.__setattr__(self, "dtype", dtype)
        object.__setattr__(self, "_names", dtype.names)

    def _field(self, name: str) -> Any:
        raise NotImplementedError

    def _store(self, name: str, value: Any) -> None:
        raise NotImplementedError

    def _known(self, name: str) -> str:
        if name not in self._names:
            raise ValueError(f"no field of name {name}")
        return name

    def __getattr__(self, name: str) -> Any:
        if self.has_attributes and name in self._names:
            return self._field(name)
        real = STANDING_FOR[type(self)]
        if hasattr(real, name) and not name.startswith("__"):
            raise refuse(f"`{name}` of a structured array is not staged", _HINT)
        raise AttributeError(f"'{real.__name__}' object has no attribute '{name}'", name=name)

    def __setattr__(self, name: str, value: Any) -> None:
        if not self.has_attributes or name not in self._names:
            raise refuse(f"assigning to `{name}` of a structured array is not staged", _HINT)
        self._store(name, value)

    def refusal(self) -> StagingError:
        what = "a part of a structured array" if isinstance(self, Records) else "a record"
        return refuse(f"{what} is returned, kept or one of several: it is a view", _HINT_OF_VIEWS)

    def _refuse(self, /, *args: Any, **kwargs: Any) -> NoReturn:
        raise refuse("a structured array is used as a whole", _HINT)

    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = _refuse
    __array__ = __array_ufunc__ = __array_function__ = _refuse
    __str__ = __repr__ = __format__ = _refuse
    __bool__ = __contains__ = __hash__ = __reduce__ = __copy__ = __deepcopy__ = _refuse


class Records(_OfFields):
    """A structured array: ``read`` gives the array of a field."""

    __slots__ = ("_read", "shape")

    def __init__(self, dtype: np.dtype, shape: Sequence[Any], read: Callable[[str], Any]) -> None:
        super().__init__(dtype)
        object.__setattr__(self, "shape", tuple(shape))
        object.__setattr__(self, "_read", read)

    def _field(self, name: str) -> Any:
        return self._read(name)

    def _store(self, name: str, value: Any) -> None:
        self._field(name)[...] = value

    ndim = property(lambda self: len(self.shape))
    size = property(lambda self: math.prod(self.shape))

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("len() of unsized object")
        length: int = self.shape[0]
        return length

    def __iter__(self) -> Iterator[Any]:
        return map(self.__getitem__, range(len(self)))

    def __runtime_items__(self) -> Indexed:
        """What a loop runs over."""
        return Indexed((0, len(self), 1), self.__getitem__, "this array")

    def copy(self) -> Records:
        """Of all fields, as they are now."""
        return self._of(lambda field: field.copy())

    def __getitem__(self, key: Any) -> Any:
        key = with_known_items(key)
        if isinstance(key, str):
            return self._field(self._known(key))
        if isinstance(key, Choice):
            raise refuse("a structured array is read with one of several keys", "read it in each branch")
        if isinstance(key, list) and key and all(isinstance(name, str) for name in key):
            return type(self)(self.dtype[[*map(self._known, key)]], self.shape, self._read)
        parts = key if isinstance(key, tuple) else (key,)
        if len(parts) == self.ndim and all(map(_is_index, parts)):
            return RECORDS[type(self)](self, key)
        return self._of(lambda field: field[key])

    def _of(self, part: Callable[[Any], Any]) -> Records:
        fields = {name: part(self._field(name)) for name in self._names}
        first = self._names[0]
        shape = fields[first].type.shape[: fields[first].type.ndim - self.dtype[first].ndim]
        if None in shape:
            raise refuse("records are chosen, of which only a run knows how many", _HINT)
        return type(self)(self.dtype, shape, fields.__getitem__)

    def __setitem__(self, key: Any, value: Any) -> None:
        if isinstance(key, str):
            self._store(self._known(key), value)
            return
        if isinstance(key, list | Choice):
            raise refuse("several fields of a structured array are stored at once", _HINT)
        for name, item in zip(self._names, _parts(value, self._names), strict=True):
            self._field(name)[key] = item


class RecordsWithAttributes(Records):
    """A recarray."""

    __slots__ = ()
    has_attributes = True


class Record(_OfFields):
    """One record of an array: what is read of it is read then."""

    __slots__ = ("_array", "_key")

    def __init__(self, array: Records, key: Any) -> None:
        super().__init__(array.dtype)
        object.__setattr__(self, "_array", array)
        object.__setattr__(self, "_key", key)
        self._field(self._names[0])  # raises where there is no such record

    def _field(self, name: str) -> Any:
        return self._array[name][self._key]

    def _store(self, name: str, value: Any) -> None:
        self._array[name][self._key] = value

    def _name(self, key: Any) -> str:
        if isinstance(key, str):
            return self._known(key)
        if type(key) is int:
            found: str = self._names[key]
            return found
        raise refuse("a field is chosen by what only a run knows", "write its name")

    def __getitem__(self, key: Any) -> Any:
        return self._field(self._name(key))

    def __setitem__(self, key: Any, value: Any) -> None:
        self._store(self._name(key), value)

    def __len__(self) -> int:
        return len(self._names)

    def __iter__(self) -> Iterator[Any]:
        return map(self._field, self._names)

    def item(self) -> tuple[Any, ...]:
        """The fields as Python's numbers."""
        return tuple([value if value.ndim else value.item() for value in self])

    tolist = item


class RecordWithAttributes(Record):
    """A record of a recarray."""

    __slots__ = ()
    has_attributes = True


RECORDS: dict[type[Records], type[Record]] = {
    Records: Record,
    RecordsWithAttributes: RecordWithAttributes,
}
STANDING_FOR |= {
    Records: np.ndarray,
    RecordsWithAttributes: np.recarray,
    Record: np.void,
    RecordWithAttributes: np.record,
}
for _class in (*RECORDS, *RECORDS.values()):
    _class.__name__ = STANDING_FOR[_class].__name__  # in messages


def _is_index(part: Any) -> bool:
    return is_int(part) if isinstance(part, Staged) else type(part) is int or isinstance(part, np.integer)


def _parts(value: Any, names: Sequence[str]) -> list[Any]:
    """What the fields get: the parts of a tuple or of records, in their order, or one number for all."""
    if isinstance(value, _OfFields):
        of_array = isinstance(value, Records)  # which may lie in the same memory
        fields = map(value._field, value._names)
        given = [field.copy() for field in fields] if of_array else list(fields)
    elif isinstance(value, tuple):
        given = list(value)
    elif isinstance(value, Staged | int | float | complex) and not getattr(value, "ndim", 0):
        return [value] * len(names)
    else:
        raise refuse(f"a {type(value).__name__} is stored in a structured array", "store a tuple")
    if len(given) != len(names):
        count, wanted = len(given), len(names)
        raise ValueError(f"could not assign tuple of length {count} to structure with {wanted} fields.")
    return given


def of_outside(value: np.ndarray, read: Callable[[str], Any]) -> Records:
    """What stands for a structured array of the caller's; ``read`` gives the staged array of a field."""
    fields: dict[str, Any] = {}

    def field(name: str) -> Any:
        if name not in fields:
            fields[name] = read(name)
        return fields[name]

    cls = RecordsWithAttributes if isinstance(value, np.recarray) else Records
    return cls(value.dtype, value.shape, field)
