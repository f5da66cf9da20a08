"""Programs that mean the same in plain Python over NumPy and under JAX's transformations, by subject."""

# Each of these modules adds its programs to PROGRAMS.
from tests.runtime.jax.programs import algorithms as algorithms
from tests.runtime.jax.programs import branches as branches
from tests.runtime.jax.programs import filtered as filtered
from tests.runtime.jax.programs import for_loops as for_loops
from tests.runtime.jax.programs import generators as generators
from tests.runtime.jax.programs import items as items
from tests.runtime.jax.programs import iterables as iterables
from tests.runtime.jax.programs import objects as objects
from tests.runtime.jax.programs import while_loops as while_loops
from tests.runtime.jax.programs.program import PROGRAMS as PROGRAMS
from tests.runtime.jax.programs.program import Program as Program
