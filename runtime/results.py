"""What a traced function returned -> flat graph results, and a plan that builds the same at each call."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from autograph.operators import Undefined
from runtime.builder import Staged
from runtime.graph import Value
from runtime.instances import attributes, remake
from runtime.iteration import Indexed
from runtime.paths import Argument, Constant
from runtime.real_objects import leaving
from runtime.spec import Choice, is_boxed
from runtime.tensor import Tensor

if TYPE_CHECKING:
    from runtime.trace import Trace

#: takes the flat results and the flat arguments of a call
Plan = Callable[[Sequence[Any], Sequence[Any]], Any]


class Built(list[Any]):
    """The flat results of one call, and the containers that were built of them so far."""

    def __init__(self, results: Sequence[Any]) -> None:
        super().__init__(results)
        self.built: dict[int, Any] = {}


class Results:
    """Collects the flat results of a trace."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self.flat: list[Value] = []
        self._made: dict[int, Plan] = {}
        self._kept: list[Any] = []

    @property
    def builds_containers(self) -> bool:
        """Does a plan made so far build a list, a dict or an object?"""
        return bool(self._made)

    def plan(self, value: Any) -> Plan:
        """The plan for one returned value. Objects that occur twice are built once per call."""
        if isinstance(value, Staged):
            return self._leaf(value)
        if isinstance(value, Choice):
            return self._choice(value)
        outside = self.trace.outside
        original = outside.original(value)
        path = outside.path_of(original if original is not None else value)
        if isinstance(path, Argument | Constant):
            return lambda results, args: path.fetch(args)
        if path is not None:  # what is there before the call: the call may store another one
            return self._leaf(
                self.trace.wrap(outside.object_value(original if original is not None else value))
            )
        if isinstance(value, Indexed):
            raise self.trace.refuse(
                "a staged range, zip or enumerate is returned", "return a list or an array"
            )
        if id(value) in outside.stored:
            self.trace.containers.require(value)
            raise self.trace.refuse(
                f"a {type(value).__name__} is returned that was stored outside, too",
                "store it, and return a copy",
            )
        if id(value) in outside.real:
            return self._leaf(self.trace.wrap(outside.real[id(value)]))
        if type(value) in (list, dict) or outside.is_local(value):
            return self._once(value)
        if isinstance(value, tuple) and value:
            return self._items(value, type(value)._make if hasattr(value, "_make") else tuple)
        parts = leaving(self.trace, value, "returned")
        return (lambda results, args: value) if parts is None else self._anew(value, *parts)

    def _anew(self, value: Any, function: Callable[..., Any], parts: tuple[Any, ...]) -> Plan:
        """An object that each call makes of its parts, once."""
        known = self._made.get(id(value))
        if known is not None:
            return known
        key = -1 - len(self._made)
        plans: list[Plan] = []

        def plan(results: Any, args: Sequence[Any]) -> Any:
            built = results.built
            if key not in built:
                built[key] = function(*[part(results, args) for part in plans])
            return built[key]

        self._made[id(value)] = plan
        self._kept.append((value, parts))  # their ids are keys
        plans += [self.plan(part) for part in parts]
        return plan

    def _once(self, value: Any) -> Plan:
        """A container is built once per call, however often the result holds it."""
        known = self._made.get(id(value))
        if known is not None:
            return known
        key = -1 - len(self._made)
        build: list[Plan] = []

        def plan(results: Any, args: Sequence[Any]) -> Any:
            built = results.built
            if key not in built:
                built[key] = build[0](results, args)
            return built[key]

        self._made[id(value)] = plan
        build.append(self._container(value))
        return plan

    def _container(self, value: Any) -> Plan:
        if type(value) is list:
            return self._items(value, list)
        if type(value) is dict:
            keys = tuple(value)
            return self._items(tuple(value.values()), lambda items: dict(zip(keys, items, strict=True)))
        return self._object(value)

    def _leaf(self, value: Staged) -> Plan:
        index = len(self.flat)
        self.flat.append(self.trace.value_of(value))
        if is_boxed(value):
            return lambda results, args: Tensor(results[index])
        plan: Any = lambda results, args: results[index]
        plan.leaf = index  # the code that calls it may take the item itself
        return plan

    def _choice(self, choice: Choice) -> Plan:
        tag = self._leaf(choice.tag) if isinstance(choice.tag, Staged) else lambda results, args: choice.tag
        plans = [self.plan(value) for value in choice.values]
        unbound = {i: v for i, v in enumerate(choice.values) if isinstance(v, Undefined)}

        def build(results: Sequence[Any], args: Sequence[Any]) -> Any:
            chosen = tag(results, args)
            if chosen in unbound:
                name = unbound[chosen].name
                raise UnboundLocalError(
                    f"cannot access local variable '{name}' where it is not associated with a value"
                )
            return plans[chosen](results, args)

        return build

    def _items(self, items: Sequence[Any], make: Callable[[list[Any]], Any]) -> Plan:
        plans = [self.plan(item) for item in items]
        return lambda results, args: make([plan(results, args) for plan in plans])

    def _object(self, value: Any) -> Plan:
        cls: Any = type(value)
        plans = {name: self.plan(item) for name, item in attributes(value).items()}
        return lambda results, args: remake(cls, {name: plan(results, args) for name, plan in plans.items()})
