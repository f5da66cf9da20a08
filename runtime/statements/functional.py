"""``cond`` and ``while_loop``: control flow as functions, on staged and on concrete values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from autograph.operators import call, if_exp, while_stmt
from runtime.arguments import wrong_argument
from runtime.structures import Node, pack, unpack
from runtime.tracer.builder import Staged, current
from runtime.tracer.call_handlers import handles
from runtime.tracer.spec import Choice


def cond(pred: Any, true_fn: Callable[[], Any], false_fn: Callable[[], Any]) -> Any:
    """``true_fn() if pred else false_fn()``; in the graph when ``pred`` is staged.

    >>> cond(3 > 2, lambda: "yes", lambda: "no")
    'yes'
    """
    for name, given in (("true_fn", true_fn), ("false_fn", false_fn)):
        _check_callable("cond", name, given, "a function without arguments", "lambda: ...")
    if not isinstance(pred, Staged | Choice):
        return if_exp(pred, lambda: call(true_fn), lambda: call(false_fn))
    shapes: list[Node | None] = []

    def packed(function: Callable[[], Any]) -> Any:
        parts, shape = pack(call(function))
        shapes.append(shape)
        return parts

    result = if_exp(pred, lambda: packed(true_fn), lambda: packed(false_fn))
    for other in shapes[1:]:
        _check_same("cond: the functions return", shapes[0], other)
    return unpack(result, shapes[0]) if shapes else result


def while_loop(test: Callable[..., Any], body: Callable[..., Any], state: Any) -> Any:
    """Repeat ``state = body(*state)`` while ``test(*state)``; returns the last state.

    ``state`` is a tuple or list, whose items are the arguments, or a single value. An item may be a structure
    of a class that is registered with optree.

    >>> while_loop(lambda i, s: i < 4, lambda i, s: (i + 1, s + i), (0, 0))
    (4, 6)
    """
    _check_callable("while_loop", "test", test, "a function of the state", "lambda i: i < n")
    _check_callable("while_loop", "body", body, "a function of the state", "lambda i: i + 1")
    several = isinstance(state, tuple | list)
    values = tuple(state) if several else (state,)
    kind = type(state)
    count = len(values)
    shapes: tuple[Node | None, ...] = (None,) * count
    if current() is not None:
        packed = [pack(value) for value in values]
        values = tuple([parts for parts, _ in packed])
        shapes = tuple([shape for _, shape in packed])

    made: tuple[Any, ...] | None = tuple(map(unpack, values, shapes))  # what test and body get

    def real() -> tuple[Any, ...]:
        nonlocal made
        if made is None:
            made = _made_anew(values, shapes)
        return made

    def get() -> tuple[Any, ...]:
        return values

    def set_values(new: tuple[Any, ...]) -> None:
        nonlocal values, made
        if not all(a is b for a, b in zip(values, new, strict=True)):
            values, made = tuple(new), None

    def advance() -> None:
        nonlocal values, made
        result = _next_state(call(body, *real()), several, count)
        if any(shapes):
            packed = [pack(value) for value in result]
            for shape, (_, other) in zip(shapes, packed, strict=True):
                _check_same("while_loop: the state becomes", shape, other)
            result = tuple([parts for parts, _ in packed])
        values, made = result, None

    names = tuple(f"state_{i}" for i in range(count))
    while_stmt(lambda: call(test, *real()), advance, get, set_values, names)
    values = real()
    return values[0] if not several else values if kind is tuple else list(values)


def _next_state(result: Any, several: bool, count: int) -> tuple[Any, ...]:
    """What the body returned, as the values of the state. Raises ArgumentError where these are not all."""
    if several and not isinstance(result, tuple | list):
        values, found = (result,), "one value"
    else:
        values = tuple(result) if several else (result,)
        found = f"{len(values)} values"
    if len(values) != count:
        raise wrong_argument(
            f"while_loop: body returned {found} for a state of {count}",
            "return the whole next state, in the order of the first one",
            "body",
        )
    return values


def _made_anew(values: tuple[Any, ...], shapes: tuple[Node | None, ...]) -> tuple[Any, ...]:
    """The structures as the user's functions see them; making them changes nothing that was there before."""
    builder: Any = current()
    writes = getattr(builder, "writes", 0)
    made = tuple(map(unpack, values, shapes))
    if builder is not None and any(shapes):
        builder.writes = writes
    return made


def _check_same(what: str, a: Node | None, b: Node | None) -> None:
    if a is not b and not (a is not None and a.same(b)):
        one, other = (str(shape) if shape else "no registered structure" for shape in (a, b))
        raise wrong_argument(
            f"{what} structures of different shape: {one} and {other}", "return the same shape"
        )


def _check_callable(function: str, name: str, given: Any, wanted: str, example: str) -> None:
    if not callable(given) or isinstance(given, Staged):
        what = repr(given)[1:-1] if isinstance(given, Staged) else repr(given)
        raise wrong_argument(f"{function}: {name} is {what}, not {wanted}", f"write {name}={example}", name)


# In a trace they are not calls of unknown code: they run as they are, on staged values.
handles(cond)(lambda trace, *args, **kwargs: cond(*args, **kwargs))
handles(while_loop)(lambda trace, *args, **kwargs: while_loop(*args, **kwargs))
