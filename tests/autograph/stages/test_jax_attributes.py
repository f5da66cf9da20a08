"""Attributes of objects that branches and loops assign, under `jit`: as in plain Python."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph
import autograph.stages.jax

XS = np.arange(12, dtype=np.float32)


class Tally:
    count, step, best = 0, 0.5, None

    def add(self, x):
        if x > 3:
            self.count += 1
            self.step *= 2
            if self.best is None or x > self.best:
                self.best = x


def branch_that_ends_in_an_if(xs):
    tally, y = Tally(), 0.0
    tally.first = 0.0
    if xs[1] > 30:
        tally.first = 5.0
        if xs[2] > 5:
            y = 1.0
    return tally.first, y


def only_in_the_inner_if(xs):
    tally = Tally()
    tally.last = 0.0
    for x in xs:
        if x > 3:
            if x > 5:
                tally.last = x
    return tally.last


def in_a_chain(xs):
    tally = Tally()
    tally.last = 0.0
    for x in xs:
        if x > 9:
            tally.last = x
        elif x > 5:
            tally.last += 1
            if x > 7:
                tally.last *= 2
    return tally.last


def items_and_cells(xs):
    held, seen, n = [0.0], {"a": 0.0}, 0

    def bump():
        nonlocal n
        n += 1

    if xs[1] > 30:
        held[0], seen["a"] = 5.0, 6.0
        bump()
        if xs[2] > 5:
            seen["a"] = 1.0
    return held, seen, n


def defaults_of_the_class(xs):
    tally, other = Tally(), Tally()
    for x in xs:
        tally.add(x)
    if xs[0] > 100:
        other.count = 5
    return tally.count, tally.step, tally.best, other.count, other.step, Tally.count


def default_in_a_branch(xs):
    tally = Tally()
    if xs[1] > 0:
        tally.step = 3.0
    return tally.step * xs[2]


PROGRAMS = [
    branch_that_ends_in_an_if,
    only_in_the_inner_if,
    in_a_chain,
    items_and_cells,
    default_in_a_branch,
]


@pytest.mark.parametrize("xs", [XS, -XS, XS * 10], ids=["as is", "negative", "large"])
@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_as_in_python(f, xs):
    expected, result = jax.tree.flatten(f(xs)), jax.tree.flatten(jax.jit(autograph.convert(f))(xs))
    assert result[1] == expected[1]
    np.testing.assert_allclose(np.stack(result[0]), np.stack(expected[0]))


def test_defaults_of_the_class():
    def f(xs):
        count, step, best, *rest = defaults_of_the_class(xs)
        return count, step, -1.0 if best is None else best, *rest

    for xs in (XS, -XS):
        np.testing.assert_allclose(np.stack(jax.jit(autograph.convert(f))(xs)), np.stack(f(xs)))


def test_an_attribute_that_may_be_missing_is_refused():
    def f(x):
        tally = Tally()
        if x > 0:
            tally.extra = x
        return tally.extra + 1

    with pytest.raises(autograph.StagingError, match="may have no value here"):
        jax.jit(autograph.convert(f))(jnp.float32(1.0))


def test_operators_of_one_of_several_values():
    def f(x):
        k = 2 if x > 0 else None
        if k is None:
            return 0.0
        return 10 - k + 10 / k + 2**k - (k - 10) + divmod(7, k)[1] + (k < 3) + (3 < k)

    compiled = jax.jit(autograph.convert(f))
    assert [compiled(x) for x in (1.0, -1.0)] == [f(x) for x in (1.0, -1.0)]
