"""Generators under a trace: a loop over one runs the generator's code, which hands items to the loop's body.

Python pulls items out of a generator that stands still in between. A graph has nothing that stands still, so
a loop turns the generator inside out: its code runs as an ordinary function, staged loops and branches and
all, and where it says ``yield v`` the body of the consuming loop runs with ``v``:

    def halves(x):                       total = 0.0
        while x > 1:                     while x > 1:
            yield x                          total = total + x
            x = x / 2                        x = x / 2

    total = 0.0
    for v in halves(x):
        total = total + v

What consumes the whole of a generator (``sum``, ``list``, ``any``, ...) is such a loop. A generator that is
pulled (``next``, or given to other code) runs as Python, which is right as long as nothing staged decides
whether and how often it yields.

Functions that an iterator of Python's own calls, those given to `map`, `filter` and their like,
run converted. A StopIteration that one raises would end the iteration, without a word: refused.
"""

from __future__ import annotations

import functools
import inspect
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import GeneratorType
from typing import Any, TypeGuard

from autograph.errors import AutographError, ConversionError, StagingError
from autograph.operators import call
from autograph.staging import State, Thunk
from runtime.allowed import entry_of
from runtime.control_flow.choices import truth
from runtime.control_flow.iterators import TracedIterator, refuse_end
from runtime.tracer.callers import consumers
from runtime.tracer.decisions import Control
from runtime.tracer.trace import Trace, require_trace

#: takes an item, says whether to go on, where it may end early: a bool, or a staged one
Consume = Callable[[Any], Any]
#: called before a run decides which items there are; None: nobody keeps them
InRun = Callable[[], None] | None
#: hands all items to a consumer: ``push(consume, early, in_run, only_keeps)``, see
#: `generator_expressions.run_clause`; ``only_keeps``: the consumer does nothing else with an item
Push = Callable[[Consume, bool, InRun, bool], Any]


class TracedGenerator(TracedIterator):
    """A generator made during a trace, which may be turned inside out as long as it has not begun."""

    __slots__ = ("_begun", "is_expression", "is_users", "push", "regions")

    is_generator = True

    def __init__(self, trace: Trace, inner: Iterator[Any], push: Push, is_expression: bool = False) -> None:
        super().__init__(trace, inner)
        self.push = push
        self.is_expression = is_expression
        self._begun = False
        #: a generator in Python, of whose code Python makes each StopIteration a RuntimeError
        self.is_users = False
        #: the `try` statements around what advances it, and where that stands
        self.regions = 0
        trace.generators.append(weakref.ref(self))

    def __del__(self) -> None:
        """Python closes a generator that nobody holds; where that ends the trace, nobody else hears of it."""
        if isinstance(self._inner, GeneratorType):
            try:
                self._inner.close()
            except (AutographError, Control) as error:
                self._trace.given_up = self._trace.given_up or error

    def __next__(self) -> Any:
        trace = self._trace
        self._begun = True
        self.regions = len(trace.regions)
        try:
            with consuming(trace, trace.consuming, (*trace.running, self)):
                return super().__next__()
        except StagingError as error:
            if not self._spent:
                error.hint = "consume the generator with a `for` loop, which may be staged"
            raise

    def begin(self) -> None:
        """A loop over it begins, which turns it inside out."""
        self._check()
        self._begun = True
        self.regions = len(self._trace.regions)

    def end(self, early: bool) -> None:
        """The loop is through with it; ``early``: it may have ended before the last item."""
        if early:
            self.spend()
            return
        close = getattr(self._inner, "close", None)
        if close is not None:
            close()


def can_push(value: Any) -> TypeGuard[TracedGenerator]:
    """Is it a generator at its start, which a loop may turn inside out?"""
    return isinstance(value, TracedGenerator) and not (value._begun or value._spent)


@contextmanager
def consuming(
    trace: Trace, states: tuple[State, ...], running: tuple[Any, ...] | None = None
) -> Iterator[None]:
    """While a generator's code runs, what its consumers' bodies change is state of its statements, too.

    ``running``: the generators, and the iterators, whose code runs; None: as before.
    """
    before = trace.consuming, trace.running
    trace.consuming = states
    if running is not None:
        trace.running = running
    try:
        yield
    finally:
        trace.consuming, trace.running = before


# Generator functions


def generator_function(trace: Trace, function: Any, entered: Callable[..., Any]) -> Callable[..., Any]:
    """What to call in place of a generator function of the user's."""

    def make(*args: Any, **kwargs: Any) -> TracedGenerator:
        made = made_of(trace, function, entered(*args, **kwargs), args, kwargs)
        made.is_users = True
        return made

    return make


def made_of(
    trace: Trace, function: Any, plainly: Iterator[Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> TracedGenerator:
    """What a generator function gives, which runs converted; ``plainly``: what is pulled instead."""

    def push(consume: Consume, early: bool, in_run: InRun, only_keeps: bool) -> None:
        turned = inside_out(trace, function, sees_consumer=only_keeps)  # there is nothing to see
        with pushing(trace, function):
            turned(consume, *args, **kwargs)

    return TracedGenerator(trace, plainly, push)


#: so deep may a generator run over itself under staged conditions: each level is part of the trace
MAX_LEVELS = 6


@contextmanager
def pushing(trace: Trace, function: Any) -> Iterator[None]:
    """The function's code runs inside out; refused where it runs over itself without an end in sight."""
    code, frame = function.__code__, trace.frames[-1] if trace.frames else None
    levels = [place for known, place in trace.pushing if known is code]
    if len({id(place) for place in (*levels, frame)}) > MAX_LEVELS:
        raise trace.refuse(
            f"the generator `{function.__qualname__}` runs over itself where only a run knows how often",
            "collect its values in a list, by a function that calls itself",
            function.__qualname__,
        )
    trace.pushing.append((code, frame))
    try:
        yield
    finally:
        trace.pushing.pop()


def inside_out(trace: Trace, function: Any, sees_consumer: bool = False) -> Callable[..., Any]:
    """The function with ``yield`` turned into calls of its first argument.

    ``sees_consumer``: it is a context manager's, and may handle what its consumer raises.
    """
    from autograph import conversion

    try:
        record = conversion.inside_out(function, trace.decisions.closed_with, sees_consumer, marked=True)
    except ConversionError as error:
        raise trace.refuse(
            f"the generator `{function.__qualname__}` cannot be part of a graph: {error.message}",
            error.hint or "collect its values in a list, or write the loop in its place",
            function.__qualname__,
        ) from None
    return trace.environment.enter(function, None, record)


# Coroutines


def result_of(trace: Trace, made: Any) -> Any:
    """What a traced call gave; of a coroutine its result, which it must reach without a stop."""
    if not inspect.iscoroutine(made):
        return made
    try:
        made.send(None)
    except StopIteration as stop:
        return stop.value
    made.close()
    raise trace.refuse(
        f"the coroutine `{made.__qualname__}` waits for something that happens outside",
        "await it outside the decorated function, and pass the result as an argument",
        made.__qualname__,
    )


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


class _Calling:
    """The iterator that calls the function, among the generators whose code runs (`Trace.running`)."""

    is_users = False

    def __init__(self, trace: Trace) -> None:
        self.regions = len(trace.regions)


class Called:
    """A function as an iterator is given it, which calls it: it runs converted."""

    def __init__(self, function: Any) -> None:
        self.function = function

    def __call__(self, *args: Any) -> Any:
        trace = require_trace()
        with consuming(trace, trace.consuming, (*trace.running, _Calling(trace))):
            try:
                return call(self.function, *args)
            except StopIteration:
                raise refuse_end(trace) from None


def with_callbacks(
    function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The arguments, where what plain Python calls among them runs converted. Items stay what they are."""
    entry = entry_of(function)
    if entry is None or not entry.calls or (function is iter and len(args) != 2):
        return args, kwargs
    at_once = entry.calls == ("key",) or function is functools.reduce  # no iterator calls it later
    by: Callable[[Any], Any] = functools.partial(functools.partial, call) if at_once else Called
    for place in entry.calls:
        if isinstance(place, int) and place < len(args) and callable(args[place]):
            args = (*args[:place], by(args[place]), *args[place + 1 :])
        elif place in kwargs and callable(kwargs[place]):
            kwargs = {**kwargs, place: by(kwargs[place])}
    return args, kwargs
