"""Objects of the user's classes, as a run makes them.

>>> from runtime.ops import REGISTRY
>>> from runtime.ops.template import Hole, Template
>>> class Point:
...     pass
>>> REGISTRY["object.make"].kernel(2.5, cls=Point, template=Template({"x": Hole(0)})).x
2.5
"""

from __future__ import annotations

import copy
import operator
import sys
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from autograph.operators import Undefined
from runtime.ops.containers import OF_CONTAINERS
from runtime.ops.definition import Effects, family, none
from runtime.ops.instances import attribute, instance_dict, is_hidden, remake
from runtime.ops.instances import set_attribute as instance_attribute
from runtime.ops.template import Template
from runtime.types import BOOL, InstanceType, Type

op = family("object", vjp=OF_CONTAINERS)


def one_of(tag: int, *values: Any) -> Any:
    """The value of a choice, where nobody minds that the others are made, too."""
    return values[tag]


def make_object(cls: type, held: dict[str, Any]) -> Any:
    return remake(cls, held)


# -- references: objects whose attributes only a run knows (objects/references.py) ------------------------

_MISSING = object()


def get_attribute(target: Any, name: str, *, reader: Any) -> Any:
    """What the object itself holds, taken apart; where it holds nothing, that it is unbound."""
    found = attribute(target, name, _MISSING)
    return reader.read(Undefined(name) if found is _MISSING else found)


def set_attribute(*given: Any, template: Template | None = None) -> None:
    target, name, value = given if template is None else template.fill(given)
    instance_attribute(target, name, value)


def delete_attribute(target: Any, name: str) -> None:
    """What the object itself holds is gone. Raises AttributeError where it holds nothing."""
    if is_hidden(type(target), name):
        del instance_dict(target)[name]
    else:
        object.__delattr__(target, name)


def copy_all(*targets: Any) -> Any:
    """Deep copies of objects: what two of them share, their copies share."""
    copies = copy.deepcopy([*targets])
    return copies[0] if len(targets) == 1 else tuple(copies)


_MAKES = Effects(ordered=True, may_raise=True, touches="arrays", makes="object")
_CHANGES = Effects(writes=(0,), ordered=True, may_raise=True, fields=(1,))
_READS = Effects(may_raise=True, fields=(1,))
_PLACED = ("instance",)  # where attributes have a place


def _of_fields(effects: Effects) -> Callable[..., Effects]:
    """A plain store to, or load from, an object of which the type says whether attributes may be missing."""
    plain = replace(effects, raises="memory")

    def of_types(types: tuple[Type, ...], **attributes: Any) -> Effects:
        base = types[0]
        known = isinstance(base, InstanceType) and not issubclass(base.cls, BaseException)
        return plain if known else effects

    return of_types


op(
    "object.make",  # template: a dict of its attributes
    lambda *values, cls, template: make_object(cls, template.fill(values)),
    lambda types, cls, template: InstanceType(cls.__name__, cls),
    replace(_MAKES, raises="memory"),
    family="effect",
    traits=["literal"],
    lowered=_PLACED,
)

op(
    "object.copy",  # function: copy.copy or copy.deepcopy
    lambda target, function: function(target),
    lambda types, function: types[0],
    _MAKES,
)

op("object.deepcopy", copy_all, lambda types: types, _MAKES)

op("object.getattr", get_attribute, lambda types, reader: reader.types, _of_fields(_READS), lowered=_PLACED)

op("object.setattr", set_attribute, lambda types, template=None: (), _of_fields(_CHANGES), lowered=_PLACED)

op("object.delattr", delete_attribute, lambda types: (), _CHANGES)


def verify_attribute(target: Any, name: str, known: Any) -> None:
    _verify(attribute(target, name, _MISSING), known, f"{type(target).__name__}.{name}")


def verify_item(items: Any, index: int, known: Any) -> None:
    _verify(items[index], known, f"[{index}] of a {type(items).__name__}")


def verify_length(items: Any, known: int) -> None:
    _verify(len(items), known, f"the length of a {type(items).__name__}")


def _verify(found: Any, known: Any, what: str) -> None:
    if not _is_same(found, known):
        raise AssertionError(f"{what} is {found!r}, and the trace knew {known!r}")


def _given_structures(kernel: Any) -> Any:
    """The kernel, given its arguments or the values that fill them."""

    def of_values(*values: Any, template: Template | None = None) -> Any:
        return kernel(*(values if template is None else template.fill(values)))

    return of_values


def _is_same(found: Any, known: Any) -> bool:
    """Is it the same object, or an equal one of those that nobody tells apart?"""
    if found is known:
        return True
    if type(found) is not type(known):
        return False
    if isinstance(found, tuple):
        return len(found) == len(known) and all(map(_is_same, found, known))
    if isinstance(found, np.ndarray):
        return found.__array_interface__ == known.__array_interface__
    is_plain = isinstance(found, int | float | complex | str | np.generic)
    return is_plain and bool(found == known or (found != found and known != known))


# what a load would give is known: is it that? (AUTOGRAPH_VERIFY=loads)
for _name, _verifier, _fields in (
    ("object.verify", verify_attribute, (1,)),
    ("list.verify", verify_item, ("items", "length")),
    ("list.verify_length", verify_length, ("length",)),
):
    op(
        _name,
        _given_structures(_verifier),
        lambda types, template=None: (),
        Effects(ordered=True, may_raise=True, fields=_fields),
        vjp=none("a check"),
    )

op("is", operator.is_, lambda types: BOOL, lowered=_PLACED)


def stderr() -> Any:
    """The stream that stands in ``sys.stderr`` when it is written to."""
    return sys.stderr
