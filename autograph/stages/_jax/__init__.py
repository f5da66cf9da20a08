"""The parts of the JAX stage; `autograph.stages.jax` is what people import.

A value is staged when it is a tracer whose value is not known, so that `grad` alone runs as
Python. Nothing is recorded by us: a block is traced by JAX, once, to a jaxpr, and its
operations are inserted where `cond`, `scan` or `while_loop` want them. The parts:

* **Places** (`places.py`). What a block may change: the variables of its state, and the slots
  of objects it reaches, which a `Heap` finds by comparing before and after. A block's changes
  are noted and undone; what the branches left is joined and put in place. What was there before
  the JAX trace began (`outside.py` notes it on entry) may not change.
* **Specs** (`specs.py`). What a place holds on one path: an array, a Python number that stays
  one, an object, a structure, or one of several. Types are joined as JAX promotes them; a loop
  is traced until what it carries is stable.
* **Choices** (`choices.py`, `implied.py`). One of several at run time. A test on it (`is
  None`), or a flag that came out of the same branches, says which option is meant; elsewhere
  using it is refused.
* **Loops** (`loops.py`). The test is part of the carry: `while` is evaluated as often as in
  Python. A `for` of known length is a `scan`, under a `cond` where it may end early; a body
  that must know its number is unrolled. So is a loop that has a longest run (`range(i)` in a
  loop over `i`): `bounds.py` reads from the jaxpr between which ints a number lies.
* **Generator functions** (`pushed.py`). A loop over one turns it inside out; while its code
  runs, what the consuming loops' bodies reach counts as reached by its statements. A list
  comprehension with a staged `if` (`filtered.py`) is its possible elements, each with a flag.
* **Effects** (`effects.py`). Ordered callbacks that ask for the conjunction of the staged
  conditions around them (`paths.py`), for under `vmap` both branches of a `cond` run. Text with
  staged values (`texts.py`) is kept in pieces until then. `own_exceptions` finds the exception
  that a callback raised in the one that JAX made of it.
* **What needs a value** (`unknown.py`). An exception of Python's or JAX's that speaks of a
  tracer is no part of the program: it becomes a refusal where it leaves a block, a callee or a
  `try`. From the outermost function's own statements JAX's error arrives as it is.
* **Identity** (`aliases.py`, `writes.py`). Lists that paths make one of two become copies, and
  may not change where an old one is still seen. The array that `x[i] = v` makes takes the old
  one's place in whatever holds it (`holders.py`); where a variable that may still be read
  (`liveness.py`, from the bytecode of the frames on the stack) or a tuple holds it, or an array
  that may be the same (`shared.py`: paths and iterations) or a view of it (`views.py`: from the
  equations of the trace), it is refused.

JAX's internals (is a trace under way, is a tracer known, weak types) are touched in
`tracing.py` only.
"""
