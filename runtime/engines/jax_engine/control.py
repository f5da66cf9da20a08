"""Branches and loops that run in one form of JAX's, and have the derivative of another.

What runs is the form that XLA makes fastest; what is differentiated, the one that JAX can differentiate.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax
from jax.extend.core import ClosedJaxpr, jaxpr_as_fun


def either(which: Any, then: Callable[[], Any], orelse: Callable[[], Any]) -> Any:
    """One of two branches: both are computed, and one has a part in the derivative."""
    (f, xs), (g, ys) = opened(then), opened(orelse)

    def computed(which: Any, xs: Any, ys: Any) -> Any:
        return jax.tree.map(partial(jnp.where, which), f(xs), g(ys))

    def derived(which: Any, xs: Any, ys: Any) -> Any:
        return lax.cond(which, f, lambda _: g(ys), xs)

    return _with_derivative_of(computed, derived)(which, xs, ys)


def bounded_while(is_on: Callable[[Any], Any], body: Callable[[Any], Any], first: Any, most: int) -> Any:
    """A `while` of so many rounds at most. A scan of all of them has a derivative in reverse, too."""
    (test, seen), (step, outer) = opened(is_on, first), opened(body, first)

    def computed(seen: Any, outer: Any, first: Any) -> Any:
        return lax.while_loop(partial(test, seen), partial(step, outer), first)

    def derived(seen: Any, outer: Any, first: Any) -> Any:
        go = lambda _, s: lax.cond(test(seen, s), partial(step, outer), lambda s: s, s)
        return lax.fori_loop(0, most, go, first)

    return _with_derivative_of(computed, derived)(seen, outer, first)


def _with_derivative_of(computed: Callable[..., Any], derived: Callable[..., Any]) -> Callable[..., Any]:
    function = jax.custom_jvp(computed)
    function.defjvp(lambda primals, tangents: jax.jvp(derived, primals, tangents))
    return function


def opened(function: Callable[..., Any], *arguments: Any) -> tuple[Callable[..., Any], Any]:
    """A function that gets first what this one takes from outside, and that: JAX wants to know it."""
    closed, shape = jax.make_jaxpr(function, return_shape=True)(*arguments)
    structure: Any = jax.tree.structure(shape)

    def again(outer: Any, *arguments: Any) -> Any:
        run = jaxpr_as_fun(ClosedJaxpr(closed.jaxpr, outer))
        return structure.unflatten(run(*jax.tree.leaves(arguments)))

    return again, closed.consts
