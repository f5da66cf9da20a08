"""Lists and dicts that lose their identity where paths meet.

After `if c: a = b`, `a` is one of two lists, and JAX can only carry what they hold: `a` becomes a third
list, equal to the one that is meant. As long as nobody changes any of them, nobody can tell. Where other
names are left for the old ones, a change is refused.
"""

from __future__ import annotations

import re
import sys
import threading
from collections.abc import Iterable, Iterator
from types import BuiltinFunctionType, FrameType
from typing import Any

from autograph.config import is_excluded
from autograph.converted_code import is_body, is_converted_code
from autograph.errors import StagingError, error_at_frame, is_internal_code
from autograph.operators import Undefined
from autograph.stages._jax.choices import Choice
from autograph.stages._jax.contents import UNCHANGED, View
from autograph.stages._jax.specs import OneOf, Spec, Tree, parts_of, position_in
from autograph.stages._jax.tracing import is_opaque
from autograph.stages.heap import Heap
from autograph.stages.slots import names_in

_CHANGES = frozenset("append clear extend insert pop popitem remove reverse setdefault sort update".split())


class _Ambiguous(threading.local):
    def __init__(self) -> None:
        self.containers: dict[int, tuple[Any, str]] = {}


_ambiguous = _Ambiguous()


def forget() -> None:
    """A new trace begins, in which nothing is known of the containers of the last one."""
    _ambiguous.containers.clear()


def copied(value: Any, spec: Spec, view: View = UNCHANGED) -> Iterator[Any]:
    """The lists and dicts in `value` of which only the contents are carried."""
    if isinstance(spec, OneOf):
        for option in value.options if isinstance(value, Choice) else (value,):
            yield from copied(option, spec.options[position_in(spec, option)], view)
    elif isinstance(spec, Tree) and not isinstance(value, (Choice, Undefined)):
        if isinstance(value, (list, dict)):
            yield value
        for part, inner in zip(parts_of(view(value)) or (), spec.children, strict=True):
            yield from copied(part, inner, view)


def refuse_shared(named: Iterable[tuple[str, Any, Spec]], view: View) -> None:
    """Two names for one list would become two lists."""
    seen: dict[int, str] = {}
    for name, value, spec in named:
        for container in copied(value, spec, view):
            other = seen.setdefault(id(container), name)
            if other != name or sum(c is container for c in copied(value, spec, view)) > 1:
                raise error_at_frame(
                    StagingError,
                    f"`{name}` and `{other}` become the same {type(container).__name__} under a staged"
                    " condition, and would be two afterwards",
                    variable=name,
                    hint="make a copy of it for one of them, or use tuples",
                )


def note_merge(name: str, old: list[Any], made: list[Any]) -> None:
    """`made` stand for one of `old` each; from now on none may change, if somebody still sees an old one."""
    if not old:
        return
    is_result = _RESULT.fullmatch(name) is not None
    seen = Heap(_visible(is_result), opaque=is_opaque)
    if any(container in seen for container in old):
        for container in (*old, *made):
            _ambiguous.containers[id(container)] = container, name


# The variable that holds what a function returns. When it is set, the function's own statements are over:
# only its callers could tell.
_RESULT = re.compile(r"retval(_\d+)?")


def _visible(is_result: bool) -> list[Any]:
    """What the variables of the user's functions on the stack hold; for a result, those of the callers."""
    found: list[Any] = []
    inside = 0  # what is further out than JAX's outermost frame holds nothing of this trace
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        code = frame.f_code
        if (frame.f_globals.get("__name__") or "").startswith("jax."):
            inside = len(found)
        is_own = is_result and is_converted_code(code)
        is_result = is_result and not (is_own and not is_body(code))
        if not (is_internal_code(code) or is_excluded(frame.f_globals.get("__name__") or "")):
            found += () if is_own else frame.f_locals.values()
            found += (frame.f_globals[name] for name in names_in(code) if name in frame.f_globals)
        frame = frame.f_back
    return found[:inside]


def check_change(container: Any) -> None:
    """Refuse to change a list or dict that may be another one at run time."""
    known = _ambiguous.containers.get(id(container))
    if known is not None:
        raise error_at_frame(
            StagingError,
            f"this {type(container).__name__} is changed, and which one it is depends on a staged condition"
            f" (see `{known[1]}`)",
            hint="change a copy of it, made after the staged statement",
        )


def check_call(function: Any) -> None:
    """The same for methods, such as `append`."""
    if type(function) is BuiltinFunctionType and function.__name__ in _CHANGES:
        check_change(function.__self__)
