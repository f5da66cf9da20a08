"""Arrays that cannot be staged are refused, with what to pass in their place."""

from __future__ import annotations

from typing import Any

import numpy as np

from runtime.types import is_supported_dtype


def subclass_hint(value: np.ndarray[Any, Any], name: str) -> str:
    """What to pass in place of an array of a class of its own."""
    if isinstance(value, np.ma.MaskedArray):
        return f"pass {name}.filled(0.0), or {name}.data and {name}.mask as two arrays"
    if value.dtype.names:
        return f"pass its fields, each as an array: {name}[{value.dtype.names[0]!r}]"
    return f"pass np.asarray({name})"


def dtype_hint(dtype: np.dtype[Any], name: str) -> str:
    """What to pass in place of an array of a dtype that cannot be staged."""
    if not dtype.isnative:
        return f"pass {name}.astype({name}.dtype.newbyteorder('='))"
    if dtype.names:
        return f"pass its fields, each as an array: {name}[{dtype.names[0]!r}]"
    if dtype.kind in "mM":
        return f"pass {name}.astype(np.int64), which counts {np.datetime_data(dtype)[0]}"
    if dtype.kind in "SU":
        return f"number the strings outside: names, codes = np.unique({name}, return_inverse=True)"
    return f"pass {name}.astype({'np.complex128' if dtype.kind == 'c' else 'np.float64'}) if it holds numbers"


def record_refused(value: np.void, name: str, trace: Any) -> Exception:
    """The error (not raised) for a record: it is a reference to memory, which no trace sees."""
    message = f"`{name}` is a NumPy record, whose fields can be changed"
    return trace.refuse(message, f"pass its fields: {name}.item() is a tuple of them", name)


def check_array(value: np.ndarray, name: str, trace: Any) -> None:
    """Refuse arrays that cannot be staged, by name."""
    if type(value) is not np.ndarray:
        raise trace.refuse(
            f"`{name}` is a {type(value).__name__}, a subclass of ndarray with a meaning of its own",
            subclass_hint(value, name),
            name,
        )
    if not is_supported_dtype(value.dtype):
        raise trace.refuse(
            f"`{name}` has dtype {value.dtype}, which cannot be staged",
            dtype_hint(value.dtype, name),
            name,
        )
