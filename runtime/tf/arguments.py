"""Arguments that a function has for its spelling only: other values than the usual one are refused by name.

>>> only("tf.nn.max_pool2d", data_format=("NHWC", "NHWC"))
>>> only("tf.nn.max_pool2d", data_format=("NCHW", "NHWC"))
Traceback (most recent call last):
  ...
NotImplementedError: tf.nn.max_pool2d: data_format='NCHW' is not supported here, only 'NHWC'
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

from runtime.tf.tensors import SymbolicTensor


def only(function: str, **arguments: tuple[Any, ...]) -> None:
    """Each argument with what was given, then the values that are known."""
    for name, (given, *known) in arguments.items():
        if not any(given is each or (type(given) is type(each) and given == each) for each in known):
            values = " and ".join(map(repr, known))
            raise NotImplementedError(f"{function}: {name}={given!r} is not supported here, only {values}")


def name_results(module: dict[str, Any]) -> None:
    """For all functions of a module: `name=` is the name of the result in the graph."""
    for key, function in list(module.items()):
        if inspect.isfunction(function) and function.__module__ == module["__name__"]:
            parameter = inspect.signature(function).parameters.get("name")
            if parameter is not None and parameter.default is not inspect.Parameter.empty:
                module[key] = _naming(function)


def _naming(function: Callable[..., Any]) -> Callable[..., Any]:
    place = list(inspect.signature(function).parameters).index("name")

    @functools.wraps(function)
    def named(*args: Any, **kwargs: Any) -> Any:
        found = function(*args, **kwargs)
        name = args[place] if len(args) > place else kwargs.get("name")
        if name is not None and isinstance(found, SymbolicTensor):
            found._trace.call(found._value, name)
        return found

    return named
