"""An attribute of one of many objects: read of all of them, and looked up by the place of the chosen one.

    best = particles[0]
    for p in particles:
        if p.cost < best.cost:
            best = p

After the k-th turn ``best`` is one of k objects. A branch for each of them, at each reading, would be k
blocks for each turn; the choice of a number among k is one operation.
"""

from __future__ import annotations

from types import MemberDescriptorType
from typing import Any

from autograph.operators import Undefined
from runtime.ops.instances import attributes, class_attribute, computes_attributes, is_user_instance
from runtime.specs.spec import MANY, Leaf, generalise, is_number
from runtime.tracer.builder import emit
from runtime.tracer.spec import Choice, maybe_absent, spec_of
from runtime.tracer.trace import require_trace


def attribute_of_many(choice: Choice, name: str) -> Any:
    """The attribute of the object that is chosen; NotImplemented for few, and where a look is not enough."""
    trace = require_trace()
    if len(choice.values) <= MANY or len(list(trace.implied.positions(choice))) <= MANY:
        return NotImplemented
    if not all(_is_plainly_held(value, name) for value in choice.values):
        return NotImplemented
    held = [getattr(trace.seen(value), name) for value in choice.values]
    if any(isinstance(value, Choice) for value in held):
        return NotImplemented
    kind, *others = {generalise(spec_of(value)) for value in held}
    if not others and isinstance(kind, Leaf) and is_number(kind.type) and not kind.boxed:
        return emit("py.choose", [choice.tag, *held])
    if all(map(is_user_instance, held)) and len(set(map(id, held))) == len(held):
        return Choice(choice.tag, tuple(held))
    return NotImplemented


def _is_plainly_held(owner: Any, name: str) -> bool:
    """Is it in the object's own `__dict__` or slot, and no code is asked?"""
    trace = require_trace()
    if not is_user_instance(owner) or trace.references.is_reference(owner):
        return False
    held = attributes(owner).get(name, _MISSING)
    held = trace.overlay.get(trace.outside.attributes.key(owner, name), held)
    if held is _MISSING or isinstance(held, Undefined) or maybe_absent(held):
        return False
    cls = type(owner)
    static = class_attribute(cls, name)
    return (static is None or isinstance(static, MemberDescriptorType)) and not computes_attributes(cls)


_MISSING = object()
