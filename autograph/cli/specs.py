"""The arguments of `autograph graph`: what a function is traced with.

    f64[10,10]    an array; None is a length that is not known
    i64           a NumPy scalar
    int float bool complex    a Python number known only at run time
    3  'relu'  (1, 2)         a Python value
    n=3  x=f64[3]             the same, as a keyword argument

>>> parse_spec("x=f64[None,3]"), parse_spec("n=3"), parse_spec("True")
(Spec(name='x', type='f64[None,3]', value=None), Spec(name='n', type=None, value=3), \
Spec(name=None, type=None, value=True))
"""

from __future__ import annotations

import ast
import re
from typing import Any, NamedTuple

from autograph.cli.files import UsageError
from autograph.errors import did_you_mean

# Both spellings of a dtype; the short one is how graphs print it.
DTYPES = {
    "bool": "bool",
    **{f"i{bits}": f"int{bits}" for bits in (8, 16, 32, 64)},
    **{f"u{bits}": f"uint{bits}" for bits in (8, 16, 32, 64)},
    **{f"f{bits}": f"float{bits}" for bits in (16, 32, 64)},
    **{f"c{bits}": f"complex{bits}" for bits in (64, 128)},
}
NUMBERS = ("int", "float", "bool", "complex")
_SHORT = {long: short for short, long in DTYPES.items()}


class Spec(NamedTuple):
    """One argument: a type, in the spelling that graphs print, or a Python value."""

    name: str | None
    type: str | None
    value: Any = None


def parse_spec(text: str) -> Spec:
    """Parse one SPEC; UsageError says what is wrong with it."""
    keyword = re.match(r"([^\W\d]\w*)\s*=(?!=)\s*(.*)", text, re.DOTALL)
    name, rest = keyword.groups() if keyword else (None, text.strip())
    typed = re.fullmatch(r"([a-zA-Z]\w*)\s*(?:\[(.*)\])?", rest)
    if typed and rest not in ("True", "False", "None"):
        return Spec(name, _type(typed[1], typed[2], text))
    try:
        return Spec(name, None, ast.literal_eval(rest))
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        raise UsageError(
            f"{text!r} is neither a type such as f64[10,10] nor a Python value such as 3 or 'relu'",
            variable=name,
            hint="types are f64[10,None], i64, int, float; strings need quotes",
        ) from None


def _type(dtype: str, dims: str | None, text: str) -> str:
    if dims is None and dtype in NUMBERS:
        return dtype
    short = _SHORT.get(dtype, dtype)
    if short not in DTYPES:
        known = [*DTYPES, *_SHORT, *NUMBERS]
        raise UsageError(
            f"unknown type {dtype!r} in {text!r}{did_you_mean(dtype, known)}",
            hint=f"types are {' '.join(DTYPES)}, and the Python numbers {' '.join(NUMBERS)}",
        )
    if dims is None:
        return short
    lengths = [part.strip() for part in dims.split(",")] if dims.strip() else []
    for length in lengths:
        if length not in ("None", "?") and not length.isdecimal():
            raise UsageError(
                f"{length!r} is not a length in {text!r}",
                hint="write a number, or None for a length that is not known",
            )
    return f"{short}[{','.join('None' if n == '?' else str(int(n)) if n != 'None' else n for n in lengths)}]"
