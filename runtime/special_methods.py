"""The user's ``__lt__``, ``__eq__`` and ``__hash__`` of the objects that a run sorts and searches.

    heapq.heappush(waiting, Task(5))     # a run calls Task.__lt__, in Python

There they run as they are, on the objects of the run: what they read is what it is at that point. What they
change would be unknown to the trace, so each is traced once, in vain, and refused where it has an effect.
"""

from __future__ import annotations

import types
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from autograph.operators import call
from runtime.blocks import trace_block
from runtime.builder import Staged
from runtime.flattening import undefined
from runtime.graph import Block, walk
from runtime.instances import is_user_instance
from runtime.ops.definition import REGISTRY
from runtime.spec import Choice, Leaf, Spec, Tuple, Variant
from runtime.types import ContainerType, InstanceType, Type
from runtime.watched_classes import namespace_of

if TYPE_CHECKING:
    from runtime.trace import Trace

ORDER = ("__lt__", "__gt__")
EQUAL = ("__eq__",)
HASH = ("__hash__", "__eq__")
_ORDERED = "sort sorted sort_by sorted_by min max min_of max_of min_by max_by lt le gt ge".split()
_HEAPS = "heappush heappop heapify heappushpop heapreplace bisect_left bisect_right insort_left insort_right"
_FOUND = "contains index count remove equal".split()
#: operation -> the special methods of items that it may call
_METHODS: dict[str, tuple[str, ...]] = {
    **{f"list.{name}": (*ORDER, *EQUAL) for name in (*_ORDERED, *_HEAPS.split())},
    **{f"list.{name}": EQUAL for name in _FOUND},
}


def own_method(cls: type, name: str) -> types.FunctionType | None:
    """The special method of this name, where it is written in Python."""
    for base in cls.__mro__:
        method = namespace_of(base).get(name)
        if method is not None:
            method = getattr(method, "__runtime_inline__", method)
            return method if isinstance(method, types.FunctionType) else None
    return None


def is_instance(value: Any) -> bool:
    """Is it an instance of a user's class, as converted code holds it?"""
    return not isinstance(value, Staged | Choice | type) and is_user_instance(value)


def orders_itself(item: Any) -> bool:
    """Is it an instance of a user's class that says what comes before what?"""
    if isinstance(item, Choice):
        return any(map(orders_itself, item.values))
    return is_instance(item) and any(own_method(type(item), name) is not None for name in ORDER)


class RunTimeMethods:
    """Which special methods one trace has found to be free of effects."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self._checked: set[tuple[type, str]] = set()

    def check(self, operation: str, inputs: Iterable[Any]) -> None:
        """Raises StagingError where the operation may call a method that has an effect."""
        names = _METHODS.get(operation)
        if names is None:
            if not operation.startswith(("dict.", "set.", "Counter.", "OrderedDict.")):
                return
            names = HASH
        for value in inputs:
            kind = getattr(value, "type", None)
            for cls in set(_classes(kind)):
                for name in names:
                    self._check(cls, name)

    def _check(self, cls: type, name: str) -> None:
        method = own_method(cls, name)
        if (cls, name) in self._checked or method is None:
            return
        self._checked.add((cls, name))
        count = 1 if name == "__hash__" else 2
        trace, block = self.trace, Block()

        def run() -> None:
            kind = InstanceType(cls.__name__, cls)
            call(method, *[trace.wrap(undefined(kind, trace)) for _ in range(count)])

        outcome = trace_block(trace, block, run)
        has_effect = bool(outcome.slots) or _has_effect(block)
        block.operations.clear()
        for region in trace.regions:
            region.roll_back()
        if has_effect:
            raise trace.refuse(
                f"`{cls.__name__}.{name}` has an effect, and is called by Python's own code in each run",
                "compare in a loop of your own, or leave the effect out",
            )


def _has_effect(block: Block) -> bool:
    """Could somebody see that the block ran? Objects that it makes itself nobody knows."""
    operations = list(walk(block))
    made = {value for operation in operations if operation.name != "undef" for value in operation.outputs}
    for operation in operations:
        definition = REGISTRY.get(operation.name)
        if definition is None or operation.name == "raise":
            continue
        effects = definition.effects_of(tuple([v.type for v in operation.inputs]), operation.attributes)
        if any(operation.inputs[place] not in made for place in effects.writes):
            return True
        if effects.ordered and not effects.writes and definition.family not in ("container", "object"):
            return True
    return False


def _classes(kind: Type | None) -> Iterator[type]:
    """The user's classes among the items of a container."""
    if isinstance(kind, InstanceType):
        yield kind.cls
    elif isinstance(kind, ContainerType):
        for spec in (kind.key, kind.element):
            yield from _classes_in(spec)


def _classes_in(spec: Spec | None) -> Iterator[type]:
    if isinstance(spec, Leaf):
        yield from _classes(spec.type)
    elif isinstance(spec, Tuple | Variant):
        for part in spec.items if isinstance(spec, Tuple) else spec.alternatives:
            yield from _classes_in(part)
