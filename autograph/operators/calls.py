"""What is called in place of a callee: `ag__.converted(f)(x)` stands for `f(x)`.

The decision is made once per code object. The call itself stands in the user's own frame, so that what
looks at the stack (`warnings.warn`, `logging`, `locals()`) finds what it finds without us.

>>> converted(len) is len
True
>>> call(max, 3, 5)
5
"""

from __future__ import annotations

import builtins
import functools
import threading
import weakref
from collections.abc import Callable, Mapping
from functools import partial
from types import BuiltinFunctionType, CodeType, FunctionType, MethodType
from typing import Any

from autograph import conversion, registry
from autograph.code_objects import has_marks, is_converted_code, marks_of, read_as_program
from autograph.config import is_function_excluded, on_change
from autograph.errors import AutographError, SourceChangedError, SourceNotFoundError
from autograph.operators import marks
from autograph.registry import claiming
from autograph.staging import Stage

_import = builtins.__import__

AsIs = object()  # the decision not to convert
Excluded = object()  # the same, because of the module: `autograph.config` may change that


def converted(f: Any) -> Any:
    """What to call in place of `f`.

    Without a registered stage that is `f`: no value can be claimed, so the converted function could do
    nothing that `f` does not.
    """
    kind = type(f)
    if not registry.present_stages():
        return f
    stage = registry.active_stage()
    if kind is FunctionType:
        return _function(f, stage)
    if kind is MethodType:
        return _method(f, stage)
    if kind is BuiltinFunctionType:
        return f if stage is None else Offer(stage, f)
    if kind is partial:
        inner = converted(f.func)
        return f if inner is f.func else partial(inner, *f.args, **f.keywords)
    if isinstance(f, type):
        return _class(f, stage)
    return _callable_object(f, kind, stage)


def call(f: Any, /, *args: Any, **kwargs: Any) -> Any:
    """`f(*args, **kwargs)` with `f` converted."""
    return converted(f)(*args, **kwargs)


def class_of(value: Any) -> Any:
    """`value.__class__`; of a stage's value what `type` of it is.

    >>> class_of(3)
    <class 'int'>
    """
    return value.__class__ if claiming(value) is None else call(type, value)


def special_method(owner: Any, name: str) -> Any:
    """`owner.__name__`, for a special method, or `__dict__`: as the program has it.

    >>> special_method(int, "__add__") is int.__add__
    True
    """
    stage = registry.active_stage()
    found = NotImplemented if stage is None else stage.special_method(owner, name)
    return read_as_program(marks.read_from(owner), name) if found is NotImplemented else found


class Offer:
    """A callee that is not converted, while a stage is active: the stage may take the call over."""

    def __init__(self, stage: Stage, function: Callable[..., Any]) -> None:
        self.stage = stage
        self.function = function
        if hasattr(function, "__qualname__"):  # for Python's own messages about arguments
            self.__qualname__ = function.__qualname__
            self.__module__ = getattr(function, "__module__", "")  # a slot of a built-in class has none

    def __repr__(self) -> str:
        return f"<{self.function!r}, offered to stage {self.stage.name!r}>"

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        if self.stage.passes_on(self.function):
            args = tuple(map(_later, args))
            kwargs = {name: _later(value) for name, value in kwargs.items()}
        result = self.stage.call(self.function, args, kwargs)
        if result is NotImplemented:
            return self.function(*args, **kwargs)
        return result


def _later(value: Any) -> Any:
    is_function = callable(value) and not hasattr(type(value), "__iter__")  # an enum is gone through
    return converted_later(value) if is_function else value


def converted_later(f: Callable[..., Any]) -> Callable[..., Any]:
    """A function to hand to a library that calls it: each call is one of converted code.

    >>> list(map(converted_later(lambda x: -x), [1, 2]))
    [-1, -2]
    """

    @functools.wraps(f)
    def call_later(*args: Any, **kwargs: Any) -> Any:
        return converted(f)(*args, **kwargs)

    return call_later


# The decisions, by identity of the code object; see conversion.py for what is kept alive.

_decisions: dict[int, Any] = {}
_marked: dict[int, Any] = {}  # for a stage that sees all marks: converted so
_some_marks: dict[frozenset[str], dict[int, Any]] = {}  # for a stage that sees some
_alive: dict[int, weakref.ref[Any]] = {}


class _Here(threading.local):
    deciding = False  # is a conversion under way in this thread?


_here = _Here()


def _decide_for(owner: Any, decision: Any, decisions: dict[int, Any] = _decisions) -> Any:
    identity = id(owner)

    # The tables as defaults: at the end of the process the module's names may be gone before the last owner.
    def forget(
        _: object,
        tables: tuple[dict[int, Any], ...] = (_decisions, _marked, _alive),
        more: dict[frozenset[str], dict[int, Any]] = _some_marks,
    ) -> None:
        for table in (*tables, *more.values()):
            table.pop(identity, None)

    if identity not in _alive:
        _alive[identity] = weakref.ref(owner, forget)
    decisions[identity] = decision
    return decision


def do_not_convert_code(code: CodeType) -> None:
    """Functions of this code are called as they are from now on."""
    for table in (_decisions, _marked, *_some_marks.values()):
        _decide_for(code, AsIs, table)


def is_marked_as_is(code: CodeType) -> bool:
    """Was this code marked with `do_not_convert` (or found not to be a user's)?"""
    return _decisions.get(id(code)) is AsIs


def _function(f: FunctionType, stage: Stage | None) -> Any:
    code = f.__code__
    marks: Any = stage is not None and stage.marks
    table = _decisions if not marks else _marked if marks is True else _table_of(marks)
    decision: Any = table.get(id(code))
    if decision is None:
        if is_converted_code(code) and (not marks or has_marks(code, marks_of(marks))):
            return f if stage is None else stage.enter(f, f)
        decision = _decide(f, marks, table)
    if stage is not None and decision is not AsIs:
        wanted = stage.converts(f)
        if wanted is False:
            decision = AsIs
        elif wanted and decision is Excluded:
            decision = _conversion(f, marks)
    if decision is AsIs or decision is Excluded:
        return f if stage is None else Offer(stage, f)
    if isinstance(decision, AutographError):
        if stage is None:
            return f  # on plain values the original is right; a claimed value would be refused in it
        raise decision.copy()
    made: FunctionType = decision.bind(f)
    return made if stage is None else stage.enter(f, made)


def _table_of(marks: Any) -> dict[int, Any]:
    """The decisions for stages that see these marks."""
    table = _some_marks.get(frozenset(marks))
    if table is None:
        marked = {code: AsIs for code, decision in _decisions.items() if decision is AsIs}
        table = _some_marks.setdefault(frozenset(marks), marked)
    return table


def _decide(f: FunctionType, marks: Any, table: dict[int, Any]) -> Any:
    """AsIs, the record of the converted code, or the error that says why there is none."""
    excluded = is_function_excluded(f)
    if not excluded and _here.deciding:
        return AsIs  # in a module that conversion itself uses, and that was converted in place
    return _decide_for(f.__code__, Excluded if excluded else _conversion(f, marks), table)


def _decide_again() -> None:
    """The rules of `autograph.config` have changed: what they decided is decided again at the next call."""
    for table in (_decisions, _marked, *_some_marks.values()):
        for identity, decision in list(table.items()):
            if decision is not AsIs:
                table.pop(identity, None)


on_change.append(_decide_again)


def _conversion(f: FunctionType, marks: Any) -> Any:
    # A program that replaces the import function, for a test perhaps, does not mean what conversion imports.
    replaced, builtins.__import__ = builtins.__import__, _import
    _here.deciding = True
    try:
        return conversion.conversion_of(f, marked=marks)
    except SourceChangedError as error:
        return error.copy()
    except SourceNotFoundError:
        # Functions made by `exec`, such as the __init__ of a dataclass: called as they are. Where one
        # looks at a claimed value, the value itself refuses.
        return AsIs
    except AutographError as error:
        return error.copy()
    finally:
        _here.deciding = False
        builtins.__import__ = replaced


def _method(f: MethodType, stage: Stage | None) -> Any:
    function = f.__func__
    if type(function) is FunctionType:
        inner = _function(function, stage)
        if type(inner) is Offer:
            return Offer(inner.stage, f)
    else:
        inner = converted(function)
    return f if inner is function else MethodType(inner, f.__self__)


def _callable_object(f: Any, kind: type, stage: Stage | None) -> Any:
    function = _python_function(kind, "__call__")
    if function is not None:
        inner = _function(function, stage)
        if inner is not function and type(inner) is not Offer:
            return MethodType(inner, f)
    return f if stage is None else Offer(stage, f)


_namespace: Callable[[type], Mapping[str, Any]] = type.__dict__["__dict__"].__get__
"""The `__dict__` of a class, also where its metaclass defines another."""


def _python_function(kind: type, name: str) -> FunctionType | None:
    """The function that a special method of `kind` is, if it is one written in Python."""
    for base in kind.__mro__:
        found = _namespace(base).get(name, AsIs)
        if found is not AsIs:
            return found if type(found) is FunctionType else None
    return None


# Constructors: what `type.__call__` does, with `__new__` and `__init__` converted.


def _class(cls: type, stage: Stage | None) -> Any:
    metaclass_call = None if type(cls) is type else _python_function(type(cls), "__call__")
    if metaclass_call is not None:
        inner = _function(metaclass_call, stage)
        if inner is not metaclass_call and type(inner) is not Offer:
            return MethodType(inner, cls)
        return cls if stage is None else Offer(stage, cls)
    decision = _decisions.get(id(cls))
    if decision is None:
        decision = _decide_for(cls, AsIs if not _constructs_in_python(cls) else Constructor)
    if decision is AsIs:
        return cls if stage is None else Offer(stage, cls)
    return partial(construct, cls) if stage is None else partial(_construct_under, stage, cls)


class Constructor:
    """The decision to run a class's `__new__` and `__init__` converted."""


def _constructs_in_python(cls: type) -> bool:
    if type(cls).__call__ is not type.__call__:
        return False
    found = [_constructor(cls, name) for name in ("__new__", "__init__")]
    return any(one is not None and not is_function_excluded(one) for one in found)


def _constructor(cls: type, name: str) -> FunctionType | None:
    for base in cls.__mro__:
        found = _namespace(base).get(name)
        if found is not None:
            found = found.__func__ if isinstance(found, staticmethod) else found
            return found if type(found) is FunctionType else None
    return None


def _construct_under(stage: Stage, cls: type, /, *args: Any, **kwargs: Any) -> Any:
    made = construct(cls, *args, **kwargs)
    stage.constructed(made)
    return made


def construct(cls: type, /, *args: Any, **kwargs: Any) -> Any:
    """`cls(*args, **kwargs)`.

    >>> class Point:
    ...     def __init__(self, x): self.x = x
    >>> construct(Point, 3).x
    3
    """
    made = call(cls.__new__, cls, *args, **kwargs)
    if isinstance(made, cls):
        initialize = type(made).__init__
        result = call(initialize, made, *args, **kwargs)
        if result is not None:
            raise TypeError(f"__init__() should return None, not '{type(result).__name__}'")
    return made
