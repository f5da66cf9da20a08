"""Operations that are written with others (runtime/ops/written.py), as the nodes of these."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from runtime.export.onnx_call import Call, Rule
from runtime.export.onnx_errors import NotExportable
from runtime.graph import Operation, Value
from runtime.ops.definition import REGISTRY, NoDerivative
from runtime.ops.expressions import Expr
from runtime.ops.written import WRITTEN
from runtime.types import type_of


class Steps:
    """The `Scope` of such a rule: each operation becomes its nodes at once."""

    def __init__(self, c: Call, rules: dict[str, Rule]) -> None:
        self.nodes, self.rules, self.names = c.nodes, rules, dict(zip(c.op.inputs, c.names, strict=True))

    def constant(self, item: Any) -> Value:
        value = Operation("constant", (), (type_of(item),), {"value": item}).output
        self.names[value] = self.nodes.constant(item)
        return value

    def emit(self, name: str, inputs: Sequence[Value], attributes: dict[str, Any]) -> tuple[Value, ...]:
        definition = REGISTRY[name]
        types = definition.infer(tuple([value.type for value in inputs]), **attributes)  # type: ignore[misc]
        op = Operation(name, tuple(inputs), types if isinstance(types, tuple) else (types,), attributes)
        rule = self.rules.get(name)
        if rule is None:
            raise NotExportable(f"{name} has no form")
        found = rule(Call(op, [self.names[value] for value in inputs], self.nodes))
        self.names.update(zip(op.outputs, found if isinstance(found, list) else [found], strict=True))
        return op.outputs


def written_rules(rules: dict[str, Rule]) -> None:
    """Enter a rule for each operation that is written with others, and has none of its own."""

    def rule(c: Call) -> list[str]:
        steps = Steps(c, rules)
        attributes = {
            key: value for key, value in c.attributes.items() if value is not None or key != "dtype"
        }
        try:
            results = WRITTEN[c.op.name](*[Expr(value, steps) for value in c.op.inputs], **attributes)
        except TypeError as error:  # NumPy has another loop for these dtypes
            raise NotExportable(f"{c.op.name} of {' and '.join(map(str, c.types))} has no form") from error
        if isinstance(results, NoDerivative):
            raise NotExportable(f"{results.reason} has no form")
        found = []
        for result, output in zip(
            results if isinstance(results, tuple) else (results,), c.op.outputs, strict=True
        ):
            name = c.nodes.cast(steps.names[result.value], result.dtype, output.type.dtype)  # type: ignore[union-attr]
            found.append(c.emit("Identity", name) if name in c.names else name)
        return found

    for name in WRITTEN:
        rules.setdefault(name, rule)
