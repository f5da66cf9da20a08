"""An attempt to trace a function: a trace with what each room knows of it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from types import FunctionType, MethodType
from typing import Any

from runtime.calls import caches
from runtime.control_flow import choices
from runtime.control_flow.recursion import Calls
from runtime.graph import Operation, Value
from runtime.handlers import raised
from runtime.numpy_calls import protocols
from runtime.objects import real_objects, seen_attributes
from runtime.objects.containers import Containers
from runtime.objects.references import References
from runtime.outside.outside import Environment, Outside
from runtime.staged import containers as staged_containers
from runtime.tracer.decisions import Decisions
from runtime.tracer.elements import element_of
from runtime.tracer.spec import Choice, holds_choice, make_template
from runtime.tracer.static_places import made_in_trace
from runtime.tracer.trace import Trace


class Attempt(Trace):
    """One attempt to trace one function for one signature."""

    outside: Outside
    environment: Environment
    containers: Containers
    references: References
    calls: Calls

    def __init__(self, decisions: Decisions) -> None:
        super().__init__(decisions)
        self.outside = Outside(self)
        self.environment = Environment(self)
        self.containers = Containers(self)
        self.references = References(self)
        self.calls = Calls(self)

    # -- parts that few programs need

    @cached_property
    def numpy(self) -> protocols.NumPyProtocols:
        return protocols.NumPyProtocols()

    @cached_property
    def caches(self) -> caches.Caches:
        return caches.Caches(self)

    def seen(self, owner: Any) -> Any:
        if isinstance(owner, Choice):
            return choices.ChosenAttributes(owner)
        return seen_attributes.seen_attributes(self, owner)

    def emit_effect(
        self, operation: str, inputs: Sequence[Any], structure: Any, /, **attributes: Any
    ) -> None:
        if isinstance(structure, Choice):
            return choices.dispatch(
                structure, lambda value: self.emit_effect(operation, inputs, value, **attributes)
            )
        stores = operation.startswith(("store_", "replace_"))
        structure = real_objects.with_objects(self, structure, stored=stores)
        if holds_choice(structure):
            emit = self.emit_effect
            return staged_containers.without_choices(
                (structure,), lambda one: emit(operation, inputs, one, **attributes)
            )
        if stores and isinstance(structure, FunctionType | MethodType) and made_in_trace(structure):
            self.containers.check_stored_outside(element_of(structure))
        if structure is not None or operation in ("store_attr", "store_item"):
            template, leaves = make_template(structure)
            attributes["template"] = template
            inputs = [*inputs, *leaves]
        values = tuple([item if isinstance(item, Value) else self.value_of(item) for item in inputs])
        self.append(Operation(operation, values, (), attributes))
        return None

    def append_raise(self, error: BaseException) -> None:
        raised.append_raise(self, error)
