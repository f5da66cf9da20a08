"""What the tracer refuses wherever it stands: attributes, calls and dtypes, and what to write instead."""

from __future__ import annotations

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
