"""Staged `if`, `while`, `for` and recursion: blocks, what they leave behind, and how that is joined.

* **Control flow** (`blocks.py`, `branches.py`, `loops.py`,
  `loop_state.py`, `joins.py`). A block is traced by running its closure, then variables get
  their values from before back. A loop is traced again until the specs of what it
  carries are stable, and once more without what turned out not to change. A Python exception in
  a block becomes a `raise` there.
* **Tests** (`loops.py`; `choices.py` for what is no bool). What is one of several values
  acts as each of them, on a path of its own.
* **Numbers of several types** (`control_flow/promoted.py`). Nothing is promoted where paths
  meet: an int and a float are a Variant. Beside the tag a `Choice` of numbers carries the
  promoted number (the payload of the widest alternative), and an operation that computes the
  same for all of the types takes that, with no branch; a tag that nobody reads is dead code.
  Where a loop's variable settles after one iteration and the body asks for its type, that
  iteration stands before the loop (`loops.Peel`).
* **What is no variable** is a fact of the heap: what objects, lists, dicts, globals, cells and
  iterators hold. Where paths meet facts are joined, and a loop carries those that its body
  stores to (`joins.py`).
* **Unrolled or staged** (`control_flow/loops.py` decides, for every `for`;
  `tracer/decisions.py`). A loop of at most 32 known turns is traced turn
  by turn, to begin with. After each turn its cost is known (the operations, weighed by what
  machine code for them takes to be made); where all turns together, times the copies that loops
  around make which cannot be staged, would cost more than a third of a second, the trace begins
  again with this loop staged (`Decisions.dear`). So inner loops are decided before outer ones. A
  staged loop whose body is refused is unrolled after all (`Decisions.unrolled` keeps why), and
  the loops in it get another chance to be staged. So is one that makes the items of a list
  unknown, up to a second (`Containers.prefer_unrolled`). A stage that unrolls a
  loop gives an iterator in place of the iterable (`UnrolledLoop`), over which `for_stmt` runs
  Python's own loop. A comprehension is a loop that appends. Over a range it is unrolled beyond 32
  turns, too, as long as its elements cost nothing (`Collected`): the list is then a table of the
  trace, and no run makes it. One that is staged, and of which something is refused, is unrolled
  after all. A loop's *site* is its line, its column, and how many loops of the same
  expression are around it.
* **Recursion** (`recursion.py`, `graph_functions.py`). A call of a user's
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
  * *State*: a static place that the body changes, or that was changed
    between its entry and a recursive call, is a parameter, and a result where it is written. All
    others must hold what they held when the function was traced, or it is traced once more for
    this call. Called inside a `try`, a function that writes one is refused.
  * *Captured values* stay references to values of the blocks around while tracing; at the end
    they become parameters (`graph/functions.py: lift_free_values`). The effects of a call are
    found there, too, as a fixpoint over all functions.
  * What is refused in this way is tried once more with the recursion unrolled
    (`Decisions.after_refusal`).
* **What a loop can run over**, before anything is said of loops: items by their index, and
  iterators.
  * `indexed.py`: things with a length and an item for each index; `builtin_iterables.py`: a range
    of which only a run knows a bound.
  * `iterators.py`: an iterator that the trace advances, in the block that made it, and what stands
    for one from outside; `builtin_iterables.py`: those over things with an index, as far as the
    trace knows how far they are.
  What else gives items (generators, objects of the user's, itertools) is in `runtime/iterables`.
"""

from autograph.loading import later

later(__name__, "answers", "branches", "choices", "promoted")
