"""Every operation of the table: ONNX Runtime gives what the kernel gives, on the samples of the registry."""

import math
import re
import warnings

import numpy as np
import onnx
import onnxruntime
import pytest

from autograph.errors import StagingError
from runtime.export.onnx_graph import GraphNodes
from runtime.export.onnx_model import model_of
from runtime.export.onnx_nodes import NotExportable, value_info
from runtime.export.onnx_table import RULES
from runtime.graph import Block, Graph, Operation, Value
from runtime.ops import REGISTRY
from runtime.types import ArrayType, NumberType, type_of
from tests.runtime.samples import strange

#: ONNX Runtime has these for 32 bits only
SINGLE = {"conv2d", "linalg.det"}
INTS = {"bitwise_and", "bitwise_or", "bitwise_xor", "invert", "left_shift", "right_shift"}
#: where samples are in a range that the function has
BELOW_ONE = {"arcsin", "arccos", "arctanh", "math.asin", "math.acos"}

#: forms of them that there are none of, by the number of the sample
NO_FORM = {
    ("reshape_like", 1), ("median", 3), ("unique", 1), ("unique", 2),
    ("signbit", 2), ("take_along_axis", 1), ("linalg.norm", 4),
    *[("linalg.norm", k) for k in range(6, 12)],
}  # fmt: skip
#: numbers of lengths that these rules have to know
KNOWN = ("cross", "squeeze", "split", "pad", "dot", "vdot", "inner")

CASES = [
    pytest.param(
        name,
        sample,
        id=f"{name}-{k}",
        marks=[pytest.mark.xfail(raises=StagingError, strict=True)] if (name, k) in NO_FORM else [],
    )
    for name in RULES
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


DTYPES = "b1 u1 u2 u4 u8 i1 i2 i4 i8 f2 f4 f8".split()
#: what is refused, by name: ONNX Runtime has no kernel, and nothing else serves
OF_A_DTYPE = "a convolution|diff|round|relu|isclose|np.nan_to_num|np.median|signbit"
REFUSED = rf"ONNX Runtime has no \w+ of |({OF_A_DTYPE}) of .* has no form"
#: where ties may come in any order, a zero is divided by, or the sample has no array
UNSURE = {"argsort", "empty", "reciprocal", "cast"}


@pytest.mark.parametrize("name", [name for name in RULES if name not in UNSURE])
@pytest.mark.parametrize("numbers", ["plain", "strange"])
def test_every_dtype_is_right_or_refused(name, numbers):
    """Of the first sample. A model that cannot be loaded, or that computes something else, is neither."""
    sample, make = REGISTRY[name].samples[0], in_dtype if numbers == "plain" else in_strange
    attributes = sample[-1] if sample and isinstance(sample[-1], dict) else {}
    for dtype in DTYPES if any(isinstance(spec, tuple) for spec in sample) else []:
        args = [make(spec, name, k, dtype) for k, spec in enumerate(sample) if not isinstance(spec, dict)]
        if name == "searchsorted":
            args[0].sort()
        kinds = [type_of(arg) for arg in args]
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            try:
                types = REGISTRY[name].infer(tuple(kinds), **attributes)
                expected = REGISTRY[name].kernel(*args, **attributes)
            except (TypeError, ValueError, NotImplementedError):  # NumPy has it not
                continue
        types = types if isinstance(types, tuple) else (types,)
        expected = expected if isinstance(expected, tuple) else (expected,)
        try:
            found = run_in_onnx(Operation(name, tuple(map(Value, kinds)), types, attributes), kinds, args)
        except StagingError as error:
            assert re.search(REFUSED, str(error)), (dtype, str(error))
            continue
        for wanted, got in zip(expected, found, strict=True):
            assert (got.shape, got.dtype) == (np.shape(wanted), np.asarray(wanted).dtype), dtype
            sizes = [np.finfo(x.dtype).eps for x in map(np.asarray, (got, *args)) if x.dtype.kind == "f"]
            close = (1000 if name == "tan" else 20) * max(sizes, default=0)
            np.testing.assert_allclose(got, wanted, rtol=close, atol=close, err_msg=dtype)


def in_strange(spec, name, k, dtype):
    return strange(spec, dtype, k) if isinstance(spec, tuple) else spec


def in_dtype(spec, name, seed, dtype):
    if not isinstance(spec, tuple):
        return spec
    values = np.random.default_rng(seed).uniform(0.2, 0.9 if name in BELOW_ONE else 3.0, spec)
    return values > 1 if dtype == "b1" else (values * (1 if dtype[0] == "f" else 5)).astype(dtype)


SPECIAL = np.array([
    0.0, 1, -1, np.inf, -np.inf, np.nan, 1e-300, 1e300, -1e300, 1e-10, 0.3, -0.3, 1 - 1e-7, 1e-7 - 1,
    1 + 1e-7, 2.5, -5, 8, 27, 1e160, -1e-160, 700.5, -709,
])  # fmt: skip
FUNCTIONS = """arctan arcsin arccos arcsinh arccosh arctanh sinh cosh tanh expm1 log1p log2 log10 exp2 cbrt
trunc sqrt exp log sign floor ceil rint""".split()
WITH_ERRORS = {"math.erf": math.erf, "math.erfc": math.erfc}


@pytest.mark.parametrize("name", [*FUNCTIONS, *WITH_ERRORS, "hypot", "arctan2", "sort", "unique"])
def test_special_values(name):
    """Nothing overflows on the way, cancels, or loses a NaN. Versions of Python differ in `erfc` by 6e-15."""
    args = [SPECIAL]
    if name in ("hypot", "arctan2"):
        args = [each.ravel() for each in np.meshgrid(SPECIAL, SPECIAL)]
    kinds = [type_of(arg) for arg in args]
    op = Operation(name, tuple(map(Value, kinds)), (ArrayType(kinds[0].dtype, (None,)),))
    with np.errstate(all="ignore"):
        kernel = WITH_ERRORS.get(name)
        wanted = REGISTRY[name].kernel(*args) if kernel is None else np.array([*map(kernel, SPECIAL)])
    np.testing.assert_allclose(run_in_onnx(op, kinds, args)[0], wanted, rtol=2e-14, atol=0)


@pytest.mark.parametrize("name, dtype", [("max", "f8"), ("min", "i4"), ("argmax", "f4"), ("argmin", "i8")])
def test_there_is_no_extreme_of_nothing(name, dtype):
    """It fails as in NumPy; a result without items needs none."""
    for shape, axis in [((0,), None), ((2, 3), 0), ((0, 3), 0), ((0, 0), 0), ((2, 0), 0)]:
        kind = ArrayType(np.dtype(dtype), (None,) * len(shape))
        arg, attributes = np.ones(shape, dtype), {"axis": axis}
        op = Operation(name, (Value(kind),), (REGISTRY[name].infer((kind,), **attributes),), attributes)
        try:
            wanted = getattr(np, name)(arg, axis=axis)
        except ValueError:
            with pytest.raises(Exception, match="ONNXRuntimeError"):
                run_in_onnx(op, [kind], [arg])
        else:
            assert run_in_onnx(op, [kind], [arg])[0].tolist() == wanted.tolist()


def test_what_has_no_form_says_so():
    with pytest.raises(Exception, match="f.. cannot be exported to ONNX: convolve has no form"):
        args = [np.ones(3), np.ones(2)]
        kinds = list(map(type_of, args))
        op = Operation("convolve", tuple(map(Value, kinds)), (type_of(np.ones(4)),), {"mode": "full"})
        run_in_onnx(op, kinds, args)
    assert issubclass(NotExportable, Exception)
