"""The promise, tested: a decorated function means what the undecorated one means, or is refused.

`check(f, *calls)` runs plain Python and the decorated `f` side by side on equal inputs, call after call, and
compares results, types, printed lines, warnings, exceptions (type, message, the user's line), and what
happened to arguments, globals, closure cells and objects. `check_converted` does the same for
`autograph.convert` on plain values. Where `f` needs a world of its own (a class, a closure, a decorator
in the middle, a change between two calls), write a scenario: a function of the decorator.

>>> def double(x):
...     return x * 2
>>> run_plain(lambda decorate: decorate(double), [Call(21)])[0].value
42

    def scale_changes(function):
        scale = 2.0

        @function
        def f(x):
            return x * scale

        first = f(A)
        scale = 3.0
        return first, f(A)

    check_scenario(scale_changes)
"""

from __future__ import annotations

import contextlib
import copy
import dataclasses
import inspect
import io
import os
import sys
import traceback
import types
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import tests.quiet  # noqa: F401
from autograph import errors
from autograph.registry import register_stage, unregister_stage
from autograph.staging import Stage
from tests.observation import EXACT, Observer, Seen, Tolerance, first_difference, same_text
from tests.world import World, user_functions

Decorator = Callable[[Any], Any]
Engine = str | Decorator

ENGINES = ("numpy", "native")
#: Those that `check` tries unless it is told. Both run the same trace, which takes most of the time: so the
#: suite tries machine code, which people get, and `make test-all` NumPy, too (see tests/conftest.py).
usual_engines: list[Engine] = ["native"]
#: The native engine may order the additions of a sum differently: a few units in the last place.
TOLERANCES = {"numpy": EXACT, "native": Tolerance(relative=1e-13), "convert": EXACT, "jax": Tolerance(1e-12)}

Maker = Callable[[Decorator], Any]


class Call:
    """The arguments of one call.

    >>> Call(1, key=2)
    Call(1, key=2)
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self.args, self.kwargs = args, kwargs

    def fresh(self) -> tuple[tuple[Any, ...], dict[str, Any]]:
        return copy.deepcopy((self.args, self.kwargs))

    def __repr__(self) -> str:
        named = [f"{name}={value!r}" for name, value in self.kwargs.items()]
        return f"Call({', '.join([*map(repr, self.args), *named])})"


class CallOf(Call):
    """Arguments that are made anew for each run: views of one array, read-only arrays, iterators.

    >>> import numpy as np
    >>> CallOf(lambda: (base := np.zeros(3), base[1:]))
    CallOf(array([0., 0., 0.]), array([0., 0.]))
    """

    def __init__(self, make: Callable[[], tuple[Any, ...]]) -> None:
        self.make = make

    def fresh(self) -> tuple[tuple[Any, ...], dict[str, Any]]:
        return self.make(), {}

    def __repr__(self) -> str:
        return f"CallOf({', '.join(map(repr, self.make()))})"


@dataclasses.dataclass
class Outcome:
    """What one call did, as far as anybody outside can see."""

    seen: Seen
    value: Any = None
    exception: BaseException | None = None
    line: int | None = None
    printed: str = ""
    warned: list[tuple[str, str, int]] = dataclasses.field(default_factory=list)
    before: Seen | None = None

    @property
    def refused(self) -> bool:
        return isinstance(self.exception, errors.AutographError)

    def __str__(self) -> str:
        if self.exception is None:
            return f"returned {self.value!r}"
        return f"raised {type(self.exception).__name__}: {self.exception} (line {self.line})"


class Difference(AssertionError):
    """The decorated program did something else than plain Python."""


class Refused(AssertionError):
    """The decorated program was refused where it should run."""


def check(
    f: Any, *calls: Any, engines: Iterable[Engine] = usual_engines, may_refuse: bool = False, **options: Any
) -> bool:
    """Compare `rt.function(f)` with `f` over several calls; False when it was (and might be) refused.

    A call is a `Call`, or a tuple of arguments.
    """
    return check_maker(_maker(f), *calls, engines=engines, may_refuse=may_refuse, **options)


def check_converted(f: Any, *calls: Any) -> None:
    """Compare `autograph.convert(f)` with `f` on plain values: the same program, never refused.

    >>> check_converted(lambda x: x + 1 if x > 0 else -x, (1,), (-2,))
    """
    check_maker(_maker(f), *calls, engines=("convert",))


def check_scenario(scenario: Maker, *, engines: Iterable[Engine] = usual_engines, **options: Any) -> bool:
    """Compare the whole of `scenario(rt.function)` with `scenario(lambda f: f)`."""
    make = lambda decorate: lambda: scenario(decorate)
    return check_maker(make, (), engines=engines, scenario=True, **options)


def check_maker(
    make: Maker,
    *calls: Any,
    engines: Iterable[Engine] = usual_engines,
    may_refuse: bool = False,
    any_zero: bool = False,
    scenario: bool = False,
    source: str | None = None,
) -> bool:
    """`check` for `make(decorate)`, which makes the function to be called."""
    wanted = [call if isinstance(call, Call) else Call(*call) for call in calls]
    world = World()
    try:
        expected = run_plain(make, wanted, world)
        refused: Refused | None = None
        for engine in engines:
            tolerance = TOLERANCES.get(engine, EXACT)
            tolerance = dataclasses.replace(tolerance, any_zero=any_zero)
            with registered(Stage()) if engine == "convert" else contextlib.nullcontext():
                got = _run(make, wanted, decorator(engine), world)
            for number, (plain, other) in enumerate(zip(expected, got, strict=True)):
                where = _Place(make, engine, number, wanted[number], source)
                if other.refused and not plain.refused:
                    _check_refusal(other, where)
                    if not scenario:  # where other calls came before, they had effects
                        _check_no_effect(other, where)
                    refused = refused or _refused(other, where)
                    break
                _compare(plain, other, tolerance, where)
        if refused is not None and not may_refuse:
            raise refused
        return refused is None
    finally:
        world.restore()


def decorator(engine: Engine) -> Decorator:
    """`autograph.convert` for "convert", `rt.function` on an engine, or a decorator as it is."""
    if not isinstance(engine, str):
        return engine
    if engine == "convert":
        import autograph

        return autograph.convert
    import runtime

    return lambda f: runtime.function(f, engine=engine)


@contextlib.contextmanager
def registered(stage: Stage) -> Iterator[Stage]:
    """The stage is registered within the block; with none, converted functions run their own statements."""
    register_stage(stage)
    try:
        yield stage
    finally:
        unregister_stage(stage)


def attempt(f: Any, *args: Any, **kwargs: Any) -> Any:
    """Call inside a scenario: ("returned", value), or ("raised", exception, line of the user's code)."""
    try:
        return "returned", f(*args, **kwargs)
    except errors.AutographError:
        raise
    except Exception as error:
        return "raised", error, _user_line(error)


def run_plain(make: Maker, calls: Sequence[Call], world: World | None = None) -> list[Outcome]:
    """What plain Python does."""
    return _run(make, calls, lambda f: f, world or World())


def _maker(f: Any) -> Maker:
    # A copy of a bound method or of a callable object has a `self` of its own, a function is itself.
    return lambda decorate: decorate(copy.deepcopy(f))


def _run(make: Maker, calls: Sequence[Call], decorate: Decorator, world: World) -> list[Outcome]:
    originals: list[Any] = []

    def recording(f: Any, **options: Any) -> Any:
        originals.append(f)
        return decorate(f, **options) if options else decorate(f)

    world.restore()
    try:
        f = make(recording)
    except Exception as error:  # refused when decorated
        observed = Seen("failed to decorate")
        return [Outcome(observed, exception=error, line=_user_line(error), before=observed)] * len(calls)
    world.discover([make, *originals])
    return [_one_call(f, originals, call, world) for call in calls]


def _one_call(f: Any, originals: list[Any], call: Call, world: World) -> Outcome:
    args, kwargs = call.fresh()

    def look(result: Any) -> Seen:
        everything = {"arguments": [*args, kwargs], "result": result, **world.state(originals)}
        return Observer().see(everything)

    before = look(None)
    value, exception, line = None, None, None
    with _watched_output() as (printed, warned):
        try:
            value = f(*args, **kwargs)
        except Exception as error:
            exception, line = error, _user_line(error)
    lines = [(w.category.__name__, str(w.message), w.lineno) for w in warned if is_user_file(w.filename)]
    return Outcome(look(value), value, exception, line, printed.getvalue(), lines, before)


@contextlib.contextmanager
def _watched_output() -> Any:
    printed = io.StringIO()
    with (
        warnings.catch_warnings(record=True) as warned,
        contextlib.redirect_stdout(printed),
        contextlib.redirect_stderr(printed),
    ):
        warnings.simplefilter("always")
        warnings.filterwarnings("ignore", category=RuntimeWarning)  # NumPy's floating-point ones may differ
        yield printed, warned


_OURS = tuple(
    os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), room) + os.sep
    for room in ("autograph", "runtime")
)
_HARNESS = tuple(os.path.splitext(os.path.abspath(__file__))[0] + ending for ending in (".py", ".pyc"))


def is_user_file(filename: str) -> bool:
    """Is this the file of a tested program: none of ours, none of Python's or NumPy's?"""
    if filename.startswith(_OURS) or filename in _HARNESS or "site-packages" in filename:
        return False
    if filename == "<string>":  # what `dataclasses` writes
        return False
    return not filename.startswith((os.path.dirname(os.__file__) + os.sep, "<frozen"))


def _may_name_another_line(error: BaseException | None) -> bool:
    """Python 3.11 names a line beside it for an unbound variable, once the code has run a few times.

    (Two instructions have become one by then, and the line is that of the first or the next.)
    """
    return sys.version_info < (3, 12) and isinstance(error, UnboundLocalError)


def _user_line(error: BaseException) -> int | None:
    lines = [line for frame, line in traceback.walk_tb(error.__traceback__) if _is_user_frame(frame)]
    return lines[-1] if lines else None


def _is_user_frame(frame: types.FrameType) -> bool:
    return is_user_file(frame.f_code.co_filename)


@dataclasses.dataclass
class _Place:
    make: Maker
    engine: Engine
    number: int
    call: Call
    source: str | None

    def __str__(self) -> str:
        return (
            f"{program_text(self.make, self.source)}\nengine {self.engine}, call {self.number}: {self.call}"
        )


def program_text(make: Maker, source: str | None = None) -> str:
    """The source of the functions that a maker reaches, for the message."""
    if source is not None:
        return source
    texts = []
    for function in user_functions([make]):
        if is_user_file(function.__code__.co_filename):
            with contextlib.suppress(OSError, TypeError):
                texts.append(inspect.getsource(function))
    return "\n".join(dict.fromkeys(texts)) or repr(make)


def _compare(plain: Outcome, other: Outcome, tolerance: Tolerance, where: _Place) -> None:
    found = (
        _exception_difference(plain, other, tolerance)
        or first_difference(plain.seen, other.seen, tolerance)
        or _text_difference(plain.printed, other.printed, tolerance)
    )
    if found is None and plain.warned != other.warned:
        found = f"warnings: expected {plain.warned}, got {other.warned}"
    if found:
        difference = Difference(f"{found}\nplain Python {plain}\ndecorated    {other}\n\n{where}")
        raise difference from other.exception


def _exception_difference(plain: Outcome, other: Outcome, tolerance: Tolerance) -> str | None:
    a, b = plain.exception, other.exception
    if a is None or b is None:
        return None if a is b else f"exception: expected {plain}, got {other}"
    if type(a).__qualname__ != type(b).__qualname__ or not same_text(str(a), str(b), tolerance):
        return f"exception: expected {type(a).__name__}: {a}, got {type(b).__name__}: {b}"
    if plain.line != other.line and not _may_name_another_line(plain.exception):
        return f"exception's line: expected {plain.line}, got {other.line}"
    if type(a.__cause__) is not type(b.__cause__) or str(a.__cause__) != str(b.__cause__):
        return f"exception's cause: expected {a.__cause__!r}, got {b.__cause__!r}"
    return first_difference(Observer().see(a), Observer().see(b), tolerance, "exception")


def _text_difference(expected: str, got: str, tolerance: Tolerance) -> str | None:
    if same_text(expected, got, tolerance):
        return None
    return f"printed: expected\n{_indented(expected)}got\n{_indented(got)}"


def _indented(text: str) -> str:
    return "".join(f"    {line}\n" for line in text.splitlines()) or "    (nothing)\n"


def _refused(refusal: Outcome, where: _Place) -> Refused:
    made = Refused(f"refused:\n{refusal.exception}\n\n{where}")
    made.__cause__ = refusal.exception
    return made


def _check_refusal(refusal: Outcome, where: _Place) -> None:
    error = refusal.exception
    assert isinstance(error, errors.AutographError)
    if isinstance(error, errors.InternalError):
        raise Difference(f"an internal error:\n{error}\n\n{where}") from error
    missing = what_a_refusal_lacks(error)
    if missing:
        raise Difference(f"a refusal without {missing}:\n{error}\n\n{where}") from error


def _check_no_effect(refusal: Outcome, where: _Place) -> None:
    error = refusal.exception
    assert refusal.before is not None
    found = first_difference(refusal.before, refusal.seen)
    if found or refusal.printed:
        effect = found or f"printed {refusal.printed!r}"
        raise Difference(f"a refused call had an effect: {effect}\n{error}\n\n{where}") from error


def what_a_refusal_lacks(error: errors.AutographError) -> str | None:
    """A refusal names the user's file, the line and what to write instead; say which of them it does not."""
    if not error.file or not is_user_file(error.file):
        return f"the user's file (it says {error.file})"
    if not error.line:
        return "a line"
    if not error.hint:
        return "a hint"
    if os.path.basename(error.file) not in str(error) or str(error.line) not in str(error):
        return "file and line in its text"
    return None
