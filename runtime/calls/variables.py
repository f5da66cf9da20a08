"""Variables and modules in a trace: what NumPy's functions take of them, and what the trace notes.

A variable is an object with an array, ``_storage``, which the trace reads and writes as any attribute.
"""

from __future__ import annotations

from types import MethodType
from typing import Any

import numpy as np

from autograph.operators import Undefined, call
from runtime.guards.paths import Guard
from runtime.numpy_calls.arguments import has_staged
from runtime.staged import containers
from runtime.staged.operands import ArrayHolder, array_held, storage_of
from runtime.state.assigning import check_kind, check_shape
from runtime.state.hooks import (
    HOLDERS,
    Collection,
    attribute_names,
    collect,
    form_of,
    in_words,
    is_recorded,
    note_created,
    read,
    require_kind,
    require_like,
    stored,
    variables_in,
)
from runtime.tracer.builder import Staged, type_of_staged
from runtime.tracer.call_handlers import handles
from runtime.tracer.known_items import as_plain
from runtime.tracer.spec import Choice, maybe_absent
from runtime.tracer.trace import Trace
from runtime.types import NUMBER_DTYPES, ArrayType, NumberType, ScalarType

#: packages whose functions take a variable for its array
_OF_ARRAYS = frozenset({"numpy", "scipy", "math", "cmath"})


def with_arrays(
    function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The arguments of a call; of NumPy's and its like with the arrays of variables in their place."""
    if not _takes_arrays(function) or not _holds_variable((*args, *kwargs.values())):
        return args, kwargs
    return tuple(map(_array_in, args)), {name: _array_in(value) for name, value in kwargs.items()}


def _takes_arrays(function: Any) -> bool:
    if isinstance(function, np.ufunc) or any(function is one for one in (range, min, max)):
        return True
    owner = getattr(function, "__self__", None)
    if isinstance(function, MethodType) and isinstance(owner, Staged):
        return True
    module = type(owner).__module__ if isinstance(owner, np.ufunc) else getattr(function, "__module__", None)
    return isinstance(module, str) and module.partition(".")[0] in _OF_ARRAYS


def _holds_variable(value: Any) -> bool:
    if type(value) in (tuple, list):
        return any(map(_holds_variable, value))
    return isinstance(value, ArrayHolder)


def _array_in(value: Any) -> Any:
    if type(value) in (tuple, list) and _holds_variable(value):
        return type(value)(map(_array_in, value))
    return array_held(value) if isinstance(value, ArrayHolder) else value


@handles(read)
def _read(trace: Trace, variable: Any) -> Any:
    return array_held(variable)


@handles(stored)
def _stored(trace: Trace, variable: Any, function: Any, *args: Any) -> None:
    """In a trace a write is a write into the array of the graph."""
    for tape in trace.tapes:
        tape.accessed(variable)
    function(storage_of(variable), *args)


@handles(is_recorded)
def _is_recorded(trace: Trace) -> bool:
    """The graph follows it."""
    return False


@handles(note_created)
def _note_created(trace: Trace, variable: Any) -> None:
    if trace.frames:
        raise trace.refuse(
            "a variable is made where only a run knows whether, or how often",
            "make it before the `if`, `try` or loop, or outside of the decorated function",
        )
    trace.variables_made.append(trace.here())


@handles(require_like)
def _require_like(trace: Trace, variable: Any, value: Any, method: str) -> None:
    variable = trace.seen(variable)
    own, (shape, dtype, is_python) = variable._storage, _form_of(trace, value)
    what = f"{method} of {in_words(variable, own.type.shape)}"
    if None in (*own.type.shape, *shape):  # only a run knows
        given = value if hasattr(value, "shape") else call(np.asarray, value)
        call(check_shape, what, own.shape, given.shape)
    else:
        check_shape(what, own.type.shape, shape)
    check_kind(what, own.type.dtype, dtype, is_python)


@handles(require_kind)
def _require_kind(trace: Trace, variable: Any, value: Any) -> None:
    variable = trace.seen(variable)
    own, (_, dtype, is_python) = variable._storage, _form_of(trace, value)
    check_kind(f"an item assignment of {in_words(variable, own.type.shape)}", own.dtype, dtype, is_python)


def _form_of(trace: Trace, value: Any) -> tuple[tuple[Any, ...], Any, bool]:
    """As `form_of`; a length that only a run knows is None."""
    value = trace.seen(value)._storage if isinstance(value, ArrayHolder) else value
    kind = type_of_staged(value)
    if isinstance(kind, NumberType):
        return (), NUMBER_DTYPES[kind.kind], True
    if isinstance(kind, ArrayType | ScalarType):
        return getattr(kind, "shape", ()), kind.dtype, False
    if not has_staged(value):
        return form_of(value)
    array = call(np.asarray, value)
    return array.type.shape, array.dtype, True


@handles(variables_in)
def _variables_in(trace: Trace, root: Collection) -> list[tuple[str, Any]]:
    def look(item: Any) -> Any:
        item = as_plain(item)
        chosen = isinstance(item, Choice) and any(isinstance(one, HOLDERS) for one in item.values)
        is_loaded = isinstance(item, Collection) and trace.references.is_reference(item)
        unknown = is_loaded and trace.references.known_attributes(item) is None
        if chosen or unknown or isinstance(item, containers.StagedContainer):
            raise trace.refuse(
                "which variables a module holds is known only at run time",
                "keep them where the function does not change under a condition what holds them",
            )
        return item

    return collect(root, lambda owner: _attribute_names(trace, owner), look, trace.seen)


def _attribute_names(trace: Trace, owner: Any) -> list[str]:
    """Which attributes an object has, also of one from outside: a guard says that it still has these."""
    outside = trace.outside
    if trace.references.is_reference(owner):
        return list(trace.references.known_attributes(owner) or ())
    if not outside.is_outside(owner):  # what a gradient is asked for
        return attribute_names(owner)
    names = attribute_names(owner)
    condition = lambda s, n: f"{n.of(attribute_names)}({s}) == {names!r}"
    path = outside.path_of(owner)
    assert path is not None
    outside.guards.append(Guard(path, condition, f"with attributes {names}"))
    found = dict.fromkeys(names)
    stored = outside.attributes.stored(owner)
    if any(map(maybe_absent, stored.values())):
        raise outside.attributes.refuse_namespace(owner)
    found |= stored
    return [name for name, value in found.items() if not isinstance(value, Undefined)]
