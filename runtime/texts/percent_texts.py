"""``text % values`` with objects of the user's whose own methods change something.

CPython asks them for their texts and numbers one after the other, in C. Here each is asked where the trace
sees it, and what it gave takes its place: `"%s of %r" % (a, b)` is `"%s of %s" % (str(a), repr(b))`.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from typing import Any

from autograph.operators import call
from runtime.objects.acting import acts
from runtime.objects.descriptors import method_of
from runtime.texts.own_texts import own_text
from runtime.tracer.builder import refuse
from runtime.tracer.spec import is_instance

_FIELD = re.compile(r"%(?:\(([^()]*)\))?([-+ #0]*)(\*|\d*)((?:\.(?:\*|\d*))?)[hlL]?(.)", re.DOTALL)
_FLOATS = "eEfFgG"
#: what CPython asks of a value that is no number
_NUMBERS: dict[str, tuple[Callable[[Any], Any], tuple[str, ...]]] = {
    **dict.fromkeys("diu", (int, ("__int__", "__index__"))),
    **dict.fromkeys("oxXc", (operator.index, ("__index__",))),
    **dict.fromkeys(_FLOATS, (float, ("__float__", "__index__"))),
}


def with_texts(text: str, values: Any) -> tuple[str, Any]:
    """The text and the values, after what acts has been asked for what the text wants of it."""
    if is_instance(values) and method_of(values, "__getitem__") is not None and "%(" in text:
        return _of_mapping(text, values)
    if isinstance(values, dict):
        return _of_mapping(text, values) if any(map(_may_act, values.values())) else (text, values)
    if not isinstance(values, tuple) and all(field[0] == "%%" for field in _FIELD.finditer(text)):
        return text, values  # a mapping of which the text wants nothing, or Python complains
    given = values if isinstance(values, tuple) else (values,)
    return _of_values(text, list(given)) if any(map(_may_act, given)) else (text, values)


def require_reading(values: Any) -> None:
    """Refuse objects that act, where only a run knows what the text asks of them."""
    given = (
        values.values() if isinstance(values, dict) else values if isinstance(values, tuple) else (values,)
    )
    for value in given:
        if own_text(value, "s")[0] is not value or own_text(value, "r")[0] is not value:
            raise _refuse()


def _may_act(value: Any) -> bool:
    return is_instance(value) or isinstance(value, list | tuple | set | frozenset | dict)


def _of_mapping(text: str, mapping: Any) -> tuple[str, Any]:
    fields = [found for found in _FIELD.finditer(text) if found[0] != "%%"]
    if not fields or any(found[1] is None or "*" in found[3] + found[4] for found in fields):
        return text, mapping  # Python complains, or asks for the text of the mapping itself
    values = [_asked(found[5], mapping[found[1]]) for found in fields]
    kinds = iter([kind for kind, _ in values])
    text = _FIELD.sub(lambda f: f[0] if f[0] == "%%" else f"%{f[2]}{f[3]}{f[4]}{next(kinds)}", text)
    return text, tuple([value for _, value in values])


def _of_values(text: str, values: list[Any]) -> tuple[str, Any]:
    place = 0

    def replaced(field: re.Match[str]) -> str:
        nonlocal place
        if field[0] == "%%":
            return "%%"
        if field[1] is not None:
            raise _refuse()
        place += (field[3] == "*") + (field[4] == ".*")
        if place >= len(values):
            return field[0]  # Python complains
        kind, values[place] = _asked(field[5], values[place])
        place += 1
        return f"%{field[2]}{field[3]}{field[4]}{kind}"

    return _FIELD.sub(replaced, text), tuple(values)


def _asked(kind: str, value: Any) -> tuple[str, Any]:
    """What the field of this kind gets from the value, and the kind of field that shows it."""
    if kind in "sra":
        made, conversion, _ = own_text(value, kind)
        return ("s" if made is not value else conversion or kind), made
    convert, names = _NUMBERS.get(kind, (None, ()))
    if convert is not None and is_instance(value):
        method = next((m for m in (method_of(value, name) for name in names) if m is not None), None)
        if method is not None and acts(method, type(value)):
            return kind, call(convert, value)
    return kind, value


def _refuse() -> Exception:
    return refuse(
        "a text asks by `%` for the text of an object, which changes something",
        "write an f-string, or ask for the text before: str(value)",
    )
