"""What calls of NumPy's functions, of ``math`` and of Python's builtins mean on staged values.

* **Calls that write** (`numpy_calls/table.py`): with `out=`, and for `ufunc.at`, NumPy's own
  function makes the call in each run (`call_into`, which states what it writes), so that casts,
  overlaps and complaints are NumPy's.
* **Functions called as a whole** (`numpy_calls/whole.py`): what no operation stands for
  (`np.cov`, `scipy.special.erf`) is a `call` of the function itself on real arrays. Its result
  types are found by several trials with made-up operands, and checked by each run; where the
  trials differ in kind or dtype the call is refused. So are calls with an argument that an
  operation must know while tracing (`np.tile(x, n)`). Functions that call the user's
  (`np.piecewise`) are staged in `numpy_calls/callbacks.py`; `np.r_` and `np.c_`, which are no
  functions, have a stand-in (`numpy_calls/concatenators.py`).
* **Wrong calls** (`numpy_calls/whole.py`): where the staged form of a function or method raises,
  it is called as a whole. What all trials raise is what the program sees, if it is about the
  types and shapes; anything else is refused.
"""

from autograph.loading import later

later(__name__, "arguments", "callbacks", "concatenators", "creation", "methods", "protocols")
later(__name__, "staged_calls", "ufuncs", "whole")
