"""What a class may say to NumPy about its instances, where they are operands of it.

    __array_ufunc__, __array_function__       NumPy's functions are the class's
    __array_priority__                        operators of arrays are
    __array__, __array_interface__            what array it is
    __float__, __int__                        what number it is, also of a subclass of float or int

>>> answers_operators(type("Own", (float,), {"__array_priority__": 3})(1.5)), answers_operators(1.5)
(True, False)
"""

from __future__ import annotations

from typing import Any

import numpy as np

from runtime.tracer.builder import Staged, refuse

_PLAIN = frozenset({bool, int, float, complex, list, tuple, range, str, type(None)})
#: what gives NumPy an array
OF_ARRAYS = ("__array__", "__array_interface__", "__array_struct__")
_OF_FUNCTIONS = ("__array_ufunc__", "__array_function__")
_OF_NUMBERS = ("__float__", "__int__", "__index__", "__complex__")
_OF_SEQUENCES = ("__len__", "__iter__")


def is_ours(cls: type) -> bool:
    """A Tensor, say: the trace knows what NumPy makes of it."""
    return cls.__module__.split(".")[0] == "runtime"


def _is_plain(x: Any) -> bool:
    return type(x) in _PLAIN or isinstance(x, Staged | np.generic | np.ndarray) or is_ours(type(x))


def answers_operators(x: Any) -> bool:
    """Does its class decide on operators of arrays, before NumPy looks at the value?"""
    names = ("__array_ufunc__", "__array_priority__")
    return not _is_plain(x) and any(hasattr(type(x), name) for name in names)


def refuse_own_reading(x: Any) -> None:
    """Raises StagingError for a number or a list of a class that tells NumPy itself what it is."""
    if _is_plain(x):
        return
    names = (*_OF_FUNCTIONS, *OF_ARRAYS, *(_OF_SEQUENCES if isinstance(x, list | tuple) else _OF_NUMBERS))
    for name in names:
        if any(name in vars(base) for base in type(x).__mro__ if base.__module__ != "builtins"):
            raise refuse(
                f"a {type(x).__name__} meets NumPy, which asks the class by its `{name}`",
                "make a plain number, list or array of it first",
            )
