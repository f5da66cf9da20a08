"""Small programs, each of one operation of NumPy's, one way to write, or one way to give contents to Python.

``GROUPS`` has them by what they are about, with the argument at which they are smooth.
"""

from __future__ import annotations

import collections
import contextlib
import copy
import inspect
import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from runtime.ops import REGISTRY

Program = Callable[[Any], Any]

V = np.array([1.7, 0.6, 2.3])
M = np.array([[2.1, 0.3, 0.5], [0.4, 1.9, 0.7], [0.2, 0.8, 2.5]])
W = np.array([1.0, 2.0, 3.0])
C = np.array([0.7, 1.3, 0.9])
CHOSEN = np.array([True, False, True])

GROUPS: dict[str, dict[str, tuple[Program, Any]]] = collections.defaultdict(dict)


def add(group: str, name: str, program: Program, x: Any = V) -> None:
    GROUPS[group][name] = (program, x)


def total(y: Any) -> Any:
    """A number of whatever came: every item with a weight of its own."""
    if isinstance(y, tuple | list):
        return sum([total(part) * (k + 1) for k, part in enumerate(y)]) if len(y) else 0.0
    count = int(np.prod(y.shape)) if y.shape else 1
    return (y * np.reshape(np.cos(np.arange(1, count + 1)), y.shape)).sum()


def changed(change: Callable[[Any, Any], Any]) -> Program:
    """What is left of an array that depends on the argument, and was changed."""

    def program(x: Any) -> Any:
        y = x * 1
        change(y, x)
        return total(y)

    return program


def view_changed(change: Callable[[Any, Any], Any]) -> Program:
    """The same of an array of which a view was changed."""

    def program(x: Any) -> Any:
        y = np.concatenate([x, x * x])
        change(y[:3], x)
        return total(y)

    return program


def given(values: Any, x: Any) -> list[Any]:
    """Arguments; "x1" stands for an item of the program's."""
    return [x[int(v[1:])] if isinstance(v, str) else v for v in values]


# -- ufuncs ------------------------------------------------------------------------------------------------

AT = {"arccosh": V + 1, "acosh": V + 1}
AT |= {name: V / 3 for name in "arctanh arcsin arccos atanh asin acos".split()}


def of_one(name: str, u: np.ufunc) -> None:
    x = AT.get(name, V)
    add("ufunc", name, lambda x: total(u(x) * 1.0), x)
    add("ufunc out", name, changed(lambda y, x: u(x, out=y)), x)
    add("ufunc out", f"{name} of itself", changed(lambda y, x: u(y, out=y)), x)
    add("ufunc out", f"{name} where", changed(lambda y, x: u(x, out=y, where=CHOSEN)), x)
    add("ufunc at", name, changed(lambda y, x: u.at(y, [0, 2])), x)


def of_two(name: str, u: np.ufunc) -> None:
    add("ufunc", name, lambda x: total(u(x, C) * 1.0))
    add("ufunc", f"{name} reflected", lambda x: total(u(C, x) * 1.0))
    add("ufunc out", name, changed(lambda y, x: u(x, C, out=y)))
    add("ufunc out", f"{name} of itself", changed(lambda y, x: u(y, x, out=y)))
    add("ufunc out", f"{name} view", changed(lambda y, x: u(y[1:], x[:2], out=y[1:])))
    add("ufunc out", f"{name} where", changed(lambda y, x: u(y, C, out=y, where=CHOSEN)))
    add("ufunc at", name, changed(lambda y, x: u.at(y, [0, 2, 0], x[1])))
    add("ufunc reduce", name, lambda x: total(u.reduce(x) * 1.0))
    add("ufunc accumulate", name, lambda x: total(u.accumulate(x) * 1.0))
    add("ufunc outer", name, lambda x: total(u.outer(x, C) * 1.0))


for name, u in vars(np).items():
    if isinstance(u, np.ufunc) and not u.signature and any(types[0] == "d" for types in u.types):
        if u.nout == 1:
            (of_one if u.nin == 1 else of_two)(name, u)
        elif u.nin == 1:
            add("ufunc", name, lambda x, u=u: total(u(x)[0] * 1.0))

# -- operators in place, items -----------------------------------------------------------------------------


def in_place(name: str) -> None:
    apply = getattr(operator, name)
    add("operators", name, lambda x: total(apply(x * 1, x)))
    add("operators", f"{name} view", changed(lambda y, x: apply(y[::2], x[1])))
    add("operators", f"{name} number", lambda x: apply(x.sum(), x[0]) * x[1])


for name in "iadd isub imul itruediv ifloordiv imod ipow".split():
    in_place(name)


def by_key(name: str, key: Any) -> None:
    def viewed(x: Any) -> Any:
        y = x * 1
        view = y[key]
        y *= x
        return total(view * x[0])

    def change(y: Any, x: Any) -> None:
        y[key] *= 2.0

    def store(y: Any, x: Any) -> None:
        y[key] = x[1]

    add("items", f"get {name}", lambda x: total(x[key] * x[0]))
    add("items", f"set {name}", changed(store))
    add("items", f"change {name}", changed(change))
    add("items", f"view, then written {name}", viewed)


for name, key in {
    "int": 1, "slice": slice(0, 2), "list": [0, 2], "mask": CHOSEN, "ellipsis": ..., "negative": -1,
    "step": slice(None, None, -2),
}.items():  # fmt: skip
    by_key(name, key)

# -- methods and attributes --------------------------------------------------------------------------------

METHODS: dict[str, tuple[Any, ...]] = {
    "all": (), "any": (), "argmax": (), "argmin": (), "argpartition": (1,), "argsort": (),
    "clip": (0.8, 2.0), "compress": (CHOSEN,), "conj": (), "conjugate": (), "copy": (), "cumprod": (),
    "cumsum": (), "dot": (W,), "dumps": (), "flatten": (), "item": (0,), "max": (), "mean": (), "min": (),
    "nonzero": (), "prod": (), "ravel": (), "repeat": (2,), "reshape": ((3, 1),), "round": (0,),
    "squeeze": (), "std": (), "sum": (), "take": ([2, 0],), "tobytes": (), "tolist": (), "transpose": (),
    "var": (), "view": (), "getfield": (np.float64,), "__copy__": (), "__deepcopy__": ({},),
}  # fmt: skip
WRITERS: dict[str, tuple[Any, ...]] = {
    "fill": ("x0",), "partition": (1,), "put": ([0], "x1"), "resize": ((3, 1),),
    "setfield": ("x0", np.float64), "sort": (), "byteswap": (True,),
}  # fmt: skip
NO_OUT = ("all", "any", "argmax", "argmin")


def of_method(name: str, args: tuple[Any, ...], x: Any) -> None:
    add("methods", name, lambda x: total(getattr(x * x, name)(*args) * x[0]), x)
    takes_out = "out" in (getattr(np.ndarray, name).__doc__ or "").split("\n\n")[0]
    made = getattr(x * x, name)(*args)
    if not takes_out or name in NO_OUT or not np.ndim(made):
        return
    like = np.zeros(np.shape(made))

    def into(x: Any) -> Any:
        y = like * x[0]
        getattr(x * x, name)(*args, out=y)
        return total(y)

    add("methods out", name, into, x)


def of_writer(name: str, args: tuple[Any, ...]) -> None:
    add("methods that write", name, changed(lambda y, x: getattr(y, name)(*given(args, x))))
    add("methods that write", f"{name} view", view_changed(lambda y, x: getattr(y, name)(*given(args, x))))


for name, args in METHODS.items():
    of_method(name, args, V)
for name, args in {"diagonal": (), "swapaxes": (0, 1), "trace": ()}.items():
    of_method(name, args, M)
for name, args in WRITERS.items():
    of_writer(name, args)
for name in ("size", "nbytes", "ndim", "itemsize"):
    add("attributes", name, lambda x, name=name: total(x) * getattr(x, name))
for name in ("T", "real", "imag"):
    add("attributes", name, lambda x, name=name: total(getattr(x * x, name)))
add("attributes", "mT", lambda x: total((x * x).mT), M)
add("attributes", "real stored", changed(lambda y, x: setattr(y, "real", x * x)))
add("attributes", "T stored", changed(lambda y, x: y.T.__setitem__(0, x[1])), M)

# -- functions that write ----------------------------------------------------------------------------------

FUNCTIONS: dict[str, Callable[[Any, Any], Any]] = {
    "copyto": lambda y, x: np.copyto(y, x * x),
    "copyto where": lambda y, x: np.copyto(y, x * x, where=CHOSEN),
    "put": lambda y, x: np.put(y, [0, 2], x[1]),
    "putmask": lambda y, x: np.putmask(y, y > 1, x * x),
    "place": lambda y, x: np.place(y, CHOSEN, x[:2]),
    "fill_diagonal": lambda y, x: np.fill_diagonal(y.reshape(3, 1), x[2]),
    "put_along_axis": lambda y, x: np.put_along_axis(y, np.array([1]), x[2], 0),
    "nan_to_num": lambda y, x: np.nan_to_num(y, copy=False),
    "add.at": lambda y, x: np.add.at(y, [0, 0], x[1]),
    "shuffle": lambda y, x: np.random.default_rng(0).shuffle(y),
    "permuted out": lambda y, x: np.random.default_rng(0).permuted(y, out=y),
    "standard_normal out": lambda y, x: np.random.default_rng(0).standard_normal(out=y),
    "random out": lambda y, x: np.random.default_rng(0).random(out=y),
    "legacy shuffle": lambda y, x: (np.random.seed(0), np.random.shuffle(y)),
    "setitem": lambda y, x: operator.setitem(y, ..., x * x),
}
for name, change in FUNCTIONS.items():
    add("functions that write", name, changed(change))
    add("functions that write", f"{name} view", view_changed(change))

OUT: dict[str, tuple[Any, ...]] = {
    "take": ([2, 0],), "dot": (W,), "clip": (0.8, 2.0), "quantile": (0.3,), "percentile": (30,),
    "nanquantile": (0.3,), "nanpercentile": (30,), "outer": (W,), "matmul": (W,), "vecdot": (W,),
    "round": (1,),
}  # fmt: skip


def of_function_with_out(name: str, function: Any) -> None:
    def apply(x: Any, **options: Any) -> Any:
        if name in ("concatenate", "stack"):
            return function([x, x * x], **options)
        return function(x * x, *OUT.get(name, ()), **options)

    for options in ({}, {"axis": 0}):
        try:
            made = apply(M, **options)
        except (TypeError, ValueError, DeprecationWarning):
            return
        if np.ndim(made):
            break
    if not np.ndim(made) or made.dtype.kind != "f":
        return
    like = np.zeros(made.shape)

    def into(x: Any) -> Any:
        y = like * x[0, 0]
        apply(x, **options, out=y)
        return total(y)

    add("functions out", name, into, M)


def _has_out(function: Any) -> bool:
    try:
        return "out" in inspect.signature(function).parameters
    except (TypeError, ValueError):
        return function in (np.dot, np.concatenate)


# -- functions of one array, of two ------------------------------------------------------------------------

#: files and settings, what has cells of its own, or gives other things than numbers
SKIPPED = frozenset(
    "save savez savez_compressed savetxt load loadtxt genfromtxt fromfile fromregex fromstring memmap "
    "show_config show_runtime info source who test get_include seterr seterrcall setbufsize getbufsize "
    "set_printoptions printoptions get_printoptions geterr geterrcall frompyfunc vectorize nditer "
    "nested_iters deprecate empty empty_like array2string array_repr array_str base_repr binary_repr "
    "format_float_positional from_dlpack format_float_scientific put_along_axis copyto put putmask place "
    "fill_diagonal frombuffer fromiter fromfunction piecewise apply_along_axis apply_over_axes "
    "mintypecode typename ndenumerate ndindex broadcast bmat mat busday_count busday_offset is_busday "
    "datetime_as_string datetime_data unpackbits packbits einsum_path str object".split()
)
TWO: dict[str, Any] = dict.fromkeys(
    "append allclose array_equal array_equiv convolve correlate cross dot inner outer kron vdot tensordot "
    "matmul polyadd polymul polysub polydiv polyval isclose searchsorted digitize histogram setdiff1d "
    "union1d intersect1d isin setxor1d trapezoid linspace logspace geomspace fmax".split(),
    W,
) | {
    "take": np.array([2, 0]), "broadcast_to": (3, 3), "reshape": (3, 1), "resize": (5,), "repeat": 2,
    "tile": 2,     "roll": 1, "split": 3, "array_split": 2, "hsplit": 3,
    "delete": 1, "percentile": 30, "quantile": 0.3,
    "nanpercentile": 30, "nanquantile": 0.3, "partition": 1, "argpartition": 1, "pad": 1, "full_like": 2.0,
    "vander": 3, "take_along_axis": np.array([2, 0, 1]),
}  # fmt: skip


def of_function(name: str, function: Any) -> None:
    for x in (V, M):
        made = None
        with contextlib.suppress(Exception):  # it takes other arguments
            made = function(x)
        if isinstance(made, np.ndarray | np.generic | tuple | list):
            add("functions of one", name, lambda x: total(function(x)), x)
            break
    if name in TWO:
        other = TWO[name]
        add("functions of two", name, lambda x: total(function(x, other)))
        if other is W:
            add("functions of two", f"{name} reflected", lambda x: total(function(other, x)))


for module, prefix in ((np, ""), (np.linalg, "linalg."), (np.fft, "fft.")):
    for name in sorted(getattr(module, "__all__", dir(module))):
        function = getattr(module, name, None)
        if name in SKIPPED or isinstance(function, np.ufunc | type) or not callable(function):
            continue
        of_function(prefix + name, function)
        if module is np and _has_out(function):
            of_function_with_out(name, function)
for name in ("concatenate", "stack", "hstack", "vstack", "dstack", "column_stack"):
    add("functions of two", name, lambda x, name=name: total(getattr(np, name)([x, x * x])))
for name, program in {
    "where": lambda x: total(np.where(x > 1, x * x, x)),
    "insert": lambda x: total(np.insert(x, 1, x[2])),
    "clip": lambda x: total(np.clip(x, 0.7, x[0])),
    "interp": lambda x: total(np.interp(np.array([0.5, 1.5]), np.arange(3.0), x)),
    "select": lambda x: total(np.select([x > 2, x > 1], [x, x * x], 0.0)),
    "piecewise": lambda x: total(np.piecewise(x, [x > 1], [lambda v: v * v, lambda v: v])),
}.items():
    add("functions of two", name, program)
add("functions of two", "einsum", lambda x: total(np.einsum("ij,jk->ik", x, x)), M)
add("functions of two", "apply_along_axis", lambda x: total(np.apply_along_axis(np.sort, 0, x)), M)

# -- the registry, where NumPy has the name ----------------------------------------------------------------


def of_sample(name: str, function: Any, number: int, sample: Any) -> None:
    rng = np.random.default_rng(3)
    values: list[Any] = []
    attributes: dict[str, Any] = {}
    for item in sample:
        if isinstance(item, dict):
            attributes = item
        elif isinstance(item, tuple):
            made = np.asarray(rng.uniform(0.2, 0.9, item))
            if len(item) >= 2 and item[-1] == item[-2]:
                made = made + 2 * np.diag(np.arange(1.0, item[-1] + 1))
            values.append(made + (1.0 if name == "arccosh" else 0))
        else:
            values.append(item)
    if values and isinstance(values[0], np.ndarray) and values[0].ndim and values[0].dtype.kind == "f":
        others = tuple(values[1:])
        add("registry", f"{name} {number}", lambda x: total(function(x, *others, **attributes)), values[0])


for name, definition in REGISTRY.items():
    function = None if name.partition(".")[0] in SKIPPED else np
    for part in name.split("."):
        function = getattr(function, part, None)
    if callable(function) and not isinstance(function, type):
        for number, sample in enumerate((definition.samples or ())[:3]):
            of_sample(name, function, number, sample)

# -- other ways ----------------------------------------------------------------------------------------------

for name in "exp sqrt sin cos tan log atan floor fabs gamma erf".split():
    add("other ways", f"math.{name}", lambda x, name=name: getattr(math, name)(x[0]) * x[1])


def stored(store: Callable[[Any, Any], Any]) -> Program:
    """What is stored into an ndarray."""

    def program(x: Any) -> Any:
        made = np.ones(3)
        store(made, x)
        return total(made * x)

    return program


for name, program in {
    "float": lambda x: float(x[0]) * x[1],
    "int": lambda x: int(x[0]) * x[1],
    "complex": lambda x: complex(x[0]).real * x[1],
    "item": lambda x: x[0].item() * x[1],
    "item of": lambda x: x.item(0) * x[1],
    "tolist": lambda x: x.tolist()[0] * x[1],
    "list": lambda x: list(x)[0] * x[1],
    "unpacked": lambda x: (lambda a, b, c: a * b + c)(*x),
    "round": lambda x: round(x[0], 1) * x[1],
    "abs": lambda x: abs(x[0]) * x[1],
    "max": lambda x: max(x[0], 1.0) * x[1],
    "min of items": lambda x: min(x) * x[1],
    "sum": lambda x: sum(x) * x[1],
    "sorted": lambda x: total(np.stack(sorted(x))),
    "bool": lambda x: x[1] * x[1] if x[0] else x[2],
    "np.array": lambda x: total(np.array(x) * x),
    "np.array of list": lambda x: total(np.array([x[0], x[1] * 2]) * x[2]),
    "np.asarray": lambda x: total(np.asarray(x) * x),
    "np.float64": lambda x: np.float64(x[0]) * x[1],
    "copy.copy": lambda x: total(copy.copy(x) * x),
    "copy.deepcopy": lambda x: total(copy.deepcopy(x) * x),
    "format": lambda x: float(f"{x[0]:.3f}") * 0 + x[1] * x[1],
    "item of ndarray": stored(lambda a, x: operator.setitem(a, 0, x[1])),
    "all of ndarray": stored(lambda a, x: operator.setitem(a, slice(None), x)),
    "ndarray *=": stored(lambda a, x: operator.imul(a, x)),
    "out=ndarray": stored(lambda a, x: np.multiply(x, x, out=a)),
    "copyto ndarray": stored(lambda a, x: np.copyto(a, x * x)),
    "add.at ndarray": stored(lambda a, x: np.add.at(a, [0, 1], x[:2])),
}.items():
    add("other ways", name, program)
