"""``cond`` and ``while_loop``: control flow as functions, on staged and on concrete values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, SupportsIndex

from autograph.operators import call, if_exp, while_stmt
from runtime.arguments import wrong_argument
from runtime.control_flow.builtin_iterables import parallel_range
from runtime.tracer.builder import Staged
from runtime.tracer.call_handlers import handles


def cond(pred: Any, true_fn: Callable[[], Any], false_fn: Callable[[], Any]) -> Any:
    """``true_fn() if pred else false_fn()``; in the graph when ``pred`` is staged.

    >>> cond(3 > 2, lambda: "yes", lambda: "no")
    'yes'
    """
    for name, given in (("true_fn", true_fn), ("false_fn", false_fn)):
        _check_callable("cond", name, given, "a function without arguments", "lambda: ...")
    return if_exp(pred, lambda: call(true_fn), lambda: call(false_fn))


def while_loop(test: Callable[..., Any], body: Callable[..., Any], state: Any) -> Any:
    """Repeat ``state = body(*state)`` while ``test(*state)``; returns the last state.

    ``state`` is a tuple or list, whose items are the arguments, or a single value.

    >>> while_loop(lambda i, s: i < 4, lambda i, s: (i + 1, s + i), (0, 0))
    (4, 6)
    """
    _check_callable("while_loop", "test", test, "a function of the state", "lambda i: i < n")
    _check_callable("while_loop", "body", body, "a function of the state", "lambda i: i + 1")
    several = isinstance(state, tuple | list)
    values = tuple(state) if several else (state,)
    names = tuple(f"state_{i}" for i in range(len(values)))

    def set_values(new: tuple[Any, ...]) -> None:
        nonlocal values
        values = new

    def advance() -> None:
        set_values(_next_state(call(body, *values), several, len(names)))

    while_stmt(lambda: call(test, *values), advance, lambda: values, set_values, names)
    return values[0] if not several else values if type(state) is tuple else list(values)


def prange(*bounds: SupportsIndex) -> range:
    """``range(*bounds)`` whose loop several threads run in a decorated function, blocks of iterations each.

    Iterations may write items of arrays that are theirs (``x[i]``, ``x[i, j]``, rows), and add to or multiply
    a number: such sums are made of blocks, which are the same for any number of threads. A loop that does
    more is refused where it may go wrong, and else runs in one thread (`explain()` says why).

    >>> list(prange(3))
    [0, 1, 2]
    """
    return range(*bounds)


def _next_state(result: Any, several: bool, count: int) -> tuple[Any, ...]:
    """What the body returned, as the values of the state. Raises ArgumentError where these are not all."""
    values = tuple(result) if several and isinstance(result, tuple | list) else (result,)
    if len(values) != count:
        found = f"while_loop: the state has {count} values, and body returned {len(values)}"
        raise wrong_argument(found, "return the whole next state, in the order of the first one", "body")
    return values


def _check_callable(function: str, name: str, given: Any, wanted: str, example: str) -> None:
    if not callable(given) or isinstance(given, Staged):
        what = repr(given)[1:-1] if isinstance(given, Staged) else repr(given)
        raise wrong_argument(f"{function}: {name} is {what}, not {wanted}", f"write {name}={example}", name)


# In a trace they are not calls of unknown code: they run as they are, on staged values.
handles(cond)(lambda trace, /, *args, **kwargs: cond(*args, **kwargs))
handles(while_loop)(lambda trace, /, *args, **kwargs: while_loop(*args, **kwargs))
handles(prange)(lambda trace, /, *bounds: parallel_range(*bounds))
