"""Loops over generators: the generator's code runs, and its items go to the body of the loop."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from autograph.staging import State, Thunk
from runtime.control_flow.choices import truth
from runtime.iterables.generators import InRun, TracedGenerator, consuming
from runtime.iteration.iterators import refuse_end
from runtime.tracer.callers import consumers


def loop_over(
    generator: TracedGenerator,
    test: Thunk | None,
    body: Callable[[Any], None],
    state: State,
    in_run: InRun = None,
    only_keeps: bool = False,
) -> None:
    """``for item in generator: body(item)``, ended early when ``test()`` is false.

    ``state`` is what the body changes. ``in_run``: the body keeps each item; see `iteration.Collected`.
    ``only_keeps``: it does nothing else.
    """
    if in_run is not None and not generator.is_expression:
        in_run()  # nothing tells where its code comes to a condition
    generator.begin()
    trace = generator._trace
    outer, running = trace.consuming, trace.running
    raised: list[BaseException] = []

    def consume(item: Any) -> Any:
        with consuming(trace, outer, running):
            try:
                body(item)
                return True if test is None else truth(test())
            except BaseException as error:
                raised.append(error)
                raise

    with consuming(trace, (*outer, state), (*running, generator)):
        try:
            generator.push(consume, test is not None, in_run, only_keeps)
        except BaseException as error:
            generator.spend()  # it stands where the exception has left it
            if error in raised or not isinstance(error, StopIteration):
                raise
            if not generator.is_users:
                raise refuse_end(trace) from None
            raise RuntimeError("generator raised StopIteration") from error
    generator.end(test is not None)


_consume = next(code for code in loop_over.__code__.co_consts if getattr(code, "co_name", "") == "consume")
consumers[_consume] = loop_over.__code__
