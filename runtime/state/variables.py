"""``Variable``: an array of fixed shape and dtype that keeps its contents from call to call.

>>> w = Variable([1.0, 2.0], name="w")
>>> w.assign_add([0.5, 0.5])
Variable([1.5, 2.5], shape=(2,), dtype=float64, name='w')
>>> w * 2
array([3., 5.])

Its methods are ordinary Python over one ndarray, and run converted in a trace, as those of a user's class do:
a read is a read of that array where it lives, and an assignment a write into it.

``Module``: collects the variables of a tree of objects.

>>> from runtime.state.variables import Variable
>>> class Dense(Module):
...     def __init__(self, n):
...         self.w, self.b = Variable([0.0] * n), Variable(0.0, trainable=False)
>>> class Net(Module):
...     def __init__(self):
...         self.layers = [Dense(2), Dense(3)]
...         self.first = self.layers[0]
>>> list(Net().named_variables())
['layers[0].w', 'layers[0].b', 'layers[1].w', 'layers[1].b']
>>> [v.shape for v in Net().trainable_variables]
[(2,), (3,)]
"""

from __future__ import annotations

from typing import Any

import numpy as np

from autograph.config import include
from runtime.state.as_array import AsArray
from runtime.state.hooks import (
    Collection,
    note_created,
    read,
    require_kind,
    require_like,
    stored,
    variables_in,
)
from runtime.state.pytrees import register
from runtime.tensor import iadd, isub, with_item

include(__name__)


class Variable(AsArray):
    """An array of a fixed shape and dtype, with a name, whose contents are assigned.

    Variable(initial_value, trainable=True, name=None, dtype=None): the value is copied.

    What is read of it is what NumPy gives of an array:

        v.value, np.asarray(v)    the array itself: later assignments show in it, and writes into it are
                                  assignments
        v[1:], v.T, v.reshape(2)  views, as of an array; v[0] of a vector is a number
        v + 1, np.sin(v)          a new array
        v.numpy(), np.array(v)    a copy: what the variable held then

    ``assign``, ``assign_add`` and ``assign_sub`` take a value of exactly its shape. ``v += x`` and
    ``v[i] = x`` broadcast, as they do for arrays. None of them takes what NumPy's casting rule "same_kind"
    does not, such as floats for a variable of ints.
    """

    __slots__ = ("__weakref__", "_name", "_storage", "_trainable")

    def __init__(
        self, initial_value: Any, trainable: bool = True, name: str | None = None, dtype: Any = None
    ) -> None:
        if name is not None and not isinstance(name, str):
            raise TypeError(f"the name of a variable is a string, not {type(name).__name__}")
        if not isinstance(trainable, bool):
            raise TypeError(f"`trainable` is True or False, not {type(trainable).__name__}")
        self._storage = np.array(initial_value, dtype=dtype)
        if self._storage.dtype.kind not in "biufc":
            raise TypeError(
                f"a variable of dtype {self._storage.dtype} cannot be made: "
                "give numbers, or an array of bool, integer, float or complex dtype"
            )
        self._name = name
        self._trainable = trainable
        note_created(self)

    @property
    def name(self) -> str | None:
        """What errors call it."""
        return self._name

    @property
    def trainable(self) -> bool:
        """Is it among the `trainable_variables` of its module?"""
        return self._trainable

    # -- what it holds ----------------------------------------------------------------------------------

    @property
    def value(self) -> Any:
        """The array itself, no copy."""
        return read(self)

    def numpy(self) -> Any:
        """A copy of what it holds now."""
        return self._storage.copy()

    # -- assignments ------------------------------------------------------------------------------------

    def assign(self, value: Any) -> Variable:
        """It holds ``value`` from now on, which has its shape."""
        require_like(self, value, "assign")
        stored(self, with_item, ..., value)
        return self

    def assign_add(self, value: Any) -> Variable:
        """``value``, which has its shape, is added."""
        require_like(self, value, "assign_add")
        stored(self, iadd, value)
        return self

    def assign_sub(self, value: Any) -> Variable:
        """``value``, which has its shape, is subtracted."""
        require_like(self, value, "assign_sub")
        stored(self, isub, value)
        return self

    def __setitem__(self, key: Any, value: Any) -> None:
        require_kind(self, value)
        stored(self, with_item, key, value)

    def __repr__(self) -> str:
        text = np.array2string(self._storage, separator=", ", prefix="Variable(")
        name = "" if self._name is None else f", name={self._name!r}"
        return f"Variable({text}, shape={self._storage.shape}, dtype={self._storage.dtype}{name})"


include(__name__)


class Module(Collection):
    """A base class for objects that hold variables, in attributes, lists, tuples, dicts and other modules.

    The order is that in which attributes were first set, and that of lists and dicts; a variable that is
    found twice counts once, under its first name. Objects of other classes are not looked into.
    """

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        for each in (Variable, Module, cls):
            register(each)

    def named_variables(self) -> dict[str, Variable]:
        """The variables by the path that leads to each: ``layers[0].w``, ``table['a']``."""
        return dict(variables_in(self))

    @property
    def variables(self) -> list[Variable]:
        """All variables, each once."""
        return list(self.named_variables().values())

    @property
    def trainable_variables(self) -> list[Variable]:
        """The variables that were made with ``trainable=True``, each once."""
        return [variable for variable in self.variables if variable.trainable]
