"""Why a function is traced again, and what to do when that keeps happening.

A plain number that was a constant of a trace and has had two values is staged on trial: where the program
allows it, there is no third trace. So is a list or dict from outside that has had two lengths or two sets of
keys: a run knows what it holds from then on. At eight traces a `RetracingWarning` names what keeps changing.

>>> difference("x", [1.0, {"a": 2}], [1.0, {"a": "s"}])
"`x[1]['a']` was int, is 's'"
>>> difference("x", [1.0], [1.0, 2]), difference("x", "abc", "abd"), difference("x", 1.0, 2.0)
('`x` was a list of 1, is a list of 2', "`x` was 'abc', is 'abd' (from character 2 on)", None)

The guards of a new trace hold on the very call that it was made for: a trace changes nothing in
the world, so that before its first run the world is as it was traced. A guard that does not hold
then would hold at no later call either: that is a fault of ours, and said at once. (Where other
threads run, they may have changed it.)
"""

from __future__ import annotations

import sys
import threading
import warnings
from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from autograph.errors import InternalError, error_at_definition
from autograph.loading import is_loaded
from runtime import tensor
from runtime.functions.concrete import ConcreteFunction, describe_value
from runtime.functions.recorded_lines import Weak
from runtime.guards.keys import text_of_key
from runtime.guards.paths import Argument, Guard, Path
from runtime.messages import shortened
from runtime.ops.item_patterns import KINDS
from runtime.tracer.decisions import Decisions


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


#: a number that was a constant is an input from its third value on, where the program allows
MAX_CONSTANT_VALUES = 2
#: so many traces of one function look like a mistake
MANY_TRACES = 8
NEW_SIGNATURE = "a new signature"


class RetracingWarning(UserWarning):
    """A function is traced again and again: something that is a constant of its traces keeps changing."""


class Retracing:
    """What one function knows of its own traces."""

    def __init__(self) -> None:
        self.decisions: dict[Hashable, Decisions] = {}
        self._changes: Counter[tuple[Hashable, Path]] = Counter()
        self._containers: set[Path] = set()  # those of them at which a list or dict lies
        self._warned = False

    def why(self, key: Hashable, known: Sequence[ConcreteFunction], leaves: list[Any], first: bool) -> str:
        """Why there must be a new trace, in words."""
        if not known:
            return "the first call" if first else NEW_SIGNATURE
        failed = failed_guards(known[0], leaves)
        paths = {guard.path for guard in failed}
        self._changes.update((key, path) for path in paths)
        self._containers |= {path for path in paths if type(value_at(path, leaves)) in KINDS}
        return "changed: " + "; ".join(describe_change(guard, leaves) for guard in failed)

    def plan(self, key: Hashable) -> tuple[Decisions, frozenset[Path]]:
        """The decisions to begin with, and the paths that they stage on trial."""
        decisions = self.decisions.get(key, Decisions())
        changes: Counter[Path] = Counter()
        for (where, path), count in self._changes.items():
            if where == key or path in self._containers:
                changes[path] += count
        decided = decisions.staged_paths | decisions.fixed_paths
        trial = frozenset(
            path for path, count in changes.items() if count >= MAX_CONSTANT_VALUES and path not in decided
        )
        data = (trial & self._containers) - decisions.data
        return replace(
            decisions,
            staged_paths=decisions.staged_paths | trial,
            data=decisions.data | data,
            containers={site: held for site, held in decisions.containers.items() if site not in data},
        ), trial

    def forget(self, key: Hashable) -> None:
        """No trace is left for such arguments."""
        self.decisions.pop(key, None)
        for change in [change for change in self._changes if change[0] == key]:
            del self._changes[change]

    def learn(self, key: Hashable, concrete: ConcreteFunction) -> None:
        self.decisions[key] = concrete.decisions

    def tell_difference(self, concrete: ConcreteFunction, before: Sequence[ConcreteFunction]) -> None:
        """A new signature: what it differs in from the last one."""
        if concrete.reason == NEW_SIGNATURE and before:
            change = between(before[-1], concrete)
            concrete.reason += "" if change is None else f": {change}"

    def silence(self) -> None:
        """Nobody is warned: the traces are not the user's."""
        self._warned = True

    def warn(self, name: str, traces: Sequence[ConcreteFunction], most: int | None) -> None:
        """At the eighth trace for arguments of the same kinds, or one more than ``most``, once: what
        keeps changing, and what to write instead."""
        alike = [trace for trace in traces if trace.kinds == traces[-1].kinds]
        many = MANY_TRACES if most is None else min(MANY_TRACES, most + 1)
        if len(alike) < many or self._warned:
            return
        self._warned = True
        warn_at_caller(many_traces_message(name, alike), RetracingWarning)


def failed_guards(concrete: ConcreteFunction, leaves: list[Any]) -> list[Guard]:
    """The guards of a trace that do not hold any more."""
    return [guard for guard in concrete.guards if not guard.holds(leaves)]


def value_at(path: Path, leaves: list[Any]) -> Any:
    """What lies at a path now; None where it leads nowhere."""
    try:
        return path.fetch(leaves)
    except (AttributeError, LookupError, TypeError, ValueError):
        return None


def describe_change(guard: Guard, leaves: list[Any]) -> str:
    """What a guard expected, and what is there now."""
    try:
        now = guard.path.fetch(leaves)
    except (AttributeError, LookupError, TypeError, ValueError):
        return f"`{guard.path}` was {shortened(guard.expected)}, and is not there any more"
    plain = isinstance(now, bool | int | float | complex | str | bytes) or now is None
    text = repr(now) if plain else describe_value(now)
    if text == guard.expected or guard.routine:
        return f"`{guard.path}` is not {shortened(guard.expected)} any more"
    if type(now) in (list, dict, tuple):
        text = f"a {type(now).__name__} of {len(now)}"
    return f"`{guard.path}` was {shortened(guard.expected)}, is {shortened(text)}"


def kind_of(value: Any) -> Any:
    """What an argument is but for its lengths and its value. Traces that differ in this are no mistake.

    >>> kind_of(np.zeros((2, 3))) == kind_of(np.ones((4, 4))), kind_of(1) == kind_of("a")
    (True, False)
    """
    inner = value.numpy() if is_loaded(tensor) and isinstance(value, tensor.Tensor) else value
    if isinstance(inner, np.ndarray | np.generic):
        return type(value), inner.dtype, inner.ndim
    if isinstance(inner, tuple):
        return tuple, tuple(map(kind_of, tuple.__iter__(inner)))
    return type(inner)


# -- the warning ---------------------------------------------------------------------------------------


def many_traces_message(name: str, traces: Sequence[ConcreteFunction]) -> str:
    """Names what has had the most values over these traces."""
    seen = [constants_of(trace) for trace in traces]
    names = dict.fromkeys(name for one in seen for name in one)
    values = {name: list(dict.fromkeys(one[name] for one in seen if name in one)) for name in names}
    worst = max(values, key=lambda name: len(values[name]))
    if len(values[worst]) == 1:  # what it holds is compared as a whole
        return (
            f"{name}() has been traced {len(traces)} times, because what it reads from outside keeps "
            "changing. Pass it as an argument, or keep what changes in an array or a list"
        )
    texts = list(map(shortened, values[worst]))
    shown = ", ".join(dict.fromkeys(texts))
    if texts != values[worst]:
        shown += last_change(traces)
    what = f"{name}() has been traced {len(traces)} times"
    return f"{what}, because `{worst}` keeps changing: {shown}. {_hint(worst, values[worst], traces[-1])}"


def last_change(traces: Sequence[ConcreteFunction]) -> str:
    """What changed from the trace before to the last one, which shortened texts may not show."""
    change = between(traces[-2], traces[-1])
    return "" if change is None else f"; at the last call {change}"


def constants_of(trace: ConcreteFunction) -> dict[str, str]:
    """Everything that a trace is made for, by name: its arguments as described, and what guards say."""
    guarded = {
        str(guard.path): guard.expected
        for guard in trace.guards
        if not guard.routine and not isinstance(guard.path, Argument)
    }
    return {**trace.arguments, **guarded}


def _hint(name: str, values: Sequence[str], trace: ConcreteFunction) -> str:
    """What to do about a thing that keeps changing."""
    described = trace.arguments.get(name)
    reason = trace.decisions.static_reason
    if described is None:
        return (
            "It is read from outside and is a constant of each trace; pass it as an argument, or keep what "
            "changes in an array"
        )
    if "[" in described and described.partition("[")[0].isalnum():
        rank = described.count(",") + 1
        lengths = ", ".join(["None"] * rank)
        return (
            "Decorate with @rt.function(reduce_retracing=True), which leaves lengths that change open, or "
            f"say so in its input_signature: rt.TensorSpec([{lengths}], ...)"
        )
    if reason and values and values[-1].lstrip("-").replace(".", "").replace("e", "").isalnum():
        return (
            f"It has to be a constant of each trace: {reason}. Call with few different values, or do this "
            "part outside the decorated function"
        )
    return (
        "It is a Python value, and each new one makes a new trace; pass what changes as a number or an array"
    )


def warn_at_caller(message: str, category: type[Warning]) -> None:
    """A warning at the line of the user's that called the decorated function."""
    from autograph.errors import user_frame

    frame = user_frame(sys._getframe(1))
    if frame is None:
        warnings.warn(message, category, stacklevel=2)
        return
    warnings.warn_explicit(
        message,
        category,
        frame.f_code.co_filename,
        frame.f_lineno,
        module=frame.f_globals.get("__name__", "__main__"),
        registry=frame.f_globals.setdefault("__warningregistry__", {}),
    )


def require_guards(concrete: ConcreteFunction, function: Callable[..., Any], leaves: list[Any]) -> None:
    """Raises InternalError where a guard of a new trace does not hold before its first run."""
    if concrete.check(leaves) or threading.active_count() > 1:
        return
    failed = "; ".join(f"`{guard.path}` is {guard.expected}" for guard in failed_guards(concrete, leaves))
    message = f"internal error: a guard of {concrete.name}() does not hold on the call that made it: {failed}"
    hint = (
        "this is a fault of autograph-runtime, not of your program: please report it with this guard; "
        "until it is repaired, pass what it speaks of as an argument or leave the function undecorated"
    )
    function = getattr(function, "__func__", function)
    code = getattr(function, "__code__", None)
    if code is None:
        raise InternalError(message, hint=hint)
    raise error_at_definition(InternalError, message, code, hint=hint)
