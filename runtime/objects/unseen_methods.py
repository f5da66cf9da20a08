"""Special methods that CPython's own code asks where no trace sees it: they may read, and do no more.

    [*items]        # __len__
    any([item])     # __bool__
    {item}          # __hash__
    [].index(item)  # __repr__

Such a method runs converted. Where it may change something, or its answer is known to a run only, the program
is refused: what it does would be done while tracing, and in no run.
"""

from __future__ import annotations

import functools
import types
from collections.abc import Callable
from typing import Any

from autograph.config import is_excluded
from autograph.operators import call
from runtime.objects import acting
from runtime.tracer.builder import current, refuse
from runtime.tracer.spec import is_run_time

#: from the method's name to what the refusal says
Refusal = Callable[[str], Exception]


def hook_for(name: str, method: types.FunctionType) -> Any:
    """What stands in a class for the special method of that name while the class is watched.

    Raises StagingError when it is asked in a trace and does more than to read.
    """
    accepts, refusal = _RULES[name]

    @functools.wraps(method)
    def asked(self: Any) -> Any:
        trace: Any = current()
        if getattr(trace, "outside", None) is None:
            return method(self)
        if name in _TEXTS and is_excluded(method.__globals__.get("__name__") or ""):
            return method(self if isinstance(self, dict | list | set | tuple) else trace.seen(self))
        raising = trace.raising
        if acting.acts(method, type(self)):
            raise refusal(method.__qualname__)
        made = call(method, self)
        if not accepts(made) or trace.raising != raising:
            raise refusal(method.__qualname__)
        return made

    asked.__runtime_inline__ = method  # type: ignore[attr-defined]
    return asked


def refuse_length(method: str) -> Exception:
    return refuse(
        f"Python asks for `{method}` unseen, which does more here than to read a length",
        "make a list of the items first: list(items)",
    )


def refuse_truth(method: str) -> Exception:
    return refuse(
        f"Python asks for `{method}` unseen, which does more here than to read a truth",
        "ask for the truth of each item where a trace sees it: any([bool(item) for item in items])",
    )


def _refuse_text(method: str) -> Exception:
    return refuse(
        f"Python asks for `{method}` unseen, which does more here than to read",
        "catch what may be missing by a test before: if x in items",
    )


def _refuse_hash(method: str) -> Exception:
    return refuse(
        f"sets and dicts ask for `{method}` unseen, which does more here than to read what is known",
        "let it only read what does not change, or keep such objects out of sets and dicts here",
    )


def _is_length(made: Any) -> bool:
    return type(made) in (int, bool) and made >= 0


_TEXTS = ("__repr__", "__str__")
_RULES: dict[str, tuple[Callable[[Any], bool], Refusal]] = {
    "__len__": (_is_length, refuse_length),
    "__length_hint__": (_is_length, refuse_length),
    "__bool__": (_is_length, refuse_truth),
    "__repr__": (lambda made: isinstance(made, str), _refuse_text),
    "__str__": (lambda made: isinstance(made, str), _refuse_text),
    "__hash__": (lambda made: not is_run_time(made), _refuse_hash),
}
#: the names of these methods
NAMES = tuple(_RULES)
