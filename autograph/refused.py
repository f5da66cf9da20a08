"""What a stage of arrays refuses wherever it stands: attributes, calls and dtypes without a staged form.

One table, of words only: the tracer refuses by it, with these hints, and `autograph check` finds in the
source what it names. What depends on values, or on what a call is given, no table knows.

>>> ATTRIBUTES["resize"], kind_of_dtype("u1,u1"), kind_of_dtype("f8")
('make a new array: np.resize(x, shape)', 'V', None)
"""

from __future__ import annotations

import re

#: of arrays, when they are read
ATTRIBUTES = {
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
    "real": "write x.real[...] = value",
    "imag": "write x.imag[...] = value",
}
#: those that other objects hardly have: whoever has one is an array
OF_ARRAYS_ONLY = frozenset({"ctypes", "strides", "setflags", "tofile", "getfield", "setfield"})

#: what makes arrays of no staged form, by `dtype.kind`; no entry: no hint of its own
DTYPE_HINTS = {
    "V": "keep each field in an array of its own",
    "U": "keep the texts in a list",
    "S": "keep the texts in a list",
    "M": "use np.int64, which counts days or seconds",
    "m": "use np.int64, which counts days or seconds",
}
DTYPE_HINT = "use bool, an integer, a float or a complex dtype"
#: how such dtypes are spelled, as a text and as an attribute of NumPy
DTYPE_NAMES = {
    "object": "O", "object_": "O", "O": "O", "str": "U", "str_": "U", "U": "U", "bytes": "S", "bytes_": "S",
    "S": "S", "datetime64": "M", "M8": "M", "timedelta64": "m", "m8": "m", "void": "V", "V": "V",
}  # fmt: skip

#: functions of NumPy that act on the world outside, or depend on it
NUMPY_CALLS = frozenset({
    "load", "save", "savez", "savez_compressed", "loadtxt", "savetxt", "genfromtxt", "fromregex", "fromfile",
    "memmap", "open_memmap", "DataSource", "seterr", "geterr", "seterrcall", "geterrcall", "setbufsize",
    "getbufsize", "set_printoptions", "get_printoptions", "show_config", "show_runtime", "info",
})  # fmt: skip
#: builtins that read, write or make code
BUILTINS = ("open", "input", "compile", "exec", "eval")
#: modules of Python's library whose functions (not all of their classes) act on the world outside, depend on
#: it, or are compiled code of which nobody knows
MODULES = frozenset({
    "base64", "binascii", "calendar", "csv", "gc", "getpass", "glob", "gzip", "hashlib", "html",
    "json", "locale", "marshal", "os", "os.path", "pickle", "platform", "pprint", "shutil", "socket",
    "sqlite3", "struct", "subprocess", "tempfile", "tomllib", "urllib.parse", "urllib.request", "zipfile",
    "zlib",
})  # fmt: skip
#: functions of other modules
FUNCTIONS = frozenset({
    "datetime.date.today", "datetime.datetime.now", "datetime.datetime.utcnow", "importlib.import_module",
    "logging.basicConfig", "random.choice", "random.choices", "random.getstate", "random.sample",
    "random.shuffle", "random.setstate", "secrets.choice", "secrets.token_bytes", "secrets.token_hex",
    "struct.Struct", "subprocess.Popen", "sys.getrecursionlimit", "sys.getsizeof", "sys.intern",
    "sys.setrecursionlimit", "threading.Lock", "threading.RLock", "threading.Thread",
    "threading.current_thread", "threading.get_ident", "time.ctime", "time.gmtime", "time.localtime",
    "sys.exc_info", "sys.exception", "time.strftime", "traceback.format_exc", "traceback.print_exc",
    "uuid.uuid1", "uuid.uuid4",
    "warnings.filterwarnings", "warnings.simplefilter", "zipfile.ZipFile",
})  # fmt: skip


def kind_of_dtype(text: str) -> str | None:
    """The kind of a dtype without a staged form that is spelled so; None for others.

    >>> [kind_of_dtype(text) for text in ("U5", "datetime64[s]", "object", "f4", "float64", "(2,3)f8")]
    ['U', 'M', 'O', None, None, None]
    """
    if "," in re.sub(r"\(.*?\)", "", text):
        return "V"
    name = re.sub(r"\[.*\]$", "", text.lstrip("<>=|"))
    return DTYPE_NAMES.get(name) or DTYPE_NAMES.get(re.sub(r"^([USV])\d+$", r"\1", name))


def hint_of_dtype(kind: str) -> str:
    """What to write in place of an array of such a dtype."""
    return DTYPE_HINTS.get(kind, DTYPE_HINT)


def is_refused_call(full: str) -> bool:
    """Is a call of what has this name, from its module on, refused wherever it stands?

    >>> is_refused_call("json.dumps"), is_refused_call("numpy.load"), is_refused_call("numpy.sum")
    (True, True, False)
    """
    module, _, name = full.rpartition(".")
    if module == "numpy":
        return name in NUMPY_CALLS
    return full in FUNCTIONS or (module in MODULES and name[:1].islower())
