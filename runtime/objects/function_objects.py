"""What a program may ask a function for besides calling it: the parts of the function that was decorated.

The attributes that a program sets are kept in one place, the dict of the decorated function: a wrapper that
counts its calls in an attribute of its own, and a program that sets it back, speak of the same one.

>>> class Compiled(LikeAFunction): pass
>>> def scaled(x, by=2): return x * by
>>> compiled = Compiled(scaled)
>>> compiled.__defaults__ = (3,)
>>> compiled.calls = 1
>>> scaled(5), scaled.calls, compiled.__name__
(15, 1, 'scaled')

Pickles are read by another process. Python's own name a function. cloudpickle, and with it joblib and Dask,
sends those of ``__main__`` as they are, for the other process has another ``__main__``; then the texts that a
trace of them reads go along.
"""

from __future__ import annotations

import copy
import functools
import inspect
import os
import sys
import types
from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

from autograph import register_source
from autograph.source import read_lines
from runtime.objects.entered import Entered
from runtime.tracer.trace import current_trace

#: for each function, by its name and first line, its file and the text of that
Texts: TypeAlias = dict[tuple[str, int], tuple[str, str]]


def texts_for(asking: types.FrameType, function: Any) -> Texts:
    """What goes along with a function where the pickler sends it as it is; nothing where it sends its name.

    ``asking``: the frame that called the pickler.
    """
    found = [*_reached_from(function, set())]
    override = getattr(asking.f_locals.get("self"), "reducer_override", None)
    if not found or override is None or override(found[0]) is NotImplemented:
        return {}
    known: dict[str, str] = {}
    for f in found:
        file = f.__code__.co_filename
        known[file] = known.get(file) or "".join(read_lines(file, f.__globals__, f.__code__))
    return {_place(f): (f.__code__.co_filename, known[f.__code__.co_filename]) for f in found}


def _place(function: types.FunctionType) -> tuple[str, int]:
    return function.__qualname__, function.__code__.co_firstlineno


def arrived(texts: Texts, make: Callable[..., Any], *args: Any) -> Any:
    """What ``make`` decorates, in a process that may not have the files.

    cloudpickle leaves the names of the files out.
    """
    for found in _reached_from(args[0], set()):
        file, text = texts.get(_place(found), ("", ""))
        if text and not os.path.exists(file):
            register_source(text, file)
        if file:
            found.__code__ = _in_file(found.__code__, file)
    return make(*args)


def _in_file(code: types.CodeType, file: str) -> types.CodeType:
    constants = [_in_file(c, file) if isinstance(c, types.CodeType) else c for c in code.co_consts]
    return code.replace(co_filename=file, co_consts=tuple(constants))


def _reached_from(held: Any, seen: set[int]) -> Iterator[types.FunctionType]:
    """The functions that come with an object and that have no name in another process."""
    if id(held) in seen:
        return
    seen.add(id(held))
    parts: list[Any] = [type(held), *[getattr(held, k) for k in _INSIDE if hasattr(type(held), k)]]
    if isinstance(held, types.FunctionType | type):
        if held.__module__ != "__main__" and "<locals>" not in held.__qualname__:
            return
        parts = [*vars(held).values()]
    if isinstance(held, types.FunctionType):
        yield held
        parts = [held.__globals__.get(name) for name in _names_in(held.__code__)]
        parts += inspect.getclosurevars(held).nonlocals.values()
    for part in parts:
        yield from _reached_from(part, seen)


#: where methods, properties, partials and decorated functions have their functions
_INSIDE = ("__func__", "fget", "func", "python_function")


def _names_in(code: types.CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _names_in(constant)


class _Part:
    """An attribute that is the decorated function's: a program that replaces it changes the function."""

    def __init__(self, name: str, of_the_class: str | None = None) -> None:
        self.name, self.of_the_class = name, of_the_class

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        if instance is None:
            return self.of_the_class or self
        return getattr(instance.python_function, self.name)

    def __set__(self, instance: Any, value: Any) -> None:
        setattr(instance.python_function, self.name, value)


class _ModulePart(str):
    """`__module__` of a class must be a text; that of an instance is the decorated function's."""

    def __get__(self, instance: Any, owner: type | None = None) -> str:
        return self if instance is None else instance.python_function.__module__

    def __set__(self, instance: Any, value: Any) -> None:
        instance.python_function.__module__ = value


#: set before anything else, or by `copy` and `pickle`
_OWN = ("python_function", "__qualname__")


class LikeAFunction(Entered):
    """The attributes of functions, and copies and pickles as those of functions."""

    __slots__ = ("__dict__", "__qualname__", "python_function")

    __name__ = _Part("__name__")
    __annotations__ = _Part("__annotations__")
    __type_params__ = _Part("__type_params__")
    __code__ = _Part("__code__")
    __defaults__ = _Part("__defaults__")
    __kwdefaults__ = _Part("__kwdefaults__")
    __globals__ = _Part("__globals__")
    __closure__ = _Part("__closure__")

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        cls.__doc__ = _Part("__doc__", cls.__doc__)  # type: ignore[assignment]
        cls.__module__ = _ModulePart(cls.__module__)
        # Or Python makes an empty dict of the class's own when somebody, `help` for one, reads it there.
        cls.__annotations__ = _Part("__annotations__")  # type: ignore[assignment]

    def __init__(self, python_function: Callable[..., Any]) -> None:
        self.python_function = python_function
        if hasattr(python_function, "__qualname__"):
            self.__qualname__ = python_function.__qualname__
        if isinstance(python_function, types.FunctionType):
            self.__dict__ = python_function.__dict__

    def __getattr__(self, name: str) -> Any:
        """An attribute of a callable object, a partial or a cached function that was decorated.

        Raises AttributeError as that object does, and StagingError in a trace.
        """
        if name in _OWN or (name.startswith("__") and name.endswith("__")):
            raise AttributeError(
                f"{type(self).__name__!r} object has no attribute {name!r}", name=name, obj=self
            )
        decorated = self.python_function
        if isinstance(decorated, types.FunctionType):  # whose dict is ours
            raise AttributeError(f"'function' object has no attribute {name!r}", name=name, obj=self)
        trace = current_trace()
        if trace is not None:
            kind = type(decorated).__name__
            raise trace.refuse(
                f"`{name}` is an attribute of the {kind} that was decorated, which no trace watches here",
                f"keep that {kind} under a name of its own, and use its attribute",
                name,
            )
        return getattr(decorated, name)

    def __setattr__(self, name: str, value: Any) -> None:
        """Store what is ours, or in the dict that we share with a function."""
        decorated = self.python_function if name != "python_function" else None
        if not (hasattr(type(self), name) or isinstance(decorated, types.FunctionType)):
            kind = type(decorated).__name__
            raise AttributeError(
                f"`{name}` is an attribute of the {kind} that was decorated: keep that under a name of its "
                "own, and set it there",
                name=name,
                obj=self,
            )
        object.__setattr__(self, name, value)

    @property
    def __wrapped__(self) -> Callable[..., Any]:
        return self.python_function

    @__wrapped__.setter
    def __wrapped__(self, value: Any) -> None:
        self.python_function.__wrapped__ = value  # type: ignore[attr-defined]

    def make_again(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        """What decorates, and the arguments with which it makes an object like this one."""
        raise NotImplementedError

    def __copy__(self) -> Any:
        make, args = self.make_again()
        return self if isinstance(self.python_function, types.FunctionType) else make(*args)

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        if isinstance(self.python_function, types.FunctionType):
            return self
        make, args = self.make_again()  # of a method: that of the copied object
        return make(*copy.deepcopy(args, memo))

    def __reduce__(self) -> Any:
        """Pickled by name, where the name is that of this very object: the decorated one.

        Picklers that send functions as they are get the function, which is decorated again.
        """
        found: Any = sys.modules.get(getattr(self, "__module__", None) or "")
        name: str = getattr(self, "__qualname__", "")
        for part in name.split("."):
            found = getattr(found, part, None)
        texts = texts_for(sys._getframe(1), self.python_function)
        if not texts:
            return name if found is self else self.make_again()
        make, args = self.make_again()
        return arrived, (texts, make, *args)


def functions_in(held: Any) -> list[types.FunctionType]:
    """The Python functions behind an entry of a class's namespace.

    >>> [f.__name__ for f in functions_in(staticmethod(functions_in))]
    ['functions_in']
    """
    parts: tuple[Any, ...] = (held,)
    if isinstance(held, property):
        parts = (held.fget, held.fset, held.fdel)
    elif isinstance(held, classmethod | staticmethod | types.MethodType):
        parts = (held.__func__,)
    functions = [part.python_function if isinstance(part, LikeAFunction) else part for part in parts]
    return [function for function in functions if isinstance(function, types.FunctionType)]


def is_single_dispatch(function: Any) -> bool:
    """Was the function made by `functools.singledispatch`?"""
    return (
        isinstance(function, types.FunctionType)
        and hasattr(function, "dispatch")
        and function.__globals__ is vars(functools)
    )
