"""The parts of the JAX stage; `autograph.stages.jax` is what people import."""
