"""A Tensor without axes holds NumPy's scalar: one kind of value, wherever paths meet."""

import inspect

import numpy as np
import pytest

import runtime as rt
from autograph.errors import ArgumentError


def doubled(t):
    while t < 100:
        t = t * 2.0
    return t


def early(t):
    if t > 10:
        return t
    return t * 3.0


def hinge(t):
    return max(t, 0.0) + min(1.0, t) + max(0, t)


def extreme(t):
    return max(t, 0)


def slopes(t):
    total = 0.0
    for _ in range(3):
        with rt.GradientTape() as tape:
            tape.watch(t)
            y = t * t
        total = total + tape.gradient(y, t)
        t = t * 2.0
    return total


@pytest.mark.parametrize("engine", ["numpy", "native"])
@pytest.mark.parametrize("function", [doubled, early, hinge, extreme, slopes])
def test_one_kind_where_paths_meet(function, engine):
    decorated = rt.function(function, engine=engine)
    for value in (3.0, -2.0, 0.0, 200.0) if function is not doubled else (3.0, 200.0):
        x = rt.constant(value)
        assert repr(decorated(x)) == repr(function(x))


@pytest.mark.parametrize("function", [doubled, early, hinge])
@pytest.mark.parametrize("said", ["by the call", "by the function"])
def test_a_model_of_onnx(function, said, tmp_path):
    reference = pytest.importorskip("onnx.reference")
    path, spec = str(tmp_path / "model.onnx"), rt.TensorSpec([], "float64")
    if said == "by the call":
        rt.export_onnx(path, function, spec)
    else:
        rt.export_onnx(path, rt.function(function, input_signature=[spec]))
    (name,) = inspect.signature(function).parameters
    for value in (3.0, 200.0):
        (found,) = reference.ReferenceEvaluator(path).run(None, {name: np.array(value)})
        assert found == function(value)


def test_an_array_is_asked_for():
    decorated = rt.function(doubled, input_signature=[rt.TensorSpec([], "float64")])
    x = rt.constant(3.0)
    assert float(decorated(x)) == 192.0
    assert float(decorated.get_concrete_function()(x)) == 192.0
    with rt.GradientTape() as tape:
        tape.watch(x)
        with pytest.raises(ArgumentError, match="an ndarray of a Tensor that a tape follows"):
            decorated(x)
