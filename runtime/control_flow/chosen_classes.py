"""The classes that `isinstance`, `issubclass` and `except` ask for, where only a run knows one of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from autograph.staging import State
from runtime.control_flow.branches import NO_STATE
from runtime.control_flow.choices import certain, dispatch
from runtime.tracer.builder import Staged, refuse
from runtime.tracer.spec import Choice
from runtime.types import CLASS


def on_known_classes(classinfo: Any, ask: Callable[[Any], Any], state: State = NO_STATE) -> Any:
    """``ask`` for the classes; for each that they may be, where a tuple holds one that a run chooses."""
    if isinstance(classinfo, Choice):
        return dispatch(certain(classinfo), lambda one: on_known_classes(one, ask, state), state)
    if not isinstance(classinfo, tuple):
        return ask(classinfo)
    for one in _flat(classinfo):
        if isinstance(one, Choice):
            put = lambda known: on_known_classes(_replaced(classinfo, one, known), ask, state)
            return dispatch(certain(one), put, state)
        if isinstance(one, Staged) and one.type == CLASS:
            raise refuse(
                "which class this tuple of classes holds is known only at run time",
                "compare the class with `is`, or ask for classes that have names",
            )
    return ask(classinfo)


def _flat(classes: tuple[Any, ...]) -> Iterator[Any]:
    for one in classes:
        if isinstance(one, tuple):
            yield from _flat(one)
        else:
            yield one


def _replaced(classes: tuple[Any, ...], choice: Choice, known: Any) -> tuple[Any, ...]:
    """The classes, nested as they are: `except` takes no tuple in a tuple, which `isinstance` does."""
    replaced = lambda one: _replaced(one, choice, known) if isinstance(one, tuple) else one
    return tuple([known if one is choice else replaced(one) for one in classes])
