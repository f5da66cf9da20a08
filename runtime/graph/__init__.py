"""The graph and what is computed about it.

`Graph` (`runtime/graph/`): `params` (Values), a `Block` of `Operation`s in program order,
`results`. Regions are *open*: a nested block uses the values of the blocks around it directly
(they dominate it), and has parameters only for what it carries. So one flat register file
serves an interpreter, and LLVM's own dominance serves the compiler. Blocks end in `yield`
(their `results`) or are marked `ends = "never"` (they end in a raise).

    if      inputs (pred,)                 blocks then, else                results = joined yields
    while   inputs = initial state         blocks test(state)->bool, body(state)->state
    for     inputs (start, stop, step, *state)  blocks [test(i, *state)->bool,] body(i, *state)->state
            {parallel}: over a `prange`, whose iterations `parallel_loops.py` has checked
    try     blocks body, handler           (later: landing pads)
    call_function {function, effects}      no block: a call of `graph.functions[function]`, for recursion

An operation has `inputs`, static `attributes`, `outputs`, `blocks`, `location` (file, line,
column, function). What it *is* stands in one place, its `OpDef` in `runtime/ops/`: type rule,
NumPy kernel, effects, native lowering, samples.

`core.py` is the graph, `operations.py` what it is made of. Its text (`text.py`) has the user's
names (`names.py`) and lines, and constants where they stand (`literals.py`, `names.py`);
`runtime/formats` reads it back. `verify.py` says what is well formed.

Effects of an operation are declared in its OpDef (`Effects` in `ops/definition.py`): `view_of`
(the result may alias input k), `writes` (inputs written in place), `ordered` (an observable
effect: print, raise, store, call of unknown code), `may_raise`, and what it keeps, makes and
touches besides. Everything else about memory is derived in `graph/effects.py`.

Engines (`runtime/engines/`): `compile(graph) -> Executable`; `executable(arguments: list) ->
list of results`. Arguments and results are flat: ndarrays, NumPy scalars, Python numbers,
objects. Exceptions come out as the Python exception, with a traceback entry at the user's line.
"""

from autograph.loading import later

later(__name__, "functions", "item_places", "literals", "array_contents", "parallel_loops")
later(__name__, "text")

from runtime.graph.core import Graph as Graph
from runtime.graph.operations import Block as Block
from runtime.graph.operations import Location as Location
from runtime.graph.operations import Operation as Operation
from runtime.graph.operations import Value as Value
from runtime.graph.operations import loop_state as loop_state
from runtime.graph.operations import walk as walk
