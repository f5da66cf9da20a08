"""Derivatives for users: ``grad``, ``jvp``, ``jacobian`` and their kin, over the tracer and
`runtime/gradients`."""
