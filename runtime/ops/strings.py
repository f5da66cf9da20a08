"""Strings that are known only at run time: joining, comparing, looking into them, and their methods.

>>> from runtime.ops import REGISTRY
>>> REGISTRY["str.upper"].kernel("ab"), REGISTRY["str.len"].kernel("ab")
('AB', 2)
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from runtime.ops.definition import MAY_RAISE, Effects, none, op
from runtime.ops.template import Template
from runtime.types import BOOL, FLOAT, INT, STR, Type

TEXT = none("text")


def _rule(name: str, result: Type) -> Callable[..., Type]:
    def infer(types: tuple[Type, ...]) -> Type:
        if any(t != STR for t in types):
            raise TypeError(f"{name} takes strings, not {' and '.join(map(str, types))}")
        return result

    return infer


def string_op(name: str, kernel: Callable[..., Any], result: Type) -> None:
    op(name, kernel, _rule(name, result), family="string", vjp=TEXT, lowered=("text",))


string_op("str.add", operator.add, STR)
for _name in ("eq", "lt", "le", "gt", "ge"):
    string_op(f"str.{_name}", getattr(operator, _name), BOOL)
string_op("str.len", len, INT)


# -- with arguments of any kind -------------------------------------------------------------------------


#: what the kernels below call with the arguments
FUNCTIONS: dict[str, Callable[..., Any]] = {}


def free_op(name: str, kernel: Callable[..., Any], result: Type, effects: Effects = MAY_RAISE) -> None:
    """An operation whose arguments a ``Template`` builds, and that Python itself checks."""
    FUNCTIONS[name] = kernel

    def run(*values: Any, template: Template | None = None) -> Any:
        return kernel(*(values if template is None else template.fill(values)))

    op(name, run, lambda types, template=None: result, effects, family="string", vjp=TEXT, lowered=("text",))


#: methods by what they give
METHODS: dict[str, Type] = {
    **dict.fromkeys(
        "upper lower strip lstrip rstrip title capitalize swapcase casefold replace center ljust rjust zfill "
        "removeprefix removesuffix expandtabs translate".split(),
        STR,
    ),
    **dict.fromkeys(
        "startswith endswith isdigit isalpha isalnum isspace isupper islower isidentifier isnumeric "
        "isdecimal istitle isascii isprintable".split(),
        BOOL,
    ),
    **dict.fromkeys("find rfind index rindex count".split(), INT),
}

for _name, _type in METHODS.items():
    free_op(f"str.{_name}", getattr(str, _name), _type)


def escaped(text: str) -> str:
    r"""What `ascii(value)` makes of the text that `repr(value)` gives.

    >>> escaped("\xe9")
    '\\xe9'
    """
    return text.encode("ascii", "backslashreplace").decode("ascii")


free_op("str.escaped", escaped, STR)
free_op("str.percent", operator.mod, STR)
free_op("str.getitem", operator.getitem, STR)
free_op("str.mul", operator.mul, STR)
free_op("str.contains", operator.contains, BOOL)
free_op("str.ord", ord, INT)
free_op("str.chr", chr, STR)
free_op("str.int", int, INT)
free_op("str.float", float, FLOAT)
