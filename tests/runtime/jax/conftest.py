"""Settings of the tests of the engine of JAX."""

import jax

# Nearly all the time of these tests is XLA's. How fast its code is, they do not ask.
jax.config.update("jax_disable_most_optimizations", True)
