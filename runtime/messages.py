"""Words of messages: what is refused wherever it stands and what to write instead; texts that are too long.

Arrays that cannot be staged are refused with what to pass in their place. Long texts lose their middle:

>>> shortened("[int, int, int, int, int, float]", 20)
'[int, int … , float]'
"""

from __future__ import annotations

from typing import Any

import numpy as np

from runtime.types import is_supported_dtype

#: of arrays, when they are read
ATTRIBUTES = {
    "flat": "write x.ravel(), and to store x.reshape(-1)[i] = value",
    "resize": "make a new array: np.resize(x, shape)",
    "ctypes": "pass the address to foreign code outside the decorated function",
    "data": "read the memory outside the decorated function",
    "tofile": "return the array and save it outside",
    "dump": "return the array and save it outside",
    "dumps": "return the array and save it outside",
    "tobytes": "return the array, and make bytes of it outside",
    "flags": "ask outside the decorated function, and pass the answer as an argument",
    "strides": "ask outside the decorated function, and pass the answer as an argument",
    "base": "ask outside the decorated function, and pass the answer as an argument",
    "setflags": "make the array read-only outside the decorated function",
    "mT": "write np.swapaxes(x, -1, -2)",
    "getfield": "view the memory as numbers of the other dtype: x.view(dtype)",
    "setfield": "view the memory as numbers of the other dtype, and write into that: x.view(dtype)",
}
#: of arrays, when they are assigned
ASSIGNMENTS = {
    "shape": "write x = x.reshape(shape)",
    "dtype": "write x = x.view(dtype)",
    "strides": "make a view by slicing",
    "flat": "write x[...] = value",
    "real": "write x.real[...] = value",
    "imag": "write x.imag[...] = value",
}
#: what makes arrays of no staged form, by `dtype.kind`; no entry: no hint of its own
DTYPE_HINTS = {
    "V": "keep each field in an array of its own",
    "U": "keep the texts in a list",
    "S": "keep the texts in a list",
    "M": "use np.int64, which counts days or seconds",
    "m": "use np.int64, which counts days or seconds",
}
DTYPE_HINT = "use bool, an integer, a float or a complex dtype"
#: functions of NumPy that act on the world outside, or depend on it
NUMPY_CALLS = frozenset({
    "load", "save", "savez", "savez_compressed", "loadtxt", "savetxt", "genfromtxt", "fromregex", "fromfile",
    "memmap", "open_memmap", "DataSource", "seterr", "geterr", "seterrcall", "geterrcall", "setbufsize",
    "getbufsize", "set_printoptions", "get_printoptions", "show_config", "show_runtime", "info",
})  # fmt: skip
#: builtins that read, write or make code
BUILTINS = ("open", "input", "compile", "exec", "eval")


def hint_of_dtype(kind: str) -> str:
    """What to write in place of an array of such a dtype."""
    return DTYPE_HINTS.get(kind, DTYPE_HINT)


#: characters of one value, and of everything that is shown of one signature
OF_A_VALUE, OF_A_SIGNATURE = 60, 400


def shortened(text: str, most: int = OF_A_VALUE) -> str:
    """The text, with `…` for the middle where it has more than ``most`` characters."""
    if len(text) <= most:
        return text
    kept = most - 3
    return f"{text[: kept - kept // 2].rstrip()} … {text[len(text) - kept // 2 :].lstrip()}"


_STRINGS = "number the strings outside: names, codes = np.unique({name}, return_inverse=True)"
_FIELDS = "pass its fields, each as an array: {name}[{field!r}]"
_TIMES = "pass {name}.astype(np.int64)"
#: by kind of dtype
_HINTS = {"S": _STRINGS, "U": _STRINGS, "V": _FIELDS, "M": _TIMES, "m": _TIMES}


def subclass_hint(value: np.ndarray, name: str) -> str:
    """What to pass in place of an array of a class of its own."""
    if isinstance(value, np.ma.MaskedArray):
        return f"pass {name}.filled(0.0), or {name}.data and {name}.mask as two arrays"
    return dtype_hint(value.dtype, name) if value.dtype.names else f"pass np.asarray({name})"


def dtype_hint(dtype: np.dtype, name: str) -> str:
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
