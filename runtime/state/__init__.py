"""State that outlives a call: variables, and modules that collect them.

* **State** (`state/variables.py`). A `Variable` is an object with one
  attribute that matters, `_storage`, an ndarray. Its methods are ordinary Python that runs
  converted (`config.include`), so that reads, assignments, branches, choices and objects made
  inside are those of any class of the user's. What is special: NumPy's functions and operators
  take its array (`staged/operands.ArrayHolder`, `calls/variables.py`), the attributes of a
  `Module` are listed under a guard on their names (`attribute_names`), and its frames are no
  place of the user's (`errors.register_library_directory`).
  `ConcreteFunction.variables(leaves)` says which variables a call uses, and as which parameters
  of the graph. A trace that makes variables is never entered the short way: after a run it asks
  its guards whether the next call would make them again, and refuses that one
  (`functions/concrete.py`). Made in a block, which a run may enter or not, they are
  refused while tracing.
"""

import os

from autograph.errors import register_library_directory

register_library_directory(os.path.dirname(os.path.abspath(__file__)))

from autograph.loading import later

later(__name__, "hooks", "variables")
