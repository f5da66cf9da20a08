"""Operations with blocks, ``if``, ``while``, ``for``, ``try``; calls within a graph; exceptions.

Engines run blocks, the tracer types them.

    y: i64 = @factorial(n)

The attribute ``function`` of ``call_function`` is its name in ``graph.functions``; ``effects`` is what a call
does, the calls that it makes itself included (`graph/functions.py` finds out). ``remat``: a gradient
computes it again (`gradients/remat.py`).

A ``try`` has a body and a handler. The handler's parameters are the exception and the values that variables
had when it was raised; ``landing(*values) {region}`` in the body says what those are from there on.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from autograph.errors import StagingError
from runtime.ops.definition import BY_SWEEP, MAY_RAISE, PURE, Effects, family, refused
from runtime.types import BOOL, CLASS, EXCEPTION, INT, OBJECT, STR, Type

block_op = family("control flow", vjp=BY_SWEEP)

for _name in ("if", "while", "for", "try"):
    block_op(_name, None, None)  # its effects are besides those of what stands in the blocks

CALL = "call_function"

#: what a call may do before anything is known: a recursion may always be too deep
UNKNOWN_EFFECTS = Effects(ordered=True, may_raise=True)

#: the types are those of the function's results
block_op(CALL, None, None, lambda types, function, effects, remat=False: effects)


# -- exceptions ----------------------------------------------------------------------------------------

HANDLER = refused("what a handler of an exception knows")
op = family("control flow", vjp=HANDLER)


op(
    "landing",  # run by the engines: the values go to the parameters of the handler of ``region``
    lambda *values, region: None,
    lambda types, region: (),
    Effects(ordered=True, reads=False, touches="arrays"),
)


def is_instance(value: Any, *, types: Any) -> bool:
    return isinstance(value, types)


op("is_instance", is_instance, lambda types_, types: BOOL, lowered=("exception",))


op("is_subclass", lambda cls, *, types: issubclass(cls, types), lambda types_, types: BOOL)


# -- exceptions that only a run knows --------------------------------------------------------------------


def ask(name: str, kernel: Callable[..., Any], result: Type | None, effects: Effects = PURE) -> None:
    """A question about one object; without ``result`` its type is the attribute ``type``."""
    op(name, kernel, lambda types_, type=None, name=None: result or type, effects)


def kind_of_argument(error: BaseException) -> int:
    """0: its only argument is a text, 1: an int, the key of a KeyError say. Raises StagingError for others.

    >>> kind_of_argument(ValueError("no")), kind_of_argument(KeyError(3))
    (0, 1)
    """
    if len(error.args) == 1 and type(error.args[0]) in (str, int):
        return int(type(error.args[0]) is int)
    raise StagingError(
        f"the arguments of this {type(error).__name__} are {error.args!r}, "
        "and those of an exception that an operation raises are staged as one text or int",
        hint="use str(e), or handle this class of exceptions outside the decorated function",
    )


def argument_of(error: BaseException, *, type: Type) -> Any:
    """The argument, where it is of this type; else any value of the type."""
    cls = str if type == STR else int
    return error.args[0] if error.args and isinstance(error.args[0], cls) else cls()


ask("class_of", type, CLASS)
ask("class.name", lambda cls, *, name: getattr(cls, name), STR)
ask("exception.traceback", lambda error: error.__traceback__, OBJECT)
ask("exception.kind", kind_of_argument, INT, MAY_RAISE)
ask("exception.argument", argument_of, None)
ask("exception.suppresses", lambda error: error.__suppress_context__, BOOL, Effects(ordered=True))
ask("exception.related", lambda error, *, name: getattr(error, name), EXCEPTION, Effects(ordered=True))
