"""Calls that converted code makes of things that are not converted: builtins, NumPy, methods of containers.

Under a trace nothing may happen, so such a call is staged, or known to be free of effects and then
simply made, or refused.
"""

from __future__ import annotations

import builtins
import copy
import dataclasses
import functools
import operator
import sys
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from autograph.config import is_excluded
from autograph.operators import Undefined
from runtime import iteration
from runtime.branches import branch
from runtime.builder import Staged, emit
from runtime.caches import call_cached
from runtime.choices import dispatch, is_undefined, truth
from runtime.comprehensions import stage_consumer
from runtime.copies import copied, deeply_copied
from runtime.instances import can_be_remade
from runtime.iterators import TracedIterator, traced
from runtime.numpy_calls import call_whole, staged_call
from runtime.numpy_calls.whole import IMPURE_NUMPY, SCIPY
from runtime.run_time_calls import run_time_call, run_time_stream
from runtime.spec import Choice
from runtime.tensor import constant
from runtime.texts import depends_on_run, format_fields, formatted, joined
from runtime.trace import Trace

#: modules whose functions only compute
PURE_MODULES = frozenset({
    "math", "cmath", "operator", "_operator", "itertools", "functools", "_functools", "collections",
    "_collections", "copy", "dataclasses", "typing", "enum", "fractions", "numbers", "string", "re",
    "textwrap", "abc", "_abc", "types", "statistics", "bisect", "_bisect", "autograph.operators", "optree",
    "collections.abc",
})  # fmt: skip
PURE_BUILTINS = frozenset({
    abs, all, any, ascii, bin, bool, bytes, callable, chr, complex, dict, divmod, enumerate, filter, float,
    format, frozenset, getattr, hasattr, hash, hex, id, int, isinstance, issubclass, iter, len, list, map,
    max, min, next, object, oct, ord, pow, property, range, repr, reversed, round, set, slice, sorted, str,
    sum, super, tuple, type, zip, staticmethod, classmethod,
    __build_class__ if isinstance(__builtins__, dict) else builtins.__build_class__,
})  # fmt: skip
PURE_SELVES: tuple[type[Any], ...] = (
    str, bytes, int, float, complex, tuple, frozenset, range, slice, np.generic, np.dtype, list, dict, set,
    type, types.MappingProxyType, Staged, np.ufunc, BaseException, types.FunctionType, types.ModuleType,
    type({}.keys()), type({}.items()), type({}.values()), iteration.Indexed,
)  # fmt: skip
MUTATORS = frozenset({
    "append", "extend", "insert", "pop", "remove", "clear", "sort", "reverse", "update", "setdefault",
    "popitem", "__setitem__", "__delitem__", "__iadd__", "__imul__", "__ior__",
})  # fmt: skip


def stage_call(trace: Trace, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The result of the call, or NotImplemented where Python may simply make it."""
    if isinstance(function, Choice):
        from autograph.operators import call

        return dispatch(function, lambda f: call(f, *args, **kwargs))
    if is_dataclass_comparison(function, args):
        return compare_fields(*args)
    if function is object.__new__:
        made = function(*args, **kwargs)
        trace.outside.add_local(made)
        return made
    for position, arg in enumerate(args):
        if isinstance(arg, Choice) and not takes_choices(function):
            before, after = args[:position], args[position + 1 :]
            return dispatch(arg, lambda a: stage_or_make(trace, function, (*before, a, *after), kwargs))
    if isinstance(function, types.FunctionType) and function.__name__ == "__init__" and args:
        trace.outside.add_local(args[0])
    consumed = stage_consumer(function, args, kwargs)
    if consumed is not NotImplemented:
        return consumed
    if _hashable(function) and calls_back(function):
        args = tuple([converting(arg) for arg in args])
        kwargs = {name: converting(arg) for name, arg in kwargs.items()}
    handler = HANDLERS.get(function) if _hashable(function) else None
    if handler is not None:
        result = handler(trace, *args, **kwargs)
        if result is not NotImplemented or not makes_iterator(function):
            return result
        return traced(trace, function(*args, **kwargs))
    inner = getattr(function, "__runtime_inline__", None)
    if inner is not None:  # another rt.function: part of this trace
        from autograph.operators import call

        return call(inner, *args, **kwargs)
    if _is_single_dispatch(function) and args:
        from autograph.operators import call
        from runtime.numpy_calls.builtins import class_of

        kind = class_of(args[0]) if isinstance(args[0], Staged) else type(args[0])
        return call(function.dispatch(kind), *args, **kwargs)
    if isinstance(function, functools._lru_cache_wrapper):
        return call_cached(trace, function, args, kwargs)
    result = staged_call(function, args, kwargs)
    if result is not NotImplemented:
        return result
    return _python_call(trace, function, args, kwargs)


def is_dataclass_comparison(function: Any, args: tuple[Any, ...]) -> bool:
    """Is this the ``__eq__`` that `dataclass` wrote?"""
    if not isinstance(function, types.FunctionType) or function.__code__.co_filename != "<string>":
        return False
    return function.__name__ == "__eq__" and len(args) == 2 and dataclasses.is_dataclass(args[0])


def compare_fields(a: Any, b: Any) -> Any:
    from autograph.operators import and_

    if a is b:
        return True
    if type(a) is not type(b):
        return False
    names = [field.name for field in dataclasses.fields(a) if field.compare]

    def equal(name: str) -> Any:
        one, other = getattr(a, name), getattr(b, name)
        return one is other or truth(one == other)

    return and_(True, *[lambda name=name: equal(name) for name in names])


def takes_choices(function: Any) -> bool:
    """Does this function itself say what to do with a value that is one of several?"""
    if isinstance(function, type):
        return can_be_remade(function)  # an instance holds it
    if isinstance(function, types.BuiltinMethodType) and isinstance(function.__self__, str):
        return function.__name__ == "format"
    return _hashable(function) and function in (print, isinstance, str, repr, ascii, format)


def stage_or_make(trace: Trace, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    result = stage_call(trace, function, args, kwargs)
    return function(*args, **kwargs) if result is NotImplemented else result


def _is_single_dispatch(function: Any) -> bool:
    """Was the function made by `functools.singledispatch`?"""
    return (
        isinstance(function, types.FunctionType)
        and hasattr(function, "dispatch")
        and function.__globals__ is vars(functools)
    )


def _hashable(function: Any) -> bool:
    return type(function).__hash__ is not None and not isinstance(function, types.MethodType)


#: they call what they are given: it runs converted
HIGHER_ORDER = (map, filter, sorted, min, max, iter, functools.reduce)


def calls_back(function: Any) -> bool:
    if function in HIGHER_ORDER or getattr(function, "__module__", None) in (
        "itertools",
        "bisect",
        "_bisect",
    ):
        return True
    return getattr(function, "__name__", "") == "sort" and isinstance(
        getattr(function, "__self__", None), list
    )


def converting(argument: Any) -> Any:
    """A function as one that runs converted when plain Python calls it; anything else as it is."""
    if not isinstance(argument, types.FunctionType | types.MethodType):
        return argument
    from autograph.operators import call

    return functools.partial(call, argument)


#: what they make is advanced later, step by step
ITERATOR_MAKERS = (iter, map, zip, filter, enumerate, reversed)


def makes_iterator(function: Any) -> bool:
    return function in ITERATOR_MAKERS or getattr(function, "__module__", None) == "itertools"


def _python_call(trace: Trace, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    result = run_time_call(trace, function, args, kwargs)
    if result is NotImplemented and (getattr(function, "__module__", "") or "").startswith(SCIPY):
        result = call_whole(function, args, kwargs)
    if result is not NotImplemented:
        return result
    if _hashable(function) and makes_iterator(function):
        return traced(trace, function(*args, **kwargs))
    owner = getattr(function, "__self__", None)
    if owner is not None and not isinstance(owner, types.ModuleType):
        return _method_call(trace, function, owner, args, kwargs)
    if isinstance(function, type):
        return _construct(trace, function, args, kwargs)
    if is_pure(function):
        return _registered(trace, function(*args, **kwargs))
    raise refuse_call(trace, function)


def _registered(trace: Trace, made: Any) -> Any:
    """The result of a pure call; an instance of a user's class that nobody knows was made by it."""
    cls = type(made)
    if isinstance(made, type | Staged | Choice):
        return made
    if isinstance(made, np.ndarray):  # no array is visible in a trace but as a staged value
        return emit("copy", [trace.wrap(trace.constant(made))])
    if cls.__flags__ & (1 << 9) and hasattr(made, "__dict__"):
        if cls.__module__ not in sys.stdlib_module_names and not isinstance(
            made, tuple | BaseException | types.FunctionType
        ):
            trace.outside.add_local(made)
    return made


def is_pure(function: Any) -> bool:
    if _hashable(function) and function in PURE_BUILTINS:
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
    if isinstance(function, types.FunctionType) and function.__code__.co_filename == "<string>":
        return True  # made by a class decorator such as dataclass
    if isinstance(function, np.ufunc) or module.split(".")[0] == "numpy":
        return not module.startswith("numpy.random") and function.__name__ not in IMPURE_NUMPY
    return isinstance(function, operator.itemgetter | operator.attrgetter | operator.methodcaller)


def _method_call(
    trace: Trace, function: Any, owner: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    from runtime.container_calls import method_of_known

    name = getattr(function, "__name__", "")
    result = method_of_known(trace, owner, name, args)
    if result is not NotImplemented:
        return result
    if type(owner) in (list, dict):
        if name == "copy":
            return trace.containers.born(owner.copy())
        if name not in MUTATORS:
            return NotImplemented
        return trace.write_contents(owner, "this " + type(owner).__name__, lambda: function(*args, **kwargs))
    if isinstance(owner, list | dict) and type(owner) not in (list, dict) and name in MUTATORS:
        raise refuse_call(trace, function)
    if isinstance(owner, str) and name == "format":
        return format_fields(trace, owner, args, kwargs)
    if isinstance(owner, str) and name == "join" and len(args) == 1:
        return joined(owner, args[0])
    if isinstance(owner, Staged | iteration.Indexed):
        return NotImplemented  # its methods append operations
    if isinstance(owner, types.FunctionType) or isinstance(function, types.MethodType):
        underlying = getattr(function, "__func__", function)
        if is_pure(underlying):
            return NotImplemented
        raise refuse_call(trace, function)
    if isinstance(owner, type) and not _is_pure_class(owner) and not isinstance(function, types.MethodType):
        raise refuse_call(trace, function)  # datetime.now, say
    if isinstance(owner, PURE_SELVES) and not (
        isinstance(owner, set)
        and (trace.frames or trace.outside.is_outside(owner))
        and name not in dir(frozenset)
    ):
        return NotImplemented
    if isinstance(function, types.MethodWrapperType) and name in (
        "__init__",
        "__init_subclass__",
        "__new__",
        "__eq__",
    ):
        return NotImplemented
    raise refuse_call(trace, function)


def _root(module: str) -> str:
    return module.partition(".")[0]


def _is_pure_class(cls: type) -> bool:
    """Do what such a class and its compiled class methods make hang on the arguments alone?"""
    module = cls.__module__
    return (
        not is_excluded(module)
        or module in PURE_MODULES
        or _root(module) in ("builtins", "pathlib", "contextlib")
    )


def _acts_when_made(cls: type) -> bool:
    """Does a class of the standard library, or of another excluded package, initialise the instances?"""
    for name in ("__init__", "__new__"):
        holder = next((base for base in cls.__mro__ if name in vars(base)), object)
        if not _is_pure_class(holder):
            return True
    return False


def _construct(trace: Trace, cls: type, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    if issubclass(cls, BaseException) or cls in PURE_BUILTINS or cls.__module__ in PURE_MODULES:
        return NotImplemented
    if cls.__module__ == "builtins" or cls.__module__.split(".")[0] in ("numpy", "functools"):
        if cls.__name__ in IMPURE_NUMPY:
            raise refuse_call(trace, cls)
        return NotImplemented
    if not cls.__flags__ & (1 << 9) or _acts_when_made(cls):
        raise refuse_call(trace, cls)
    made = cls(*args, **kwargs)
    return _registered(trace, made)


def refuse_call(trace: Trace, function: Any) -> Exception:
    owner = getattr(function, "__self__", None)
    module = getattr(function, "__module__", None) or type(owner).__module__
    name = getattr(function, "__qualname__", None) or type(function).__name__
    full = f"{module}.{name}" if module and module != "builtins" else name
    plain = getattr(function, "__func__", function)
    package = module.partition(".")[0]
    if isinstance(function, type):
        reason = "is a class that is not converted"
    elif not isinstance(plain, types.FunctionType):
        reason = "is compiled code"
    elif is_excluded(module):
        reason = f"is of {package}, which is not converted"
    else:
        reason = "is marked with do_not_convert"
    return trace.refuse(
        f"`{full}` {reason}, and may have effects or depend on the world outside: "
        "a graph would keep what it gives while tracing",
        "call it outside the decorated function and pass the result as an argument",
        full,
    )


# -- builtins ----------------------------------------------------------------------------------------

HANDLERS: dict[Any, Callable[..., Any]] = {}


def handles(*functions: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    def register(handler: Callable[..., Any]) -> Callable[..., Any]:
        for function in functions:
            HANDLERS[function] = handler
        return handler

    return register


@handles(print)
def stage_print(trace: Trace, *args: Any, **kwargs: Any) -> Any:
    if kwargs.get("file") is not None:
        kwargs["file"] = run_time_stream(trace, kwargs["file"])
    for position, arg in enumerate(args):
        if isinstance(arg, Choice):
            before, after = args[:position], args[position + 1 :]
            return dispatch(arg, lambda value: stage_print(trace, *before, value, *after, **kwargs))
    return trace.emit_effect("print", [], (args, {k: v for k, v in kwargs.items() if v is not None}))


def _handles_text(function: Any, conversion: str) -> None:
    @handles(function)
    def text(trace: Trace, *args: Any, **kwargs: Any) -> Any:
        if len(args) != 1 or kwargs or not depends_on_run(trace, args[0]):
            return NotImplemented
        return formatted(trace, ((args[0], conversion, None),))


_handles_text(str, "s")
_handles_text(repr, "r")
_handles_text(ascii, "a")


@handles(format)
def stage_format(trace: Trace, value: Any, spec: Any = "") -> Any:
    if not depends_on_run(trace, value):
        return NotImplemented
    return formatted(trace, ((value, None, spec),))


@handles(range)
def stage_range(trace: Trace, *args: Any) -> Any:
    return iteration.staged_range(*args) if any(isinstance(a, Staged) for a in args) else NotImplemented


@handles(enumerate)
def stage_enumerate(trace: Trace, iterable: Any, start: Any = 0) -> Any:
    return iteration.staged_enumerate(iterable, start)


@handles(zip)
def stage_zip(trace: Trace, *iterables: Any, strict: bool = False) -> Any:
    if not any(isinstance(i, Staged | iteration.Indexed) for i in iterables):
        return NotImplemented
    return iteration.staged_zip(*iterables, strict=strict)


@handles(reversed)
def stage_reversed(trace: Trace, sequence: Any) -> Any:
    return iteration.staged_reversed(sequence)


@handles(len)
def stage_len(trace: Trace, value: Any) -> Any:
    if isinstance(value, iteration.Indexed):
        return value.length()
    return staged_call(len, (value,), {}) if isinstance(value, Staged) else NotImplemented


@handles(setattr)
def stage_setattr(trace: Trace, owner: Any, name: str, value: Any) -> Any:
    return NotImplemented  # the class is watched


def refuse_consumption(trace: Trace, iterator: Any) -> None:
    """An iterator that no trace made may not be advanced: it would happen once and for all."""
    if type(iterator) is not TracedIterator and hasattr(type(iterator), "__next__"):
        if trace.frames or trace.outside.is_outside(iterator):
            raise trace.refuse(
                f"a {type(iterator).__name__} that was made before is advanced, "
                "which a trace would do once and for all",
                "iterate over a list or an array",
            )


@handles(next)
def stage_next(trace: Trace, iterator: Any, *default: Any) -> Any:
    refuse_consumption(trace, iterator)
    return NotImplemented


def _guard_missing(trace: Trace, owner: Any, name: Any) -> None:
    """A class or function that is asked for what it does not have."""
    if isinstance(owner, type | types.FunctionType) and isinstance(name, str) and not hasattr(owner, name):
        trace.outside.classes.guard_absent(owner, {name})


@handles(hasattr)
def stage_hasattr(trace: Trace, owner: Any, name: str) -> Any:
    _guard_missing(trace, owner, name)
    if isinstance(owner, type | types.FunctionType) and not hasattr(owner, name):
        trace.outside.definitions.guard_no_attribute(owner, name)
    held = trace.outside.held(owner, name)
    if held is None:
        return NotImplemented
    absent = is_undefined(held)
    return emit("py.not", [absent]) if isinstance(absent, Staged) else not absent


@handles(getattr)
def stage_getattr(trace: Trace, owner: Any, name: str, *default: Any) -> Any:
    _guard_missing(trace, owner, name)
    if default and isinstance(owner, type | types.FunctionType) and not hasattr(owner, name):
        trace.outside.definitions.guard_no_attribute(owner, name)
    held = trace.outside.held(owner, name)
    if not default or held is None:
        return NotImplemented
    return branch(is_undefined(held), lambda: default[0], lambda: getattr(owner, name))


@handles(constant)
def stage_constant(trace: Trace, value: Any, dtype: Any = None) -> Any:
    return constant(value, dtype)


@handles(open, input, exec, eval, compile, __import__)
def stage_refused(trace: Trace, *args: Any, **kwargs: Any) -> Any:
    raise trace.refuse(
        "input, output and dynamic code cannot be part of a graph", "do it outside the decorated function"
    )


@handles(id)
def stage_id(trace: Trace, value: Any) -> Any:
    if isinstance(value, Staged | list | dict | Choice) or trace.outside.is_local(value):
        raise trace.refuse(
            "the id() of a value that is made at each call would be frozen in the graph", "compare with `is`"
        )
    return NotImplemented


@handles(copy.copy)
def stage_copy(trace: Trace, value: Any) -> Any:
    return copied(trace, value)


@handles(copy.deepcopy)
def stage_deepcopy(trace: Trace, value: Any, memo: Any = None) -> Any:
    return deeply_copied(trace, value)


@handles(bool)
def stage_bool(trace: Trace, *args: Any) -> Any:
    return truth(args[0]) if args and isinstance(args[0], Staged) else NotImplemented


@handles(any)
def stage_any(trace: Trace, iterable: Any) -> Any:
    return _fold(trace, iterable, any)


@handles(all)
def stage_all(trace: Trace, iterable: Any) -> Any:
    return _fold(trace, iterable, all)


def _fold(trace: Trace, iterable: Any, function: Any) -> Any:
    if isinstance(iterable, Staged):
        return staged_call(function, (iterable,), {})
    if type(iterable) not in (list, tuple) or not any(isinstance(v, Staged | Choice) for v in iterable):
        return NotImplemented
    from autograph.operators import and_, or_

    tests = [truth(value) for value in iterable]
    result = (and_ if function is all else or_)(tests[0], *[lambda t=t: t for t in tests[1:]])
    return result


__all__ = ["Undefined", "stage_call"]
