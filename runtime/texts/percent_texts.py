"""``text % values`` with objects of the user's whose own methods change something: refused.

CPython asks them for their texts and numbers in C, where no trace sees it. In an f-string each is asked where
it stands.
"""

from __future__ import annotations

from typing import Any

from runtime.objects.acting import acts
from runtime.objects.descriptors import method_of
from runtime.texts.own_texts import own_text
from runtime.tracer.builder import refuse
from runtime.tracer.known_items import as_plain
from runtime.tracer.spec import is_instance

_NUMBERS = ("__int__", "__index__", "__float__")
_TEXTS = ("__str__", "__repr__")


def require_reading(text: Any, values: Any) -> None:
    """Refuse objects that act when a text is made of them, and mappings of the user's own."""
    if is_instance(values) and method_of(values, "__getitem__") is not None:
        if not isinstance(text, str) or "%(" in text:
            raise _refuse()
    values = as_plain(values)
    given = (
        values.values() if isinstance(values, dict) else values if isinstance(values, tuple) else (values,)
    )
    if any(map(_acts, given)):
        raise _refuse()


def _acts(value: Any) -> bool:
    is_error = isinstance(value, BaseException)  # whose text, where it is known, is that of the arguments
    if not is_error and any(own_text(value, conversion)[0] is not value for conversion in "sr"):
        return True
    names = (*_NUMBERS, *_TEXTS) if is_error else _NUMBERS
    methods = [method_of(value, name) for name in names] if is_instance(value) else []
    return any(method is not None and acts(method, type(value)) for method in methods)


def _refuse() -> Exception:
    return refuse(
        "a text asks by `%` for the text of an object, which changes something",
        "write an f-string, or ask for the text before: str(value)",
    )
