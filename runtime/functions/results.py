"""What a traced function returned -> flat graph results, and a plan that builds the same at each call."""

from __future__ import annotations

import dis
import gc
import sys
import types
from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Any

from autograph.errors import StagingError, error_at_definition, place
from autograph.operators import Undefined
from runtime.control_flow import promoted as promoted_numbers
from runtime.control_flow.indexed import Indexed
from runtime.functions import returned
from runtime.functions.plans import Anew, Boxed, Chosen, Filled, Given, Leaf, Plan, Shared, TupleOf
from runtime.functions.plans import Constant as ConstantPlan
from runtime.graph import Value
from runtime.guards.paths import Argument, Constant
from runtime.objects import real_objects
from runtime.tracer.builder import Staged, StandIn
from runtime.tracer.known_items import known_items
from runtime.tracer.spec import Choice, is_boxed
from runtime.tracer.static_places import made_in_trace
from runtime.types import ContainerType

if TYPE_CHECKING:
    from runtime.stage.attempt import Attempt

#: puts into what was made what belongs there: it may be among its own parts


def at_return(error: StagingError, function: Any) -> StagingError:
    """The same error, which is about what `function` returned, where it says `return`."""
    function = getattr(function, "__func__", function)
    code = getattr(function if hasattr(function, "__code__") else type(function).__call__, "__code__", None)
    if code is None:
        return error
    places = {i.positions for i in dis.get_instructions(code) if i.opname == "RETURN_VALUE"}
    at = places.pop() if len(places) == 1 else None
    if at is None or at.lineno is None or at.col_offset is None:
        return error_at_definition(
            StagingError, error.message, code, variable=error.variable, hint=error.hint
        )
    made = StagingError(error.message, line=at.lineno, variable=error.variable, hint=error.hint)
    made.column = at.col_offset + 1
    one_line = at.end_lineno == at.lineno and at.end_col_offset is not None
    made.end_column = (at.end_col_offset or 0) + 1 if one_line else sys.maxsize
    return place(made, code.co_filename)


class Results:
    """Collects the flat results of a trace."""

    def __init__(self, trace: Attempt) -> None:
        self.trace = trace
        self.flat: list[Value] = []
        self._made: dict[int, Plan] = {}
        self._kept: list[Any] = []
        self._begun: set[int] = set()  # identities of what is made of its parts
        self._returned: dict[Value, Leaf] = {}  # lists and dicts that the graph gives

    @property
    def builds_containers(self) -> bool:
        """Does a plan made so far build a list, a dict or an object?"""
        return bool(self._made)

    def plan(self, value: Any) -> Plan:
        """The plan for one returned value. Objects that occur twice are built once per call."""
        if isinstance(value, Staged):
            return self._staged(value)
        if isinstance(value, Choice):
            return self._choice(value)
        reference = self.trace.references.staged(value)
        if reference is not None:
            self.trace.containers.check_leaves(reference)
            return self._leaf(reference)
        outside = self.trace.outside
        original = outside.original(value)
        path = outside.path_of(original if original is not None else value)
        if isinstance(path, Argument):
            return Given(path.index)
        if isinstance(path, Constant):
            return ConstantPlan(path.value)
        if path is not None:  # what is there before the call: the call may store another one
            return self._leaf(
                self.trace.wrap(outside.object_value(original if original is not None else value))
            )
        if isinstance(value, Indexed) and not value.is_range and not value.is_sized:
            raise self.trace.refuse(
                "a staged range, zip or enumerate is returned", "return a list or an array"
            )
        if type(value) in (list, dict):
            return self._once(value)
        if isinstance(value, tuple) and (type(value) is not tuple or value):
            return self._tuple(value)
        if isinstance(value, StandIn):
            raise value.refusal()
        if made_in_trace(value):  # whether its code is ours or, where that is the same, the user's own
            raise self.trace.refuse(
                "a function that is made inside is returned, which belongs to the trace that made it",
                "return values, and make the object outside of them",
            )
        made_of = real_objects.leaving(self.trace, value, "returned")
        if made_of is not None:
            function, parts = made_of
            self._kept.append((value, parts))  # their ids are keys
            return self._anew(value, function, lambda: list(map(self.plan, parts)))
        if reaches_staged(value):
            raise self.trace.refuse(
                f"a {type(value).__name__} that holds staged values is returned",
                "return a list, a dict or an object of your own with these values",
            )
        return ConstantPlan(value)

    def _staged(self, value: Staged) -> Plan:
        """A list or dict that holds what no run has gets that after the run, where the trace knows it."""
        containers = self.trace.containers
        known = known_items(self.trace.heap, value) if containers.holds_opaque(value) else None
        if known is None:
            containers.check_leaves(value)
            return self._known(value) or self._leaf(value)
        identity = id(value.value)
        if identity in self._made:
            return self._made[identity]
        filled = self._made[identity] = Filled(-1 - len(self._made), self._leaf(value))
        items = known.items() if isinstance(known, dict) else enumerate(known)
        filled.items = tuple([(key, self.plan(item)) for key, item in items if containers.holds_opaque(item)])
        return filled

    def _known(self, value: Staged) -> Plan | None:
        """A list or dict that nobody else has is built of the items that the trace knows, once per call."""
        identity, known = id(value.value), known_items(self.trace.heap, value)
        if known is None or identity in self._made:
            return self._made.get(identity)
        if value.value in self._returned or not self._seen.take_apart(value.value):
            return None
        shared = self._made[identity] = Shared(
            -1 - len(self._made), tuple(known) if isinstance(known, dict) else None
        )
        items = known.values() if isinstance(known, dict) else known
        shared.items = tuple(map(self.plan, items))
        return shared

    @cached_property
    def _seen(self) -> returned.Seen:
        return returned.Seen([self.trace.body, *(function.body for function in self.trace.calls.functions)])

    def _tuple(self, value: tuple[Any, ...]) -> Plan:
        cls: Any = type(value)
        plans = [self.plan(item) for item in tuple.__iter__(value)]
        if getattr(value, "__dict__", None):
            raise self.trace.refuse(
                f"a {cls.__name__} is returned, a tuple that has attributes beside its items",
                "return its items, or make a dataclass of it",
            )
        if cls is tuple or hasattr(cls, "_make"):
            return TupleOf(cls, tuple(plans))
        return lambda results, args: tuple.__new__(cls, [plan(results, args) for plan in plans])

    def _anew(self, value: Any, function: Callable[..., Any], parts: Callable[[], list[Plan]]) -> Plan:
        """An object that each call makes of its parts, once: it cannot be one of them."""
        known = self._made.get(id(value))
        if known is not None:
            return known
        if id(value) in self._begun:
            raise self.trace.refuse(
                f"a {type(value).__name__} is returned that holds itself", "return a list, or its parts"
            )
        self._begun.add(id(value))
        plans = parts()
        made = self._made[id(value)] = Anew(-1 - len(self._made), function, tuple(plans))
        return made

    def _once(self, value: Any) -> Plan:
        """A container is built once per call, however often the result holds it, or it itself."""
        known = self._made.get(id(value))
        if known is not None:
            return known
        key = -1 - len(self._made)
        shared = self._made[id(value)] = Shared(key, None if type(value) is list else tuple(value))
        shared.items = tuple(map(self.plan, value if type(value) is list else value.values()))
        return shared

    def _leaf(self, staged: Staged) -> Plan:
        index, value = len(self.flat), self.trace.value_of(staged)
        if value in self._returned:
            return self._returned[value]
        self.flat.append(value)
        if isinstance(value.type, ContainerType) and returned.is_taken_apart(value):
            plan = self._returned[value] = Leaf(index)
            return plan
        return Boxed(index) if is_boxed(staged) else Leaf(index)

    def _choice(self, choice: Choice) -> Plan:
        tag = self._leaf(choice.tag) if isinstance(choice.tag, Staged) else ConstantPlan(choice.tag)
        unbound = {i: v.name for i, v in enumerate(choice.values) if isinstance(v, Undefined)}
        options = tuple(map(self.plan, choice.values))
        promoted = None
        if choice.promoted is not None and promoted_numbers.are_numbers((choice,)):
            known = zip(choice.values, options, strict=True)
            promoted = next((plan for value, plan in known if value is choice.promoted), None)
        return Chosen(tag, options, unbound, promoted)


#: how many objects are looked at to find a staged value in a result of a strange kind
MAX_SEARCHED = 10_000


def reaches_staged(value: Any) -> bool:
    """Does an object that nobody knows how to build hold a staged value, however deep?

    >>> reaches_staged({1: "a"}.items())
    False
    """
    waiting, seen = [value], {id(value)}
    while waiting and len(seen) < MAX_SEARCHED:
        item = waiting.pop()
        if isinstance(item, Staged | Choice | StandIn):
            return True
        if isinstance(item, type) and any(
            isinstance(held, Staged | Choice) for held in vars(item).copy().values()
        ):
            return True
        if isinstance(item, type | types.ModuleType | types.FunctionType | types.CodeType | str | bytes):
            continue
        for part in gc.get_referents(item):
            if id(part) not in seen:
                seen.add(id(part))
                waiting.append(part)
    return False
