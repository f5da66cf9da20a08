"""Which calls have no effects and depend on nothing but their arguments; the others are refused.

A call of such a function, class or method is simply made while tracing, where no argument is staged.
"""

from __future__ import annotations

import builtins
import collections
import contextlib
import operator
import types
from typing import Any

import numpy as np

from autograph.config import is_excluded
from autograph.errors import AutographError, SourceNotFoundError
from autograph.refused import NUMPY_CALLS
from autograph.source import find
from runtime.iteration import indexed as iteration
from runtime.numpy_calls.arguments import has_staged
from runtime.objects.generated import is_generated
from runtime.tracer.builder import Staged
from runtime.tracer.trace import Trace

#: modules whose functions only compute
PURE_MODULES = frozenset({
    "math", "cmath", "operator", "_operator", "itertools", "functools", "_functools", "collections",
    "_collections", "copy", "dataclasses", "typing", "enum", "fractions", "numbers", "string", "re",
    "_string", "textwrap", "abc", "_abc", "types", "statistics", "bisect", "_bisect", "autograph.operators",
    "optree", "collections.abc", "ipaddress",
})  # fmt: skip
PURE_BUILTINS = frozenset({
    abs, all, any, ascii, bin, bool, bytes, callable, chr, complex, dict, divmod, enumerate, filter, float,
    format, frozenset, getattr, hasattr, hash, hex, id, int, isinstance, issubclass, iter, len, list, map,
    max, min, next, object, oct, ord, pow, property, range, repr, reversed, round, set, slice, sorted, str,
    sum, super, tuple, type, zip, staticmethod, classmethod,
    str.maketrans,
    __build_class__ if isinstance(__builtins__, dict) else builtins.__build_class__,
})  # fmt: skip
#: packages whose functions wrap what a loop goes over, to show how far it is
PROGRESS_BARS = frozenset({"tqdm", "rich", "progressbar", "alive_progress", "fastprogress"})
#: decorators of modules that do more than that
PURE_DECORATORS = frozenset({contextlib.contextmanager, contextlib.asynccontextmanager})
PURE_SELVES: tuple[type[Any], ...] = (
    str, bytes, int, float, complex, tuple, frozenset, range, slice, np.generic, np.dtype, list, dict, set,
    type, types.MappingProxyType, Staged, np.ufunc, BaseException, types.FunctionType, types.ModuleType,
    type({}.keys()), type({}.items()), type({}.values()), iteration.Indexed,
)  # fmt: skip
#: the methods of containers that change nothing
READERS: dict[type[Any], frozenset[str]] = {
    set: frozenset(dir(frozenset)),
    collections.deque: frozenset({*dir(tuple), "copy", "__copy__"}),
    bytearray: frozenset({*dir(bytes), "copy"}),
}
MUTATORS = frozenset({
    "append", "extend", "insert", "pop", "remove", "clear", "sort", "reverse", "update", "setdefault",
    "popitem", "move_to_end", "subtract", "__setitem__", "__delitem__", "__iadd__", "__imul__", "__ior__",
})  # fmt: skip


def is_of_collections(function: Any) -> bool:
    """A function of UserDict, ChainMap or their like, which stores where no hook sees it."""
    return getattr(function, "__module__", None) in ("collections", "collections.abc", "_collections_abc")


def is_hashable(function: Any) -> bool:
    return type(function).__hash__ is not None and not isinstance(function, types.MethodType)


def is_pure(function: Any) -> bool:
    if is_hashable(function) and function in PURE_BUILTINS | PURE_DECORATORS:
        return True
    module = getattr(function, "__module__", None) or ""
    if isinstance(
        function, types.MethodDescriptorType | types.WrapperDescriptorType | types.ClassMethodDescriptorType
    ):
        if function.__objclass__ is object:
            return function.__name__ in (
                "__init__",
                "__eq__",
                "__ne__",
                "__hash__",
                "__repr__",
                "__init_subclass__",
            )
        return issubclass(function.__objclass__, PURE_SELVES) and function.__name__ not in MUTATORS
    if module in PURE_MODULES:
        return True
    if module == "logging" and getattr(function, "__name__", "") == "getLogger":
        return True  # there is one logger of each name, for good
    if is_generated(function):
        return True
    if isinstance(function, np.ufunc) or module.split(".")[0] == "numpy":
        name = getattr(function, "__name__", "")  # an object that is called, such as np.poly1d, has none
        return not module.startswith("numpy.random") and name not in NUMPY_CALLS
    return isinstance(function, operator.itemgetter | operator.attrgetter | operator.methodcaller)


def _root(module: str) -> str:
    return module.partition(".")[0]


def is_pure_class(cls: type) -> bool:
    """Do what such a class and its compiled class methods make hang on the arguments alone?"""
    module = cls.__module__
    return (
        not is_excluded(module)
        or module in PURE_MODULES
        or _root(module) in ("builtins", "pathlib", "contextlib")
    )


def acts_when_made(cls: type) -> bool:
    """Does a class of the standard library, or of another excluded package, initialise the instances?"""
    for name in ("__init__", "__new__"):
        holder = next((base for base in cls.__mro__ if name in vars(base)), object)
        if not is_pure_class(holder):
            return True
    return False


def _way_out(package: str, objects: list[Any]) -> str | None:
    """What to write instead where a call is of a kind that programs are full of; None for others."""
    if package in PROGRESS_BARS:
        return "loop over the items themselves, and show progress around the call of the decorated function"
    kinds = [type(one) for one in objects]
    if any(hasattr(kind, "to_numpy") and hasattr(kind, "columns") for kind in kinds):
        return "pass its columns as arrays: table[name].to_numpy()"
    if any(hasattr(kind, "to_numpy") for kind in kinds):
        return "pass its values as an array: series.to_numpy()"
    if bytearray in kinds:
        return "collect the numbers in a list, and make the bytes of it outside the decorated function"
    return None


def refuse_call(trace: Trace, function: Any, arguments: Any = ()) -> Exception:
    """The error for a call that a graph would make once, while tracing, for good."""
    trace.outside.stands_in_the_way = True  # `autograph.include` may come
    owner = getattr(function, "__self__", None)
    module = getattr(function, "__module__", None) or type(owner).__module__
    name = getattr(function, "__qualname__", None) or type(function).__name__
    full = f"{module}.{name}" if module and module != "builtins" else name
    plain = getattr(function, "__func__", function)
    package = module.partition(".")[0]
    hint = _way_out(package, [owner, *(arguments[0] if arguments else ())])
    if hint is None and has_staged(arguments):
        hint = "return what it needs, and call it outside the decorated function"
    elif hint is None:
        hint = "call it outside the decorated function and pass the result as an argument"
    if isinstance(function, type):
        reason = "is a class that is not converted"
    elif not isinstance(plain, types.FunctionType):
        reason = "is compiled code"
    elif is_excluded(module):
        reason = f"is of {package}, which is not converted"
    elif not _has_source(plain):
        reason = "has no source that could be converted"
        hint = "put it in a file, or make the text that exec or eval runs known: autograph.register_source"
    else:
        reason = "is marked with do_not_convert"
    return trace.refuse(
        f"`{full}` {reason}, and may have effects or depend on the world outside: "
        "a graph would keep what it gives while tracing",
        hint,
        full,
    )


def _has_source(function: types.FunctionType) -> bool:
    try:
        find(function)
    except AutographError as error:
        return not isinstance(error, SourceNotFoundError)
    return True
