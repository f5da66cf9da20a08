"""Python's operators by the names of their methods: the ufunc that computes the same, and the symbol.

>>> OPERATORS["floordiv"], SYMBOLS["floordiv"], FUNCTIONS["floordiv"].__name__
('floor_divide', '//', 'floordiv')
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any


def _named(text: str) -> tuple[dict[str, str], dict[str, str]]:
    rows = [row.split(maxsplit=2) for row in text.strip().splitlines()]
    return {name: ufunc for name, ufunc, _ in rows}, {name: symbol for name, _, symbol in rows}


OPERATORS, _BINARY = _named("""
    add       add             +
    sub       subtract        -
    mul       multiply        *
    truediv   true_divide     /
    floordiv  floor_divide    //
    mod       remainder       %
    divmod    divmod          divmod()
    pow       power           ** or pow()
    matmul    matmul          @
    and       bitwise_and     &
    or        bitwise_or      |
    xor       bitwise_xor     ^
    lshift    left_shift      <<
    rshift    right_shift     >>
""")
COMPARISONS, _COMPARED = _named("""
    lt        less            <
    le        less_equal      <=
    gt        greater         >
    ge        greater_equal   >=
    eq        equal           ==
    ne        not_equal       !=
""")
UNARY, _SINGLE = _named("""
    neg       negative        -
    pos       positive        +
    abs       absolute        abs()
    invert    invert          ~
""")
SYMBOLS = _BINARY | _COMPARED | _SINGLE
TWINS = OPERATORS | COMPARISONS | UNARY
#: the names of all their methods
METHODS = [*TWINS, *map("r{}".format, OPERATORS)]
FUNCTIONS: dict[str, Callable[..., Any]] = {
    name: divmod if name == "divmod" else getattr(operator, f"__{name}__") for name in TWINS
}
