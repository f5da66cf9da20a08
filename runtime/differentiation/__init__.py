"""Derivatives for users: ``grad``, ``jvp``, ``jacobian`` and their kin, over the tracer and
`runtime/gradients`.

* **In a trace** (`differentiation/`). `rt.grad(f)(x)` traces `f` where it is called, on values
  of their own (`identity`), and records a `gradient` operation; when the trace is complete,
  `gradients/expand.py` replaces it. The one of a gradient that is differentiated again stands
  first, and is replaced first. Outside of a trace a derivative is a decorated function that
  does just that; the last 64 that were asked for are kept by the identity of the function
  (`api.py`).
* **With respect to what is there already** (variables, captured arrays, what a tape watches): a
  `watch` operation is a mark, and the derivative is that of what stands between it and the
  `gradient` that names it. Of an array that a function finds by itself the trace sees at the
  first call which of its inputs are that array (`differentiation/leaves.py`); guards say that
  it is so later.
* **Tapes** (`differentiation/tape.py`). In a trace (`traced_tape.py`) a tape is such a mark,
  and `record` operations around what it does not record. Outside (`recording.py`,
  `eager_tape.py`), a Tensor tells the records of this thread of each operation, and a trace of
  each run (`functions/programs.py`): a *step*, with copies of what went in. A gradient undoes
  the steps, each by the gradient of a graph: that of the operation, traced for the purpose, or
  that of the trace, whose effects are left out. It is a graph again, so that a tape around
  records it as one step. While a tape records, what is read of a variable is a Tensor
  (`state/hooks.read`), or nobody would be told; calls of decorated functions take the long way.
"""
