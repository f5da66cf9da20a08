"""Arrays in safetensors files, each with a few words about what the format does not say.

>>> described(np.zeros((2, 3), "f4").T), described(np.zeros(3, "c16"))
({'type': 'f32[3,2]', 'order': 'F'}, {'type': 'c128[3]'})
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save_file

from runtime.saving.errors import LoadError, damaged
from runtime.types import ArrayType, parse_type, type_of

#: the names of dtypes in the files, whose numbers are little-endian
_DTYPES = {
    "BOOL": "?", "U8": "u1", "I8": "i1", "U16": "<u2", "I16": "<i2", "U32": "<u4", "I32": "<i4",
    "U64": "<u8", "I64": "<i8", "F16": "<f2", "F32": "<f4", "F64": "<f8", "C64": "<c8",
}  # fmt: skip
#: how an array was laid out, by name
_LAID_OUT = {"C": np.ascontiguousarray, "F": np.asfortranarray}


def described(array: np.ndarray[Any, Any]) -> dict[str, Any]:
    """Its type, and in which way it differs from an array that is simply read."""
    entry: dict[str, Any] = {"type": str(type_of(array))}
    if array.flags.f_contiguous and not array.flags.c_contiguous:
        entry["order"] = "F"
    if not array.flags.writeable:
        entry["writeable"] = False
    return entry


def write_arrays(
    file: Path, arrays: Mapping[str, np.ndarray[Any, Any]], words: dict[str, str] | None = None
) -> None:
    """Write them all into one new file, with some words in its head."""
    file.unlink(missing_ok=True)  # a file that is there is written at a tenth of the speed
    save_file({name: _as_stored(array) for name, array in arrays.items()}, file, words)


def _as_stored(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """The same numbers in C order and the machine's byte order; complex128 as pairs of floats."""
    shape = array.shape  # `ascontiguousarray` makes a vector of what has no dimension
    stored = np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("=")).reshape(shape)
    if stored.dtype == np.complex128:
        return stored[..., None].view(np.float64)
    return stored


def read_arrays(file: Path, entries: Mapping[str, Mapping[str, Any]]) -> dict[str, np.ndarray[Any, Any]]:
    """The arrays of a file, as ``described`` by the entries. Raises LoadError."""
    found = read_stored(file)
    if set(found) != set(entries):
        name = sorted(set(found) ^ set(entries))[0]
        raise damaged(str(file), f"{name!r} is in this file or in the manifest, and not in both")
    try:
        return {name: _as_was(found[name], entry) for name, entry in entries.items()}
    except (ValueError, TypeError, LookupError) as error:
        raise damaged(str(file), error) from None


def read_stored(file: Path) -> dict[str, np.ndarray[Any, Any]]:
    """What a safetensors file holds. Raises LoadError.

    The library checks that the head says what is in the file; the numbers then go straight into arrays,
    which takes a third of the time that its own copies take.
    """
    try:
        with safe_open(file, framework="np") as checked:
            names = list(checked.keys())
        with open(file, "rb") as opened:
            length = int.from_bytes(opened.read(8), "little")
            head = json.loads(opened.read(length))
            return {name: _read_one(opened, head[name], 8 + length) for name in names}
    except FileNotFoundError:
        hint = "save it again, or load another copy"
        raise LoadError("there is no such file", file=str(file), hint=hint) from None
    except (SafetensorError, OSError, KeyError, ValueError, TypeError) as error:
        raise damaged(str(file), error) from None


def _read_one(opened: BinaryIO, entry: Mapping[str, Any], start: int) -> np.ndarray[Any, Any]:
    array = np.empty(entry["shape"], _DTYPES[entry["dtype"]])
    opened.seek(start + entry["data_offsets"][0])
    if array.size and opened.readinto(array.reshape(-1).view(np.uint8)) != array.nbytes:  # type: ignore[attr-defined]
        raise ValueError("the file is too short")
    return array.astype(array.dtype.newbyteorder("="), copy=False)


def _as_was(stored: np.ndarray[Any, Any], entry: Mapping[str, Any]) -> np.ndarray[Any, Any]:
    type_ = parse_type(entry["type"])
    if not isinstance(type_, ArrayType):
        raise ValueError(f"{type_} is no type of an array")
    if type_.dtype == np.complex128 and stored.dtype == np.float64 and stored.shape[-1:] == (2,):
        stored = stored.view(np.complex128)[..., 0]
    if stored.shape != type_.shape or stored.dtype != type_.dtype.newbyteorder("="):
        raise ValueError(f"the array is {stored.dtype}{list(stored.shape)}, the manifest says {type_}")
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
