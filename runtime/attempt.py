"""An attempt to trace a function: a trace with what each room knows of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from runtime.callees.caches import Caches
from runtime.containers.sites import Containers
from runtime.control_flow.choices import dispatch
from runtime.graph import Operation, Value
from runtime.handlers import raised
from runtime.numpy_calls.protocols import NumPyProtocols
from runtime.objects import namespaces, seen_attributes
from runtime.objects.real_objects import exception_of_run, make_real, rebuild_instance, with_objects
from runtime.objects.references import References
from runtime.outside.environment import Environment
from runtime.outside.outside import Outside
from runtime.recursion.calls import Calls
from runtime.specs.spec import Object
from runtime.tracer import templates
from runtime.tracer.chosen_parts import choice_in, with_part
from runtime.tracer.decisions import Decisions
from runtime.tracer.spec import Choice, Made
from runtime.tracer.trace import Trace
from runtime.unconverted import acting_code


class Attempt(Trace):
    """One attempt to trace one function for one signature."""

    outside: Outside
    environment: Environment
    containers: Containers
    references: References
    calls: Calls
    acting: acting_code.ActingCode

    def __init__(self, decisions: Decisions) -> None:
        super().__init__(decisions)
        self.numpy = NumPyProtocols()
        self.outside = Outside(self)
        self.environment = Environment(self)
        self.containers = Containers(self)
        self.references = References(self)
        self.namespaces = namespaces.Namespaces(self)
        self.caches = Caches(self)
        self.acting = acting_code.ActingCode(self)
        self.calls = Calls(self)

    def seen(self, owner: Any) -> Any:
        return seen_attributes.seen_attributes(self, owner)

    def emit_effect(
        self, operation: str, inputs: Sequence[Any], structure: Any, /, **attributes: Any
    ) -> None:
        if isinstance(structure, Choice):
            return dispatch(structure, lambda value: self.emit_effect(operation, inputs, value, **attributes))
        stores = operation.startswith(("store_", "replace_"))
        structure = with_objects(self, structure, stored=stores)
        chosen = choice_in(structure)
        if chosen is not None:
            emit = self.emit_effect
            return dispatch(
                chosen,
                lambda value: emit(operation, inputs, with_part(structure, chosen, value), **attributes),
            )
        if structure is not None or operation in ("store_attr", "store_item"):
            template, leaves = templates.make_template(structure)
            attributes["template"] = template
            inputs = [*inputs, *leaves]
        values = tuple([item if isinstance(item, Value) else self.value_of(item) for item in inputs])
        self.append(Operation(operation, values, (), attributes))
        return None

    def make_real(self, made: Made) -> Value:
        return make_real(made, self)

    def rebuild_instance(self, spec: Object, values: Iterator[Value]) -> Any:
        return rebuild_instance(spec, values, self)

    def exception_of_run(self, error: BaseException) -> Any:
        return exception_of_run(self, error)

    def append_raise(self, error: BaseException) -> None:
        raised.append_raise(self, error)
