"""`jax.lax`: a function over jnp arrays under `jax.jit`, with `if`, `while`, `break` and objects."""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from autograph.stages import FunctionalStage


class LaxStage(FunctionalStage):
    name, types = "lax", (jax.core.Tracer,)

    def is_leaf(self, value):
        return isinstance(value, (jax.Array, np.ndarray, bool, int, float))

    def zeros(self, like):
        return np.zeros(jnp.shape(like), jnp.result_type(like))

    def cond(self, condition, then, orelse, values):
        sides = jax.eval_shape(then, *values), jax.eval_shape(orelse, *values)
        types = [jnp.promote_types(a.dtype, b.dtype) for a, b in zip(*sides, strict=True)]

        def typed(block):
            return lambda *values: tuple(map(jnp.asarray, block(*values), types))

        return lax.cond(condition, typed(then), typed(orelse), *values)

    def while_loop(self, test, body, values):
        values = tuple(map(jnp.asarray, values))
        while True:  # `total = 0` becomes a float where the body makes it one
            after = jax.eval_shape(lambda *v: tuple(map(jnp.asarray, body(*v))), *values)
            types = [jnp.promote_types(a.dtype, b.dtype) for a, b in zip(values, after, strict=True)]
            if types == [v.dtype for v in values]:
                break
            values = tuple(map(jnp.asarray, values, types))
        return lax.while_loop(lambda v: test(*v), lambda v: tuple(map(jnp.asarray, body(*v), types)), values)

    both, either, not_ = map(staticmethod, (jnp.logical_and, jnp.logical_or, jnp.logical_not))


stage = LaxStage()


def collatz(n, limit):
    steps = 0
    while n > 1:
        if steps == limit:
            return -1
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    return steps


def root(x):
    """A square root, by Newton's method: JAX differentiates it."""
    y = x
    for _ in range(30):
        if abs(y * y - x) < 1e-6:
            break
        y = (y + x / y) / 2
    return y


def main():
    steps = jax.vmap(stage.convert(collatz), (0, None))(jnp.arange(1, 28), 100)
    assert [collatz(n, 100) for n in range(1, 28)] == steps.tolist()
    slope = jax.jit(jax.grad(stage.convert(root)))(4.0)
    print("steps", steps, "slope of the root at 4:", slope)
    return steps.tolist(), float(slope)


if __name__ == "__main__":
    main()
