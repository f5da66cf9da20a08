"""Every rule of the registry against central differences: pulled back, pushed forward, and to second order.

An operation is tested by existing: its samples are the arguments. ``WHERE`` says between which
numbers the operands lie, for operations that are not defined, or not smooth, between 0.2 and 0.9.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from autograph.errors import StagingError
from runtime.engines import numpy_engine
from runtime.gradients.errors import GradientError
from runtime.gradients.rules import ends_here, pull_back, push_forward
from runtime.gradients.scope import BlockScope, adjoint_type, fit, is_smooth, zero
from runtime.graph import Block, Graph, Operation, Value
from runtime.graph.verify import verify
from runtime.ops import REGISTRY
from runtime.types import ArrayType, Type, type_of
from tests.runtime.gradients.differences import directional
from tests.runtime.samples import each_sample

#: operands that the rule is tested with lie between these numbers
WHERE: dict[str, tuple[float, float]] = {
    "arccosh": (1.2, 2.0),
    "math.acosh": (1.2, 2.0),
    "arange": (2.1, 2.9),  # so that there are two items
}
#: of complex matrices the angle of each vector is LAPACK's choice, which differences do not follow
CHOSEN = frozenset({"linalg.eigh", "linalg.svd"})

SAMPLES = {
    name: definition.samples
    for name, definition in REGISTRY.items()
    if callable(definition.vjp) and definition.samples
}
#: samples among whose operands is a scalar
SCALARS = {
    name: found
    for name, samples in SAMPLES.items()
    if (found := [sample for sample in samples if any(type(s) is tuple and not s for s in sample)])
}


def arguments(name: str, sample: list[Any], is_complex: bool = False) -> tuple[list[Any], dict[str, Any]]:
    """Shapes become arrays of random numbers, which lie strided; a float among the operands becomes one."""
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
            made = np.asarray(generator.uniform(low, high, item))
            if is_complex:
                made = np.asarray(made + 1j * generator.uniform(low, high, item))
            if len(item) >= 2 and item[-1] == item[-2]:  # well away from singular matrices
                made = made + 2 * np.diag(np.arange(1.0, item[-1] + 1))
            values.append(strided(made))
        else:
            kind = type(item) if isinstance(item, float) else None  # a number of Python's, or of NumPy's
            values.append(kind(generator.uniform(low, high)) if kind is not None else item)
    return values, attributes


def strided(x: np.ndarray) -> np.ndarray:
    """The same items, each beside one that nobody reads."""
    if not x.ndim:
        return x
    around = np.full((*x.shape[:-1], 2 * x.shape[-1]), 7, x.dtype)
    around[..., ::2] = x
    return around[..., ::2]


class Case:
    """One operation on its arguments: its graph, and random directions."""

    def __init__(
        self, name: str, values: list[Any], attributes: dict[str, Any], is_open: bool = False
    ) -> None:
        self.values = values
        infer = REGISTRY[name].infer
        assert infer is not None
        types = tuple([forgotten(type_of(v)) if is_open else type_of(v) for v in self.values])
        made = infer(types, **attributes)
        self.params = [Value(t, f"x{k}") for k, t in enumerate(types)]
        made = made if isinstance(made, tuple) else (made,)
        self.op = Operation(name, tuple(self.params), made, attributes)
        self.smooth = [k for k, p in enumerate(self.params) if is_smooth(p.type)]
        self.smooth_outputs = [k for k, y in enumerate(self.op.outputs) if is_smooth(y.type)]
        generator = np.random.default_rng(5)
        self.along = [
            self._direction(generator, v) if k in self.smooth else None for k, v in enumerate(values)
        ]

    @staticmethod
    def _direction(generator: np.random.Generator, value: Any) -> Any:
        shape = np.shape(value)
        made = generator.normal(size=shape)
        if np.iscomplexobj(value):
            made = made + 1j * generator.normal(size=shape)
        return np.asarray(made)[()]

    def is_tested(self) -> bool:
        precise = all(
            p.type.dtype.itemsize >= 8
            for p in (*self.params, *self.op.outputs)
            if is_smooth(p.type)  # type: ignore[union-attr]
        )
        return bool(self.smooth and self.smooth_outputs) and precise

    def outputs(self, *values: Any) -> tuple[Any, ...]:
        kernel = REGISTRY[self.op.name].kernel
        assert kernel is not None
        found = kernel(*values, **self.op.attributes)
        found = found if isinstance(found, tuple) else (found,)
        return tuple([np.asarray(found[k]) for k in self.smooth_outputs])

    def cotangents(self) -> list[Any]:
        generator = np.random.default_rng(11)
        return [self._direction(generator, y) for y in self.outputs(*self.values)]

    def pull(self) -> tuple[BlockScope, list[Value]]:
        """The graph of the cotangents of the smooth inputs."""
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
        return scope, results

    def pulled(self, cotangents: list[Any]) -> list[Any]:
        scope, results = self.pull()
        return compiled(scope.block, results)([*self.values, *cotangents])

    def pushed(self) -> list[Any]:
        scope, results = self.pull()
        del scope
        given = {p: Value(adjoint_type(p.type), "t") for k, p in enumerate(self.params) if k in self.smooth}
        scope = BlockScope(Block([*self.params, *given.values()]))
        push(scope, [self.op], given)
        results = [given[y] if y in given else zero(scope, y) for y in self.op.outputs if is_smooth(y.type)]
        return compiled(scope.block, results)([*self.values, *[self.along[k] for k in self.smooth]])


def forgotten(t: Type) -> Type:
    return ArrayType(t.dtype, (None,) * t.ndim) if isinstance(t, ArrayType) else t


def compiled(block: Block, results: Sequence[Value]) -> Callable[[list[Any]], list[Any]]:
    block.results = tuple(results)
    graph = Graph("rule", block)
    verify(graph)
    run = numpy_engine.compile(graph)
    return lambda values: list(run(values))


def push(scope: BlockScope, operations: Sequence[Operation], tangents: dict[Value, Value]) -> None:
    """Operations in a row, and their tangents."""
    for op in operations:
        scope.block.append(op)
        given = [tangents.get(x) for x in op.inputs]
        if all(t is None for t in given) or ends_here(op):
            continue
        for y, t in zip(op.outputs, push_forward(scope, op, given, op.outputs), strict=True):
            if t is not None:
                tangents[y] = t


def dot(a: Sequence[Any], b: Sequence[Any]) -> float:
    return sum(float(np.real(np.sum(x * y))) for x, y in zip(a, b, strict=True))


def check_first_order(case: Case) -> None:
    found = directional(case.outputs, case.values, case.along)
    cotangents = case.cotangents()
    pulled = case.pulled(cotangents)
    along = [case.along[k] for k in case.smooth]
    assert [np.shape(c) for c in pulled] == [np.shape(d) for d in along]
    np.testing.assert_allclose(dot(pulled, along), dot(cotangents, found), rtol=2e-5, atol=1e-7)
    for tangent, difference in zip(case.pushed(), found, strict=True):
        np.testing.assert_allclose(tangent, difference, rtol=2e-5, atol=1e-7)


@each_sample(SAMPLES)
def test_the_rule_against_central_differences(name: str, sample: list[Any]) -> None:
    case = Case(name, *arguments(name, sample))
    if case.is_tested():
        check_first_order(case)


def check_second_order(case: Case) -> None:
    cotangents = case.cotangents()
    scope, results = case.pull()
    operations = list(scope.block.operations)
    first = compiled(scope.block, results)
    tangents = {p: Value(adjoint_type(p.type), "t") for k, p in enumerate(case.params) if k in case.smooth}
    second = BlockScope(Block([*scope.block.params, *tangents.values()]))
    push(second, operations, tangents)
    results = [tangents[c] if c in tangents else zero(second, c) for c in results]
    found = compiled(second.block, results)(
        [*case.values, *cotangents, *[case.along[k] for k in case.smooth]]
    )
    expected = directional(lambda *values: tuple(first([*values, *cotangents])), case.values, case.along)
    for tangent, difference in zip(found, expected, strict=True):
        np.testing.assert_allclose(tangent, difference, rtol=1e-4, atol=1e-6)


@each_sample(SCALARS)
def test_numpy_scalars(name: str, sample: list[Any]) -> None:
    values, attributes = arguments(name, sample)
    try:
        case = Case(
            name, [v[()] if np.ndim(v) == 0 and isinstance(v, np.ndarray) else v for v in values], attributes
        )
        case.outputs(*case.values)
    except (TypeError, ValueError):  # it takes arrays alone
        return
    if case.is_tested():
        check_first_order(case)


@each_sample(SAMPLES)
def test_the_derivative_of_the_rule_against_central_differences(name: str, sample: list[Any]) -> None:
    case = Case(name, *arguments(name, sample))
    if case.is_tested():
        check_second_order(case)


@each_sample(SAMPLES)
def test_the_rule_of_complex_numbers(name: str, sample: list[Any]) -> None:
    values, attributes = arguments(name, sample, is_complex=True)
    chosen = name in CHOSEN or attributes.get("mode") == "complete"
    if chosen or not any(np.iscomplexobj(v) for v in values):
        return
    try:
        case = Case(name, values, attributes)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            case.outputs(*values)
    except (TypeError, ValueError, np.exceptions.ComplexWarning):  # NumPy does not take them
        return
    if case.is_tested():
        check_first_order(case)


@each_sample(SAMPLES)
def test_lengths_that_only_a_run_knows(name: str, sample: list[Any]) -> None:
    values, attributes = arguments(name, sample)
    known = Case(name, values, attributes)
    try:
        case = Case(name, values, attributes, is_open=True)
    except TypeError:  # the operation asks to know the lengths
        return
    if name == "linalg.qr":  # its rule does
        with pytest.raises(GradientError, match="only a run knows the shape"):
            case.pull()
        return
    if case.is_tested():
        cotangents = known.cotangents()
        for a, b in zip(case.pulled(cotangents), known.pulled(cotangents), strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-12)
            assert np.shape(a) == np.shape(b)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@each_sample(SAMPLES)
def test_no_items_at_all(name: str, sample: list[Any]) -> None:
    """Where an operation takes arrays without items, its rule does, too."""
    longest = max([n for item in sample if isinstance(item, tuple) for n in item], default=0)
    empty = [
        tuple([0 if n == longest else n for n in item]) if isinstance(item, tuple) else item
        for item in sample
    ]
    values, attributes = arguments(name, empty)
    try:
        case = Case(name, values, attributes)
        cotangents = case.cotangents()
    except (TypeError, ValueError, IndexError, ArithmeticError, StagingError, np.linalg.LinAlgError):
        return
    if longest and case.is_tested():
        pulled = case.pulled(cotangents)
        assert [np.shape(c) for c in pulled] == [np.shape(values[k]) for k in case.smooth]


#: functions that have a derivative in the complex plane, so that a step there has all digits
HOLOMORPHIC = (
    "add subtract multiply true_divide power square reciprocal sqrt exp exp2 expm1 log log2 log10 "
    "log1p sin cos tan arcsin arccos arctan sinh cosh tanh arcsinh arctanh sum prod mean cumsum "
    "cumprod matmul dot inner outer kron tensordot einsum cross convolve interp linalg.inv "
    "linalg.det linalg.solve linalg.matrix_power recurrence diff trace take concatenate pad"
).split()


@pytest.mark.parametrize("name", HOLOMORPHIC)
def test_the_rule_against_complex_steps(name: str) -> None:
    for sample in REGISTRY[name].samples:
        case = Case(name, *arguments(name, sample))
        if not case.is_tested() or name == "interp" and np.ndim(case.values[1]) == 0:
            continue
        moved = [v if t is None else v + 1e-30j * t for v, t in zip(case.values, case.along, strict=True)]
        if name == "interp":  # NumPy takes complex heights alone
            case.along[:2] = [0 * t for t in case.along[:2]]
            moved[:2] = case.values[:2]
        expected = [y.imag / 1e-30 for y in case.outputs(*moved)]
        for tangent, derivative in zip(case.pushed(), expected, strict=True):
            np.testing.assert_allclose(tangent, derivative, rtol=1e-12, atol=1e-13)


def pulled(name: str, *values: Any, **attributes: Any) -> list[Any]:
    """The cotangents of the floats among the arguments, for a result of ones."""
    case = Case(name, list(values), attributes)
    return case.pulled([np.ones_like(y)[()] for y in case.outputs(*values)])


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_nan() -> None:
    nan, x = np.nan, np.array([1.0, np.nan, 3.0])
    assert np.isnan(pulled("max", x)).all()
    np.testing.assert_equal(pulled("maximum", x, np.array([nan, 2.0, 2.0])), [[nan, nan, 1], [nan, nan, 0]])
    np.testing.assert_equal(pulled("fmax", x, np.array([nan, 2.0, 2.0])), [[1, 0, 1], [0, 1, 0]])
    np.testing.assert_equal(pulled("nanmax", x), [[0, 0, 1]])
    np.testing.assert_equal(pulled("nanmean", x), [[0.5, 0, 0.5]])
    np.testing.assert_equal(pulled("nanprod", x), [[3, 0, 1]])
    np.testing.assert_equal(pulled("nancumsum", x), [[3, 0, 1]])
    np.testing.assert_equal(pulled("nanmedian", x), [[0.5, 0, 0.5]])
    np.testing.assert_equal(pulled("nan_to_num", x), [[1, 0, 1]])
    np.testing.assert_equal(pulled("where", np.array([True, False, True]), x, 0.0), [[1, 0, 1], 1])
    np.testing.assert_equal(pulled("sort", x), [[1, 1, 1]])


@pytest.mark.parametrize("name", ["nanmean", "nanvar", "nanstd", "nansum", "nanprod", "nancumsum", "nanmax"])
def test_forward_a_nan_is_left_out(name: str) -> None:
    case = Case(name, [np.array([1.0, np.nan, 3.0])], {})
    (tangent,), (slope,) = (
        case.pushed(),
        case.pulled([np.ones_like(y)[()] for y in case.outputs(*case.values)]),
    )
    np.testing.assert_allclose(np.sum(tangent), slope @ case.along[0], rtol=1e-12)


def test_kinks_and_ties() -> None:
    equal = np.array([2.0, 2.0, 1.0])
    np.testing.assert_equal(pulled("absolute", np.array([-1.0, 0.0, 2.0])), [[-1, 0, 1]])
    np.testing.assert_equal(pulled("maximum", equal, 2.0), [[0.5, 0.5, 0], 2])
    np.testing.assert_equal(pulled("clip", np.array([0.0, 0.5, 2.0]), 0.0, 1.0), [[0.5, 1, 0], 0.5, 1])
    np.testing.assert_equal(pulled("max", equal), [[0.5, 0.5, 0]])
    np.testing.assert_equal(pulled("unique", equal), [[0.5, 0.5, 1]])
    np.testing.assert_equal(pulled("ufunc_accumulate", equal, ufunc="maximum"), [[1, 2, 0]])
    np.testing.assert_equal(pulled("prod", np.array([0.0, 3.0, 0.0])), [[0, 0, 0]])
    np.testing.assert_equal(pulled("prod", np.array([0.0, 3.0, 2.0])), [[6, 0, 0]])
    np.testing.assert_equal(pulled("cumprod", np.array([2.0, 0.0, 3.0])), [[1, 8, 0]])
    np.testing.assert_equal(pulled("power", np.zeros(3), np.array([0.0, 1.0, 2.0])), [[0, 1, 0], [0, 0, 0]])
    np.testing.assert_equal(pulled("hypot", 0.0, 0.0), [0, 0])
    np.testing.assert_equal(
        pulled("logaddexp", np.array([np.inf, 1.0]), np.array([1.0, -np.inf])), [[1, 1], [0, 0]]
    )
    nodes = (np.array([0.0, 1.0, 2.0]), np.array([0.0, 1.0, 5.0]))
    np.testing.assert_equal(pulled("interp", np.array([-1.0, 1.0, 2.0, 3.0]), *nodes)[0], [0, 4, 4, 0])


def test_operands_that_broadcast_are_summed() -> None:
    row, column = np.ones((1, 3)), np.full((2, 1), 2.0)
    np.testing.assert_equal(pulled("multiply", row, column), [[[4, 4, 4]], [[3], [3]]])
    np.testing.assert_equal(pulled("where", np.array([True, False, True]), column, 1.5), [[[2], [2]], 2])
    spread = np.broadcast_to(np.arange(3.0), (2, 3))
    np.testing.assert_equal(pulled("square", spread), [2 * spread])
