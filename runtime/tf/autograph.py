"""`tf.autograph`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from autograph.api import convert, do_not_convert
from autograph.api import to_code as _to_code
from runtime.tf.arguments import Feature, features_of, only
from runtime.tf.functions import Function
from runtime.tf.names import refusing
from runtime.tf.traces import current


def to_code(entity: Any, recursive: bool = True, experimental_optional_features: Any = None) -> str:
    """The converted source of a function."""
    _only_as_here("tf.autograph.to_code", recursive, experimental_optional_features)
    return _to_code(entity.python_function if isinstance(entity, Function) else entity)


def to_graph(
    entity: Any, recursive: bool = True, experimental_optional_features: Any = None
) -> Callable[..., Any]:
    """The converted function."""
    _only_as_here("tf.autograph.to_graph", recursive, experimental_optional_features)
    return convert(entity.python_function if isinstance(entity, Function) else entity)


def _only_as_here(function: str, recursive: bool, features: Any) -> None:
    """What is called is converted when it is called, and all features are there at all times."""
    only(function, recursive=(recursive, True))
    features_of(function, features)


def _set_loop_options(
    parallel_iterations: Any = None,
    swap_memory: Any = None,
    maximum_iterations: Any = None,
    shape_invariants: Any = None,
) -> None:
    """Written first in the body of a loop: what may change of its variables, and how often it runs."""
    trace = current()
    if trace is None:
        return
    options = {"shape_invariants": shape_invariants, "maximum_iterations": maximum_iterations}
    if trace.loops:
        trace.loops[-1].give(options)
    else:
        trace.loop_options = options


class experimental:
    """`tf.autograph.experimental`."""

    Feature = Feature
    do_not_convert = staticmethod(do_not_convert)
    set_loop_options = staticmethod(_set_loop_options)


def set_verbosity(level: int = 0, alsologtostdout: bool = False) -> None:
    """There is nothing to be told: what cannot be converted is an error."""


__getattr__ = refusing(__name__, "tf.autograph")
