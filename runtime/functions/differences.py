"""Where the arguments of one trace differ from those of another: which argument, which position.

>>> difference("x", [1.0, {"a": 2}], [1.0, {"a": "s"}])
"`x[1]['a']` was int, is 's'"
>>> difference("x", [1.0], [1.0, 2]), difference("x", "abc", "abd"), difference("x", 1.0, 2.0)
('`x` was a list of 1, is a list of 2', "`x` was 'abc', is 'abd' (from character 2 on)", None)
"""

from __future__ import annotations

from typing import Any

from runtime.functions.concrete import ConcreteFunction, describe_value
from runtime.guards.keys import text_of_key
from runtime.reports.recording import Weak
from runtime.short_texts import shortened


def between(before: ConcreteFunction, now: ConcreteFunction) -> str | None:
    """The first difference of the arguments that two traces were made for; None where there is none."""
    earlier, later = arguments_of(before), arguments_of(now)
    found = (difference(name, earlier[name], later[name]) for name in later if name in earlier)
    return next((text for text in found if text is not None), None)


def arguments_of(trace: ConcreteFunction) -> dict[str, Any]:
    """What `recording.example_of` kept of the arguments, by name."""
    args, kwargs = trace.kept
    return dict(zip(trace.constants, (*args, *kwargs.values()), strict=True))


def difference(place: str, before: Any, now: Any) -> str | None:
    """What differs first, in type or as a constant of the trace; None where nothing does."""
    if type(before) is type(now) and isinstance(now, list | tuple | dict):
        if len(before) != len(now):
            kind = type(now).__name__
            return f"`{place}` was a {kind} of {len(before)}, is a {kind} of {len(now)}"
        if isinstance(now, dict):
            if list(before) != list(now):
                return _other_keys(place, before, now)
            items = [(text_of_key(key), before[key], now[key]) for key in now]
        else:
            items = [(str(i), *pair) for i, pair in enumerate(zip(before, now, strict=True))]
        found = (difference(f"{place}[{key}]", *pair) for key, *pair in items)
        return next((text for text in found if text is not None), None)
    was, is_ = (one.kind if isinstance(one, Weak) else describe_value(one) for one in (before, now))
    if was == is_:
        return None
    text = f"`{place}` was {shortened(was)}, is {shortened(is_)}"
    if isinstance(before, str) and isinstance(now, str):
        same = (i for i, (a, b) in enumerate(zip(before, now, strict=False)) if a != b)
        text += f" (from character {next(same, min(len(before), len(now)))} on)"
    return text


def _other_keys(place: str, before: dict[Any, Any], now: dict[Any, Any]) -> str:
    new = next((key for key in now if key not in before), None)
    if new is None:
        return f"`{place}` has its keys in another order"
    return f"`{place}` has another key, {shortened(text_of_key(new))}"
