"""Derivatives of graphs: rewrites from a graph to a graph. Knows the graph, its operations and
passes, no tracer.

* **One rule an operation** (`OpDef.vjp`, see `ops/definition.py`), written with graph values
  (`ops/expressions.py`). `gradients/rules.py` applies it. Forward mode has no rules of its own:
  a rule is linear in the cotangent, and its transpose maps tangents. (Of the two ways this is
  the simple one: who writes a rule writes one, and what the transpose does not need is dead
  code.) Python's arithmetic has the rules of NumPy's (`same_as("add")`): no pass lowers it, for
  the forward part must keep Python's exceptions. A rule may also be the function written once
  more with operations that have rules (`as_written`), which are then pulled back one by one;
  and it may refuse one input (`refused`), which is an error only where that input matters. An
  operation without a derivative says why; `vjp` is a required field.
* **Library functions** that are called as a whole (`call`) have their rules in one table, by
  subject (`ops/library_rules/`), which need the library no more than the call does. What is not
  in the table is refused by name.
* **Points without a derivative**, ties, order and complex numbers:
  `docs/guide/gradients-conventions.md` says what is chosen.
* **Reverse mode** (`reverse.py`; `sweep.py` is one graph or function under work). The result is
  the graph itself, changed in place, and behind it the backward part. `activity.py` says which
  values matter; an array has *shadow memory* for an adjoint where it is written, read in part,
  or used in a block that it does not come from, else its adjoint is a plain value. Shadow
  memory is made beside the array, in the forward part, and carried through branches, loops and
  calls as the array is (`shadows.py`), so that both alias alike; `writes.py` undoes stores.
* **What the backward part needs** (`saving.py`). It is written as if it saw all of the forward
  part. What stands in a nested block is then computed again, where that is cheap, or pushed on
  a stack at the end of the block and popped where the block is undone: blocks are undone in the
  opposite order, so that one stack serves loops, branches and calls. There are two, of words of
  8 bytes and of objects (`ops/stacks.py`); both are machine code, and the top of one that no
  function is given stays in a register. Words are numbers, and the items of small arrays of
  known shape; but memory of adjoints is kept as a reference, for the backward part adds to it.
  Such memory that only one iteration has is made in the backward part. What a rule asks for
  and is overwritten later is copied before (`graph/array_contents.py`); not what was read of a
  table that a loop fills in order, as `keys[:t]` where only `keys[t]` is written
  (`graph/array_contents.py`). Arithmetic on arrays is computed again, too, where its operands are
  kept: it becomes part of the loop that uses it.
* **Broadcast arrays** (`broadcast_to`, `sum_like`, ...) that have shadow memory have their own,
  though they are views: one number in several places cannot be added to place by place. That is
  right as long as the array is not written later; where it is, the gradient is refused.
* **A `try`** is undone as a branch is: its handler, where that ran, else its body. A body that does
  something before it raises is cut before (`tries.py`), so that what ran is undone. What a graph
  function did before it raised is not: where a derivative may go through it, the run says so.
* **Functions of the graph** (`calls.py`) become two, a forward and a backward part, and so does
  a `remat` (`remat.py`), whose forward part is called by the backward part.
* **Lists, dicts, objects** (`containers.py`, `ops/companions.py`) that only a run knows have a
  companion of the same structure, in which a number has a cell.
* **Buffers** (`buffers.py`), which lists of numbers or arrays become before they are
  differentiated (`passes/use_buffers.py`), have beside them a buffer of adjoints, in which an
  index means the same item at each point; their operations are each other's transposes, so that
  no companion is needed.
* **Forward mode** (`forward.py`): each operation is followed by what it does to tangents.

* **Before a gradient** (`expand.py`) what is differentiated passes `BEFORE_GRADIENTS`
  (`passes/`) where it has loops: what is read twice, or in each iteration, would else be undone
  twice, or in each iteration. (A branch keeps what it computes again: undone, that is work of
  the branch.) Arithmetic in place on an array that nobody else has makes a new array there
  (`passes/in_place.py`), whose adjoint is a value. An item that a program adds to,
  `x[i] += v`, keeps its adjoint where it is (`updates.py`).
"""

from autograph.loading import later

later(__name__, "errors", "expand", "reverse")
