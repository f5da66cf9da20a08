"""Convert one function: `convert`, `to_code`, `do_not_convert`.

>>> from autograph.source import register_source
>>> text = "def positive(x): return not x < 0"
>>> exec(compile(text, register_source(text), "exec"))
>>> convert(positive)(3)
True
>>> print(to_code(positive))
def positive(x):
    return ag__.not_(x < 0)
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from types import AsyncGeneratorType, CodeType, CoroutineType, FunctionType, GeneratorType, MethodType
from typing import Any, TypeVar, overload

from autograph import emit, operators, passes, source
from autograph.code_objects import is_converted_code
from autograph.conversion import check_no_reserved_name, conversion_of
from autograph.deep import with_room
from autograph.errors import (
    ArgumentError,
    AutographError,
    ConversionError,
    SourceNotFoundError,
    error_at_frame,
    place,
)
from autograph.mangling import mangle
from autograph.operators.calls import do_not_convert_code, is_marked_as_is
from autograph.registry import check_stage, trace_of
from autograph.staging import Stage

#: what is decorated, and keeps its type
F = TypeVar("F", bound="Callable[..., Any] | staticmethod[Any, Any] | classmethod[Any, Any, Any] | property")


@overload
def convert(f: F, *, stage: Stage | None = None) -> F: ...
@overload
def convert(*, stage: Stage) -> Callable[[F], F]: ...
def convert(f: Any = None, *, stage: Stage | None = None) -> Any:
    """The converted form of a callable; on plain Python values it does exactly what `f` does.

    Takes functions, lambdas, methods, class and static methods, `functools.partial` and objects with a
    `__call__` written in Python. Use it as a decorator, or call it.

    >>> from functools import partial
    >>> def power(x, n): return x ** n
    >>> convert(partial(power, n=2))(5)
    25

    `stage`: whose values the function computes with. Each call is a trace of it (`autograph.trace_of`):
    the stage claims its values and is offered every statement and call, registered or not. Without it,
    registered stages are asked. Also `@autograph.convert(stage=stage)`. Raises ArgumentError where `stage`
    is none, or the function has one already; and the StagingError of the stage at the user's line.
    """
    if stage is None:
        return _convert(f)
    check_stage(stage)
    if f is None:
        return lambda f: convert(f, stage=stage)
    return _convert(f, stage)


def _convert(f: Any, stage: Stage | None = None) -> Any:
    if isinstance(f, FunctionType):
        if stage is not None:
            return f if is_marked_as_is(f.__code__) else _entry(f, stage)
        return f if is_marked_as_is(f.__code__) or is_converted(f) else _convert_function(f)
    if isinstance(f, MethodType):
        return MethodType(_convert(f.__func__, stage), f.__self__)
    if isinstance(f, (staticmethod, classmethod)):
        return type(f)(_convert(f.__func__, stage))
    if isinstance(f, property):
        fget, fset, fdel = [part and _convert(part, stage) for part in (f.fget, f.fset, f.fdel)]
        return type(f)(fget, fset, fdel, doc=f.__doc__)
    if isinstance(f, functools.partial):
        return type(f)(_convert(f.func, stage), *f.args, **f.keywords)
    if isinstance(f, type):
        raise ConversionError(
            f"`{f.__qualname__}` is a class, and convert takes functions",
            variable=f.__qualname__,
            hint="decorate its methods, or convert its module with autograph.convert_module",
        )
    call = _call_method(f)
    if call is not None:
        return MethodType(_convert(call, stage), f)
    raise _no_python(f)


def _entry(f: FunctionType, stage: Stage) -> Any:
    """The function whose calls are traces of `stage`."""
    known = _stage_of(f)
    if known is not None:
        raise error_at_frame(
            ArgumentError,
            f"`{f.__qualname__}` is converted for stage {known.name!r} already",
            variable=f.__qualname__,
            hint="give one stage, once",
        )
    f = original(f)
    made = conversion_of(f, marked=stage.marks).bind(f)

    @functools.wraps(f)
    def enter(*args: Any, **kwargs: Any) -> Any:
        with trace_of(stage):
            result = stage.enter(f, made)(*args, **kwargs)
            if isinstance(result, _LATER):
                stage.refuse(
                    f"a {type(result).__name__} that `{f.__qualname__}` gives, which runs after the trace,",
                    "give a list of its items",
                )
            return result

    enter.__dict__.update(__ag_original__=f, __ag_stage__=stage)
    return enter


_LATER = (GeneratorType, CoroutineType, AsyncGeneratorType)


def _stage_of(f: Any) -> Any:
    """The stage of an entry, and of none that `functools.wraps` made from one."""
    return getattr(f, "__dict__", {}).get("__ag_stage__") if f.__code__ in _ENTRY_CODES else None


_ENTRY_CODES = [code for code in _entry.__code__.co_consts if isinstance(code, CodeType)]


def _call_method(f: Any) -> FunctionType | None:
    """The `__call__` of an object, where its class defines one in Python."""
    call = inspect.getattr_static(type(f), "__call__", None)
    return call if isinstance(call, FunctionType) else None


def _convert_function(f: FunctionType) -> FunctionType:
    made = conversion_of(f).bind(f)
    if made.__closure__ is None:
        # `bind` shares functions without closure; this one gets attributes of its own.
        made = FunctionType(made.__code__, f.__globals__, f.__name__, f.__defaults__)
        made.__kwdefaults__ = f.__kwdefaults__
        made.__qualname__ = f.__qualname__
    functools.update_wrapper(made, f)
    made.__annotations__ = f.__annotations__
    made.__dict__["__ag_original__"] = f
    return made


def _no_python(f: Any) -> AutographError:
    name = getattr(f, "__qualname__", None) or repr(f)
    if not callable(f):
        return ConversionError(
            f"a value of type `{type(f).__name__}` cannot be converted: it is not callable",
            hint="pass a function, a method, or an object with a `__call__` method",
        )
    return SourceNotFoundError(
        f"`{name}` has no Python source: it is built in or compiled",
        variable=name,
        hint="call it from a Python function and convert that function",
    )


def is_converted(f: Any) -> bool:
    """Is `f` converted: by `convert`, or in a file that `autograph convert` wrote?"""
    code = getattr(f, "__code__", None)
    if code is None:
        return False
    if is_converted_code(code):
        return True
    if "ag__" not in code.co_names and "ag__" not in code.co_freevars:
        return False
    return f.__globals__.get("ag__") is operators


def was_converted(f: Any) -> bool:
    """Has `convert` made this callable, or a command that converts whole modules?

    >>> was_converted(convert(lambda x: x)), was_converted(len)
    (True, False)
    """
    if isinstance(f, (MethodType, staticmethod, classmethod)):
        return was_converted(f.__func__)
    if isinstance(f, functools.partial):
        return was_converted(f.func)
    return type(f) is FunctionType and (is_converted(f) or _stage_of(f) is not None)


def original(f: Any) -> Any:
    """The function that `convert` made `f` from; `f` itself when it made none.

    >>> def f(x): return x
    >>> original(convert(f)) is f
    True
    """
    if isinstance(f, MethodType):
        return MethodType(original(f.__func__), f.__self__)
    found = getattr(f, "__dict__", {}).get("__ag_original__")
    # functools.wraps copies the attribute to wrappers, whose original it is not.
    is_ours = found is not None and (is_converted_code(f.__code__) or _stage_of(f) is not None)
    return found if is_ours else f


def do_not_convert(f: F) -> F:
    """Mark a function (and every closure of the same code): converted code calls it as it is.

    >>> @do_not_convert
    ... def log(x): return x
    >>> convert(log) is log
    True
    """
    target: Any = f
    while isinstance(target, (staticmethod, classmethod, MethodType, functools.partial)):
        target = target.func if isinstance(target, functools.partial) else target.__func__
    if isinstance(target, type):
        for value in list(vars(target).values()):
            if isinstance(value, (FunctionType, staticmethod, classmethod)):
                do_not_convert(value)
    elif isinstance(target, FunctionType):
        do_not_convert_code(target.__code__)
    elif not callable(target):
        raise error_at_frame(
            ArgumentError,
            f"do_not_convert takes a function or a class, not {f!r}",
            variable="f",
            hint="use it as a decorator, or call it with the function",
        )
    return f


def to_code(f: Callable[..., Any]) -> str:
    """The converted source of a function; it runs after `import autograph.operators as ag__`.

    Decorators are left out: they have acted on the function already. So are comments, which only the text of
    a whole module has places for: `autograph convert FILE:NAME` keeps them.
    """
    function = _plain_function(f)
    try:
        return with_room(_text_of, function)
    except AutographError as error:
        if error.file is None:
            error.line = function.__code__.co_firstlineno
            place(error, function.__code__.co_filename)
        raise


def _text_of(function: FunctionType) -> str:
    found = source.find(function)
    check_no_reserved_name(found.node, found.file)
    mangle(found.node, found.class_name)
    tree = emit.wrap(found, function.__code__.co_freevars, keep_signature=True)
    try:
        tree = passes.convert_tree(tree)
    except AutographError as error:
        raise place(error, found.file, found.lines) from None
    return emit.to_text(tree.body[0].body[0])


def _plain_function(f: Any) -> FunctionType:
    """The function whose source is meant by `f`."""
    f = original(f)
    while not isinstance(f, FunctionType):
        if isinstance(f, (MethodType, staticmethod, classmethod)):
            f = original(f.__func__)
        elif isinstance(f, functools.partial):
            f = original(f.func)
        elif isinstance(getattr(f, "__wrapped__", None), FunctionType):
            f = original(f.__wrapped__)
        else:
            call = None if isinstance(f, type) else _call_method(f)
            if call is None:
                raise _no_python(f)
            f = original(call)
    return f
