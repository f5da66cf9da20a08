"""``re.sub`` and ``re.subn`` by a function, which is called in converted code.

    re.sub("[0-9]+", lambda match: f"<{match.group()}{x}>", text)

The matches are Python's own; what stands in their place may be a text of the run.
"""

from __future__ import annotations

import re
import sys
from typing import Any

from runtime.numpy_calls.arguments import has_staged
from runtime.tracer.call_handlers import handles
from runtime.tracer.trace import Trace
from runtime.unconverted.refusing import refuse_call


def substituted(matches: Any, function: Any, text: Any) -> Any:
    """What takes the text's place, and how often: what CPython's own loop does."""
    pieces = []
    end = 0
    for match in matches:
        if end < match.start():
            pieces.append(text[end : match.start()])
        end = match.end()
        piece = function(match)
        if piece is not None:
            pieces.append(piece)
    if end < len(text):
        pieces.append(text[end:])
    return text[:0].join(pieces), len(matches)


def substitute(
    trace: Trace, function: Any, pattern: re.Pattern[Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """A call of the method ``sub`` or ``subn`` of a pattern; NotImplemented where it calls no function."""
    given = dict(zip(("repl", "string", "count"), args, strict=False)) | kwargs
    if len(args) > 3 or not {"repl", "string"} <= given.keys() <= {"repl", "string", "count"}:
        return NotImplemented  # which Python complains about
    repl, text, count = given["repl"], given["string"], given.get("count", 0)
    if not callable(repl):
        return NotImplemented
    if has_staged((text, count)):
        raise refuse_call(trace, function, (args, kwargs))
    if not isinstance(count, int) and not hasattr(type(count), "__index__"):
        return NotImplemented  # which Python complains about
    matches = [*pattern.finditer(text)]  # or Python's complaint
    if type(text) not in (str, bytes) or not isinstance(count, int):
        raise refuse_call(trace, function, (args, kwargs))
    matches = matches[: max(count, 0) if count else None]
    made, number = trace.environment.enter(substituted, None)(matches, repl, text)
    return (made, number) if function.__name__ == "subn" else made


def _handles_pattern(function: Any) -> None:
    @handles(function)
    def call_with_pattern(trace: Trace, pattern: Any, *args: Any, **kwargs: Any) -> Any:
        if not any(map(callable, (*args[:1], kwargs.get("repl")))):
            return NotImplemented
        if len(args) > 4:
            return NotImplemented  # which Python complains about
        warns = sys.version_info >= (3, 13) and len(args) > 2
        if warns or has_staged((pattern, *args[2:], kwargs)):
            raise refuse_call(trace, function, (args, kwargs))
        kwargs = dict(zip(("count", "flags"), args[2:], strict=False)) | kwargs
        flags = kwargs.pop("flags", 0)
        compiled = re.compile(pattern, flags)
        return substitute(trace, getattr(compiled, function.__name__), compiled, args[:2], kwargs)


_handles_pattern(re.sub)
_handles_pattern(re.subn)
