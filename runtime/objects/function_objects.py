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
"""

from __future__ import annotations

import copy
import functools
import sys
import types
from collections.abc import Callable
from typing import Any

from runtime.objects import pickled
from runtime.objects.entered import Entered
from runtime.tracer.trace import current_trace


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
        texts = pickled.texts_for(sys._getframe(1), self.python_function)
        if not texts:
            return name if found is self else self.make_again()
        make, args = self.make_again()
        return pickled.arrived, (texts, make, *args)


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
