"""Every rule of the registry against central differences: pulled back, and pushed forward.

An operation is tested by existing: its samples are the arguments. ``WHERE`` says between which
numbers the operands lie, for operations that are not defined, or not smooth, between 0.2 and 0.9.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from runtime.engines import numpy_engine
from runtime.gradients.rules import pull_back, push_forward
from runtime.gradients.scope import BlockScope, adjoint_type, fit, is_smooth, zero
from runtime.graph import Block, Graph, Operation, Value
from runtime.graph.verify import verify
from runtime.ops import REGISTRY
from runtime.types import type_of
from tests.runtime.gradients.differences import directional

#: operands that the rule is tested with lie between these numbers
WHERE: dict[str, tuple[float, float]] = {
    "arccosh": (1.2, 2.0),
    "math.acosh": (1.2, 2.0),
    "arange": (2.1, 2.9),  # so that there are two items
}
#: not a function that differences can follow (decided by order, or tested on its own)
ELSEWHERE: frozenset[str] = frozenset()

SAMPLES = [
    pytest.param(name, sample, id=f"{name}-{k}")
    for name, definition in REGISTRY.items()
    if callable(definition.vjp) and name not in ELSEWHERE
    for k, sample in enumerate(definition.samples)
]


def arguments(name: str, sample: list[Any]) -> tuple[list[Any], dict[str, Any]]:
    """Shapes become arrays of random floats; a float among the operands becomes one, ints stay."""
    generator = np.random.default_rng(3)
    low, high = WHERE.get(name, (0.2, 0.9))
    values: list[Any] = []
    attributes: dict[str, Any] = {}
    for item in sample:
        if isinstance(item, dict):
            attributes = item
        elif isinstance(item, np.ndarray):
            values.append(item.copy())
        elif isinstance(item, tuple):
            made = generator.uniform(low, high, item)
            if len(item) >= 2 and item[-1] == item[-2]:  # well away from singular matrices
                made = made + 2 * np.diag(np.arange(1.0, item[-1] + 1))
            values.append(np.asarray(made))
        else:
            values.append(float(generator.uniform(low, high)) if isinstance(item, float) else item)
    return values, attributes


class Case:
    """One operation on its arguments: its graph, and random directions."""

    def __init__(self, name: str, sample: list[Any]) -> None:
        self.values, attributes = arguments(name, sample)
        infer = REGISTRY[name].infer
        assert infer is not None
        types = tuple([type_of(value) for value in self.values])
        made = infer(types, **attributes)
        self.params = [Value(t, f"x{k}") for k, t in enumerate(types)]
        made = made if isinstance(made, tuple) else (made,)
        self.op = Operation(name, tuple(self.params), made, attributes)
        self.smooth = [k for k, p in enumerate(self.params) if is_smooth(p.type)]
        self.smooth_outputs = [k for k, y in enumerate(self.op.outputs) if is_smooth(y.type)]
        generator = np.random.default_rng(5)
        self.along = [
            np.asarray(generator.normal(size=np.shape(v)))[()] if k in self.smooth else None
            for k, v in enumerate(self.values)
        ]

    def differences(self) -> list[Any]:
        kernel = REGISTRY[self.op.name].kernel
        assert kernel is not None

        def run(*values: Any) -> Any:
            found = kernel(*values, **self.op.attributes)
            found = found if isinstance(found, tuple) else (found,)
            return tuple([np.asarray(found[k]) for k in self.smooth_outputs])

        return directional(run, self.values, self.along)

    def run(self, block: Block, extra: list[Any], results: list[Value]) -> list[Any]:
        block.results = tuple(results)
        graph = Graph("rule", block)
        verify(graph)
        return list(numpy_engine.compile(graph)([*self.values, *extra]))

    def pulled(self, cotangents: list[Any]) -> list[Any]:
        given = [Value(adjoint_type(self.op.outputs[k].type), f"g{k}") for k in self.smooth_outputs]
        scope = BlockScope(Block([*self.params, *given]))
        scope.block.append(self.op)
        every: list[Value | None] = [None] * len(self.op.outputs)
        for k, g in zip(self.smooth_outputs, given, strict=True):
            every[k] = g
        found = pull_back(scope, self.op, every, self.params, self.op.outputs)
        results = []
        for k in self.smooth:
            c = found[k]
            results.append(zero(scope, self.params[k]) if c is None else fit(scope, c, self.params[k]))
        return self.run(scope.block, cotangents, results)

    def pushed(self) -> list[Any]:
        given = {k: Value(adjoint_type(self.params[k].type), f"t{k}") for k in self.smooth}
        scope = BlockScope(Block([*self.params, *given.values()]))
        scope.block.append(self.op)
        tangents = [given.get(k) for k in range(len(self.params))]
        found = push_forward(scope, self.op, tangents, self.op.outputs)
        results = [t if t is not None else zero(scope, y) for t, y in zip(found, self.op.outputs, strict=True)
                   if is_smooth(y.type)]  # fmt: skip
        return self.run(scope.block, [self.along[k] for k in self.smooth], results)


@pytest.mark.parametrize(("name", "sample"), SAMPLES)
def test_the_rule_against_central_differences(name: str, sample: list[Any]) -> None:
    case = Case(name, sample)
    if not case.smooth or not case.smooth_outputs:
        pytest.skip("this sample has no floats on both sides")
    if any(p.type.dtype.itemsize < 8 for p in (*case.params, *case.op.outputs) if is_smooth(p.type)):
        pytest.skip("too few digits for differences")
    found = case.differences()
    generator = np.random.default_rng(11)
    cotangents = [np.asarray(generator.normal(size=d.shape) + 0 * d)[()] for d in found]
    expected = sum(float(np.real(np.sum(g * d))) for g, d in zip(cotangents, found, strict=True))
    pulled = case.pulled(cotangents)
    along = [case.along[k] for k in case.smooth]
    assert [np.shape(c) for c in pulled] == [np.shape(d) for d in along]
    got = sum(float(np.real(np.sum(c * d))) for c, d in zip(pulled, along, strict=True))
    np.testing.assert_allclose(got, expected, rtol=2e-5, atol=1e-7)
    for tangent, difference in zip(case.pushed(), found, strict=True):
        np.testing.assert_allclose(tangent, difference, rtol=2e-5, atol=1e-7)


#: operations whose rules are still to be written; to be empty
MISSING = frozenset(name for name, definition in REGISTRY.items() if definition.vjp is None)
