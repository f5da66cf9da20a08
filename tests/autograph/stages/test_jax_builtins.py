"""`min`, `max`, `any`, `all` and `sum` over arrays, generators and containers, as Python has them."""

import math
import re

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph
import autograph.stages.jax

SHORT = np.array([0.5, -1.5, 2.25, 3.0, -0.75], np.float32)
LONG = np.linspace(-2, 3, 17).astype(np.float32)
MATRIX = np.arange(12, dtype=np.float32).reshape(3, 4) / 7 - 0.8


def filtered(xs):
    return max(x * x for x in xs if x < 2), min(x for x in xs if x > 0)


def with_keys(xs):
    return max(xs, key=lambda x: -x * x), max(xs[0], xs[1], key=abs), max((x for x in xs), key=lambda x: -x)


def in_a_dict(xs):
    held = {"a": xs[0], "b": -xs[0], "c": xs[0] * xs[0]}
    return max(held.values()), min(held.values(), key=abs)


def with_a_default(xs):
    return max((x for x in xs if x > 9), default=-1.0), max((x for x in xs if x > 1), default=-1.0)


def of_two_generators(xs):
    return max(a * b for a in xs for b in xs if a < b)


def of_pairs(xs):
    return max(enumerate(xs), key=lambda pair: pair[1]), max(range(len(xs)), key=lambda i: xs[i])


def of_rows(xs):
    return max(sum(row * row) for row in xs.reshape(1, -1)), max(xs.reshape(1, -1), key=lambda row: row.sum())


def in_a_branch(xs):
    if xs[2] > 0:
        return max(x for x in xs if x > 1)
    return 0.0


def rounded(xs):
    return [f(xs[1]) * 10 + f(xs[2]) // 2 for f in (math.floor, math.ceil, int, round)]


def counted(xs):
    return sum(1 for x in xs if x > 0), any([x > 2 for x in xs]), all([x > -9 for x in xs])


@pytest.mark.parametrize("xs", [SHORT, LONG], ids=["short", "long"])
@pytest.mark.parametrize(
    "f",
    [
        filtered,
        with_keys,
        in_a_dict,
        with_a_default,
        of_two_generators,
        of_pairs,
        of_rows,
        in_a_branch,
        counted,
        rounded,
    ],
)
def test_as_in_python(f, xs):
    expected, result = jax.tree.flatten(f(xs)), jax.tree.flatten(jax.jit(autograph.convert(f))(xs))
    assert result[1] == expected[1]
    for leaf, other in zip(result[0], expected[0]):
        np.testing.assert_allclose(leaf, other, rtol=1e-6)


def test_of_a_staged_range():
    def f(n):
        return max(i * (7 - i) for i in range(n))

    compiled = jax.jit(autograph.convert(f))
    assert [compiled(n) for n in (1, 3, 9)] == [f(n) for n in (1, 3, 9)]


@pytest.mark.parametrize("f", [lambda xs: max(x for x in xs if x > 9), lambda xs: min(xs[:0])])
def test_of_nothing(f):
    with pytest.raises(ValueError) as plain:
        f(SHORT)
    said = re.escape(str(plain.value))
    with pytest.raises((ValueError, jax.errors.JaxRuntimeError), match=said):
        jax.jit(autograph.convert(f))(SHORT).block_until_ready()


def test_the_gradient_of_a_maximum_over_a_generator():
    def f(xs):
        return max(x * x for x in xs if x < 2)

    gradient = jax.jit(jax.grad(autograph.convert(f)))(jnp.asarray(LONG))
    expected = np.where(LONG == LONG[0], 2 * LONG, 0)
    np.testing.assert_allclose(gradient, expected)


def test_keys_are_asked_once_and_elements_only_where_python_does(capsys):
    def f(xs):
        def positive(x):
            print("asked", x)
            return x > 0

        def shown(x):
            print("key", x)
            return x

        return any(positive(x) for x in xs), max(xs, key=shown)

    f(np.array([-1.0, 2.0, 3.0], np.float32))
    expected = capsys.readouterr().out
    jax.jit(autograph.convert(f))(np.array([-1.0, 2.0, 3.0], np.float32))
    jax.effects_barrier()
    assert capsys.readouterr().out == expected == "asked -1.0\nasked 2.0\nkey -1.0\nkey 2.0\nkey 3.0\n"
