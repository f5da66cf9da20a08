"""A loop that closes the generator that it consumes: where it ends early, and where its body raises.

    def announced(x):                   for v in announced(x):
        try:                                if v > 3:
            yield from x                        break
        finally:                            check(v)
            print("closed")

Python throws the generator away then, whose ``close()`` raises GeneratorExit where it stands. So the consumer
of a generator that was turned inside out does that: the generator's ``try`` and ``with`` see a GeneratorExit,
and never what the body raised, which goes on when they are through. What they raise in its place, Python
prints, unless a ``yield from`` closes the generator.
"""

from __future__ import annotations

import dis
import itertools
import sys
from collections.abc import Callable
from contextlib import contextmanager
from functools import cache
from inspect import CO_OPTIMIZED
from types import CodeType, FrameType
from typing import TYPE_CHECKING, Any

from autograph import conversion
from autograph.by_code import once_per_code
from autograph.errors import ConversionError
from autograph.operators import raise_stmt
from autograph.staging import Handler, State, Thunk
from runtime.control_flow.branches import branch
from runtime.control_flow.choices import certain, dispatch, truth
from runtime.control_flow.statement_state import with_consumers
from runtime.handlers.exceptions import raise_again, try_statement
from runtime.handlers.generator_contexts import is_put_around
from runtime.handlers.handler_calls import call_in_run
from runtime.handlers.raised import Caught, handled, narrowed, view_of
from runtime.iterables.generators import consuming
from runtime.tracer.builder import Staged
from runtime.tracer.callers import consumers
from runtime.tracer.spec import Choice, Made

if TYPE_CHECKING:
    from collections.abc import Iterator

    from runtime.handlers.regions import Region
    from runtime.iterables.generators import TracedGenerator
    from runtime.tracer.trace import Trace


_numbers = itertools.count(1)


class ClosingLoop:
    """One loop over a generator that it may have to close."""

    def __init__(
        self, generator: TracedGenerator, test: Thunk | None, body: Callable[[Any], None], state: State
    ) -> None:
        self.generator, self.trace = generator, generator._trace
        self.test, self.body = test, body
        # None and a text are constants, which loops of the generator do not carry before they change.
        self.closing: Any = None  # GeneratorExit is under way: a text, or a choice of None and that
        self.raised: Any = None  # the body raised
        self.error: Any = None  # what: the run's object
        self.view: Any = None  # and what the trace knows of it
        self._viewed: tuple[Any, Any] | None = None
        self.name = f"closing_{next(_numbers)}"
        own = State((self.name, "raised", "error", "view", "value"), self._get, self._set)
        self.state = _both(own, state)
        self.outer, self.running = self.trace.consuming, self.trace.running
        self.handling = [*self.trace.handling]
        #: loops that do not close yet; whose end the body is told by an exception, unless it takes that
        self.around = [loop for loop in self.trace.closing if loop.closing is None]
        self.body_may_take_end = False
        self.is_held = any(map(_is_held, (*self.running, generator)))

    def _get(self) -> tuple[Any, ...]:
        if isinstance(self.view, BaseException | Staged | Choice):
            if self._viewed is None or self._viewed[0] is not self.view:
                self._viewed = self.view, self._view_of(self.view)
            return self.closing, self.raised, self.error, self._viewed[1], self.generator.value
        return self.closing, self.raised, self.error, self.view, self.generator.value

    def _set(self, values: tuple[Any, ...]) -> None:
        self.closing, self.raised, self.error, self.view, self.generator.value = values

    def _view_of(self, error: Any) -> Any:
        """An exception as a variable carries it."""
        if isinstance(error, Choice):
            return Choice(error.tag, tuple(map(self._view_of, error.values)))
        if not isinstance(error, BaseException | Staged):
            return error  # there is none, or it is what this gave before
        view = view_of(self.trace, error, self)
        return (
            next(text for text, known in _VIEWS.items() if known is view) if isinstance(view, bool) else view
        )

    def knows(self, error: BaseException) -> bool:
        """No exception that the body raises is carried as it is."""
        return False

    def run(self) -> None:
        trace, push = self.trace, self.generator.push_closing
        state = with_consumers(trace, self.state)
        assert push is not None

        def attempt() -> None:
            trace.closing.append(self)
            try:
                with consuming(trace, (*self.outer, self.state), (*self.running, self.generator)):
                    value = push(self.take)
                self.generator.value = value if self.generator.is_delegated else None
            finally:
                trace.closing.remove(self)

        ended = Handler(lambda: GeneratorExit, lambda error: self._ended(trace.handling[-1], state))
        failed = Handler(None, lambda error: self._failed(trace.handling[-1], state))
        try_statement(trace, attempt, (ended, failed), None, None, state)
        branch(truth(self.raised), self._raise, _nothing, state)
        self._nothing_raised()

    def _nothing_raised(self) -> None:
        """The body raised nothing, and so it was not told that a loop around ends."""
        if not self.body_may_take_end:
            for loop in self.around:
                loop.closing = None

    def take(self, item: Any) -> None:
        """The body, where the generator yields an item."""
        trace = self.trace
        if self.closing is not None:
            raise trace.refuse(
                f"the generator `{self.generator.__qualname__}` may yield while it is closed",
                "yield outside of `finally`, and of handlers that take GeneratorExit",
                self.generator.__qualname__,
            )
        with consuming(trace, self.outer, self.running):
            state = with_consumers(trace, self.state)
            inside = trace.handling[len(self.handling) :]
            note = Handler(None, lambda error: self._note(error, inside))
            with _handled_before(trace, self.handling):
                try_statement(trace, lambda: self._run_body(item), (note,), None, None, state)
            branch(truth(self.raised), self._close, self._close_at_end, state)
            self._nothing_raised()

    def _run_body(self, item: Any) -> None:
        self.body(item)
        if any(loop.closing is not None for loop in self.around):
            self.body_may_take_end = True

    def closes_by_exit(self, region: Region) -> bool:
        """Where this loop closes in the body of the `try`, is it always a GeneratorExit that leaves it?"""
        if self.closing is None or self.name not in region.state.names:
            return False
        place = region.state.names.index(self.name)
        return all(one.values[place] is None or _is_exit(one.error) for one in region.landings)

    def learn(self, caught: Caught) -> None:
        """This is handled; if it is no GeneratorExit, as all that comes from closing is, nothing closes."""
        if self.name in caught.exits and narrowed(caught.error, GeneratorExit)[0] is None:
            self._set((None, None, None, None, self.generator.value))

    def _note(self, error: Any, inside: list[Caught]) -> None:
        self.raised, self.view = "raised", error
        self.error = self.trace.wrap(self.trace.handling[-1].value)
        if inside:  # the run has it nested in the generator's handler
            handled = [self.trace.wrap(caught.value) for caught in inside]
            call_in_run(self.trace, _unlink, (self.error, *handled), {}, ())

    def _close_at_end(self) -> None:
        if self.test is not None:
            branch(truth(self.test()), _nothing, self._close, with_consumers(self.trace, self.state))

    def _close(self) -> None:
        if self.is_held:
            name = self.generator.__qualname__
            raise self.trace.refuse(
                f"this loop may end before the generator `{name}` does, which a variable holds",
                "call the generator in the `for` statement, or write the loop as the last statement of a "
                f"`with contextlib.closing({name}(...)) as items:`",
                name,
            )
        self.closing = "closing"
        raise_stmt(GeneratorExit())

    def _ended(self, caught: Any, state: State) -> None:
        branch(truth(self.closing), _nothing, lambda: raise_again(self.trace, caught), state)

    def _failed(self, caught: Any, state: State) -> None:
        """The generator raised something else: for itself, or while it was closed."""

        def ignore() -> None:
            code = self.generator.gi_code
            call_in_run(self.trace, _ignore, (self.trace.wrap(caught.value), code), {}, ())

        again = lambda: raise_again(self.trace, caught)
        if self.generator.is_delegated or self.generator.is_closed_by_loop:
            again()
        branch(truth(self.closing), ignore, again, state)

    def _raise(self) -> None:
        dispatch(self.error, self._raise_one)

    def _raise_one(self, error: Any) -> None:
        if error is not None:
            raise_again(self.trace, Caught(error.value, self._handled(self.view, error.value)))

    def _handled(self, view: Any, value: Any) -> Any:
        """The exception as the handlers around the loop know it."""
        if isinstance(view, Choice):
            return certain(Choice(view.tag, tuple([self._handled(one, value) for one in view.values])))
        return handled(self.trace, _VIEWS.get(view, view) if isinstance(view, str) else view, value)


consumers.update({ClosingLoop.take.__code__: ClosingLoop.run.__code__})


#: what `view_of` says of exceptions that only a run knows, as constants that no loop carries
_VIEWS = {"raised by an operation": True, "unknown": False}


def _both(first: State, second: State) -> State:
    count = len(first.names)

    def set_(values: tuple[Any, ...]) -> None:
        first.set(values[:count])
        second.set(values[count:])

    return State((*first.names, *second.names), lambda: (*first.get(), *second.get()), set_)


@contextmanager
def _handled_before(trace: Trace, handling: list[Any]) -> Iterator[None]:
    """What the generator handles where it yields, the body of the loop does not see."""
    before = trace.handling, trace.hides_handling
    trace.hides_handling = trace.hides_handling or len(trace.handling) > len(handling)
    trace.handling = [*handling]
    try:
        yield
    finally:
        trace.handling, trace.hides_handling = before


def _unlink(error: BaseException, *handled: BaseException) -> None:
    """What the body of a loop raised does not come from what the generator handles meanwhile."""
    one: BaseException = error
    while one.__context__ is not None:
        if any(one.__context__ is inner for inner in handled):
            one.__context__ = one.__context__.__context__
        else:
            one = one.__context__


def _nothing() -> None:
    """The other branch."""


@cache
def _hook_args() -> Any:
    """The class of what `sys.unraisablehook` takes. It has no name, so that Python has to make one."""

    class Raises:
        def __del__(self) -> None:
            raise ValueError

    seen: list[Any] = []
    before, sys.unraisablehook = sys.unraisablehook, lambda args: seen.append(type(args))
    try:
        Raises()
    finally:
        sys.unraisablehook = before
    return seen[0]


class _Generator:
    """What Python's message shows for a generator that raised while it was closed."""

    def __init__(self, code: CodeType) -> None:
        self.code = code

    def __repr__(self) -> str:
        return f"<generator object {self.code.co_qualname} at {id(self):#x}>"


def _ignore(error: BaseException, code: CodeType) -> None:
    """What Python does with what a generator raises that is thrown away."""
    entry = error.__traceback__
    while entry is not None and entry.tb_frame.f_code.co_name != code.co_name:
        entry = entry.tb_next  # those that led to the generator
    sys.unraisablehook(_hook_args()((type(error), error, entry, None, _Generator(code))))


def _is_exit(view: Any) -> bool:
    """Is it surely a GeneratorExit? `view` is what a landing says of an exception."""
    return isinstance(view, Made) and view.cls is GeneratorExit


def must_close(function: Any) -> bool:
    """Can the generator function only be turned inside out as one that is closed?"""
    if _yields_in_try(function.__code__):
        return True
    try:
        conversion.inside_out(function, mark_reads=True)
    except ConversionError:
        return True  # it uses what a `yield from` gives
    return False


@once_per_code
def _yields_in_try(code: CodeType) -> bool:
    """Does a `yield` of this generator function stand in a `try` or a `with`?"""
    instructions = {one.offset: one.opname for one in dis.get_instructions(code)}
    return any(
        entry.start <= place < entry.end
        for entry in dis.Bytecode(code).exception_entries  # type: ignore[attr-defined]
        if instructions[entry.target] != "CLEANUP_THROW" and not is_put_around(code, entry.target)
        for place, name in instructions.items()
        if name == "YIELD_VALUE"
    )


def _is_held(generator: TracedGenerator) -> bool:
    """Does a variable of the user's hold the generator, so that it outlives the loop over it?"""
    if generator.is_delegated or generator.is_closed_by_loop:
        return False
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame is not generator._trace.base:
        if frame.f_code.co_flags & CO_OPTIMIZED and not _is_ours(frame):
            variables = frame.f_locals
            found = any(value is generator for value in variables.values())
            if sys.version_info < (3, 13):
                variables.clear()  # a copy, which would keep alive what the variables hold
            if found:
                return True
        frame = frame.f_back
    return False


def _is_ours(frame: FrameType) -> bool:
    return frame.f_globals.get("__name__", "").partition(".")[0] in ("runtime", "autograph")
