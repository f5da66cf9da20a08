"""A module that came out of a file. Its methods run converted in a trace, as those of rt.Module do."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from autograph.config import include
from runtime.saving.loaded import LoadedFunction
from runtime.state.variables import Module, Variable

include(__name__)


class LoadedModule(Module):
    """What ``rt.load`` gives for a module: its functions as attributes, and its variables."""

    def __init__(self, functions: Mapping[str, LoadedFunction], variables: Mapping[str, Variable]) -> None:
        self.functions = dict(functions)
        self._variables = dict(variables)
        for name, function in functions.items():
            if name != "__call__":
                setattr(self, name, function)

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        if "__call__" not in self.functions:
            raise TypeError("the module that was saved is not callable")
        return self.functions["__call__"](*args, **kwargs)

    def named_variables(self) -> dict[str, Variable]:
        """The variables, under the names that they had in the module that was saved."""
        return dict(self._variables)
