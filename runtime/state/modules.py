"""``Module``: collects the variables of a tree of objects.

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

from autograph.config import include
from runtime.state.hooks import Collection, variables_in
from runtime.state.pytrees import register
from runtime.state.variables import Variable

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
