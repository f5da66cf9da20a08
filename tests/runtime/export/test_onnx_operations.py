"""Every operation of the table: ONNX Runtime gives what the kernel gives, on the samples of the registry."""

import warnings

import numpy as np
import onnx
import onnxruntime
import pytest

from autograph.errors import StagingError
from runtime.export.onnx_errors import NotExportable
from runtime.export.onnx_graph import GraphNodes
from runtime.export.onnx_model import model_of
from runtime.export.onnx_nodes import value_info
from runtime.export.onnx_table import RULES
from runtime.graph import Block, Graph, Operation, Value
from runtime.ops import REGISTRY
from runtime.types import ArrayType, NumberType, type_of

#: ONNX Runtime has these for 32 bits only
SINGLE = {"conv2d", "linalg.det", "arcsin", "arccos", "arctan", "arctan2", "arcsinh", "arccosh", "arctanh"}
SINGLE |= {f"math.{name}" for name in ("asin", "acos", "atan", "atan2", "asinh", "acosh", "atanh", "erf")}
INTS = {"bitwise_and", "bitwise_or", "bitwise_xor", "invert", "py.and", "py.or", "py.xor", "py.invert"}
#: where samples are in a range that the function has
BELOW_ONE = {"arcsin", "arccos", "arctanh", "math.asin", "math.acos"}

#: forms of them that there are none of, by the number of the sample
NO_FORM = {
    ("reshape_like", 1),
    ("inner", 1), ("vdot", 1), ("dot", 4),
    ("take", 3), ("take", 4), ("take_along_axis", 1), ("linalg.norm", 4),
    *[("linalg.norm", k) for k in range(6, 12)],
}  # fmt: skip
#: numbers of lengths that these rules have to know
KNOWN = ("squeeze", "split", "pad", "dot", "vdot", "inner")

CASES = [
    pytest.param(
        name,
        sample,
        id=f"{name}-{k}",
        marks=[pytest.mark.xfail(raises=StagingError, strict=True)] if (name, k) in NO_FORM else [],
    )
    for family, rules in RULES.items()
    for name in rules
    for k, sample in enumerate(REGISTRY[name].samples)
]


def operand(spec, name, seed):
    if not isinstance(spec, tuple):
        return spec
    values = np.random.default_rng(seed).uniform(0.2, 0.9 if name in BELOW_ONE else 3.0, spec)
    if name in INTS:
        return (values * 5).astype(np.int64)
    return values.astype(np.float32 if name in SINGLE else np.float64)


def run_in_onnx(op, kinds, args):
    graph = Graph("f", Block([*op.inputs], [op], op.outputs))
    nodes = GraphNodes(graph, "f")
    inputs = []
    for k, (param, kind) in enumerate(zip(op.inputs, kinds, strict=True)):
        nodes.names[param] = f"x{k}"
        inputs.append(value_info(f"x{k}", kind))
    nodes.block(graph.body)
    outputs = []
    for k, value in enumerate(op.outputs):
        nodes.nodes.scope.append(onnx.helper.make_node("Identity", [nodes.value(value)], [f"y{k}"]))
        outputs.append(value_info(f"y{k}", value.type))
    model = model_of(nodes, inputs, outputs)
    onnx.checker.check_model(model, full_check=True)
    session = onnxruntime.InferenceSession(model.SerializeToString())
    return session.run(None, {f"x{k}": np.asarray(arg) for k, arg in enumerate(args)})


@pytest.mark.parametrize("name, sample", CASES)
def test_operation(name, sample):
    attributes = sample[-1] if sample and isinstance(sample[-1], dict) else {}
    args = [operand(spec, name, k) for k, spec in enumerate(sample) if not isinstance(spec, dict)]
    if any(isinstance(arg, complex) for arg in args):
        pytest.skip("ONNX has no complex numbers")
    if name in SINGLE and not all(isinstance(spec, tuple) for spec in sample if not isinstance(spec, dict)):
        pytest.skip("ONNX Runtime has this for 32 bits only")
    if any(isinstance(arg, int | float) and abs(arg) > 2**52 for arg in args):
        pytest.skip("an int and a float are compared as floats")
    if name == "searchsorted":
        args[0].sort()
    kinds = [type_of(arg) for arg in args]
    if name not in KNOWN:  # lengths are dynamic dimensions
        kinds = [ArrayType(t.dtype, (None,) * t.ndim) if isinstance(t, ArrayType) else t for t in kinds]
    inputs = tuple(Value(kind) for kind in kinds)
    types = REGISTRY[name].infer(tuple(kinds), **attributes)
    op = Operation(name, inputs, types if isinstance(types, tuple) else (types,), attributes)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        expected = REGISTRY[name].kernel(*args, **attributes)
    expected = expected if isinstance(expected, tuple) else (expected,)
    for wanted, got, value in zip(expected, run_in_onnx(op, kinds, args), op.outputs, strict=True):
        assert got.shape == np.shape(wanted)
        if not isinstance(value.type, NumberType):
            assert got.dtype == wanted.dtype
        if name != "empty":
            np.testing.assert_allclose(got, wanted, rtol=2e-6 if name in SINGLE else 1e-12, atol=1e-12)


def test_what_has_no_form_says_so():
    with pytest.raises(Exception, match="f.. cannot be exported to ONNX: convolve has no form"):
        args = [np.ones(3), np.ones(2)]
        kinds = list(map(type_of, args))
        op = Operation("convolve", tuple(map(Value, kinds)), (type_of(np.ones(4)),), {"mode": "full"})
        run_in_onnx(op, kinds, args)
    assert issubclass(NotExportable, Exception)
