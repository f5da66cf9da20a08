"""Functions for which a trace has something of its own: `calls/variables.py`.

They stand in a module that is not converted; the classes of variables and modules run converted.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from runtime.ops.instances import attributes
from runtime.recording import array_read, records
from runtime.staged.operands import ArrayHolder, storage_of
from runtime.state.assigning import check_kind, check_shape
from runtime.tensor import Tensor, computed


class Collection:
    """Base of rt.Module: an object whose attributes are looked into."""


#: what is a variable, or is looked into for one
HOLDERS = (ArrayHolder, Collection, list, tuple, dict)


def note_created(variable: Any) -> None:
    """A variable has been made: a trace notes the line."""


def read(variable: Any) -> Any:
    """The array of a variable; while a tape records, a Tensor of it."""
    if not records():
        return storage_of(variable)
    array = array_read(variable)
    return Tensor(array) if array.ndim else computed(operator.getitem, (variable, ()), {})


def stored(variable: Any, function: Callable[..., Any], *args: Any) -> None:
    """``function(array, *args)`` writes the array of the variable; tapes are told."""
    if records():
        array_read(variable)
    computed(function, (variable, *args), {}, (variable,))


def is_recorded() -> bool:
    """Does a tape record, outside of a trace?"""
    return bool(records())


def stored_by(function: Any, inputs: Any, kwargs: Any, out: Any) -> Any:
    """What a ufunc writes into variables, of which tapes are told."""
    computed(function, inputs, kwargs, out)
    return out[0] if len(out) == 1 else out


def require_like(variable: Any, value: Any, method: str) -> None:
    """Raises ValueError for a value of another shape, TypeError for numbers that the variable cannot hold."""
    own, (shape, dtype, is_python) = storage_of(variable), form_of(value)
    if shape != own.shape:
        check_shape(f"{method} of {in_words(variable, own.shape)}", own.shape, shape)
    if dtype != own.dtype:
        check_kind(f"{method} of {in_words(variable, own.shape)}", own.dtype, dtype, is_python)


def require_kind(variable: Any, value: Any) -> None:
    """The same for the value of an item, which may broadcast."""
    own, (_, dtype, is_python) = storage_of(variable), form_of(value)
    if dtype != own.dtype:
        what = f"an item assignment of {in_words(variable, own.shape)}"
        check_kind(what, own.dtype, dtype, is_python)


def form_of(value: Any) -> tuple[tuple[Any, ...], Any, bool]:
    """Shape and dtype of a value as an array, and whether it is of Python's numbers.

    >>> form_of([1.5, 2]), form_of(np.int8(3))
    (((2,), dtype('float64'), True), ((), dtype('int8'), False))
    """
    if isinstance(value, ArrayHolder):
        value = storage_of(value)
    if isinstance(value, Tensor):
        value = value._array
    is_python = not hasattr(value, "dtype")
    array = np.asarray(value)
    return array.shape, array.dtype, is_python


def in_words(variable: Any, shape: tuple[Any, ...]) -> str:
    name = "a variable" if variable._name is None else f"variable {variable._name!r}"
    return f"{name} of shape {shape} and dtype {storage_of(variable).dtype}"


def attribute_names(owner: Any) -> list[str]:
    """The names of the attributes that an object itself holds, in the order in which they were first set.

    >>> from types import SimpleNamespace
    >>> attribute_names(SimpleNamespace(b=1, a=2))
    ['b', 'a']
    """
    return list(attributes(owner))


def variables_in(root: Collection) -> list[tuple[str, Any]]:
    """The variables of a module, each once, with the paths that lead to them."""
    return collect(root, attribute_names)


def collect(
    root: Collection,
    names: Callable[[Any], list[str]],
    look: Callable[[Any], Any] = lambda item: item,
    seen: Callable[[Any], Any] = lambda owner: owner,
) -> list[tuple[str, Any]]:
    """The same, with ``names`` telling the attributes of a module; ``look`` gives what to look at in place of
    what it holds, and ``seen`` what to read the attributes from."""
    found: list[tuple[str, Any]] = []
    met: dict[int, Any] = {}

    def visit(item: Any, path: str) -> None:
        held = look(item)
        if not isinstance(held, HOLDERS) or id(item) in met:
            return
        met[id(item)] = item
        if isinstance(held, ArrayHolder):
            found.append((path, held))
        else:
            for step, part in parts_of(held, names, seen):
                visit(part, f"{path}{step}" if path else step.removeprefix("."))

    visit(root, "")
    return found


def parts_of(
    item: Any, names: Callable[[Any], list[str]], seen: Callable[[Any], Any] = lambda owner: owner
) -> Iterator[tuple[str, Any]]:
    """What a module, list, tuple or dict holds, and how one gets there.

    >>> list(parts_of({"a": 1}, attribute_names)), list(parts_of([5], attribute_names))
    ([("['a']", 1)], [('[0]', 5)])
    """
    if isinstance(item, Collection):
        for name in names(item):
            yield f".{name}", getattr(seen(item), name)
    elif isinstance(item, dict):
        for key, value in item.items():
            yield f"[{key!r}]", value
    else:
        for position, value in enumerate(item):
            yield f"[{position}]", value
