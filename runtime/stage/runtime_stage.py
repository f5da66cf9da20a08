"""The runtime's stage: what converted code asks while one of our traces is under way."""

from __future__ import annotations

import array
import sys
from collections.abc import Callable, Iterator
from inspect import CO_GENERATOR
from types import FunctionType, MethodType
from typing import Any, NoReturn

from autograph import operators
from autograph.errors import StagingError, error_at_frame
from autograph.operators import expressions
from autograph.operators.containers import MARKED, merged
from autograph.staging import Clause, Handler, Stage, State, Thunk
from runtime import allowed
from runtime.calls import callees, foreign_calls, stars, texts, watching
from runtime.control_flow import branches, choices
from runtime.control_flow.blocks import plain
from runtime.control_flow.builtin_iterables import staged_range
from runtime.control_flow.indexed import is_empty_or_not
from runtime.control_flow.loops import truth
from runtime.handlers import exceptions, raised
from runtime.iterables import comprehensions, generators, user_iterables
from runtime.numpy_calls import arguments
from runtime.objects import attribute_stores
from runtime.objects import operators as object_operators
from runtime.objects.references import claims_instance
from runtime.stage import loop_statements, with_statements
from runtime.staged import containers
from runtime.tracer.builder import Staged, emit
from runtime.tracer.cells import without_shared
from runtime.tracer.spec import Choice
from runtime.tracer.static_places import TraceGlobals
from runtime.tracer.trace import current_trace, require_trace
from runtime.types import ArrayType, ContainerType, NumberType, ScalarType


class RuntimeStage(Stage):
    """Stages control flow into the graph of the trace that is under way in this thread."""

    name = "runtime"
    asks_for_frames = True  # they tell a fault of ours from an exception of the user's program
    marks = True

    def active(self) -> bool:
        return current_trace() is not None

    awake = active  # staged values live in a trace

    def claims(self, value: Any) -> bool:
        if isinstance(value, Staged | Choice):
            return True
        return claims_instance(value) or is_empty_or_not(value)

    def knows_truth(self, value: Any) -> bool:
        return isinstance(value, containers.StagedContainer) and value.known_length() is not None

    def text_of(self, value: Any) -> str | None:
        return repr(value) if isinstance(value, Staged | Choice) else None

    def refuse(self, construct: str, hint: str | None = None) -> NoReturn:
        raise error_at_frame(StagingError, f"{construct} over staged values is not supported", hint=hint)

    # -- statements ---------------------------------------------------------------------------------

    def if_stmt(self, cond: Any, body: Thunk, orelse: Thunk, state: State) -> None:
        branches.branch(truth(cond), body, orelse, plain(state))

    def while_stmt(self, test: Thunk, body: Thunk, state: State) -> None:
        loop_statements.while_statement(require_trace(), test, body, state)

    def stages_while(self) -> bool:
        return loop_statements.must_be_staged(require_trace())

    def checkpoint(self) -> Any:
        return loop_statements.checkpoint(require_trace())

    def rollback(self, checkpoint: Any) -> None:
        loop_statements.rollback(checkpoint)

    def for_stmt(self, iterable: Any, test: Thunk | None, body: Callable[[Any], None], state: State) -> Any:
        trace = require_trace()
        return loop_statements.for_statement(trace, iterable, test, body, without_shared(trace, state))

    def for_rest(
        self, iterator: Iterator[Any], test: Thunk, body: Callable[[Any], None], state: State
    ) -> None:
        trace = require_trace()
        loop_statements.for_rest(trace, iterator, test, body, without_shared(trace, state))

    def try_stmt(
        self,
        body: Thunk,
        handlers: tuple[Handler, ...],
        orelse: Thunk | None,
        finalbody: Thunk | None,
        state: State,
    ) -> Any:
        exceptions.try_statement(require_trace(), body, handlers, orelse, finalbody, plain(state))
        return None

    def constructed(self, made: Any) -> None:
        trace = require_trace()
        foreign_calls.require_plain(trace, type(made))
        trace.references.born(made)

    def context(self, manager: Any) -> Any:
        ours = type(manager) is exceptions.PythonTry
        return manager if ours else with_statements.StagedContext(require_trace(), manager)

    def with_stmt(
        self, manager: Any, body: Callable[[Any], None], swallowed: Thunk, orelse: Thunk | None, state: State
    ) -> Any:
        with_statements.with_statement(require_trace(), manager, body, swallowed, orelse, plain(state))
        return None

    def python_try(self, reason: str) -> Any:
        return exceptions.PythonTry(require_trace(), reason)

    # -- raise and assert ---------------------------------------------------------------------------

    def assert_stmt(self, test: Any, message: Thunk | None) -> Any:
        trace = require_trace()

        def fail() -> None:
            args = () if message is None else (message(),)
            trace.raise_at_run_time(AssertionError(*args))
            trace.end_path()

        branches.branch(truth(test), lambda: None, fail)
        return None

    def raise_stmt(self, exception: Any, cause: Any) -> Any:
        return exceptions.raise_statement(require_trace(), exception, cause)

    def special_method(self, owner: Any, name: str) -> Any:
        if name == "__dict__" and isinstance(owner, type):
            raise require_trace().outside.attributes.refuse_namespace(owner)
        if name in raised.LINKS:
            return raised.exception_link(require_trace(), owner, name)
        return NotImplemented

    def stored_to(self, owner: Any, name: str) -> Any:
        trace = require_trace()
        attribute_stores.check_store(trace, owner, name, sys._getframe(2).f_code)
        return trace.seen(owner)

    def read_from(self, owner: Any) -> Any:
        return owner if _is_container(owner) else require_trace().seen(owner)

    def new_variables(self, read: Callable[[], Any]) -> None:
        require_trace().shared.made(read)

    def stored_variable(self, read: Callable[[], Any]) -> None:
        require_trace().shared.stored(read)

    def stored_global(self, namespace: dict[str, Any], name: str) -> None:
        assert isinstance(namespace, TraceGlobals)
        trace = namespace.trace
        trace.shared.store(trace.environment.global_place(namespace.module, name))

    # -- items --------------------------------------------------------------------------------------

    def set_item(self, target: Any, key: Any, value: Any) -> Any:
        if isinstance(target, Choice):
            choices.dispatch(target, lambda t: self._store(t, key, value))
            return target
        if isinstance(value, Choice) and isinstance(target, Staged) and isinstance(target.type, ArrayType):
            promoted = choices.promoted_item(value, target.type.dtype)
            choices.dispatch(value if promoted is None else promoted, lambda v: self._store(target, key, v))
            return target
        method = require_trace().outside.special_method(target, "__setitem__")
        if method is not None:
            operators.call(method, target, key, value)
            return target
        object_operators.require_no_index(require_trace(), target, key)
        self._refuse_unseen(target, arguments.has_staged((key, value)))
        return NotImplemented

    def _store(self, target: Any, key: Any, value: Any) -> None:
        from autograph.operators import set_item

        set_item(target, key, value)

    def _refuse_unseen(self, target: Any, staged: bool = False, name: str = "__setitem__") -> None:
        """A container of another kind would be changed while tracing, once and for all.

        One of C's own numbers takes no staged one (``staged``: there is one), wherever it was made.
        """
        trace = require_trace()
        method = getattr(type(target), name, None)
        if isinstance(
            method, FunctionType
        ):  # whoever has a `__setitem__` of its own stores where a trace sees it
            method = getattr(type(target), "__setitem__", None)
        if isinstance(target, Staged) or (isinstance(method, FunctionType) and not allowed.writes(method)):
            return
        if method is None:  # Python raises
            return
        of_numbers = isinstance(target, bytearray | array.array | memoryview)
        if trace.frames or trace.outside.is_outside(target) or (of_numbers and staged):
            raise trace.refuse(
                f"an item of a {type(target).__name__} is changed, which is not staged",
                "use an array: np.zeros(length, np.uint8)" if of_numbers else "use a list or a dict",
            )

    def del_item(self, target: Any, key: Any) -> Any:
        if isinstance(target, Choice):
            choices.dispatch(target, lambda t: operators.remove_item(t, key))
            return target
        method = require_trace().outside.special_method(target, "__delitem__")
        if method is not None:
            operators.call(method, target, key)
            return target
        object_operators.require_no_index(require_trace(), target, key)
        self._refuse_unseen(target, name="__delitem__")
        return NotImplemented

    def aug_item(self, target: Any, key: Any, operator: Callable[[Any, Any], Any], value: Any) -> Any:
        operator = MARKED.get(operator, operator)  # which this stage sees, too
        if isinstance(target, Choice):
            choices.dispatch(target, lambda t: operators.update_item(t, key, operator, value))
            return target
        trace = require_trace()
        special = trace.outside.special_method
        is_asked = any(special(target, name) is not None for name in ("__getitem__", "__setitem__"))
        if is_asked:
            operators.store_item(target, key, operator(operators.get_item(target, key), value))
            return target
        object_operators.require_no_index(trace, target, key)
        if isinstance(target, Staged) and isinstance(target.type, ArrayType):
            array: Any = target
            item = array[key]
            array[key] = operator(item, value)
            return target
        self._refuse_unseen(target, arguments.has_staged((key, value)))
        return NotImplemented

    # -- containers, in code that shows them ----------------------------------------------------------

    def made(self, container: Any) -> Any:
        return stars.made(require_trace(), container)

    def star(self, items: Any) -> Any:
        return stars.star(require_trace(), items)

    def double_star(self, mapping: Any) -> Any:
        return stars.double_star(require_trace(), mapping)

    def starred(self, function: Any) -> Any:
        return stars.starred(require_trace(), function)

    def set_of(self, items: list[Any]) -> Any:
        return stars.set_of(require_trace(), items)

    def dict_of(self, pairs: list[tuple[Any, Any]]) -> Any:
        return stars.dict_of(require_trace(), pairs)

    def get_item(self, container: Any, key: Any) -> Any:
        return watching.get_item(require_trace(), container, key)

    def binary_operator(self, operator: Callable[[Any, Any], Any], a: Any, b: Any) -> Any:
        if _is_number(a) and _is_number(b):
            return NotImplemented
        trace = require_trace()
        if operator is merged:
            return stars.merge(trace, a, b)
        if _is_container(a) and _is_container(b) and operator not in watching.COMPARISONS:
            return NotImplemented  # what their rows say
        made = object_operators.binary(trace, operator, a, b)
        return watching.apply(trace, operator, a, b) if made is NotImplemented else made

    def unary_operator(self, operator: Callable[[Any], Any], a: Any) -> Any:
        return object_operators.unary(require_trace(), operator, a)

    def unpack(self, value: Any, before: int, after: int | None) -> Any:
        if type(value) is tuple and after is None:
            return NotImplemented
        return watching.unpack(require_trace(), value, before, after)

    # -- expressions --------------------------------------------------------------------------------

    def if_exp(self, cond: Any, then: Thunk, orelse: Thunk) -> Any:
        return branches.branch(truth(cond), then, orelse)

    def and_(self, a: Any, thunks: tuple[Thunk, ...]) -> Any:
        return _in_turn(operators.and_, a, thunks, a, True)

    def or_(self, a: Any, thunks: tuple[Thunk, ...]) -> Any:
        return _in_turn(operators.or_, a, thunks, a, False)

    # Where a `__bool__` has given the answer of these, it must not be asked for again.

    def all_true(self, a: Any, thunks: tuple[Thunk, ...]) -> Any:
        return _in_turn(expressions.all_true, a, thunks, a if isinstance(a, Staged) else False, True)

    def any_true(self, a: Any, thunks: tuple[Thunk, ...]) -> Any:
        return _in_turn(expressions.any_true, a, thunks, a if isinstance(a, Staged) else True, False)

    def not_(self, a: Any) -> Any:
        condition = truth(a)
        if not isinstance(condition, Staged):
            return not condition
        answer = emit("py.not", [condition])
        require_trace().implied.note_opposite(answer, condition)
        return answer

    def in_(self, item: Any, container: Any) -> Any:
        return watching.is_in(require_trace(), item, container)

    def searches(self, container: Any) -> bool:
        return user_iterables.searches(container)

    def is_(self, a: Any, b: Any) -> Any:
        return choices.identical(a, b)

    def fstr(self, pieces: tuple[Any, ...]) -> Any:
        return texts.formatted(require_trace(), pieces)

    def text(self, value: Any, conversion: str, spec: str) -> Any:
        trace = require_trace()
        if not texts.depends_on_run(trace, value):
            return NotImplemented
        return texts.formatted(trace, ((value, conversion, spec),))

    def formatted(self, value: Any, conversion: str, spec: Any) -> Any:
        if isinstance(spec, str) and not spec and texts.never_changes(value):
            return NotImplemented
        return texts.formatted(require_trace(), ((value, conversion, spec),))

    def percent(self, text: str, values: Any) -> Any:
        return texts.percent(require_trace(), text, values)

    def comprehension(self, kind: str, clause: Clause) -> Any:
        return comprehensions.comprehension(require_trace(), kind, clause)

    def generator(self, clause: Clause) -> Any:
        made = comprehensions.generator_expression(require_trace(), clause)
        made.is_users = True
        return made

    def bound(self, value: Any) -> Any:
        return choices.resolve(value)

    def bound_free(self, value: Any) -> Any:
        return choices.resolve_free(value)

    # -- calls --------------------------------------------------------------------------------------

    def call(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if function is range and not kwargs and 0 < len(args) < 4 and all(map(_is_number, args)):
            # nothing of what calls may meet, so that a loop over numbers loads nothing of it
            return staged_range(*args) if any(isinstance(arg, Staged) for arg in args) else NotImplemented
        if type(function) is MethodType and _is_container(function.__self__) and not kwargs:
            if hasattr(function, "is_direct") and not any(isinstance(arg, Choice) for arg in args):
                return function(*args)  # of a container of the run: what its row says
        trace = require_trace()
        made = foreign_calls.refusing_confusion(trace, function, args, kwargs, callees.stage_call)
        cls = attribute_stores.class_that_makes(function, args)
        if cls is not None:
            if made is NotImplemented:
                made = function(*args, **kwargs)
            attribute_stores.note_made(trace, cls, made)
        return made

    def enter(self, function: Any, converted: Callable[..., Any]) -> Callable[..., Any]:
        trace = require_trace()
        entered = trace.environment.enter(function, converted)
        if function.__code__.co_flags & CO_GENERATOR:
            return generators.generator_function(trace, function, entered)
        if function.__name__ != "__init__":
            return trace.calls.entering(function, entered)

        def initialize(made: Any, /, *args: Any, **kwargs: Any) -> Any:
            trace.references.begin(made)
            return entered(made, *args, **kwargs)

        return initialize


def _is_number(value: Any) -> bool:
    """Is it one of Python's numbers, staged or not, of no class of the user's, or a staged array?"""
    if isinstance(value, Staged):
        return isinstance(value.type, NumberType | ScalarType | ArrayType)
    return type(value) in (bool, int, float, complex)


def _is_container(value: Any) -> bool:
    """Is it a list, a dict or their like of the run, whose class has its methods?"""
    return isinstance(value, Staged) and isinstance(value.type, ContainerType)


def _in_turn(
    operator: Callable[..., Any], a: Any, thunks: tuple[Thunk, ...], answer: Any, goes_on_if: bool
) -> Any:
    """``and``, ``or``: the first of the values, as ``answer``, or what the others give."""
    if not thunks:
        return a
    ways: list[Thunk] = [lambda: operator(thunks[0](), *thunks[1:]), lambda: answer]
    return branches.branch(truth(a), *(ways if goes_on_if else reversed(ways)))
