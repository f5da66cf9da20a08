"""The operators of a value that is one of several at run time: each is a conditional over what it may be."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from autograph.operators import call
from autograph.registry import NEVER_STAGED
from autograph.stages._jax.branches import dispatch
from autograph.stages._jax.choices import Choice, known


def _forward(name: str) -> Callable[..., Any]:
    def method(self: Choice, *arguments: Any) -> Any:
        if name in ("__eq__", "__ne__") and self.is_plain() and type(arguments[0]) in NEVER_STAGED:
            return self.is_option(lambda option: (option == arguments[0]) == (name == "__eq__"))
        return dispatch(self, lambda option: _operate(name, option, *map(known, arguments)))

    method.__name__ = name
    return method


def _operate(name: str, value: Any, *arguments: Any) -> Any:
    if name == "__call__":
        return call(value, *arguments)
    short = name.strip("_")
    if short in _REFLECTED and short.removeprefix("r") in _BINARY and short not in _BINARY:
        return _OPERATORS[short.removeprefix("r")](*arguments, value)
    return _OPERATORS[short](value, *arguments)


_BINARY = "add sub mul truediv floordiv mod pow matmul and or xor lshift rshift divmod".split()
_REFLECTED = {n: f"r{n}" for n in _BINARY} | {f"r{n}": n for n in _BINARY}
_REFLECTED |= {"lt": "gt", "gt": "lt", "le": "ge", "ge": "le", "eq": "eq", "ne": "ne"}
_UNARY = ["neg", "pos", "abs", "invert", "getitem", "len", "iter", "call", "contains"]
_OPERATORS: dict[str, Any] = {n: getattr(operator, f"__{n}__", None) for n in [*_REFLECTED, *_UNARY]}
_OPERATORS |= {"divmod": divmod, "len": len, "iter": iter}
for _name in _OPERATORS:
    setattr(Choice, f"__{_name}__", _forward(f"__{_name}__"))
