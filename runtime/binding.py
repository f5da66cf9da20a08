"""Call arguments -> the canonical positional and keyword arguments, as Python itself binds them.

The binder of a Python function is a generated function with the same parameters, so that a wrong call
raises Python's own TypeError. Defaults are read at each call: a program may replace them.

>>> def f(x, y=2, *rest, scale=1.0): ...
>>> binder = Binder(f)
>>> binder.bind((1,), {}), binder.bind((1, 5, 6), {"scale": 3.0})
(((1, 2), {'scale': 1.0}), ((1, 5, 6), {'scale': 3.0}))
>>> binder.names((1, 5, 6))
['x', 'y', 'rest[0]']
"""

from __future__ import annotations

import functools
import inspect
import os
import types
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

#: the file that generated code is said to be in: one of ours, so that tracebacks do not show it
_FILE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "<binder>")

Bound: TypeAlias = "tuple[tuple[Any, ...], dict[str, Any]]"


class Binder:
    """Binds the arguments of calls of one callable."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function
        self._instance: tuple[Any, ...] = ()
        python: Any = function
        if not isinstance(function, types.FunctionType | types.MethodType | functools.partial | type):
            python = getattr(function, "__call__", function)  # noqa: B004
        if isinstance(python, types.MethodType):
            self._instance = (python.__self__,)
            python = python.__func__
        self._python = python if isinstance(python, types.FunctionType) else None
        self._read()

    def _read(self) -> None:
        self._seen = self._state()
        if self._python is None:
            self._signature = inspect.signature(self.function)
            self._parameters = _names_of(self._signature)
        else:
            self._bind = generate_binder(self._python)
            code = self._python.__code__
            self._parameters = list(code.co_varnames[: code.co_argcount])
            if code.co_flags & inspect.CO_VARARGS:
                self._parameters.append("*" + code.co_varnames[code.co_argcount + code.co_kwonlyargcount])
            if self._instance:
                del self._parameters[0]

    def bind(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Bound:
        """Positional and keyword arguments with the defaults filled in. Raises TypeError for a wrong call."""
        if self._python is None:
            bound = self._signature.bind(*args, **kwargs)
            bound.apply_defaults()
            return bound.args, bound.kwargs
        if self._state() != self._seen:
            self._read()
        if self._instance:
            args, kwargs = self._bind(*self._instance, *args, **kwargs)
            return args[1:], kwargs
        return self._bind(*args, **kwargs)

    def are_all(self, kwargs: Mapping[str, Any]) -> bool:
        """Can the function get no other arguments by name only than these?"""
        if self._python is None or self._python.__code__.co_flags & inspect.CO_VARKEYWORDS:
            return not kwargs
        return True

    def names(self, args: tuple[Any, ...]) -> list[str]:
        """What people call each positional argument."""
        names = [name for name in self._parameters if not name.startswith("*")]
        if len(args) > len(names) and self._parameters[-1].startswith("*"):
            rest = self._parameters[-1][1:]
            names += [f"{rest}[{i}]" for i in range(len(args) - len(names))]
        return names[: len(args)]

    def _state(self) -> tuple[Any, ...]:
        """What the generated code depends on, and a program may replace."""
        function = self._python
        if function is None:
            return ()
        return (id(function.__code__), len(function.__defaults__ or ()), tuple(function.__kwdefaults__ or ()))


def _names_of(signature: inspect.Signature) -> list[str]:
    names = []
    for parameter in signature.parameters.values():
        if parameter.kind is parameter.VAR_POSITIONAL:
            names.append("*" + parameter.name)
        elif parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD):
            names.append(parameter.name)
    return names


def generate_binder(function: types.FunctionType) -> Callable[..., Bound]:
    """A function with the parameters of ``function`` that returns its arguments."""
    code = function.__code__
    count, keywords = code.co_argcount, code.co_kwonlyargcount
    positional = list(code.co_varnames[:count])
    keyword_only = list(code.co_varnames[count : count + keywords])
    extra = list(code.co_varnames[count + keywords :])
    rest = extra.pop(0) if code.co_flags & inspect.CO_VARARGS else None
    others = extra.pop(0) if code.co_flags & inspect.CO_VARKEYWORDS else None
    first_default = count - len(function.__defaults__ or ())
    defaulted = {name: f"ag__f.__defaults__[{i}]" for i, name in enumerate(positional[first_default:])}
    with_keyword_default = {n: f"ag__f.__kwdefaults__[{n!r}]" for n in function.__kwdefaults__ or ()}

    def parameter(name: str) -> str:
        known = name in defaulted or name in with_keyword_default
        return f"{name}=ag__missing" if known else name

    parts = [parameter(name) for name in positional]
    if code.co_posonlyargcount:
        parts.insert(code.co_posonlyargcount, "/")
    if rest is not None:
        parts.append(f"*{rest}")
    elif keyword_only:
        parts.append("*")
    parts += [parameter(name) for name in keyword_only]
    if others is not None:
        parts.append(f"**{others}")
    lines = [f"def ag__bind({', '.join(parts)}):"]
    for name, default in (defaulted | with_keyword_default).items():
        if name in positional or name in keyword_only:
            lines.append(f"    if {name} is ag__missing: {name} = {default}")
    items = "".join(f"{name}, " for name in positional) + (f"*{rest}, " if rest is not None else "")
    entries = "".join(f"{name!r}: {name}, " for name in keyword_only)
    entries += f"**{others}" if others is not None else ""
    lines.append(f"    return ({items}), {{{entries}}}")
    namespace: dict[str, Any] = {"ag__f": function, "ag__missing": object()}
    exec(compile("\n".join(lines), _FILE, "exec"), namespace)
    bind = namespace["ag__bind"]
    bind.__name__, bind.__qualname__ = function.__name__, function.__qualname__
    return bind
