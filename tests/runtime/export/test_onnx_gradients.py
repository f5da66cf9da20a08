"""Gradients are exported as other functions are: in ONNX Runtime they are what they are here."""

import numpy as np
import onnxruntime
import pytest

import runtime as rt


def network(w, b, v, x):
    return np.mean((np.tanh(x @ w + b) @ v) ** 2)


def logistic(w, x):
    return -np.mean(np.log(1 / (1 + np.exp(-(x @ w)))))


def in_a_loop(x):
    total = 0.0
    for i in range(3):
        total = total + np.sum(np.sin(x) * i)
    return total


def under_a_condition(x):
    if x.sum() > 0:
        return (x * x).sum()
    return -x.sum()


def of_items(x):
    return x[1] * x[-1] + np.sum(x[:2]) + np.max(x * x)


def softmax(x):
    scores = np.exp(x - x.max(axis=1, keepdims=True))
    return -np.log((scores / scores.sum(axis=1, keepdims=True))[:, 0]).sum()


RANDOM = np.random.default_rng(0)
PROGRAMS = [
    (network, [(3, 4), (4,), (4,), (5, 3)]), (logistic, [(3,), (5, 3)]), (in_a_loop, [(3,)]),
    (under_a_condition, [(3,)]), (of_items, [(3,)]), (softmax, [(4, 3)]),
]  # fmt: skip


@pytest.mark.parametrize("f, shapes", PROGRAMS, ids=[f.__name__ for f, _ in PROGRAMS])
@pytest.mark.parametrize("known", [True, False], ids=["known", "open"])
def test_gradient(f, shapes, known, tmp_path):
    function = rt.value_and_grad(f, tuple(range(len(shapes))))
    specs = [rt.TensorSpec(shape if known else [None] * len(shape)) for shape in shapes]
    rt.export_onnx(tmp_path / "f.onnx", function, *specs)
    session = onnxruntime.InferenceSession(tmp_path / "f.onnx")
    args = [RANDOM.normal(size=shape) for shape in shapes]
    found = session.run(None, {one.name: x for one, x in zip(session.get_inputs(), args, strict=True)})
    value, slopes = function(*args)
    for got, wanted in zip(found, [value, *slopes], strict=True):
        np.testing.assert_allclose(got, wanted, rtol=1e-12, atol=1e-14)
