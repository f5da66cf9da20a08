"""Settings of the tests of the JAX stage."""

import jax

# Nearly all the time of these tests is XLA's. How fast its code is, they do not ask.
jax.config.update("jax_disable_most_optimizations", True)
