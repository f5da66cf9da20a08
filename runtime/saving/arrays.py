"""Arrays in safetensors files, each with a few words about what the format does not say.

The words of a file (its ``__metadata__``) hold a checksum of all its bytes.

>>> described(np.zeros((2, 3), "f4").T), described(np.zeros(3, "c16"))
({'type': 'f32[3,2]', 'order': 'F'}, {'type': 'c128[3]'})

Those of one folder stand in it each once, under a name, whichever functions read it.
"""

from __future__ import annotations

import json
import math
import re
import zlib
from collections.abc import Iterator, Mapping
from io import BufferedReader
from pathlib import Path
from typing import Any

import numpy as np

from runtime.saving.admissible import READ_ERRORS
from runtime.saving.folders import NAME, ZEROS, LoadError, damaged, opened, unsummed
from runtime.saving.signatures import Unsaveable
from runtime.state.variables import Variable
from runtime.types import ArrayType, is_supported_dtype, parse_type, type_of

#: the names of dtypes in the files, whose numbers are little-endian
_DTYPES = {
    "BOOL": "?", "U8": "u1", "I8": "i1", "U16": "<u2", "I16": "<i2", "U32": "<u4", "I32": "<i4",
    "U64": "<u8", "I64": "<i8", "F16": "<f2", "F32": "<f4", "F64": "<f8", "C64": "<c8",
}  # fmt: skip
_NAMES = {np.dtype(dtype): name for name, dtype in _DTYPES.items()}
#: the head of a file is no longer, says the format
_MOST = 100_000_000
#: how an array was laid out, by name
_LAID_OUT = {"C": np.ascontiguousarray, "F": np.asfortranarray}


def described(array: np.ndarray) -> dict[str, Any]:
    """Its type, and in which way it differs from an array that is simply read."""
    entry: dict[str, Any] = {"type": str(type_of(array))}
    if array.flags.f_contiguous and not array.flags.c_contiguous:
        entry["order"] = "F"
    if not array.flags.writeable:
        entry["writeable"] = False
    return entry


def write_arrays(
    file: Path, arrays: Mapping[str, np.ndarray], words: Mapping[str, str] | None = None
) -> None:
    """Write them all into one new file, with some words in its head."""
    stored = {name: _as_stored(array) for name, array in arrays.items()}
    head: dict[str, Any] = {"__metadata__": {NAME: ZEROS, **(words or {})}}
    end = 0
    for name in sorted(stored, key=lambda name: -stored[name].itemsize):  # so that each is aligned
        array = stored[name]
        offsets = [end, end := end + array.nbytes]
        head[name] = {"dtype": _NAMES[array.dtype], "shape": list(array.shape), "data_offsets": offsets}
    text = json.dumps(head).encode()
    text += b" " * (-len(text) % 8)
    file.unlink(missing_ok=True)  # a file that is there is written at a tenth of the speed
    with open(file, "wb") as made:
        checksum = 0
        arrays_of_file = [_bytes_of(stored[name]) for name in [*head][1:]]
        for content in (len(text).to_bytes(8, "little"), text, *arrays_of_file):
            made.write(content)
            checksum = zlib.crc32(content, checksum)
        made.seek(8 + text.index(ZEROS.encode()))
        made.write(f"{checksum:08x}".encode())


def write_described(file: Path, arrays: Mapping[str, np.ndarray]) -> None:
    """The same, with all that is to be known of the arrays in the head: the file stands for itself."""
    entries = {name: described(array) for name, array in arrays.items()}
    write_arrays(file, arrays, {"arrays": json.dumps(entries)})


def _as_stored(array: np.ndarray) -> np.ndarray:
    """The same numbers in C order and the byte order of the files; complex128 as pairs of floats."""
    shape = array.shape  # `ascontiguousarray` makes a vector of what has no dimension
    stored = np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("<")).reshape(shape)
    if stored.dtype == np.dtype("<c16"):
        return stored[..., None].view("<f8")
    return stored


def read_arrays(file: Path, entries: Mapping[str, Mapping[str, Any]] | None = None) -> dict[str, np.ndarray]:
    """The arrays of a file, as ``described`` by the entries, or by its words where there are none.

    What its head says is checked before numbers are read, and no more is read than the file holds. Files of
    the first version, which have no checksum, are read without. Raises LoadError.
    """
    try:
        with opened(file) as (source, size):
            length = source.read(8)
            text = source.read(_length_of_head(length, size))
            head = json.loads(text)
            words = head.pop("__metadata__", {})
            if NAME not in words and not set(words) <= {"arrays"}:  # of the first version
                raise ValueError("it has no checksum")
            _check_places(head, size - 8 - len(text))
            if entries is None:
                entries = json.loads(words["arrays"]) if "arrays" in words else _plain(head)
            _check_types(head, entries)
            checksum = zlib.crc32(unsummed(length + text, words.get(NAME)))
            stored = {}
            for name in sorted(head, key=lambda name: head[name]["data_offsets"]):
                stored[name] = _read_one(source, head[name])
                checksum = zlib.crc32(_bytes_of(stored[name]), checksum)
        if NAME in words and f"{checksum:08x}" != words[NAME]:
            raise ValueError("its contents are not those that were saved")
        return {name: _as_was(stored[name], entry) for name, entry in entries.items()}
    except FileNotFoundError:
        hint = "save it again, or load another copy"
        raise LoadError("there is no such file", file=str(file), hint=hint) from None
    except LoadError:
        raise
    except (OSError, *READ_ERRORS) as error:
        raise damaged(str(file), error) from None


def _plain(head: Mapping[str, Any]) -> dict[str, Any]:
    """What is known of the arrays of a file that says no more."""
    return {
        name: {"type": str(ArrayType(np.dtype(_DTYPES[entry["dtype"]]), tuple(entry["shape"])))}
        for name, entry in head.items()
    }


def _length_of_head(given: bytes, size: int) -> int:
    length = int.from_bytes(given, "little")
    if size < 8 or length > min(size - 8, _MOST):
        raise ValueError("its head is longer than the file, or than any head")
    return length


def _check_places(head: Mapping[str, Any], size: int) -> None:
    """Arrays follow each other without a gap, up to the end of the file."""
    end = 0
    for entry in sorted(head.values(), key=lambda entry: entry["data_offsets"]):
        length = math.prod(entry["shape"]) * np.dtype(_DTYPES[entry["dtype"]]).itemsize
        if entry["data_offsets"] != [end, end + length] or any(n < 0 for n in entry["shape"]):
            raise ValueError("its head says of an array what cannot be")
        end += length
    if end != size:
        raise ValueError(f"its head speaks of {end} bytes, and there are {size}")


def _check_types(head: Mapping[str, Any], entries: Mapping[str, Mapping[str, Any]]) -> None:
    if set(head) != set(entries):
        name = sorted(set(head) ^ set(entries))[0]
        raise ValueError(f"{name!r} is in this file or in the manifest, and not in both")
    for name, entry in entries.items():
        type_ = parse_type(entry["type"])
        if not isinstance(type_, ArrayType):
            raise ValueError(f"{type_} is no type of an array")
        shape, dtype = [*type_.shape], type_.dtype.newbyteorder("<")
        if dtype == np.dtype("<c16"):
            shape, dtype = [*shape, 2], np.dtype("<f8")
        if (head[name]["shape"], head[name]["dtype"]) != (shape, _NAMES[dtype]):
            raise ValueError(
                f"the array is {head[name]['dtype']}{head[name]['shape']}, the manifest says {type_}"
            )


def _bytes_of(array: np.ndarray) -> Any:
    """The memory of an array in C order."""
    return array.reshape(-1).view(np.uint8)


def _read_one(source: BufferedReader, entry: Mapping[str, Any]) -> np.ndarray:
    array = np.empty(entry["shape"], _DTYPES[entry["dtype"]])
    if source.readinto(_bytes_of(array)) != array.nbytes:
        raise ValueError("the file is too short")
    return array


def _as_was(stored: np.ndarray, entry: Mapping[str, Any]) -> np.ndarray:
    type_ = parse_type(entry["type"])
    assert isinstance(type_, ArrayType)
    if type_.dtype.kind == "c" and stored.dtype.kind == "f":
        stored = stored.view("<c16")[..., 0]
    array = (
        _LAID_OUT[entry.get("order", "C")](stored)
        .astype(type_.dtype, copy=False)
        .reshape(stored.shape, order="A")
    )
    if not array.flags.writeable:
        array = array.copy(order="K")
    if entry.get("writeable") is False:
        array.setflags(write=False)
    return array


class SavedArrays:
    """Collects the arrays that functions read from outside, their constants, and variables."""

    def __init__(self) -> None:
        self.arrays: dict[str, np.ndarray] = {}
        self.entries: dict[str, dict[str, Any]] = {}
        self._names: dict[int, str] = {}

    def add_variable(self, variable: Variable, name: str | None = None) -> str:
        """The name of a variable's array in the file. A variable keeps the first name it is given."""
        array = variable.value
        if id(array) not in self._names:
            made = self._add(array, name or variable.name or "variable")
            self.entries[made]["variable"] = {"name": variable.name, "trainable": variable.trainable}
        return self._names[id(array)]

    def add(self, array: Any, name: str) -> str:
        """The name of an array in the file. Raises Unsaveable for one that cannot be written."""
        if type(array) is not np.ndarray or not is_supported_dtype(array.dtype):
            raise Unsaveable(f"`{name}` is a {type(array).__name__} that no file of arrays can hold")
        return self._names.get(id(array)) or self._add(array, name)

    def _add(self, array: np.ndarray, name: str) -> str:
        base = re.sub(r"[^\w.\[\]'\"-]", "_", name)
        made = next(n for n in numbered(base) if n not in self.arrays)
        self._names[id(array)] = made
        self.arrays[made] = array
        self.entries[made] = described(array)
        return made

    def overlapping(self) -> tuple[str, str] | None:
        """Two arrays of the same memory, which would be apart after loading."""
        named = [(name, array) for name, array in self.arrays.items() if array.size]
        bounds = sorted((*np.lib.array_utils.byte_bounds(array), name) for name, array in named)
        for (_, end, one), (start, _, other) in zip(bounds, bounds[1:], strict=False):
            if start < end and np.may_share_memory(self.arrays[one], self.arrays[other]):
                return one, other
        return None


def numbered(base: str) -> Iterator[str]:
    """The name, and the name with numbers, for the first that is free."""
    yield base
    number = 2
    while True:
        yield f"{base}.{number}"
        number += 1
