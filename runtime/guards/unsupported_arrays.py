"""Arrays that cannot be staged are refused, with what to pass in their place."""

from __future__ import annotations

from typing import Any

import numpy as np

from runtime.types import is_supported_dtype

_STRINGS = "number the strings outside: names, codes = np.unique({name}, return_inverse=True)"
_FIELDS = "pass its fields, each as an array: {name}[{field!r}]"
_TIMES = "pass {name}.astype(np.int64)"
#: by kind of dtype
_HINTS = {"S": _STRINGS, "U": _STRINGS, "V": _FIELDS, "M": _TIMES, "m": _TIMES}


def subclass_hint(value: np.ndarray[Any, Any], name: str) -> str:
    """What to pass in place of an array of a class of its own."""
    if isinstance(value, np.ma.MaskedArray):
        return f"pass {name}.filled(0.0), or {name}.data and {name}.mask as two arrays"
    return dtype_hint(value.dtype, name) if value.dtype.names else f"pass np.asarray({name})"


def dtype_hint(dtype: np.dtype[Any], name: str) -> str:
    """What to pass in place of an array of a dtype that cannot be staged."""
    if not dtype.isnative:
        return f"pass {name}.astype({name}.dtype.newbyteorder('='))"
    hint = _HINTS.get(dtype.kind, "pass {name}.astype(np.float64) if it holds numbers")
    return hint.format(name=name, field=(dtype.names or ("",))[0])


def record_refused(value: np.void, name: str, trace: Any) -> Exception:
    """The error (not raised) for a record: it is a reference to memory, which no trace sees."""
    message = f"`{name}` is a NumPy record, whose fields can be changed"
    return trace.refuse(message, f"pass its fields: {name}.item() is a tuple of them", name)


def check_array(value: np.ndarray, name: str, trace: Any) -> None:
    """Refuse arrays that cannot be staged, by name."""
    if type(value) is not np.ndarray:
        message = f"`{name}` is a {type(value).__name__}, a subclass of ndarray with a meaning of its own"
        raise trace.refuse(message, subclass_hint(value, name), name)
    if not is_supported_dtype(value.dtype):
        message = f"`{name}` has dtype {value.dtype}, which cannot be staged"
        raise trace.refuse(message, dtype_hint(value.dtype, name), name)
