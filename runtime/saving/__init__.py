"""Functions, and what variables hold, in files: no pickle, no source, nothing that loading would run.

* **Saving** (`saving/`). `sources.py` says which functions and signatures are meant, `save.py`
  turns each trace into data, `load.py` makes `ConcreteFunction`s of it again, for a
  `LoadedFunction` that finds the one for its arguments. Data of a trace are: the optimized
  graph as text (`formats`); what its arguments are (`signatures.py`); how its results are built
  (`functions/plans.py`, whose classes are data, and `results.py`); the guards that speak of
  arguments (`NumberGuard`, `SameGuard`, `DistinctGuard` of `guards/paths.py`); its implicit
  inputs. What a guard or a path says of the world outside is evaluated when it is saved, and
  frozen. Which operations a file may hold stands in `admissible.py` alone, which values in
  `admissible.py`; both are asked when saving and when loading, for a file may come from anybody. A
  loaded function that is called in a trace is inserted there (`loaded.py`, by way of
  `__runtime_call__`). Folders and files appear whole or not at all
  (`folders.py`), and have checksums.
"""
