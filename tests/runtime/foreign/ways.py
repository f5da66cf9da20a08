"""The ways in which a function gets at an object that was made outside."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

WAYS: dict[str, Callable[[Any, Any], Any]] = {}
#: what the way by a global reads
IN_A_GLOBAL: Any = None


def way(made: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """One of them: it decorates a function that asks for what ``program`` asks, and gives what calls it."""
    WAYS[made.__name__] = made
    return made


class Holder:
    def __init__(self) -> None:
        self.held: Any = None


@way
def argument(decorate, program):
    return decorate(program)


@way
def captured_global(decorate, program):
    decorated = decorate(lambda: program(IN_A_GLOBAL))

    def run(o):
        global IN_A_GLOBAL
        IN_A_GLOBAL = o
        return decorated()

    return run


@way
def closure(decorate, program):
    held = None
    decorated = decorate(lambda: program(held))

    def run(o):
        nonlocal held
        held = o
        return decorated()

    return run


@way
def attribute(decorate, program):
    holder = Holder()
    decorated = decorate(lambda: program(holder.held))

    def run(o):
        holder.held = o
        return decorated()

    return run


@way
def class_attribute(decorate, program):
    class Kept:
        held: Any = None

    decorated = decorate(lambda: program(Kept.held))

    def run(o):
        Kept.held = o
        return decorated()

    return run


@way
def item_of_list(decorate, program):
    decorated = decorate(lambda items: program(items[0]))
    return lambda o: decorated([o, 1.0])


@way
def item_of_tuple(decorate, program):
    held: list[Any] = [None]
    decorated = decorate(lambda: program(held[0][1]))

    def run(o):
        held[0] = (1.0, o)
        return decorated()

    return run


@way
def item_of_dict(decorate, program):
    table: dict[str, Any] = {}
    decorated = decorate(lambda: program(table["held"]))

    def run(o):
        table["held"] = o
        return decorated()

    return run


@way
def default(decorate, program):
    def asks(o=None):
        return program(o)

    decorated = decorate(lambda: asks())

    def run(o):
        asks.__defaults__ = (o,)
        return decorated()

    return run


@way
def item_in_a_loop(decorate, program):
    decorated = decorate(lambda items: [program(one) for one in items])
    return lambda o: decorated((o,))
