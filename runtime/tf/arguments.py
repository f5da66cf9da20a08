"""Arguments that a function has for its spelling only: other values than the usual one are refused by name.

And `tf.autograph.experimental.Feature`: parts of AutoGraph that TensorFlow turns on one by one. Here all of
them are on but one: `print` stays Python's, unless a `tf.function` asks for BUILTIN_FUNCTIONS.
"""

from __future__ import annotations

import enum
import functools
import inspect
from collections.abc import Callable
from typing import Any

from runtime.tf.tensors import SymbolicTensor


class Feature(enum.Enum):
    ALL = "ALL"
    AUTO_CONTROL_DEPS = "AUTO_CONTROL_DEPS"
    ASSERT_STATEMENTS = "ASSERT_STATEMENTS"
    BUILTIN_FUNCTIONS = "BUILTIN_FUNCTIONS"
    EQUALITY_OPERATORS = "EQUALITY_OPERATORS"
    LISTS = "LISTS"
    NAME_SCOPES = "NAME_SCOPES"

    @classmethod
    def all_but(cls, exclude: Any) -> tuple[Feature, ...]:
        """All features, but one or several."""
        without = exclude if isinstance(exclude, list | tuple | set | frozenset) else (exclude,)
        return tuple([each for each in cls if each not in (cls.ALL, *without)])


def features_of(function: str, given: Any) -> frozenset[Feature]:
    """A feature, several or None as a set. Raises TypeError for anything else."""
    parts = given if isinstance(given, list | tuple | set | frozenset) else () if given is None else (given,)
    for part in parts:
        if not isinstance(part, Feature):
            raise TypeError(f"{function}: {part!r} is no tf.autograph.experimental.Feature")
    return frozenset(parts)


def prints_in_graphs(features: frozenset[Feature]) -> bool:
    """Is `print` of a tensor an operation, which happens at each call?"""
    return not features.isdisjoint((Feature.ALL, Feature.BUILTIN_FUNCTIONS))


def only(function: str, **arguments: tuple[Any, ...]) -> None:
    """Each argument with what was given, then the values that are known."""
    for name, (given, *known) in arguments.items():
        if not any(given is each or (type(given) is type(each) and given == each) for each in known):
            values = " and ".join(map(repr, known))
            raise NotImplementedError(f"{function}: {name}={given!r} is not supported here, only {values}")


def name_results(module: dict[str, Any], *but: str) -> None:
    """All functions of a module, ``but`` these, take `name=`, the name of the result in the graph."""
    for key, function in list(module.items()):
        own = inspect.isfunction(function) and function.__module__ == module["__name__"]
        if own and not key.startswith("_") and key not in but:
            module[key] = _naming(function)


def _naming(function: Callable[..., Any]) -> Callable[..., Any]:
    signature = inspect.signature(function)
    parameters = list(signature.parameters.values())
    several = any(p.kind is p.VAR_POSITIONAL for p in parameters)
    kind = inspect.Parameter.KEYWORD_ONLY if several else inspect.Parameter.POSITIONAL_OR_KEYWORD
    most = -1 if several else len(parameters)

    @functools.wraps(function)
    def named(*args: Any, name: str | None = None, **kwargs: Any) -> Any:
        if len(args) - 1 == most:
            args, name = args[:-1], args[-1]
        found = function(*args, **kwargs)
        if name is not None and isinstance(found, SymbolicTensor):
            found._trace.call(found._value, name)
        return found

    shown = [*parameters, inspect.Parameter("name", kind, default=None)]
    named.__dict__["__signature__"] = signature.replace(parameters=shown)
    return named
