"""f-strings, and texts with `%`.

>>> from autograph.passes.convert_expressions import convert_expressions
>>> from autograph.template import show
>>> show(convert_expressions, "def f(x, w): return f'x = {x!r:>{w}}'")
def f(x, w):
    return ag__.fstr('x = ', (x, 'r', ag__.fstr('>', (w, '', ''))))

A text with `%`:

>>> show(convert_expressions, "def f(x): return '%d of %s' % (x, 3)")
def f(x):
    return ag__.percent('%d of %s', (x, 3))

>>> show(convert_expressions, "def f(x): return '%5s %r' % (x, x.pop)")
def f(x):
    return ag__.fstr(ag__.formatted(x, 's', '>5'), ' ', (x.pop, 'r', ''))

A value is formatted before the next one is evaluated, which matters where that is more than a name:

>>> show(convert_expressions, "def f(x): return f'{x}, {x.pop}'")
def f(x):
    return ag__.fstr(ag__.formatted(x), ', ', (x.pop, '', ''))
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import gast

from autograph.passes.context import Context
from autograph.template import constant, locate, operator_call


def convert_fstring(node: gast.JoinedStr, context: Context) -> Any:
    """An f-string becomes `ag__.fstr(pieces)`."""
    if all(isinstance(value, gast.Constant) for value in node.values):
        return node
    pieces: list[Any] = []
    simple = True  # whether what comes after can be seen to have no effect
    for value in reversed(node.values):
        if isinstance(value, gast.Constant):
            pieces.append(value)
            continue
        pieces.append(_piece(value, simple))
        simple = simple and isinstance(value.value, gast.Name) and value.format_spec is None
    return operator_call("fstr", pieces[::-1], node)


def convert_percent(node: gast.BinOp, context: Context) -> Any:
    """`'...' % values` becomes `ag__.percent('...', values)`."""
    is_text = isinstance(node.left, gast.Constant) and isinstance(node.left.value, str)
    if not is_text or isinstance(node.right, gast.Constant):
        return node
    pieces = _as_fstring(node.left.value, node.right)
    if pieces is not None:
        joined = gast.JoinedStr(pieces)
        return convert_fstring(locate(joined, node), context)
    return operator_call("percent", [node.left, node.right], node)


#: what CPython's compiler makes an f-string of, where it stands before a tuple; flags, width, precision
_TEXTS_ONLY = r"%(?:%|([-+ #0]*)(\d{0,3})(\.\d{1,3})?([sra]))"


def _as_fstring(text: str, values: Any) -> list[Any] | None:
    """The pieces of an f-string, where the order in which they are formatted and evaluated matters."""
    items = values.elts if isinstance(values, gast.Tuple) else []
    if all(isinstance(item, gast.Name | gast.Constant) for item in items[1:]):
        return None
    if any(isinstance(item, gast.Starred) for item in items) or "%" in re.sub(_TEXTS_ONLY, "", text):
        return None
    pieces: list[Any] = []
    waiting = list(items)
    for literal, found in _split(text):
        if literal:
            pieces.append(locate(gast.Constant(literal, None), values))
        if found is None:
            continue
        flags, width, precision, conversion = found
        if not waiting:
            return None
        spec = ("<" if "-" in flags else ">") + width if width else ""
        item = waiting.pop(0)
        spec += precision or ""
        joined = locate(gast.JoinedStr([locate(gast.Constant(spec, None), item)]), item) if spec else None
        pieces.append(locate(gast.FormattedValue(item, ord(conversion), joined), item))
    return None if waiting else pieces


def _split(text: str) -> Iterator[tuple[str, tuple[str, ...] | None]]:
    """The literal parts of a text, each with the specification after it."""
    literal, end = "", 0
    for match in re.finditer(_TEXTS_ONLY, text):
        literal += text[end : match.start()]
        end = match.end()
        if match.group() == "%%":
            literal += "%"
        else:
            yield literal, match.groups()
            literal = ""
    yield literal + text[end:], None


def _piece(value: gast.FormattedValue, is_last: bool) -> Any:
    conversion = "" if value.conversion in (None, -1) else chr(value.conversion)
    spec = constant("", value) if value.format_spec is None else _spec(value.format_spec)
    parts = [value.value, constant(conversion, value), spec]
    if is_last:
        return locate(gast.Tuple(parts, gast.Load()), value)
    if value.format_spec is None:
        parts = parts[: 2 if conversion else 1]
    return operator_call("formatted", parts, value)


def _spec(spec: gast.JoinedStr) -> Any:
    values = [value.value if isinstance(value, gast.Constant) else None for value in spec.values]
    if None not in values:
        return constant("".join(map(str, values)), spec)
    # The spec's own values were visited with the rest of the tree.
    return operator_call("fstr", [_spec_piece(value) for value in spec.values], spec)


def _spec_piece(value: Any) -> Any:
    return value if isinstance(value, gast.Constant) else _piece(value, True)
