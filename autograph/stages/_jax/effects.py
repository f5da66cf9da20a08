"""f-strings, `print`, `assert` and `raise` with values that are known at run time only.

They become callbacks from the compiled program, in program order, under the staged conditions around them.

>>> import jax
>>> def shout(x): staged_print(("x =", x), {})
>>> jax.jit(shout)(3); jax.effects_barrier()
x = 3
"""

from __future__ import annotations

import logging
import sys
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import CodeType, FrameType
from typing import Any, NoReturn

import jax
import jax.numpy as jnp

from autograph.errors import AutographError, StagingError, error_at_frame, user_frame
from autograph.operators import fstr
from autograph.operators.exceptions import try_stmt
from autograph.stages._jax import paths
from autograph.stages._jax.branches import truth
from autograph.stages._jax.choices import known
from autograph.stages._jax.places import PathEnds
from autograph.stages._jax.texts import Percent
from autograph.stages._jax.texts import StagedText as StagedText
from autograph.stages._jax.tracing import is_staged
from autograph.stages._jax.unknown import SUSPECTS, refusal
from autograph.staging import NOTHING, Handler


class _Shown:
    """What an object looks like while tracing, for it may change before the text is needed."""

    def __init__(self, value: Any) -> None:
        self.text, self.code = str(value), repr(value)

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return self.code


class Template:
    """A Python structure with arrays in it, which are taken out and filled in at run time."""

    def __init__(self, value: Any) -> None:
        leaves, self._treedef = jax.tree_util.tree_flatten(_resolved(value), is_leaf=lambda v: v is None)
        self._is_array = [isinstance(leaf, jax.Array) for leaf in leaves]
        self.arrays = [leaf for leaf, dynamic in zip(leaves, self._is_array, strict=True) if dynamic]
        self._leaves = [None if d else _lasting(v) for v, d in zip(leaves, self._is_array, strict=True)]

    def fill(self, arrays: Any) -> Any:
        """The structure, with these arrays."""
        parts = iter(arrays)
        leaves = [
            next(parts) if dynamic else leaf
            for leaf, dynamic in zip(self._leaves, self._is_array, strict=True)
        ]
        return _formatted(jax.tree_util.tree_unflatten(self._treedef, leaves))


def _resolved(value: Any) -> Any:
    """Texts as structures of their pieces, choices as what they are known to be."""
    value = known(value)
    if isinstance(value, StagedText):
        return _Pieces(*map(_resolved, value.pieces))
    if isinstance(value, Percent):
        return Percent(value.text, _resolved(value.values))
    if type(value) in (tuple, list):
        return type(value)(map(_resolved, value))
    if type(value) is dict:
        return {key: _resolved(part) for key, part in value.items()}
    return value


class _Pieces(tuple[Any, ...]):
    """The pieces of an f-string."""

    def __new__(cls, *pieces: Any) -> _Pieces:
        return super().__new__(cls, pieces)


jax.tree_util.register_pytree_node(_Pieces, lambda p: (tuple(p), None), lambda _, parts: _Pieces(*parts))


def _lasting(value: Any) -> Any:
    if value is None or isinstance(value, (bool, int, float, complex, str, bytes)):
        return value
    return _Shown(value)


def _formatted(value: Any) -> Any:
    if isinstance(value, _Pieces):
        return fstr(*map(_formatted, value))
    if isinstance(value, Percent):
        return value.text % _formatted(value.values)
    if type(value) in (tuple, list):
        return type(value)(map(_formatted, value))
    if type(value) is dict:
        return {key: _formatted(part) for key, part in value.items()}
    return value


def _record(happen: Callable[[Any], None], template: Template, guard: Any) -> None:
    """Let this happen at run time where `guard` holds."""

    def callback(go: Any, *arrays: Any) -> None:
        if go:
            happen(template.fill(arrays))

    jax.debug.callback(callback, jnp.asarray(guard), *template.arrays, ordered=True)


def staged_print(args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """`print(*args, **kwargs)` at run time."""
    options = {key: value for key, value in kwargs.items() if value is not None}
    file = options.pop("file", None)
    if file is not None and file is not sys.stdout and file is not sys.stderr:
        raise error_at_frame(
            StagingError,
            "print to a file happens once, while JAX traces",
            hint="return the values, and print them outside the jitted function",
        )
    to_errors = file is sys.stderr

    def happen(values: Any) -> None:
        print(*values, **options, file=sys.stderr if to_errors else None)

    _record(happen, Template(tuple(args)), paths.condition())


def staged_assert(test: Any, args: tuple[Any, ...]) -> None:
    """`assert test, *args` at run time; `test` is a bool, perhaps staged."""
    failed = jnp.logical_and(paths.condition(), jnp.logical_not(test))
    _record_raise(AssertionError, args, {}, None, failed)


def staged_raise(exception: Any, cause: Any) -> NoReturn:
    """`raise exception from cause` under a staged condition; ends the block that is being traced."""
    if exception is NOTHING:
        raise error_at_frame(
            StagingError,
            "a bare `raise` under a staged condition is not supported",
            hint="name the exception: `raise error`",
        )
    _refuse_where_tried("an exception is raised")
    made = exception() if isinstance(exception, type) else exception
    held = dict(made.__dict__)
    _record_raise(type(made), made.args, held, None if cause is NOTHING else cause, paths.condition())
    raise PathEnds


def _record_raise(kind: type[BaseException], args: Any, held: dict[str, Any], cause: Any, guard: Any) -> None:
    raised_at = _raiser()

    def happen(values: Any) -> None:
        arguments, attributes = values
        error = kind.__new__(kind, *arguments)
        error.args = arguments
        error.__dict__.update(attributes)
        error.__cause__ = cause
        _raised.add(id(error))
        _recent.append(error)
        exec(raised_at, {"error": error})

    _record(happen, Template((tuple(args), held)), guard)


def _raiser() -> CodeType:
    """Code that raises `error` at the user's line, for the traceback to show."""
    frame = user_frame(sys._getframe())
    file, line, name = ("<unknown>", 1, "") if frame is None else _place_of(frame)
    return compile("\n" * (line - 1) + "raise error", file, "exec").replace(co_name=name)


def _place_of(frame: FrameType) -> tuple[str, int, str]:
    return frame.f_code.co_filename, frame.f_lineno, frame.f_code.co_name


def _as_raised(wrapped: BaseException) -> BaseException | None:
    """The exception of the program that JAX wrapped so."""
    said = str(wrapped)
    for error in reversed(_recent):
        if f"{type(error).__name__}: {error}".removesuffix(": ") in said:
            return error
    return None


@contextmanager
def own_exceptions() -> Iterator[None]:
    """In this block (or in calls of a function that it decorates) what a program raises arrives as itself.

    JAX raises a `JaxRuntimeError` in its place. The end of the block waits for the effects of the programs
    that were started, for their exceptions come when they come.
    """
    try:
        yield
        jax.effects_barrier()
        return
    except jax.errors.JaxRuntimeError as wrapped:
        error = _as_raised(wrapped)
        if error is None:
            raise
    place = error.__traceback__
    while place is not None and place.tb_next is not None:
        place = place.tb_next  # the user's line; before it come JAX's and ours
    raise error.with_traceback(place) from error.__cause__


def _is_news(record: logging.LogRecord) -> bool:
    error = record.exc_info[1] if record.exc_info else None
    known = id(error) in _raised
    _raised.discard(id(error))
    return not known


# JAX logs the traceback of a callback that raises, and raises the error. The program's own need not be
# told twice.
_raised: set[int] = set()
_recent: deque[BaseException] = deque(maxlen=20)
logging.getLogger("jax._src.debugging").addFilter(_is_news)


def has_staged(values: Any) -> bool:
    """Is there a staged value among these, or in them?"""
    leaves = jax.tree_util.tree_leaves(_resolved(list(values)))
    return any(map(is_staged, leaves))


def assert_statement(test: Any, message: Callable[[], Any] | None) -> Any:
    """`assert`: None when it was recorded or holds, NotImplemented where Python is to do it."""
    holds = truth(test)
    if not is_staged(holds):
        if holds or not paths.inside():
            return None if holds else NotImplemented
        if paths.tried_in_block():
            return NotImplemented
    _refuse_where_tried("an assertion may fail")
    args: tuple[Any, ...] = ()
    if message is not None:
        with paths.entered(jnp.logical_not(holds)):
            args = (message(),)
    staged_assert(holds, args)
    if not is_staged(holds):
        raise PathEnds
    return None


def raise_statement(exception: Any, cause: Any) -> Any:
    """`raise`: recorded under a staged condition, Python's elsewhere."""
    if not paths.inside() or paths.tried_in_block():
        if has_staged([getattr(exception, "args", ())]):
            raise error_at_frame(
                StagingError,
                "an exception raised while JAX traces has a staged value in it",
                hint="leave the value out of the message",
            )
        return NotImplemented
    staged_raise(exception, cause)


def _refuse_where_tried(what: str) -> None:
    if paths.tried():
        raise error_at_frame(
            StagingError,
            f"{what} under a staged condition, inside a `try` that may catch it",
            hint="compute a flag, and choose with `if` instead of raising",
        )


def try_statement(
    body: Callable[[], Any],
    handlers: tuple[Handler, ...],
    orelse: Callable[[], Any] | None,
    finalbody: Callable[[], Any] | None,
) -> Any:
    """Python's `try`, where handlers catch what the program raises, and not what we refuse."""
    if not handlers:
        return NotImplemented

    def watched() -> None:
        with paths.trying():
            try:
                body()
            except SUSPECTS as error:
                refused = refusal(error)
                if refused is None:
                    raise
                raise refused from error

    clauses = ((lambda: _NOT_THE_PROGRAMS, _again), *((h.types, h.body) for h in handlers))
    try_stmt(watched, clauses, orelse, finalbody, as_python=True)
    return None


class Suppressing:
    """`with suppress(...)`: a `try` in other words."""

    def __init__(self, manager: Any) -> None:
        self.manager = manager
        self._trying = paths.trying()

    def __enter__(self) -> Any:
        self._trying.__enter__()
        return self.manager.__enter__()

    def __exit__(self, kind: Any, error: Any, traceback: Any) -> Any:
        self._trying.__exit__(None, None, None)
        refused = None if error is None else refusal(error)
        if refused is not None:
            self.manager.__exit__(None, None, None)
            raise refused from error
        if kind is not None and issubclass(kind, _NOT_THE_PROGRAMS):
            self.manager.__exit__(None, None, None)
            return False
        return self.manager.__exit__(kind, error, traceback)


def _again(error: BaseException) -> None:
    raise error


_NOT_THE_PROGRAMS = (AutographError, PathEnds)
