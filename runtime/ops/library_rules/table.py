"""The table from a library function to the rule of its derivative, and the rule of `call`, which uses it.

    rules("scipy.special", expit=lambda g, y, x: (g * y * (1 - y),))
    rules("scipy.special", softmax=as_written(softmax))

A rule gets the cotangents, the results, and the arguments of the call as the user gave them, those that
only a run knows as `Expr`. It returns one cotangent for each positional argument, or what other rules return.
Of a ufunc all arguments are `Expr`.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from autograph.loading import loaded
from runtime.ops.definition import NoDerivative, Vjp, Written, refused
from runtime.ops.expressions import Expr
from runtime.ops.library_calls import LibraryFunction
from runtime.ops.template import Template

#: arguments by which the result does not change
_HOW = frozenset({"overwrite_a", "overwrite_b", "check_finite", "lapack_driver", "lwork"})
#: the modules that enter rules
_SUBJECTS = ("arrays", "calculus", "fft", "linalg", "signal", "special", "statistics")
#: package -> name in it (`norm.logpdf`: of an object) -> rule
_RULES: dict[str, dict[str, Vjp]] = {}
#: the same by function, of packages that are imported
_FOUND: dict[str, dict[Any, Vjp]] = {}


def rules(package: str, **named: Vjp) -> None:
    """Enter rules of functions of a package, which need not be installed."""
    _RULES.setdefault(package, {}).update(named)


def rule_of(function: Any) -> Vjp | None:
    """The rule of a function; None where nobody has written one."""
    for subject in _SUBJECTS:
        loaded(f"{__package__}.{subject}")
    for package, named in _RULES.items():
        if package not in sys.modules:
            continue
        if package not in _FOUND:
            _FOUND[package] = {_attribute(package, name): rule for name, rule in named.items()}
        if function in _FOUND[package]:
            return _FOUND[package][function]
    return None


def _attribute(package: str, name: str) -> Any:
    """What has the name; the name itself where this version of the package has none."""
    found: Any = sys.modules[package]
    for part in name.split("."):
        found = getattr(found, part, None)
    return name if found is None else found


def call_vjp(
    g: Any, y: Any, *inputs: Expr, function: Any, template: Template, outputs: Any
) -> tuple[Any, ...] | NoDerivative | Written:
    is_library = getattr(function, "is_tried", False) or isinstance(function, LibraryFunction)
    if not is_library:
        return refused("a call of code that the graph does not know")
    called = function.function
    name = f"{_home(called)}.{getattr(called, '__name__', type(called).__name__)}"
    rule = rule_of(called)
    if rule is None:
        return refused(f"nobody has written the derivative of {name}")
    if isinstance(rule, NoDerivative):
        return rule if rule.refused else (None,)
    args, kwargs = template.fill(inputs)
    kwargs = {key: value for key, value in kwargs.items() if key not in _HOW}
    if isinstance(called, np.ufunc):
        args = [arg if isinstance(arg, Expr) else inputs[0].of(arg) for arg in args]
    written = getattr(rule, "function", None)
    try:
        if written is not None:
            inspect.signature(written).bind(*args, **kwargs)
        bound = inspect.signature(rule).bind(g, y, *args, **kwargs)
    except TypeError:
        return refused(f"nobody has written the derivative of {name} with these arguments")
    found = rule(g, y, *args, **kwargs)
    return _in_order(name, found, bound, inputs) if isinstance(found, tuple) else found


def _in_order(
    name: str, cotangents: tuple[Any, ...], bound: inspect.BoundArguments, inputs: tuple[Expr, ...]
) -> tuple[Any, ...]:
    """The cotangents in the order of the inputs of the operation. A part of a list has none."""
    bound.apply_defaults()
    places = {id(arg): c for arg, c in zip(bound.args[2:], cotangents, strict=False)}
    missing = refused(f"nobody has written the derivative of {name} by this argument")
    return tuple([places.get(id(x), missing) for x in inputs])


def _home(function: Callable[..., Any]) -> str:
    module = getattr(function, "__module__", None) or "scipy.special"
    parts = [part for part in module.split(".") if not part.startswith("_")]
    return ".".join(parts)
