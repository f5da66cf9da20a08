"""The table itself, and how an implementation enters it.

    @implements(np.identity)
    def identity(n, dtype=None):
        return eye(n, dtype=dtype)

An implementation has the parameters of the function that it implements, in the same order. Where one is
given that it has not, the function is called as a whole, or refused.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from functools import cache
from operator import attrgetter
from typing import Any, TypeVar

import numpy as np

from runtime.numpy_calls.arguments import as_dtype, has_staged, no_operation, static
from runtime.ops.definition import REGISTRY
from runtime.staged.operands import Boxed, apply, operand
from runtime.tracer.builder import Staged, emit, refuse
from runtime.tracer.spec import make_template
from runtime.types import ArrayType, ContainerType, ObjectType

F = TypeVar("F", bound=Callable[..., Any])

#: function -> its staged implementation
TABLE: dict[Any, Callable[..., Any]] = {}

#: NumPy's default for "not given" in several functions
NOT_GIVEN: Any = np._NoValue


def builtin(
    function: Any, others: tuple[type, ...] = ()
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Enter an implementation that is used where an argument is staged, or the first is of ``others``."""

    def decorate(implementation: Callable[..., Any]) -> Callable[..., Any]:
        TABLE[function] = lambda *args, **kwargs: (
            implementation(*args, **kwargs)
            if has_staged((args, kwargs)) or (args and isinstance(args[0], others))
            else NotImplemented
        )
        return implementation

    return decorate


def implements(*functions: Any) -> Callable[[F], F]:
    """Enter the decorated function into the table, for each of ``functions``."""

    def decorate(implementation: F) -> F:
        TABLE.update(dict.fromkeys(functions, implementation))
        return implementation

    return decorate


def _is_default(value: Any, default: Any) -> bool:
    return value is default or (type(value) is type(default) and bool(value == default))


def rows(names: str, more: str = "") -> None:
    """A `row` for each of these names."""
    for name in names.split():
        row(name, more)


def row(operation: str, more: str = "", function: Any = None, like: Any = None) -> Callable[..., Any]:
    """Enter the NumPy function that is an operation, that of its name; returns its implementation.

    Its description says what it takes: as many inputs as its samples have operands; as attributes what its
    type rule or samples name, and ``more``. With other parameters the function is called as a whole, and with
    ``out`` by NumPy, which writes there. ``like`` has the parameters of a function that does not tell.
    """
    function = function or attrgetter(operation)(np)

    @cache
    def parameters() -> tuple[inspect.Signature, list[str], list[str]]:
        found, definition = inspect.signature(like or function), REGISTRY[operation]
        given = [[x for x in sample if not isinstance(x, dict)] for sample in definition.samples]
        count = max(map(len, given))
        named = {key for sample in definition.samples for x in sample if isinstance(x, dict) for key in x}
        named |= {*inspect.signature(definition.infer).parameters, *more.split()}  # type: ignore[arg-type]
        return found, [*found.parameters][:count], [k for k in [*found.parameters][count:] if k in named]

    def implementation(*args: Any, **kwargs: Any) -> Any:
        signature, input_names, attribute_names = parameters()
        default = {k: p.default for k, p in signature.parameters.items()}
        given = {k: v for k, v in signature.bind(*args, **kwargs).arguments.items() if v is not NOT_GIVEN}
        if given.get("out") is not None:
            return into_out(function, args, kwargs, given["out"])
        for key in input_names:
            if key in given and given[key] is None and default[key] is not None:
                raise no_operation(f"the argument `{key}` of {function.__name__}() has no staged form")
        operands = [given.pop(k) for k in input_names if given.get(k) is not None]
        found = {}
        for key in attribute_names:
            value = given.pop(key, default[key])
            if value is not NOT_GIVEN and not _is_default(value, default[key]):
                if key == "axis" and isinstance(value, list):
                    raise no_operation(f"the argument `{key}` of {function.__name__}() has no staged form")
                found[key] = as_dtype(value) if key == "dtype" else static(value, key)
        for key, value in given.items():
            if not _is_default(value, default[key]):
                raise no_operation(f"the argument `{key}` of {function.__name__}() has no staged form")
        return apply(operation, operands, **found)

    TABLE[function] = implementation
    return implementation


def into_out(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any], out: Any) -> Any:
    """The call of a function with ``out``, which it returns; some give a scalar of one item."""
    if isinstance(out, tuple) and len(out) == 1:
        (out,) = out
    call_into(function, args, kwargs, out)
    if not out.ndim:
        raise refuse("`out` is an array of no dimensions", "write out[()] = the result")
    return out


# -- calls that write into arrays that they are given: ``np.sum(x, out=y)``, ``np.add.at(x, index, 1)`` -----
#
# NumPy's own function makes the call in each run, so that casts, overlaps, read-only arrays and shapes that
# do not fit are its business, and its words.


def call_into(
    function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], *targets: Any
) -> None:
    """``function(*args, **kwargs)`` for what it writes into ``targets``, which are among its arguments.

    Raises StagingError where a target, or another argument, is nothing that the trace knows.
    """
    for target in targets:
        if not isinstance(target, Staged) or not isinstance(target.type, ArrayType):
            raise refuse(
                "`out` is not an array that the trace knows",
                "make it in the decorated function, or pass it as an argument",
            )
    template, leaves = make_template((_arguments(args), _arguments(kwargs)))
    written = tuple([k for k, leaf in enumerate(leaves) if any(leaf is target for target in targets)])
    emit("call_into", leaves, function=function, template=template, written=written)


def _arguments(item: Any) -> Any:
    """The same structure, with staged values, numbers and other plain things for leaves."""
    if isinstance(item, dict):
        return {key: _arguments(part) for key, part in item.items()}
    if type(item) in (list, tuple):
        return type(item)([_arguments(part) for part in item])
    if isinstance(item, Staged) and isinstance(item.type, ContainerType):
        return operand(item)
    if isinstance(item, Staged) and isinstance(item.type, ObjectType):
        raise refuse(
            f"a value of type {item.type} cannot be an operand of a staged operation",
            "convert it to a number or an array first",
        )
    return operand(item) if isinstance(item, np.ndarray | Boxed) and not isinstance(item, Staged) else item


def given_outputs(out: Any) -> Iterator[Any]:
    """The arrays of an ``out`` argument: an array, or a tuple of arrays and None."""
    yield from [part for part in (out if isinstance(out, tuple) else (out,)) if part is not None]
