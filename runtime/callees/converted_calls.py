"""Code of libraries that is converted as the user's own is, where it gets an object of a class of the user's.

    class Loud(string.Formatter):
        def get_value(self, key, args, kwargs):
            print(key)
            return super().get_value(key, args, kwargs)

    Loud().format("{0}", x)      # Formatter.format calls Loud.get_value

So what it calls back does its work in each run, and what it reads of an object is read under guards.
"""

from __future__ import annotations

import inspect
import types
from typing import Any

from autograph.errors import SourceNotFoundError
from runtime.iterables.generators import generator_function
from runtime.tracer.trace import Trace
from runtime.unconverted.refusing import holds_watched, refuse_call


def call_converted(trace: Trace, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The result of this function of a library's; NotImplemented where it gets no object of such a class."""
    if not isinstance(function, types.FunctionType):  # an object, such as one of np.poly1d
        function, args = type(function).__call__, (function, *args)
    users = holds_watched(trace, (args, kwargs))
    users = users or (bool(args) and isinstance(args[0], type) and trace.outside.is_watched(args[0]))
    if not users or not isinstance(function, types.FunctionType):
        return NotImplemented
    try:
        entered: Any = trace.environment.enter(function, None)
    except SourceNotFoundError:
        raise refuse_call(trace, function, (args, kwargs)) from None
    if function.__code__.co_flags & inspect.CO_GENERATOR:
        return generator_function(trace, function, entered)(*args, **kwargs)
    return trace.calls.entering(function, entered)(*args, **kwargs)
