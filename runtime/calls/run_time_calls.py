"""Calls of functions that act on the world or depend on it: warnings, logging, clocks, random numbers.

Each becomes an ordered operation that makes the call at that point of every run, on the real objects. What it
returns has a type that is known beforehand: from a table, or from a trial on a copy of the generator.

    log.info("step %d", i)        rng.normal(size=3)        time.perf_counter()        warnings.warn("late")

Who listens to what a run tells: a log's handlers, `warnings.showwarning`, what stands for `sys.stdout`.

Their code is called by each run, where no trace sees what it changes. So code of the user's that may change
something is refused, and a guard says that none has come since. So are streams that it writes to itself.
"""

from __future__ import annotations

import itertools
import sys
import warnings
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from autograph.errors import user_frame
from autograph.loading import loaded_classes
from autograph.records import record
from runtime.allowed import Callee, Way, entry_named
from runtime.calls import texts
from runtime.engines.tracebacks import calling_at
from runtime.graph.user_locations import user_location
from runtime.guards.paths import Constant
from runtime.numpy_calls import whole
from runtime.objects.acting import acts_unseen, is_library_code
from runtime.objects.real_objects import with_objects
from runtime.ops import draws
from runtime.ops.instances import attributes, has_dict, is_user_instance
from runtime.ops.objects import stderr
from runtime.ops.template import Make
from runtime.staged.containers import without_choices
from runtime.staged.objects import MethodOfMade
from runtime.tracer.builder import Staged, emit, type_of_staged
from runtime.tracer.spec import Choice, make_template
from runtime.types import ArrayType, NumberType, ObjectType, ScalarType, Type

if TYPE_CHECKING:
    from runtime.tracer.trace import Trace


_GENERATORS = (np.random.Generator, np.random.RandomState)
#: what a run makes
_MADE = {np.random.default_rng: "Generator", np.random.RandomState: "RandomState"}


def run_time_call(
    trace: Trace, function: Any, entry: Callee | None, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """The result of a call that each run makes; NotImplemented for functions of which the table says else."""
    name, owner = getattr(function, "__name__", ""), getattr(function, "__self__", None)
    if isinstance(function, MethodOfMade):
        return _draw(trace, getattr(np.random, str(function.owner.type)), function.owner, name, args, kwargs)
    if entry is None or entry.way is not Way.IN_RUN:
        return NotImplemented
    if args and isinstance(args[0], _GENERATORS) and getattr(type(args[0]), name, None) is function:
        owner, args = args[0], args[1:]  # converted code passes the object of a bound method itself
    if isinstance(owner, (*_GENERATORS, *loaded_classes("random.Random"))):
        if acts_unseen(owner):
            raise refuse(trace, f"`{type(owner).__name__}.{name}`")
        cls = type(owner)
        if trace.outside.is_outside(owner):  # in a later call another one may stand in its place
            owner = trace.wrap(trace.outside.object_value(owner))
        return _draw(trace, cls, owner, name, args, kwargs, entry)
    if function in _MADE:
        return call_in_run(trace, function, args, kwargs, (ObjectType(_MADE[function]),))
    if function.__module__ in ("_warnings", "logging") and name != "isEnabledFor":
        _require_told(trace, function, name, args, kwargs)
        function = _at_this_line(function)
    return call_in_run(trace, function, args, kwargs, entry.results or ())


def call_in_run(
    trace: Trace,
    function: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    outputs: tuple[Type, ...],
    operation: str = "call",
) -> Any:
    """A call that each run makes, of its own objects."""

    def call(*given: Any) -> Any:
        template, leaves = make_template(with_objects(trace, given, stored=False))
        return emit(operation, leaves, function=function, template=template, outputs=outputs)

    return without_choices((args, kwargs), call)


# -- warnings and logs -------------------------------------------------------------------------------


def _require_told(
    trace: Trace, function: Any, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> None:
    """Refuse a warning or a log that asks for more than the user's line, or that code of theirs hears."""
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
            "put what you need into the message",
        )
    if function.__module__ == "_warnings":
        require_unheard(trace, warnings)
    else:
        texts.require_reading(args, *texts.BY_PERCENT)
        require_unheard(trace, getattr(function, "__self__", None) or sys.modules["logging"].root)


def _at_this_line(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function that is called from the user's line, for those who look who calls them."""
    frame = user_frame(sys._getframe(1))
    namespace: dict[str, Any] = frame.f_globals if frame is not None else {}
    call = calling_at(user_location(), getattr(namespace, "module", namespace))

    def called(*args: Any, **kwargs: Any) -> Any:
        return call(function, args, kwargs)

    called.__name__ = function.__name__
    return called


# -- random numbers ----------------------------------------------------------------------------------


@record(slots=False)
class Method:
    """Calls the method of this class, whatever the own class of the object that comes first has."""

    cls: type
    __name__: str

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        return getattr(self.cls, self.__name__)(*args, **kwargs)


def _draw(
    trace: Trace,
    cls: type,
    owner: Any,
    name: str,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    entry: Callee | None = None,
) -> Any:
    """What a method of a generator gives: its type is in the table, or comes from trials."""
    args, kwargs = whole.unboxed(args), whole.unboxed(kwargs)
    entry = entry or entry_named(f"numpy.random.{cls.__name__}.{name}")
    if entry is None:
        raise trace.refuse(
            f"`{name}` of a {cls.__name__} that is made inside is not staged",
            "call it outside the decorated function, and pass the result",
        )
    results = entry.results
    if results is None:
        results = (trial_type(trace, cls, name, args, kwargs),)
    numbers = draws.numbers_of(cls, name, args, kwargs)
    if numbers is not None and all(map(_is_number, numbers)):
        return call_in_run(trace, Method(cls, name), (owner, *numbers), {}, results, "random.draw")
    return call_in_run(trace, Method(cls, name), (owner, *args), kwargs, results)


def _is_number(value: Any) -> bool:
    return type(value) in (int, float) or isinstance(type_of_staged(value), NumberType | ScalarType)


def trial_type(trace: Trace, cls: type, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Type:
    """What the method returns, from two trials with other values in the place of staged ones."""
    make = np.random.RandomState if issubclass(cls, np.random.RandomState) else np.random.default_rng
    try:
        found, other = [_trial(getattr(make(0), name), args, kwargs, more) for more in (0, 1)]
    except (TypeError, ValueError) as error:
        raise trace.refuse(
            f"`{name}` of a random generator cannot be staged with these arguments: {error}",
            "draw the numbers outside the decorated function, or give it plain numbers and a plain size",
        ) from None
    if isinstance(found, np.ndarray):
        lengths = zip(found.shape, other.shape, strict=True)
        return ArrayType(found.dtype, tuple([n if n == m else None for n, m in lengths]))
    if isinstance(found, np.generic):
        return ScalarType(found.dtype)
    if type(found) in (bool, int, float):
        return NumberType(type(found).__name__)
    raise trace.refuse(
        f"`{name}` of a random generator returns a {type(found).__name__}", "draw numbers or arrays"
    )


def _trial(method: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], more: int) -> Any:
    """What it gives for growing numbers in the place of staged ones, so that ranges are ranges."""
    count = itertools.count(1 + more)

    def sample(arg: Any) -> Any:
        if isinstance(arg, tuple | list):
            return type(arg)(map(sample, arg))
        if not isinstance(arg, Staged):
            return arg
        kind = arg.type
        if isinstance(kind, ObjectType):
            raise TypeError("an argument is a Python object known only at run time")
        number = next(count) * (0.1 if kind.dtype.kind == "f" else 1)
        if not isinstance(kind, ArrayType):
            return kind.dtype.type(number) if isinstance(kind, ScalarType) else number
        values = np.full([2 + more if n is None else n for n in kind.shape], number)
        if method.__name__ == "choice" and kind.dtype.kind == "f":  # probabilities, perhaps
            values = values / values.sum()
        return values.astype(kind.dtype)

    return method(*map(sample, args), **{key: sample(arg) for key, arg in kwargs.items()})


if TYPE_CHECKING:
    from autograph.errors import StagingError
    from runtime.tracer.trace import Trace


def writer_of(stream: Any) -> Any:
    """What is called to write to a stream: its method, or what the stream holds in its place."""
    held = attributes(stream) if is_user_instance(stream) else vars(stream) if has_dict(stream) else {}
    return held.get("write", stream)


def is_users_stream(file: Any) -> bool:
    """Does code of the user's write to this stream?"""
    if isinstance(file, Staged | Choice):
        return False
    hides_method = writer_of(file) is not file
    return hides_method or not all(is_library_code(base.__module__) for base in type(file).__mro__)


def require_plain(trace: Trace, stream: Any) -> None:
    """Refuse to write to a stream of the user's, whose own code no trace sees."""
    if any(map(is_users_stream, stream.values if isinstance(stream, Choice) else [stream])):
        raise trace.refuse(
            "this writes to a stream of yours, whose own code each run would call unseen",
            "write to a stream of Python's, such as io.StringIO(), and read that after the call",
        )


def run_time_stream(trace: Trace, file: Any) -> Any:
    """The ``file`` of a print: the streams of ``sys`` as they are then, or the object itself."""
    if file is sys.stdout:
        return None
    if file is sys.stderr:
        return Make(stderr)
    if trace.outside.is_outside(file):
        return trace.wrap(trace.outside.object_value(file))
    return file


def require_unheard(trace: Trace, teller: Any) -> None:
    """Refuse what code of the user's would hear. ``teller``: `sys` of a print, `warnings`, or a logger."""
    what, find = _TELLERS.get(teller) or (f"a log ({attributes(teller)['name']})", _of_log)

    def is_heard(teller: Any) -> bool:
        return any(map(acts_unseen, find(teller)))

    if is_heard(teller):
        raise refuse(trace, what)
    trace.outside.definitions.guard_once(
        Constant(teller, what), lambda s, n: f"not {n.of(is_heard)}({s})", "where no code of yours listens"
    )


def refuse(trace: Trace, what: str) -> StagingError:
    """The error where such a call would run code of the user's."""
    return trace.refuse(
        f"{what} calls code of yours in each run, and no trace sees what that changes",
        "return what it needs, and call it outside the decorated function",
    )


def _of_log(logger: Any) -> Iterable[Any]:
    yield logger
    yield getattr(sys.modules["logging"], "_logRecordFactory", None)
    while logger is not None:
        held = attributes(logger)
        yield from held["filters"]
        for handler in held["handlers"]:
            own = attributes(handler)
            yield from (handler, own.get("formatter"), writer_of(own.get("stream")), *own.get("filters", ()))
        logger = held["parent"] if held["propagate"] else None


_TELLERS: dict[Any, tuple[str, Callable[[Any], Iterable[Any]]]] = {
    sys: ("a print", lambda told: [writer_of(told.stdout)]),
    warnings: ("a warning", lambda told: [told.showwarning, told.formatwarning, writer_of(sys.stderr)]),
}
