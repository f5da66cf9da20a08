"""``check="first"``: the plain function beside the compiled one, on the user's own calls.

At the first call of each trace both run, one after the other, from the same state of the world. What they
return or raise, what they print, and what they change is compared. The effects happen once: what is printed
is held back until both have run, and what the first run changed is put back before the second.
"""

from __future__ import annotations

import io
import logging
import sys
import warnings
from collections.abc import Callable
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from runtime.functions import modes
from runtime.functions.concrete import ConcreteFunction, describe_value
from runtime.functions.observation import Observer, Seen, first_difference, same_text, text_of
from runtime.functions.world import World, WorldTooLarge

if TYPE_CHECKING:
    from collections.abc import Iterator


class CheckError(RuntimeError):
    """The compiled function does not do what the plain function does. The call left no trace in the world."""


@dataclass
class Outcome:
    """What one run did."""

    value: Any = None
    error: BaseException | None = None
    printed: str = ""
    warned: list[Any] = field(default_factory=list)
    logged: list[tuple[logging.Logger, logging.LogRecord]] = field(default_factory=list)
    seen: dict[str, Seen] = field(default_factory=dict)

    def describe(self) -> str:
        if self.error is not None:
            return f"raised {type(self.error).__name__}: {self.error}"
        return f"returned {text_of(self.seen['the result'])}"


def run_both(
    function: Callable[..., Any],
    name: str,
    concrete: ConcreteFunction,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    leaves: list[Any],
) -> tuple[Outcome, Outcome]:
    """Run the plain function and the trace, and compare. Raises CheckError for a difference."""
    try:
        world = World(function, (args, kwargs))
    except WorldTooLarge:
        raise CheckError(f"{name}() reaches too many objects to be run twice; check a smaller call") from None
    with modes.eagerly():
        plain = observe(world, args, kwargs, lambda: function(*args, **kwargs))
    world.restore()
    compiled = observe(world, args, kwargs, lambda: concrete.run(leaves))
    found = difference(plain, compiled)
    if found is not None:
        world.restore()
        raise CheckError(report(name, concrete, args, kwargs, plain, compiled, found))
    return plain, compiled


def observe(world: World, args: tuple[Any, ...], kwargs: dict[str, Any], run: Callable[[], Any]) -> Outcome:
    """Run with everything held back that people would see, and note what it did."""
    outcome = Outcome()
    text = io.StringIO()
    with redirect_stdout(text), redirect_stderr(text), holding_back_logs(outcome):
        with warnings.catch_warnings(record=True) as warned:
            try:
                outcome.value = run()
            except Exception as error:  # noqa: BLE001  the same exception is raised in the end
                outcome.error = error
    outcome.printed = text.getvalue()
    outcome.warned = list(warned or ())
    see = Observer(world).see
    outcome.seen["the result"] = see(outcome.value)
    for position, arg in enumerate(args):
        outcome.seen[f"argument {position}"] = see(arg)
    for name, arg in kwargs.items():
        outcome.seen[f"argument `{name}`"] = see(arg)
    for slot in world.slots:
        outcome.seen[f"`{slot.name}`"] = see(slot.get()) if slot.bound else ("constant", "unbound")
    return outcome


def difference(plain: Outcome, compiled: Outcome) -> str | None:
    """The first thing in which two runs differ, in words."""
    if (plain.error is None) != (compiled.error is None):
        return f"plain Python {plain.describe()}, the compiled function {compiled.describe()}"
    if plain.error is not None and compiled.error is not None:
        same = type(plain.error) is type(compiled.error)
        if not same or not same_text(str(plain.error), str(compiled.error)):
            return f"plain Python {plain.describe()}, the compiled function {compiled.describe()}"
    for name, seen in plain.seen.items():
        found = first_difference(seen, compiled.seen[name], name)
        if found is not None:
            return found
    if not same_text(plain.printed, compiled.printed):
        return f"plain Python prints {plain.printed!r}, the compiled function {compiled.printed!r}"
    said = [[(r.name, r.levelno, r.getMessage()) for _, r in o.logged] for o in (plain, compiled)]
    if not same_text(repr(said[0]), repr(said[1])):
        return f"plain Python logs {said[0]}, the compiled function {said[1]}"
    return None


def report(
    name: str,
    concrete: ConcreteFunction,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    plain: Outcome,
    compiled: Outcome,
    found: str,
) -> str:
    given = [describe_value(arg) for arg in args]
    given += [f"{key}={describe_value(arg)}" for key, arg in kwargs.items()]
    return "\n".join(
        [
            f"{name}({', '.join(given)}): {found}",
            f"  plain Python {plain.describe()}" + (f", printed {plain.printed!r}" * bool(plain.printed)),
            f"  compiled     {compiled.describe()}"
            + (f", printed {compiled.printed!r}" * bool(compiled.printed)),
            f"  the trace is {concrete.signature}, on the {concrete.compiled.engine} engine",
            "  Nothing was changed or printed. Please report this; "
            "rt.run_functions_eagerly(True) runs the plain function",
        ]
    )


def replay(plain: Outcome, compiled: Outcome) -> Any:
    """What both runs showed is shown once; what they returned is returned."""
    sys.stdout.write(compiled.printed)
    for item in plain.warned:
        warnings.showwarning(item.message, item.category, item.filename, item.lineno, item.file, item.line)
    for logger, record in plain.logged:
        logger.callHandlers(record)
    if compiled.error is not None:
        raise compiled.error
    return compiled.value


@contextmanager
def holding_back_logs(outcome: Outcome) -> Iterator[None]:
    """Log records go to ``outcome`` and not to the handlers."""
    original = logging.Logger.callHandlers

    def keep(self: logging.Logger, record: logging.LogRecord) -> None:
        outcome.logged.append((self, record))

    setattr(logging.Logger, "callHandlers", keep)  # noqa: B010
    try:
        yield
    finally:
        setattr(logging.Logger, "callHandlers", original)  # noqa: B010
