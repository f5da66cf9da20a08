"""Is a stage ever silently wrong? A table of programs, each of which it must get right or refuse.

    report = check_stage(stage, run)     # raises AssertionError where a result is wrong
    print(report)

`run(function, *numbers)` gives what the function, converted for the stage, has for these numbers:

    def run(function, *numbers):
        x = [casadi.SX.sym(f"x{i}") for i in range(len(numbers))]
        return casadi.Function("f", x, [stage.convert(function)(*x)])(*numbers)
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

from autograph.errors import AutographError
from autograph.records import record
from autograph.source import register_source
from autograph.staging import Stage

_FILE = Path(__file__).with_name("trap_programs.py")


@record
class Outcome:
    """What became of one program: "right", "refused", "raised" by the library or Python, or "wrong"."""

    program: str
    verdict: str
    text: str


class Report(tuple[Outcome, ...]):
    """The outcomes, one for each program; as a text, a table of them."""

    __slots__ = ()

    def of(self, verdict: str) -> list[str]:
        """The programs of which this became."""
        return [outcome.program for outcome in self if outcome.verdict == verdict]

    def __str__(self) -> str:
        lines = [f"{outcome.verdict:8} {outcome.program:28} {outcome.text}" for outcome in self]
        counts = [f"{len(self.of(verdict))} {verdict}" for verdict in ("right", "refused", "raised", "wrong")]
        return "\n".join([*lines, ", ".join(counts)])


@functools.cache
def _code() -> CodeType:
    text = _FILE.read_text(encoding="utf-8")
    return compile(text, register_source(text, "trap_programs.py"), "exec")


def _module() -> dict[str, Any]:
    """The programs in a new module, which is converted and whose globals are as they are at first."""
    sys.modules.setdefault("trap_programs", ModuleType("trap_programs"))  # dataclasses ask for it
    module: dict[str, Any] = {"__name__": "trap_programs"}
    exec(_code(), module)
    return module


def _program(name: str) -> FunctionType:
    program: FunctionType = _module()[name]
    return program


def programs() -> dict[str, list[tuple[float, ...]]]:
    """The names of the programs of the table, and the arguments for each."""
    module = _module()
    names = [n for n, f in module.items() if type(f) is FunctionType and n[0] != "_" and n != "at"]
    return {name: module["POINTS"].get(name, [(3.0,), (-3.0,)]) for name in names}


def check_stage(
    stage: Stage, run: Callable[..., Any] | None = None, only: Iterable[str] | None = None
) -> Report:
    """Run the table over a stage; raises AssertionError, with the table, where it is silently wrong.

    `run(function, *numbers)` (by default `stage.run`) gives a number, or a list or tuple of numbers and of
    what `float` takes. `only` names programs. A refusal that does not name a line of the program is wrong.
    """
    run = run or getattr(stage, "run", None)
    if run is None:
        raise TypeError("check_stage needs `run(function, *numbers)`, or a stage with such a method")
    names = programs()
    chosen = [*names] if only is None else [name for name in names if name in set(only)]
    report = Report([outcome_of(functools.partial(_program, name), names[name], run) for name in chosen])
    assert not report.of("wrong"), f"stage {stage.name!r} is silently wrong\n{report}"
    return report


def outcome_of(
    make: Callable[[], FunctionType], points: Iterable[tuple[Any, ...]], run: Callable[..., Any]
) -> Outcome:
    """Run one program, which `make` makes afresh, at these points, plain and over the stage."""
    verdict, text = "right", ""
    for point in points:
        expected, f = numbers_of(make()(*point)), make()
        try:
            with _finalizers_at_the_end_of_the_stack():
                found = numbers_of(run(f, *point))
        except AutographError as error:
            known = error.file == f.__code__.co_filename and error.line is not None
            return Outcome(f.__name__, "refused" if known else "wrong", f"{error.line}: {error.message}")
        except Exception as error:  # noqa: BLE001  # the library's, or Python's
            return Outcome(f.__name__, "raised", f"{type(error).__name__}: {error}".splitlines()[0])
        same = len(found) == len(expected) and all(map(_near, found, expected))
        if not same:
            verdict, text = "wrong", f"{found} instead of {expected} at {point}"
            break
    return Outcome(f.__name__, verdict, text)


@contextmanager
def _finalizers_at_the_end_of_the_stack() -> Iterator[None]:
    """A program that calls itself without end leaves iterators there, and no room for what closes them: the
    RecursionError that this raises is no news. A function in C takes it, for it needs no room either."""
    told: list[Any] = []
    hook, sys.unraisablehook = sys.unraisablehook, told.append
    try:
        yield
    finally:
        sys.unraisablehook = hook
        for each in told:
            if not isinstance(each.exc_value, RecursionError):
                hook(each)


def numbers_of(value: Any) -> list[float]:
    """A number, or a list or tuple of such, as one list of floats."""
    if isinstance(value, (list, tuple)):
        return [number for part in value for number in numbers_of(part)]
    return [float(value)]


def _near(a: float, b: float) -> bool:
    return a == b or abs(a - b) <= 1e-6 * max(abs(a), abs(b))
