"""The user's ``__lt__``, ``__eq__`` and ``__hash__`` of the objects that a run sorts and searches.

    heapq.heappush(waiting, Task(5))     # a run calls Task.__lt__, in Python

There they run as they are, on the objects of the run: what they read is what it is at that point. What they
change would be unknown to the trace, so each is traced once, in vain, and refused where it has an effect.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

from autograph.operators import call
from autograph.plain_items import plain_items
from runtime.control_flow.blocks import trace_block
from runtime.graph import Block, Operation, Value, walk
from runtime.objects.container_data import parts_of
from runtime.ops.definition import REGISTRY
from runtime.ops.methods import METHODS
from runtime.specs.spec import Leaf, Spec
from runtime.tracer.builder import Staged
from runtime.tracer.flattening import undefined
from runtime.tracer.spec import Choice, is_instance
from runtime.tracer.trace import require_trace
from runtime.types import CLASS, STR, ContainerType, InstanceType, ObjectType

if TYPE_CHECKING:
    from runtime.tracer.trace import Trace


ORDER = ("__lt__", "__gt__")


def _methods_of(operation: str) -> tuple[str, ...]:
    """The special methods of items that it may call."""
    row = METHODS.get(operation)
    return () if row is None else row.asks


def own_method(cls: type, name: str) -> types.FunctionType | None:
    """The special method of this name, where it is written in Python."""
    for base in cls.__mro__:
        method = vars(base).get(name)
        if method is not None:
            is_python = isinstance(method, types.FunctionType)
            return method if is_python and not base.__module__.startswith("runtime.") else None
    return None


def _has_own(item: Any, names: Iterable[str]) -> bool:
    """Is it an instance of a user's class that has one of these methods, or of one from outside in C?"""
    if is_instance(item) and any(own_method(type(item), name) is not None for name in names):
        return True
    return require_trace().outside.answers_unseen(item, *names)


def orders_itself(item: Any) -> bool:
    """Does its class, a user's, say what comes before what?"""
    return any(_has_own(one, ORDER) for one in (item.values if isinstance(item, Choice) else (item,)))


def hashes_itself(key: Any) -> bool:
    """Is it an object whose class has a `__hash__` of the user's, or a tuple with such an object?"""
    if isinstance(key, Choice):
        return any(map(hashes_itself, key.values))
    if isinstance(key, tuple):
        return any(map(hashes_itself, plain_items(key)))
    is_frozen = getattr(getattr(type(key), "__dataclass_params__", None), "frozen", False)
    return not is_frozen and _has_own(key, ["__hash__"])


def compares_itself(item: Any) -> bool:
    """Is it an object whose class says by a method of the user's what is equal to it, or less?"""
    return _has_own(item, _COMPARING)


_COMPARING = tuple(f"__{name}__" for name in ("eq", "ne", "lt", "le", "gt", "ge", "hash"))


def may_call_methods(operation: Operation) -> bool:
    """May an operation on a container, or on an object's attributes, call a method of the user's?"""
    name = operation.name
    kinds = [value.type for value in operation.inputs]
    if operation.is_attribute or operation.is_attribute_deletion or name == "object.verify":
        return False
    if any(isinstance(kind, ContainerType) and kind.name == "defaultdict" for kind in kinds):
        return True  # what it makes for a new key
    known = (ContainerType, InstanceType)
    if any(isinstance(k, ObjectType) and not isinstance(k, known) and k not in (STR, CLASS) for k in kinds):
        return True
    return any(
        own_method(cls, one) is not None
        for kind in kinds
        for cls in _classes(Leaf(kind))
        for one in _methods_of(name)
    )


def is_of_containers(operation: Operation) -> bool:
    return operation.name in METHODS or operation.name.startswith(("list.", "object."))


class RunTimeMethods:
    """Which special methods one trace has found to be free of effects."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self._checked: set[tuple[type, str]] = set()

    def check(self, operation: str, inputs: Iterable[Any]) -> None:
        """Raises StagingError where the operation may call a method that has an effect."""
        for value in inputs if _methods_of(operation) else ():
            kind = Leaf(value.type) if isinstance(value, Staged | Value) else None
            for cls in set(_classes(kind)):
                for name in _methods_of(operation):
                    self._check(cls, name)

    def _check(self, cls: type, name: str) -> None:
        method = own_method(cls, name)
        if (cls, name) in self._checked or method is None:
            return
        self._checked.add((cls, name))
        count = 1 if name == "__hash__" else 2
        kind, trace = InstanceType(cls.__name__, cls), self.trace
        if self._acts(lambda: call(method, *[trace.wrap(undefined(kind, trace)) for _ in range(count)])):
            raise trace.refuse(
                f"`{cls.__name__}.{name}` has an effect, and is called by Python's own code in each run",
                "compare in a loop of your own, or leave the effect out",
            )

    def _acts(self, run: Callable[[], Any]) -> bool:
        """Has the code an effect? It is traced in vain."""
        block, trace = Block(), self.trace
        before = trace.heap.moment()
        was_in_vain, trace.in_vain = trace.in_vain, True
        try:
            trace_block(trace, block, run, before)
        finally:
            trace.in_vain = was_in_vain
        stored = trace.heap.stored_on_paths(before, before.references, [block])
        has_effect = any(stored) or _has_effect(block)
        block.operations.clear()
        for region in self.trace.regions:
            region.roll_back()
        return has_effect


def _has_effect(block: Block) -> bool:
    """Could somebody see that the block ran?"""
    for operation in walk(block):
        definition = REGISTRY.get(operation.name)
        if definition is None or operation.is_raise:
            continue
        effects = definition.effects_of(tuple([v.type for v in operation.inputs]), operation.attributes)
        if effects.writes or effects.ordered and definition.family not in ("container", "object"):
            return True
    return False


def _classes(spec: Spec | None) -> Iterator[type]:
    """The user's classes among the items of a container."""
    if isinstance(spec, Leaf) and isinstance(spec.type, InstanceType):
        yield spec.type.cls
    for part in parts_of(spec):
        yield from _classes(part)
