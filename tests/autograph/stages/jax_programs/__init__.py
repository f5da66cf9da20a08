"""Programs that mean the same in plain Python over NumPy and under JAX's transformations, by subject."""

# Each of these modules adds its programs to PROGRAMS.
from tests.autograph.stages.jax_programs import algorithms as algorithms
from tests.autograph.stages.jax_programs import branches as branches
from tests.autograph.stages.jax_programs import filtered as filtered
from tests.autograph.stages.jax_programs import for_loops as for_loops
from tests.autograph.stages.jax_programs import generators as generators
from tests.autograph.stages.jax_programs import items as items
from tests.autograph.stages.jax_programs import iterables as iterables
from tests.autograph.stages.jax_programs import objects as objects
from tests.autograph.stages.jax_programs import while_loops as while_loops
from tests.autograph.stages.jax_programs.program import PROGRAMS as PROGRAMS
from tests.autograph.stages.jax_programs.program import Program as Program
