"""Functions of a graph: calls of a function that is under way already.

* **Recursion** (`recursion/calls.py`, `graph_functions.py`, `function_state.py`). A call of a user's
  function is traced into the block where it stands.
  Where a function is met that is under way already, with staged control flow in between and
  arguments of equal spec (or of specs that differ in numbers and lengths only, twelve deep),
  the trace begins again with the decision that this code is a *graph function*: a call of it
  with anything staged is a `call_function` of one of `graph.functions`, made for each spec of
  arguments (containers and objects by identity, constants as constants; with
  `Decisions.generalised_functions` plain numbers are staged and lengths are open).
  * *The result* is a fixpoint: a recursive call of which nothing is known yet ends the path;
    then the body is traced again with the join of what its paths returned, numbers generalised,
    until nothing changes. Functions traced inside an outdated body are dropped, their results
    stay as hints.
  * *State* (`function_state.py`): a static place that the body changes, or that was changed
    between its entry and a recursive call, is a parameter, and a result where it is written. All
    others must hold what they held when the function was traced, or it is traced once more for
    this call. Called inside a `try`, a function that writes one is refused.
  * *Captured values* stay references to values of the blocks around while tracing; at the end
    they become parameters (`graph/functions.py: lift_free_values`). The effects of a call are
    found there, too, as a fixpoint over all functions.
  * What is refused in this way is tried once more with the recursion unrolled
    (`Decisions.after_refusal`).
"""

from autograph.loading import later

later(__name__, "function_state")
