"""The class of decorated functions: what a call does, and the traces that it keeps."""

from __future__ import annotations

import functools
import threading
import types
from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from typing import TYPE_CHECKING, Any, Generic, ParamSpec, Self, TypeVar, overload

from autograph import register_stage
from autograph.config import exclude
from autograph.errors import AutographError, StagingError
from autograph.loading import is_loaded, without_collections
from autograph.locks import new_lock
from autograph.operators import call
from runtime import recording
from runtime.arguments import CHECKS, ENGINES, check_function, check_max_traces, check_option
from runtime.binding import Binder
from runtime.engines import tracebacks
from runtime.functions import (
    checking,
    dispatch,
    explain,
    modes,
    native_entries,
    same_lambdas,
)
from runtime.functions import input_signature as signatures
from runtime.functions.concrete import MISS, ConcreteFunction
from runtime.functions.open_arguments import OpenArguments, OpenShapes, open_arguments, stores_items
from runtime.functions.recorded_lines import Lines, recording_lines
from runtime.functions.refusals import FALLBACKS, Fallback, Refusals, hold_themselves
from runtime.functions.retracing import Retracing, kind_of, require_guards
from runtime.functions.signature import holds_itself, key_of, leaves_by_spec
from runtime.functions.tensor_specs import on_device
from runtime.functions.tracing import Request, refuse_inside_another, trace_function
from runtime.guards.paths import Guard
from runtime.objects import entered
from runtime.objects.function_objects import LikeAFunction
from runtime.stage.runtime_stage import RuntimeStage
from runtime.tracer.builder import active_builders
from runtime.tracer.decisions import PathEnded
from runtime.tracer.trace import current_trace
from runtime.types import ContainerType

if TYPE_CHECKING:
    from runtime.functions.decorator_types import Instance, OfClass, OfInstance, Rest

P = ParamSpec("P")
R = TypeVar("R", covariant=True)

register_stage(RuntimeStage())
exclude("runtime")

#: so many traces of one function are kept, where nothing is said
MAX_TRACES = 128
#: so often may other threads change what a trace rests on while it is made, before the call goes on with it
MOST_TIMES_OVERTAKEN = 3


@entered.with_entries
class Function(LikeAFunction, Generic[P, R]):
    """A polymorphic function: one ConcreteFunction for each signature and each state of what it captured."""

    __slots__ = (
        "__weakref__", "cache", "_binder", "_entries", "_lambdas", "_made", "_open", "_order", "_refusals",
        "_retracing", "_shapes", "_signature", "_traces", "check", "engine", "fallback", "lock", "max_traces",
        "name", "reduce_retracing", "slow_notice", "trace_count",
    )  # fmt: skip

    def __init__(
        self,
        python_function: Callable[P, R],
        *,
        engine: str = "auto",
        input_signature: Sequence[Any] | None = None,
        reduce_retracing: bool = False,
        check: str | None = None,
        fallback: str | None = None,
        max_traces: int | None = MAX_TRACES,
        name: str | None = None,
        slow_notice: bool = True,
        cache: bool | None = None,
    ) -> None:
        check_function(python_function)
        check_option("engine", engine, ENGINES)
        check_option("check", check, CHECKS)
        check_option("fallback", fallback, FALLBACKS)
        check_option("cache", cache, (None, True, False))
        check_max_traces(max_traces)
        super().__init__(python_function)
        self.engine = engine
        own_name: str = getattr(python_function, "__name__", type(python_function).__name__)
        self.name = name or own_name
        self.check = check
        self.reduce_retracing = reduce_retracing
        self.max_traces = max_traces
        #: how many traces were made so far
        self.trace_count = 0
        self.slow_notice = slow_notice
        self.cache = cache
        self._binder = Binder(python_function)
        self._signature = (
            None
            if input_signature is None
            else signatures.InputSignature(input_signature, python_function, self.name)
        )
        self._entries: tuple[dispatch.Entry, ...] = ()
        self._made: tuple[dispatch.Made, ...] = ()  # what these are made of
        self._traces: dict[Hashable, list[ConcreteFunction]] = {}
        self._order: list[ConcreteFunction] = []
        self._retracing = Retracing()
        self._refusals = Refusals()
        self._open = OpenArguments()
        self._lambdas: same_lambdas.SameLambdas | None = None
        self._shapes = OpenShapes() if reduce_retracing else None
        self.fallback = Fallback(self.name, fallback is not None)
        self.lock = new_lock()
        try:
            check_source(python_function)
        except AutographError as error:
            if not self.fallback.allows(error):
                raise
            self.fallback.always = error

    # -- calling ------------------------------------------------------------------------------------

    def __call__(self, /, *args: P.args, **kwargs: P.kwargs) -> R:
        try:
            if not active_builders and not kwargs:
                for enter in self._entries:
                    result = enter(args)
                    if result is not MISS:
                        return result
            return self._call(args, kwargs)
        except Exception as error:  # only the user's lines in its traceback, and this one
            if current_trace() is not None:
                raise  # the trace around asks whose frames it went through
            raise error.with_traceback(tracebacks.visible(error.__traceback__))  # noqa: B904

    def _call(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if current_trace() is not None:
            return call(self.python_function, *args, **kwargs)
        if modes.is_eager():
            return self.python_function(*args, **kwargs)
        return self._long_way(args, kwargs)

    def _long_way(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        args, kwargs = self._bound(args, kwargs)
        if types.FunctionType in map(type, args):
            if self._lambdas is None:
                self._lambdas = same_lambdas.SameLambdas(self.python_function)
            args = self._lambdas.stand_ins(args)
        if not modes.check_numerics.is_on and not _is_recorded():
            given = (*args, *kwargs.values(), dispatch.KEYWORDS) if kwargs else args
            for enter in self._entries:
                result = enter(given)
                if result is not MISS:
                    return result
        if self.fallback.always is not None:
            return self.fallback.run(self.python_function, args, kwargs, self.fallback.always)
        leaves: list[Any] = []
        try:
            key = self._key(args, kwargs, leaves)
        except RecursionError:
            if not holds_itself((*args, *kwargs.values())):
                raise  # so little is left of the stack
            refusal = hold_themselves(self.name)
            if not self.fallback.allows(refusal):
                raise refusal from None
            return self.fallback.run(self.python_function, args, kwargs, refusal)
        if key in self.fallback.refused:
            return self.fallback.run(self.python_function, args, kwargs, self.fallback.refused[key])
        concrete = self._known(key, leaves)
        known = concrete is not None
        if concrete is None:
            try:
                concrete = self._trace_for(key, args, kwargs, leaves)
            except AutographError as error:
                if not self.fallback.allows(error):
                    raise
                self.fallback.refused[key] = error
                return self.fallback.run(self.python_function, args, kwargs, error)
        if concrete.created is not None and _is_recorded():
            # the graph makes variables that no tape knows
            return self.python_function(*args, **kwargs)
        checks = self.check == "always" or (self.check is not None and not known)
        if checks and not modes.check_numerics.is_on and not _is_recorded():
            with self.lock:
                concrete = self.current(concrete, args, kwargs)
                leaves.clear()
                self._key(args, kwargs, leaves)
                both = checking.run_both(self.python_function, self.name, concrete, args, kwargs, leaves)
            return checking.replay(*both)
        if not known or self._remember(concrete, args, kwargs) or not concrete.is_compiled:
            concrete = self._compiled_and_current(concrete, args, kwargs, leaves)
        return concrete.run(leaves)

    def _bound(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        args, kwargs = self._binder.bind(args, kwargs)
        if self.engine == "jax":
            args, kwargs = on_device(args), on_device(kwargs)
        return args if self._signature is None else self._signature.taken(args), kwargs

    def _compiled_and_current(
        self, concrete: ConcreteFunction, args: tuple[Any, ...], kwargs: dict[str, Any], leaves: list[Any]
    ) -> ConcreteFunction:
        """The trace for what the world is once it is compiled: other threads went on meanwhile.

        Between the look at the guards and the run is no time in which a `counter[0] += 1` of theirs is lost.
        """
        if threading.active_count() == 1:
            return concrete
        for _ in range(MOST_TIMES_OVERTAKEN):
            concrete.compile()
            leaves.clear()
            key = self._key(args, kwargs, leaves)
            if self._is_right(concrete, key, leaves):
                break
            concrete = self._trace_for(key, args, kwargs, leaves)
        return concrete

    def _remember(self, concrete: ConcreteFunction, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
        """The next call with such arguments takes the short way. True: this may have waited for others."""
        if concrete.has_entry or self._signature is not None or not self._binder.are_all(kwargs):
            return False
        with self.lock:
            concrete.has_entry = True
            given = (*concrete.opened(args), *kwargs.values())
            often = self._enter_natively if self._entered() is not None else None
            made = dispatch.entry_of(concrete, given, keywords=tuple(kwargs), often=often)
            if made is not None:
                concrete.entry = made.enter
                self._enter_by((made, *self._made[: dispatch.MAX_ENTRIES - 1]))
        return True

    def _enter_by(self, made: tuple[dispatch.Made, ...]) -> None:
        """These are the entries from now on; machine code takes their calls where it took calls before."""
        self._made = made
        self._entries = tuple([one.enter for one in made])
        if hasattr(self._entered(), "_chain"):
            self._enter(made)

    def _entered(self) -> Any:
        """The object whose calls go to machine code once there were many; None where that is not possible."""
        return self if entered.can_be_entered(self) else None

    def _enter(self, made: tuple[dispatch.Made, ...]) -> None:
        native_entries.enter(self._entered(), made, _CALL, self.python_function)

    def _enter_natively(self) -> None:
        """Calls go to machine code first, which asks what the entries ask: there were many."""
        if self.lock.acquire(blocking=False):  # else the next time
            try:
                self._enter(self._made)
            finally:
                self.lock.release()

    def _key(self, args: tuple[Any, ...], kwargs: dict[str, Any], leaves: list[Any]) -> Hashable:
        if self._signature is not None:
            self._signature.check(self._binder.names(args), args, kwargs)
            owner = self._signature.owner(args)
            key: Hashable = ("input_signature", *[key_of(one, leaves) for one in owner])
            for spec, arg in zip(self._signature.specs, args[len(owner) :], strict=True):
                leaves_by_spec(spec, arg, leaves)
        else:
            key = tuple([key_of(arg, leaves) for arg in open_arguments(self._open.places, args)])
        if kwargs:
            key = (key, tuple(kwargs), tuple([key_of(arg, leaves) for arg in kwargs.values()]))
        return key

    def _known(self, key: Hashable, leaves: list[Any]) -> ConcreteFunction | None:
        for concrete in self._traces.get(key, ()):
            if concrete.check(leaves):
                concrete.note_use()
                return concrete
        return None

    def current(
        self, concrete: ConcreteFunction, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> ConcreteFunction:
        """The trace that is right now; ``concrete`` was a moment ago, before another thread was done."""
        leaves: list[Any] = []
        key = self._key(args, kwargs, leaves)
        if self._is_right(concrete, key, leaves):
            return concrete
        return self._trace_for(key, args, kwargs, leaves)

    def _is_right(self, concrete: ConcreteFunction, key: Hashable, leaves: list[Any]) -> bool:
        return concrete in self._traces.get(key, ()) and concrete.check(leaves)

    # Type checkers forget a @staticmethod or @classmethod beside the decorator: the first parameter tells.
    @overload
    def __get__(
        self: OfClass[Instance, Rest, R], instance: Instance | None, owner: type[Instance]
    ) -> Callable[Rest, R]: ...
    @overload
    def __get__(self, instance: None, owner: type | None = None) -> Self: ...
    @overload
    def __get__(
        self: OfInstance[Instance, Rest, R], instance: Instance, owner: type | None = None
    ) -> Callable[Rest, R]: ...
    @overload
    def __get__(self, instance: object, owner: type | None = None) -> Self: ...
    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        return self if instance is None else types.MethodType(self, instance)

    def make_again(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        return functools.partial(made_again, **self._options()), (self.python_function,)

    def _options(self) -> dict[str, Any]:
        return {
            "engine": self.engine, "reduce_retracing": self.reduce_retracing,
            "check": self.check, "name": self.name, "max_traces": self.max_traces,
            "slow_notice": self.slow_notice, "cache": self.cache,
            "fallback": "python" if self.fallback.allowed else None,
            "input_signature": None if self._signature is None else self._signature.specs,
        }  # fmt: skip

    @property
    def __runtime_inline__(self) -> Callable[..., Any]:
        return self.python_function

    # -- tracing ------------------------------------------------------------------------------------

    def _trace_for(
        self, key: Hashable, args: tuple[Any, ...], kwargs: dict[str, Any], leaves: list[Any]
    ) -> ConcreteFunction:
        with self.lock:
            leaves.clear()  # another thread may have opened arguments
            key = self._key(args, kwargs, leaves)
            known = self._known(key, leaves)
            if known is not None:  # another thread was first
                return known
            if self._signature is not None:
                args = (*self._signature.owner(args), *self._signature.specs)
            elif self._shapes is not None:
                found = self._shapes.find(args, kwargs, leaves)
                if found is not None:
                    self._traces.setdefault(key, []).insert(0, found)
                    return found
            refuse_inside_another(self.name)
            refused = self._refusals.known(key, leaves)
            if refused is not None:
                raise refused
            if self._signature is None and not self.reduce_retracing:
                opened = self._trace_opened(args, kwargs, leaves)
                if opened is not None:
                    return opened
            guards: list[Guard] = []
            try:
                concrete = self._new_trace(key, args, kwargs, leaves, guards)
            except StagingError as error:
                self._refusals.keep(key, leaves, error, guards)
                raise
            return self._keep(concrete, key, args, kwargs, leaves)

    def _keep(
        self,
        concrete: ConcreteFunction,
        key: Hashable,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        leaves: list[Any],
    ) -> ConcreteFunction:
        if concrete.created is not None and any(one.created and one.created.again for one in self._order):
            raise concrete.created.refusal()
        require_guards(concrete, self.python_function, leaves)
        concrete.kinds = tuple(map(kind_of, (*args, *kwargs.values())))
        self._retracing.tell_difference(concrete, self._order)
        if any(isinstance(param.type, ContainerType) for param in concrete.graph.params):
            self._open.know(args)
            concrete.opened = functools.partial(open_arguments, self._open.places)
        self._traces.setdefault(key, []).insert(0, concrete)
        self._order.append(concrete)
        self.trace_count += 1
        self._retracing.warn(self.name, self._order, self.max_traces)
        while self.max_traces is not None and len(self._order) > self.max_traces:
            self._forget(min(self._order[:-1], key=lambda known: known.used))
        return concrete

    def _trace_opened(
        self, args: tuple[Any, ...], kwargs: dict[str, Any], leaves: list[Any]
    ) -> ConcreteFunction | None:
        """A trace in which more arguments are known only to a run; None where that is not due, or refused."""
        proposed, before = self._open.propose(args), self._open.places
        if not proposed or not self._order:
            return None
        if any(kind is not list for _, kind in proposed - before) and not stores_items(self._order[-1].graph):
            return None
        self._open.places = proposed
        flat: list[Any] = []
        key = self._key(args, kwargs, flat)
        try:
            concrete = self._new_trace(key, args, kwargs, flat, [])
        except BaseException as error:
            self._open.places = before
            if not isinstance(error, StagingError):
                raise
            self._open.close(proposed)
            return None
        if concrete.decisions.item_by_item:  # which the key of a call can say itself
            self._open.places = before
            self._open.close(proposed)
            return None
        leaves[:] = flat
        return self._keep(concrete, key, args, kwargs, leaves)

    def _forget(self, gone: ConcreteFunction) -> None:
        """A trace goes, which nobody used for the longest time.

        One with an entry may have been used by that. It loses the entry first, and goes the next time, unless
        it was used meanwhile.
        """
        if gone.entry in self._entries:
            self._enter_by(tuple([made for made in self._made if made.enter is not gone.entry]))
            gone.has_entry, gone.entry = False, None
            gone.note_use()
            return
        self._order.remove(gone)
        if self._shapes is not None:
            self._shapes.forget(gone)
        for key, known in list(self._traces.items()):
            if gone in known:
                self._traces[key] = [concrete for concrete in known if concrete is not gone]
                if not self._traces[key]:
                    del self._traces[key]
                    self._retracing.forget(key)

    def _new_trace(
        self,
        key: Hashable,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        leaves: list[Any],
        refused: list[Guard],
    ) -> ConcreteFunction:
        """A trace for these arguments; ``refused`` gets the guards of attempts that came to nothing."""
        reason = self._retracing.why(key, self._traces.get(key, ()), leaves, not self._order)
        decisions, trial = self._retracing.plan(key)

        def trace(args: tuple[Any, ...], reason: str) -> ConcreteFunction:
            names = self._binder.names(args)
            opened = functools.partial(open_arguments, self._open.places)
            request = Request(
                self.python_function, self.name, self.engine, args, kwargs, names, reason, self.slow_notice,
                self.cache, opened, refused,
            )  # fmt: skip
            with without_collections():
                return trace_function(request, decisions, trial)

        if self._shapes is not None and self._signature is None:
            return self._shapes.trace(args, kwargs, leaves, trace, reason)
        concrete = trace(args, reason)
        self._retracing.learn(key, concrete)
        return concrete

    # -- inspection ---------------------------------------------------------------------------------

    def get_concrete_function(self, /, *args: Any, **kwargs: Any) -> ConcreteFunction:
        """The trace for arguments, or for ``TensorSpec`` and types that describe them."""
        if self._signature is not None and not kwargs:
            args = self._signature.completed(args)
        args, kwargs = self._bound(args, kwargs)
        leaves: list[Any] = []
        key = self._key(args, kwargs, leaves)
        return self._known(key, leaves) or self._trace_for(key, args, kwargs, leaves)

    def pretty_printed_concrete_signatures(self) -> str:
        """The signatures of the traces, one a line."""
        return "\n".join(concrete.signature for concrete in self._order)

    def explain(self, /, *args: Any, **kwargs: Any) -> explain.Explanation:
        """What became of the function: its traces and why they were made, its statements, what runs where.

        Prints as text; ``.traces`` and ``.statements`` hold the same as data.
        """
        if args or kwargs:
            lines: Lines = Counter()
            try:
                with recording_lines(lines):
                    self.get_concrete_function(*args, **kwargs)
            except AutographError as error:
                fallback = self.fallback.allows(error)
                if not fallback and not isinstance(error, StagingError):
                    raise
                return explain.refused(self.name, error, lines, fallback)
        return explain.explanation(self.name, self._order)

    @property
    def input_signature(self) -> tuple[Any, ...] | None:
        """The specs of the arguments, where it was decorated with some."""
        return None if self._signature is None else self._signature.specs

    @property
    def concrete_functions(self) -> list[ConcreteFunction]:
        return list(self._order)

    def __repr__(self) -> str:
        return f"<function {self.name}, {self.trace_count} traces>"


_CALL = Function.__call__  # where calls go for which machine code has no table


def made_again(python_function: Callable[..., Any], **options: Any) -> Function[Any, Any]:
    """By name, for pickles: the name of the class is that of each function."""
    return Function(python_function, **options)


def _is_recorded() -> bool:
    """Does a tape record what is called in this thread?"""
    return is_loaded(recording) and bool(recording.records())


def check_source(function: Callable[..., Any]) -> None:
    """No source: refused when the function is decorated, not at its first call."""
    from autograph import conversion_of

    inner: Any = function
    while isinstance(inner, functools.partial):
        inner = inner.func
    inner = getattr(inner, "__func__", inner)
    if hasattr(inner, "__code__") and not isinstance(inner, type):
        conversion_of(inner, marked=True)


__all__ = ["ConcreteFunction", "Function", "PathEnded"]
