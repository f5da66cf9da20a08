"""What a class may say to NumPy about its instances, where they are operands of it.

    __array_ufunc__, __array_function__       NumPy's functions are the class's
    __array_priority__                        operators of arrays are
    __array__, __array_interface__            what array it is
    __float__, __int__                        what number it is, also of a subclass of float or int

>>> numpy_protocol(type("Own", (float,), {"__array_priority__": 3})(1.5))
'__array_priority__'
>>> own_reading(type("Own", (float,), {"__float__": lambda self: 2.0})(1.5)), own_reading(1.5)
('__float__', None)
"""

from __future__ import annotations

from types import FunctionType
from typing import Any

import numpy as np

from runtime.tracer.builder import Staged, refuse

_PLAIN = frozenset({bool, int, float, complex, list, tuple, range, str, type(None)})
#: what decides on operators of arrays, before NumPy looks at the value
OF_OPERATORS = ("__array_ufunc__", "__array_priority__")
#: what gives NumPy an array
OF_ARRAYS = ("__array__", "__array_interface__", "__array_struct__")
_OF_SEQUENCES = ("__len__", "__iter__")
_OF_NUMBERS = ("__float__", "__int__", "__index__", "__complex__")


def numpy_protocol(x: Any, names: tuple[str, ...] = OF_OPERATORS) -> str | None:
    """The first of these attributes that the class of a value has; None for NumPy's and ours."""
    cls = type(x)
    if cls in _PLAIN or isinstance(x, Staged | np.generic | np.ndarray) or is_ours(cls):
        return None
    return next((name for name in names if hasattr(cls, name)), None)


def own_reading(x: Any) -> str | None:
    """What NumPy asks of a number, list or tuple of a class of its own; None where it takes what it is."""
    cls = type(x)
    if cls in _PLAIN:
        return None
    name = numpy_protocol(x, ("__array_ufunc__", "__array_function__", *OF_ARRAYS))
    if name is None and isinstance(x, int | float | complex) and not isinstance(x, np.generic):
        name = _own_method(cls, _OF_NUMBERS)
    if name is None and isinstance(x, list | tuple):
        name = _own_method(cls, _OF_SEQUENCES)
    return name


def refuse_own_reading(x: Any) -> None:
    """Raises StagingError for a number or a list of a class that tells NumPy itself what it is."""
    name = own_reading(x)
    if name is not None:
        raise refuse(
            f"a {type(x).__name__} meets NumPy, which asks the class by its `{name}`",
            "make a plain number, list or array of it first",
        )


def _own_method(cls: type, names: tuple[str, ...]) -> str | None:
    return next((name for name in names if isinstance(getattr(cls, name, None), FunctionType)), None)


def is_ours(cls: type) -> bool:
    """A Tensor, say: the trace knows what NumPy makes of it."""
    return cls.__module__.split(".")[0] == "runtime"
