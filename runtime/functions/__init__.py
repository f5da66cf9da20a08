"""A decorated function: its signatures, its traces, and what a call does.

* `decorator.py` is `rt.function`, `functions.py` the class of what it makes; `tracing.py` makes
  the attempts, `concrete.py` is one trace, `retracing.py` says why there is a new one and stages
  on trial what keeps changing. What else a program may ask a function for (`__defaults__`, its
  attributes, a copy) is `objects/function_objects.py`: it is the decorated function's own. What
  type checkers are told of it stands in `decorator_types.py`; `tensor_specs.py` has what stands
  for an array in a signature.
* **Guards of a new trace** hold on the very call that made it, before its first run
  (`retracing.py`); else it is an InternalError that names the guard.
* **Refusals** (`refusals.py`) are kept with the guards of all attempts. Not so what was refused
  while something from outside was read (`Outside.stands_in_the_way`): no guard speaks of that.
* **Open arguments** (`open_arguments.py`): of long lists, dicts and texts the signature says the
  class only; of a list of numbers or texts from its second length on. Dicts that a function
  stores into under ever new keys, and the texts that change with them, are the run's from the
  third set of keys on. All of this where it is not refused.
* **The short way** (`dispatch.py`). Each trace has an *entry*: generated code that compares
  classes, dtypes and shapes, evaluates the guards, collects the inputs, runs and builds the
  result. A call tries the last few entries, then goes by key (`signature.key_of`). As long as
  no thread traces, nobody asks for a trace (`builder.active_builders`).
* **Machine code takes the calls** of a function that its entries took some hundred times
  (`native_entries.py`): one C function, to which the object itself leads (`objects/entered.py`),
  walks tables that ask what the entries ask. What no table answers with yes goes to `__call__`.
  Where Python's objects are laid out otherwise (debug builds, free threading) all calls do.
* **Fresh lambdas** (`same_lambdas.py`). One that does what an earlier one did stands for nothing
  new where the function only calls it.
* **Bounded.** Of more than `max_traces` traces, the one goes that was used least recently.
  Those with an entry are used without a word to anybody, so they lose it first, and go the next
  time (`Function._forget`). What LLVM keeps of each compilation stays (llvmlite, 0.12 MB).
* `runtime/binding.py` binds as Python does: a generated function with the same parameters, so that
  wrong calls get Python's words.
* **check_numerics** (`engines/numerics.py`, `functions/modes.py`). While it is on,
  `run` takes another executable: the graph as traced, on the numpy engine, with a look around
  each step that computes. The mark among the active builders keeps calls off the short way, as
  `run_functions_eagerly` does.
* **slow_notice** (`functions/slow_notice.py`). A second thread, which does not count as one of
  the program's, waits for two seconds beside a trace or a compilation, and then says once what
  it is at. It only reads: `Trace.loops`, the frames of the thread that traces.
* **check** (`checking.py`). Everything that the function reaches is remembered, the
  plain function runs, everything is put back in place, the compiled one runs.
* **explain** (`explain.py`) says of each line how it ran, and why there is a trace.
* **fallback** (`refusals.py`) acts on refusals of a trace only, before any effect. Those of a
  run pass every handler of the graph (`try_step`).
* **Statements and lines** (`statements.py`, `recorded_lines.py`). The graph
  knows which line each operation comes from; which lines ran as Python is found by tracing once
  more with a line hook (it doubles the time of a trace, so it is not always on). The arguments are
  not kept alive for that: arrays are remembered by dtype and shape, objects weakly.
* **Observation** (`world.py`, `observation.py`). Everything that a function
  reaches is remembered, and put back in place. What is printed or logged is held back and shown
  once.
"""

from autograph.loading import later

later(__name__, "checking", "dispatch", "explain", "input_signature", "native_entries", "programs")
later(__name__, "returned", "same_lambdas", "written_out")
