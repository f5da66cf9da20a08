"""Turn `try` into a call that takes its blocks as closures.

>>> from autograph.passes.convert_control_flow import convert_control_flow, show
>>> show(convert_control_flow, '''
... def f(x):
...     try:
...         y = g(x)
...     except ValueError as e:
...         y = h(e)
...     return y
... ''')
def f(x):
    y = ag__.Undefined('y')
<BLANKLINE>
    def get_state():
        return (y,)
<BLANKLINE>
    def set_state(state):
        nonlocal y
        y, = state
<BLANKLINE>
    def try_body():
        nonlocal y
        y = g(x)
<BLANKLINE>
    def except_body(e):
        nonlocal y
        y = h(e)
    ag__.try_stmt(try_body, ((lambda: ValueError, except_body),), None, None, get_state, set_state, ('y',))
    return y

A `try` around nothing but imports and constants stays: whatever it catches, no staged value raised it.

What `convert_control_flow` offers to those that convert one kind of statement: blocks become closures.
"""

from __future__ import annotations

from typing import Any, Protocol

import gast

from autograph.passes.context import Context
from autograph.template import assign, constant, locate, name, thunk


class Closures(Protocol):
    """The conversion of one function, as far as a statement needs it."""

    context: Context

    def closure(
        self,
        kind: str,
        parameter: str | None,
        statements: list[Any],
        state: tuple[str, ...],
        at: Any,
        first: list[Any] | None = None,
        depth: int = 0,
        last: Any = None,
    ) -> Any:
        """A block as a function without result."""

    def call(self, kind: str, arguments: list[Any], state: tuple[str, ...], at: Any) -> Any:
        """`ag__.kind(arguments, get_state, set_state, names)`."""

    def undefined_again(self, variable: str, at: Any) -> Any:
        """`variable` is unbound from here on."""


def convert_try(conversion: Closures, statement: gast.Try, state: tuple[str, ...]) -> list[Any]:
    """The closures, and the call of `ag__.try_stmt`."""
    made = [conversion.closure("try_body", None, statement.body, state, statement)]
    handlers = []
    for depth, handler in enumerate(statement.handlers):
        made.append(_handler_closure(conversion, handler, depth, state))
        types = constant(None, handler) if handler.type is None else thunk(handler.type)
        pair = gast.Tuple([types, name(made[-1].name, handler)], gast.Load())
        handlers.append(locate(pair, handler))
    arguments: list[Any] = [
        name(made[0].name, statement),
        locate(gast.Tuple(handlers, gast.Load()), statement),
    ]
    for kind, block in (("else_body", statement.orelse), ("finally_body", statement.finalbody)):
        if block:
            made.append(conversion.closure(kind, None, block, state, statement))
            arguments.append(name(made[-1].name, statement))
        else:
            arguments.append(constant(None, statement))
    return [*made, conversion.call("try_stmt", arguments, state, statement)]


def _handler_closure(
    conversion: Closures, handler: gast.ExceptHandler, depth: int, state: tuple[str, ...]
) -> Any:
    """`except E as e: ...` as a function of the exception. Python unbinds `e` at the end of the block."""
    kind = "except_body"
    if handler.name is None or handler.name.id not in state:
        # The exception that has no name gets one that nobody reads: `_` may be the user's.
        parameter = conversion.context.fresh("error") if handler.name is None else handler.name.id
        # What is raised in the block keeps its frame alive, which is not to keep what was caught. (In text,
        # `e` is gone with the closure.)
        forget = assign(parameter, constant(None, handler), handler)
        last = forget if conversion.context.options.flatten_chains and may_raise(handler.body) else None
        return conversion.closure(kind, parameter, handler.body, state, handler, depth=depth, last=last)
    parameter = conversion.context.fresh("error")
    bind = locate(gast.Assign([_target(handler)], name(parameter, handler), None), handler)
    unbind = conversion.undefined_again(handler.name.id, handler)
    return conversion.closure(kind, parameter, handler.body, state, handler, [bind], depth=depth, last=unbind)


def may_raise(body: list[Any]) -> bool:
    """Can an exception leave these statements?"""
    return not all(isinstance(statement, (gast.Pass, gast.Break, gast.Continue)) for statement in body)


def _target(handler: gast.ExceptHandler) -> Any:
    return name(handler.name.id, handler, gast.Store())
