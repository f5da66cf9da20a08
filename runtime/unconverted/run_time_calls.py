"""Calls of functions that act on the world or depend on it: warnings, logging, clocks, random numbers.

Each becomes an ordered operation that makes the call at that point of every run, on the real objects. What it
returns has a type that is known beforehand: from a table, or from a trial on a copy of the generator.

    log.info("step %d", i)        rng.normal(size=3)        time.perf_counter()        warnings.warn("late")
"""

from __future__ import annotations

import copy
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from autograph.errors import user_frame
from autograph.loading import loaded_classes
from autograph.records import record
from runtime.allowed import Callee, Way, entry_named
from runtime.engines.tracebacks import calling_at
from runtime.graph.user_locations import user_location
from runtime.objects.real_objects import with_objects
from runtime.staged.containers import without_choices
from runtime.staged.objects import MethodOfMade
from runtime.tracer.builder import Staged, emit
from runtime.tracer.templates import make_template
from runtime.types import ArrayType, NumberType, ObjectType, ScalarType, Type
from runtime.unconverted.listeners import note_log, note_warning

if TYPE_CHECKING:
    from runtime.tracer.trace import Trace

_GENERATORS = (np.random.Generator, np.random.RandomState)


def run_time_call(
    trace: Trace, function: Any, entry: Callee | None, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """The result of a call that each run makes; NotImplemented for functions of which the table says else."""
    if isinstance(function, MethodOfMade):
        return _of_made(trace, function, args, kwargs)
    if entry is None or entry.way is not Way.IN_RUN:
        return NotImplemented
    name, owner = function.__name__, getattr(function, "__self__", None)
    if args and isinstance(args[0], _GENERATORS) and getattr(type(args[0]), name, None) is function:
        owner, args = args[0], args[1:]  # converted code passes the object of a bound method itself
    if isinstance(owner, (*_GENERATORS, *loaded_classes("random.Random"))):
        trace.acting.note(f"`{type(owner).__name__}.{name}`", [owner])
        results = _results(trace, entry, lambda: copy.deepcopy(owner), name, args, kwargs)
        method = Method(type(owner), name)
        if trace.outside.is_outside(owner):  # in a later call another one may stand in its place
            owner = trace.wrap(trace.outside.object_value(owner))
        return call_in_run(trace, method, (owner, *args), kwargs, results)
    if function in _MADE:
        return call_in_run(trace, function, args, kwargs, (ObjectType(_MADE[function]),))
    if function.__module__ in ("_warnings", "logging") and name != "isEnabledFor":
        return _told(trace, function, name, args, kwargs)
    return call_in_run(trace, function, args, kwargs, entry.results or ())


def call_in_run(
    trace: Trace,
    function: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    outputs: tuple[Type, ...],
) -> Any:
    """A call that each run makes, of its own objects."""

    def call(*given: Any) -> Any:
        template, leaves = make_template(with_objects(trace, given, stored=False))
        return emit("call", leaves, function=function, template=template, outputs=outputs)

    return without_choices((args, kwargs), call)


#: what a run makes
_MADE = {np.random.default_rng: "Generator", np.random.RandomState: "RandomState"}


def _of_made(trace: Trace, method: MethodOfMade, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """A method of an object that the run itself made."""
    owner, name, kind = method.owner, method.__name__, str(method.owner.type)
    entry = entry_named(f"numpy.random.{kind}.{name}")
    if entry is None:
        raise trace.refuse(
            f"`{name}` of a {kind} that is made inside is not staged",
            "call it outside the decorated function, and pass the result",
        )
    make = np.random.default_rng if kind == "Generator" else np.random.RandomState
    results = _results(trace, entry, lambda: make(0), name, args, kwargs)
    return call_in_run(trace, Method(getattr(np.random, kind), name), (owner, *args), kwargs, results)


def _results(
    trace: Trace,
    entry: Callee,
    make: Callable[[], Any],
    name: str,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
) -> tuple[Type, ...]:
    """What the method gives: as the table says, or a trial with a generator that nobody else has."""
    if entry.results is not None:
        return entry.results
    return (trial_type(trace, make(), name, args, kwargs),)


def _told(trace: Trace, function: Any, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """A warning, or a line in a log: told from the user's line."""
    _refuse_frames(trace, name, args, kwargs)
    if function.__module__ == "_warnings":
        note_warning(trace)
    else:
        note_log(trace, getattr(function, "__self__", None) or sys.modules["logging"].root, args)
    return call_in_run(trace, _at_this_line(function), args, kwargs, ())


# -- the user's line ---------------------------------------------------------------------------------


def _at_this_line(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function that is called from the user's line, for those who look who calls them."""
    frame = user_frame(sys._getframe(1))
    namespace: dict[str, Any] = frame.f_globals if frame is not None else {}
    call = calling_at(user_location(), getattr(namespace, "module", namespace))

    def called(*args: Any, **kwargs: Any) -> Any:
        return call(function, args, kwargs)

    called.__name__ = function.__name__
    return called


def _refuse_frames(trace: Trace, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """More than the caller's own line is not known at run time; neither is the exception being handled."""
    levels = [kwargs.get("stacklevel", 1)] + (list(args[2:3]) if name == "warn" else [])
    if any(level != 1 for level in levels):
        raise trace.refuse(
            f"`{name}(stacklevel=...)` asks for callers that a compiled function does not have",
            "leave out `stacklevel`, or call it outside the decorated function",
        )
    asked = (kwargs.get("exc_info"), kwargs.get("stack_info"))
    if name == "exception" or any(one is not None and one is not False for one in asked):
        raise trace.refuse(
            f"`{name}()` asks for the exception or the stack, which a compiled function does not have",
            'put what you need into the message: `except ... as error: log.error("%r", error)`',
        )


# -- random numbers ----------------------------------------------------------------------------------


@record(slots=False)
class Method:
    """Calls the method of this class, whatever the own class of the object that comes first has."""

    cls: type
    __name__: str

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return getattr(self.cls, self.__name__)(*args, **kwargs)


def trial_type(
    trace: Trace, generator: Any, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Type:
    """What ``generator.name(*args, **kwargs)`` returns; draws from ``generator``."""
    samples = _Samples(name)
    try:
        found = getattr(generator, name)(
            *[samples.of(arg, position == _SIZE.get(name)) for position, arg in enumerate(args)],
            **{key: samples.of(arg, key == "size") for key, arg in kwargs.items()},
        )
    except (TypeError, ValueError) as error:
        raise trace.refuse(
            f"`{name}` of a random generator cannot be staged with these arguments: {error}",
            "draw the numbers outside the decorated function, or give it plain numbers and a plain size",
        ) from None
    if isinstance(found, np.ndarray):
        return ArrayType(found.dtype, tuple([None if samples.unknown else n for n in found.shape]))
    if isinstance(found, np.generic):
        return ScalarType(found.dtype)
    if type(found) in (bool, int, float):
        return NumberType(type(found).__name__)
    raise trace.refuse(
        f"`{name}` of a random generator returns a {type(found).__name__}", "draw numbers or arrays"
    )


#: where functions take ``size`` by position
_SIZE = {"random": 0, "standard_normal": 0, "permutation": 0, "normal": 2, "uniform": 2, "integers": 2,
         "randint": 2, "poisson": 1, "exponential": 1, "choice": 1, "binomial": 2}  # fmt: skip


class _Samples:
    """Values to try a function with, in place of staged ones: growing numbers, so that ranges are ranges."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.count = 0
        self.unknown = False  # does a length of the result depend on a staged value?

    def of(self, arg: Any, is_size: bool) -> Any:
        if isinstance(arg, tuple | list):
            return type(arg)([self.of(item, is_size) for item in arg])
        if not isinstance(arg, Staged):
            return arg
        kind = arg.type
        if isinstance(kind, ObjectType):
            raise TypeError("an argument is a Python object known only at run time")
        self.count += 1
        number = 0.1 * self.count if kind.dtype.kind == "f" else self.count
        if not isinstance(kind, ArrayType):
            self.unknown |= is_size or self.name in ("rand", "randn")
            return kind.dtype.type(number) if isinstance(kind, ScalarType) else number
        self.unknown |= None in kind.shape
        values = np.full([2 if n is None else n for n in kind.shape], number)
        if self.name == "choice" and self.count > 1 and kind.dtype.kind == "f":  # probabilities, perhaps
            values = values / values.sum()
        return values.astype(kind.dtype)
