"""The runtime's stage: what converted code asks while one of our traces is under way."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import replace
from inspect import CO_GENERATOR
from types import FunctionType
from typing import Any, NoReturn

from autograph.errors import StagingError, error_at_frame
from autograph.operators import Undefined, remove_item, update_item
from autograph.operators.containers import merged
from autograph.staging import Clause, Handler, Stage, State, Thunk
from runtime import folds as folds  # registers what it handles
from runtime import iterator_calls as iterator_calls  # as these do
from runtime import itertools_calls as itertools_calls  # as this one does
from runtime import stars, watching
from runtime import streams as streams  # registers what it handles
from runtime.branches import NO_STATE, branch, require_trace
from runtime.builder import Staged, emit, user_location
from runtime.builtin_calls import refuse_consumption
from runtime.calls import stage_call
from runtime.choices import dispatch, identical, resolve, resolve_free, truth
from runtime.comprehensions import comprehension
from runtime.containers import KINDS, SPECIAL_DICTS
from runtime.contexts import StagedContext
from runtime.decisions import Restart
from runtime.exceptions import raise_statement, try_statement
from runtime.foreign_calls import refusing_confusion
from runtime.generators import TracedGenerator, generator_expression, generator_function, with_consumers
from runtime.item_iterators import AdvancingIterator, ItemIterator
from runtime.iteration import Indexed, indexed
from runtime.iterators import TracedIterator, traced
from runtime.loops import for_loop, while_loop
from runtime.membership import is_in
from runtime.purity import is_of_collections
from runtime.python_tries import PythonTry
from runtime.raised import exception_link
from runtime.references import claims_instance
from runtime.spec import Choice
from runtime.staged.containers import StagedContainer
from runtime.texts import depends_on_run, formatted, percent
from runtime.trace import current_trace
from runtime.types import ArrayType
from runtime.watched_classes import hooked
from runtime.with_statements import with_statement

#: Python `while` loops with more iterations or operations under a trace are restarted as staged loops
MAX_PYTHON_ITERATIONS = 500
MAX_PYTHON_OPERATIONS = 2_000

_CONTAINERS: list[Any] = [[], (), range(0), {}, {}.items(), {}.values(), "", reversed([])]
_ITERATORS = frozenset(type(iter(container)) for container in _CONTAINERS)


class RuntimeStage(Stage):
    """Stages control flow into the graph of the trace that is under way in this thread."""

    name = "runtime"
    asks_for_frames = True  # they tell a fault of ours from an exception of the user's program

    def active(self) -> bool:
        return current_trace() is not None

    awake = active  # staged values live in a trace

    def claims(self, value: Any) -> bool:
        return isinstance(value, Staged | Choice) or (type(value) in hooked and claims_instance(value))

    def text_of(self, value: Any) -> str | None:
        return repr(value) if isinstance(value, Staged | Choice) else None

    def refuse(self, construct: str, hint: str | None = None) -> NoReturn:
        raise error_at_frame(StagingError, f"{construct} over staged values is not supported", hint=hint)

    # -- statements ---------------------------------------------------------------------------------

    def if_stmt(self, cond: Any, body: Thunk, orelse: Thunk, state: State) -> None:
        branch(truth(cond), body, orelse, plain(state))

    def while_stmt(self, test: Thunk, body: Thunk, state: State) -> None:
        location = user_location()
        site = (location.file, location.line)
        decisions = require_trace().decisions
        try:
            while_loop(test, body, plain(state))
        except StagingError as error:
            if site not in decisions.staged_loops:
                raise
            raise Restart(
                replace(
                    decisions,
                    staged_loops=decisions.staged_loops - {site},
                    unrolled=decisions.unrolled | {site},
                ),
                f"the loop cannot be staged: {error.message}",
            ) from None

    def stages_while(self) -> bool:
        location = user_location()
        return (location.file, location.line) in require_trace().decisions.staged_loops

    def checkpoint(self) -> Any:
        trace = require_trace()
        location = user_location()
        site = (location.file, location.line)
        turns, budget = trace.python_loops.get(site, (0, trace.budget))
        trace.python_loops[site] = (turns + 1, budget)
        if turns >= MAX_PYTHON_ITERATIONS or budget - trace.budget > MAX_PYTHON_OPERATIONS:
            trace.stage_longest_loop()
        trace.poll()  # what was stored before the test belongs before it
        return trace, trace.block, len(trace.block.operations), trace.writes, trace.held_unseen()

    def rollback(self, checkpoint: Any) -> None:
        trace, block, length, writes, held = checkpoint
        if trace.writes != writes:
            raise trace.refuse(
                "the test of this `while` changes objects outside",
                "compute the test in the body, into a variable",
            )
        del block.operations[length:]
        trace.give_unseen_back(held)
        for region in trace.regions:
            region.roll_back()

    def for_stmt(self, iterable: Any, test: Thunk | None, body: Callable[[Any], None], state: State) -> Any:
        trace = require_trace()
        if isinstance(iterable, Choice):
            return dispatch(iterable, lambda i: self._for(i, test, body, state), plain(state))
        if isinstance(iterable, TracedGenerator) and iterable.can_push():
            iterable.consume(test, body, state)
            return None
        if isinstance(iterable, AdvancingIterator):
            iterable.iterate(test, body, plain(state))
            return None
        source = indexed(iterable)
        if source is None:
            refuse_consumption(trace, iterable)
            return NotImplemented
        location = user_location()
        site = (location.file, location.line)
        static = source.static
        if static is not None:
            few = len(static) <= trace.decisions.unroll_limit and site not in trace.decisions.staged_loops
            if few or site in trace.decisions.unrolled:
                return (
                    NotImplemented
                    if not isinstance(iterable, Staged)
                    else self._unroll(source, test, body, state)
                )
        source = source.begun(early=test is not None)
        if source.over:
            watching.for_each(trace, iterable, source, test, body, plain(state))
            return None
        try:
            for_loop(source.bounds, source.item, test, body, plain(state))
        except StagingError as error:
            if static is None or len(static) > trace.max_unrolled:
                raise
            raise Restart(
                trace.decisions.with_unrolled(site), f"the loop cannot be staged: {error.message}"
            ) from None
        return None

    def _for(self, iterable: Any, test: Thunk | None, body: Callable[[Any], None], state: State) -> None:
        from autograph.operators import for_stmt

        for_stmt(iterable, test, body, state.get, state.set, state.names)

    def _unroll(self, source: Indexed, test: Thunk | None, body: Callable[[Any], None], state: State) -> None:
        items = traced(require_trace(), iter(source))  # lazily: the body may write into the array
        self._for(items, test, body, state)

    def for_rest(
        self, iterator: Iterator[Any], test: Thunk, body: Callable[[Any], None], state: State
    ) -> None:
        trace = require_trace()
        location = user_location()
        site = (location.file, location.line)
        plainly = iterator._inner if type(iterator) is TracedIterator else iterator
        if isinstance(plainly, type(iter(range(0)))) and site not in trace.decisions.unrolled:
            raise Restart(trace.decisions.with_staged(site), "it may end early, at a staged condition")
        if not isinstance(plainly, (*_ITERATORS, zip, enumerate, map, ItemIterator)):
            raise trace.refuse(
                f"this loop over a {type(plainly).__name__} may end early at a staged condition",
                "iterate over a list, a range or an array",
            )
        more = [True]

        advance = plainly.advanced if isinstance(plainly, ItemIterator) else plainly.__next__

        def step() -> None:
            try:
                item = advance()
            except StopIteration:
                more[0] = False
                return
            body(item)

        while more[0]:
            branch(truth(test()), step, lambda: None, plain(state))
        if isinstance(iterator, TracedIterator | ItemIterator):
            iterator.spend()

    def try_stmt(
        self,
        body: Thunk,
        handlers: tuple[Handler, ...],
        orelse: Thunk | None,
        finalbody: Thunk | None,
        state: State,
    ) -> Any:
        try_statement(require_trace(), body, handlers, orelse, finalbody, plain(state))
        return None

    def constructed(self, made: Any) -> None:
        require_trace().references.born(made)

    def context(self, manager: Any) -> Any:
        return StagedContext(require_trace(), manager)

    def with_stmt(
        self, manager: Any, body: Callable[[Any], None], swallowed: Thunk, orelse: Thunk | None, state: State
    ) -> Any:
        with_statement(require_trace(), manager, body, swallowed, orelse, plain(state))
        return None

    def python_try(self, reason: str) -> Any:
        return PythonTry(require_trace(), reason)

    # -- raise and assert ---------------------------------------------------------------------------

    def assert_stmt(self, test: Any, message: Thunk | None) -> Any:
        trace = require_trace()
        condition = truth(test)
        if not isinstance(condition, Staged) and condition:
            return None

        def fail() -> None:
            args = () if message is None else (message(),)
            trace.raise_at_run_time(AssertionError(*args))
            trace.end_path()

        branch(condition, lambda: None, fail)
        return None

    def raise_stmt(self, exception: Any, cause: Any) -> Any:
        trace = require_trace()
        trace.poll()
        return raise_statement(trace, exception, cause)

    def exception_link(self, error: Any, name: str) -> Any:
        return exception_link(require_trace(), error, name)

    # -- items --------------------------------------------------------------------------------------

    def set_item(self, target: Any, key: Any, value: Any) -> Any:
        trace = require_trace()
        if isinstance(target, Choice):
            dispatch(target, lambda t: self._store(t, key, value))
            return target
        if isinstance(value, Choice) and isinstance(target, Staged) and isinstance(target.type, ArrayType):
            dispatch(value, lambda v: self._store(target, key, v))
            return target
        if type(target) in (list, dict):
            if isinstance(key, Choice):
                dispatch(key, lambda k: self._store(target, k, value))
                return target
            trace.containers.require_for(target, key)
            if isinstance(key, slice) and isinstance(value, StagedContainer | Indexed):
                trace.containers.require(target)
            if isinstance(value, (*KINDS, StagedContainer)) and _holds(target, key, value):
                return target  # `target[key] += other` changed it in place
            trace.write_contents(
                target, f"this {type(target).__name__}", lambda: target.__setitem__(key, value)
            )
            return target
        self._require(target, key)
        self._refuse_unseen(target)
        return NotImplemented

    def _require(self, target: Any, key: Any) -> None:
        """A container of which no hook sees the changes is a real one where it matters."""
        trace = require_trace()
        if type(target) in (*SPECIAL_DICTS, deque):
            if trace.frames or trace.containers.is_from_outside(target):
                trace.containers.require(target)
            trace.containers.require_for(target, key)

    def _store(self, target: Any, key: Any, value: Any) -> None:
        from autograph.operators import set_item

        set_item(target, key, value)

    def _refuse_unseen(self, target: Any) -> None:
        """A container of another kind would be changed while tracing, once and for all."""
        trace = require_trace()
        method = getattr(type(target), "__setitem__", None)
        if isinstance(target, Staged) or (isinstance(method, FunctionType) and not is_of_collections(method)):
            return
        if not hasattr(type(target), "__setitem__"):  # Python raises
            return
        if trace.frames or trace.outside.is_outside(target):
            raise trace.refuse(
                f"an item of a {type(target).__name__} is changed, which is not staged",
                "use a list or a dict",
            )

    def del_item(self, target: Any, key: Any) -> Any:
        trace = require_trace()
        if isinstance(target, Choice):
            dispatch(target, lambda t: remove_item(t, key))
            return target
        if type(target) in (list, dict):
            trace.containers.require_for(target, key)
            trace.write_contents(target, f"this {type(target).__name__}", lambda: target.__delitem__(key))
            return target
        self._require(target, key)
        self._refuse_unseen(target)
        return NotImplemented

    def aug_item(self, target: Any, key: Any, operator: Callable[[Any, Any], Any], value: Any) -> Any:
        trace = require_trace()
        if isinstance(target, Choice):
            dispatch(target, lambda t: update_item(t, key, operator, value))
            return target
        if type(target) in (list, dict):
            if isinstance(key, Choice):
                dispatch(key, lambda k: update_item(target, k, operator, value))
                return target
            trace.containers.require_for(target, key)
            item = target[key]
            new = operator(item, value)
            if new is item and isinstance(item, (*KINDS, StagedContainer)):
                return target  # it was changed in place
            trace.write_contents(
                target, f"this {type(target).__name__}", lambda: target.__setitem__(key, new)
            )
            return target
        if isinstance(target, Staged) and isinstance(target.type, ArrayType):
            array: Any = target
            item = array[key]
            array[key] = operator(item, value)
            return target
        self._require(target, key)
        self._refuse_unseen(target)
        return NotImplemented

    # -- containers, in code that shows them ----------------------------------------------------------

    def made(self, container: Any) -> Any:
        return stars.made(require_trace(), container)

    def star(self, items: Any) -> Any:
        return stars.star(require_trace(), items)

    def starred(self, function: Any) -> Any:
        return stars.starred(require_trace(), function)

    def set_of(self, items: list[Any]) -> Any:
        return stars.set_of(require_trace(), items)

    def dict_of(self, pairs: list[tuple[Any, Any]]) -> Any:
        return stars.dict_of(require_trace(), pairs)

    def get_item(self, container: Any, key: Any) -> Any:
        return watching.get_item(require_trace(), container, key)

    def container_operator(self, operator: Callable[[Any, Any], Any], a: Any, b: Any) -> Any:
        if operator is merged:
            return stars.merge(require_trace(), a, b)
        return watching.apply(require_trace(), operator, a, b)

    def unpack(self, value: Any, before: int, after: int | None) -> Any:
        return watching.unpack(require_trace(), value, before, after)

    # -- expressions --------------------------------------------------------------------------------

    def if_exp(self, cond: Any, then: Thunk, orelse: Thunk) -> Any:
        return branch(truth(cond), then, orelse)

    def and_(self, a: Any, thunks: tuple[Thunk, ...]) -> Any:
        from autograph.operators import and_

        if not thunks:
            return a
        return branch(truth(a), lambda: and_(thunks[0](), *thunks[1:]), lambda: a)

    def or_(self, a: Any, thunks: tuple[Thunk, ...]) -> Any:
        from autograph.operators import or_

        if not thunks:
            return a
        return branch(truth(a), lambda: a, lambda: or_(thunks[0](), *thunks[1:]))

    def not_(self, a: Any) -> Any:
        condition = truth(a)
        return emit("py.not", [condition]) if isinstance(condition, Staged) else not condition

    def in_(self, item: Any, container: Any) -> Any:
        return is_in(require_trace(), item, container)

    def is_(self, a: Any, b: Any) -> Any:
        return identical(a, b)

    def fstr(self, pieces: tuple[Any, ...]) -> Any:
        return formatted(require_trace(), pieces)

    def text(self, value: Any, conversion: str, spec: str) -> Any:
        trace = require_trace()
        if not depends_on_run(trace, value):
            return NotImplemented
        return formatted(trace, ((value, conversion, spec),))

    def percent(self, text: str, values: Any) -> Any:
        return percent(require_trace(), text, values)

    def comprehension(self, kind: str, clause: Clause) -> Any:
        return comprehension(require_trace(), kind, clause)

    def generator(self, clause: Clause) -> Any:
        return generator_expression(require_trace(), clause)

    def bound(self, value: Any) -> Any:
        return resolve(value)

    def bound_free(self, value: Any) -> Any:
        return resolve_free(value)

    # -- calls --------------------------------------------------------------------------------------

    def call(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        trace = require_trace()
        return refusing_confusion(trace, function, args, kwargs, stage_call)

    def enter(self, function: Any, converted: Callable[..., Any]) -> Callable[..., Any]:
        trace = require_trace()
        entered = trace.environment.enter(function, converted)
        if function.__code__.co_flags & CO_GENERATOR:
            return generator_function(trace, function, entered)
        if function.__name__ != "__init__":
            return trace.calls.entering(function, entered)

        def initialize(made: Any, *args: Any, **kwargs: Any) -> Any:
            trace.outside.add_local(made)
            return entered(made, *args, **kwargs)

        return initialize


def _holds(target: Any, key: Any, value: Any) -> bool:
    """Is ``target[key]`` this very object?"""
    if isinstance(target, dict):
        return target.get(key) is value
    return type(key) is int and -len(target) <= key < len(target) and target[key] is value


def _bound_globals(state: State) -> tuple[Any, ...]:
    """The values of the variables; a global among them that has none yet is refused."""
    try:
        return state.get()
    except NameError as error:
        raise require_trace().refuse(
            f"the global `{error.name}` is assigned under a staged condition, and has no value before",
            "give it a value first, at module level",
            error.name,
        ) from None


def plain(state: State) -> State:
    """The state without composite names: the tracer watches attributes and items itself."""
    original = with_consumers(require_trace(), state)
    state = State(original.names, lambda: _bound_globals(original), original.set)
    keep = [i for i, name in enumerate(state.names) if name.isidentifier()]
    if len(keep) == len(state.names):
        return state
    if not keep:
        return NO_STATE

    def set_some(values: tuple[Any, ...]) -> None:
        everything = list(state.get())
        for i, value in zip(keep, values, strict=True):
            everything[i] = value
        state.set(tuple(everything))

    def get_some() -> tuple[Any, ...]:
        everything = state.get()
        return tuple(everything[i] for i in keep)

    return State(tuple(state.names[i] for i in keep), get_some, set_some)


__all__ = ["RuntimeStage", "Undefined", "replace"]
