"""Convolutions in machine code give what the NumPy kernels give."""

from importlib import import_module

import numpy as np
import pytest

from runtime.engines import compile_graph
from runtime.formats.parse import parse
from runtime.ops import REGISTRY

module = import_module("runtime.engines.native.convolution")
threads = import_module("runtime.ops.threads")

#: images, kernel, strides: some are computed in machine code, some are left to NumPy
CASES = [
    ((3, 9, 13, 16), (3, 3, 16, 32), (1, 1)),
    ((2, 8, 8, 1), (3, 3, 1, 16), (1, 1)),
    ((5, 10, 14, 3), (2, 3, 3, 16), (2, 2)),
    ((2, 6, 6, 16), (1, 1, 16, 16), (1, 1)),
    ((2, 5, 5, 16), (3, 3, 16, 5), (1, 1)),
    ((1, 6, 9, 2), (2, 4, 2, 16), (3, 1)),
]


def results(kernels, x, kernel, g, **how):
    yield kernels["conv2d"](x, kernel, **how)
    yield kernels["conv2d_input_gradient"](g, kernel, x, **how)
    yield kernels["conv2d_kernel_gradient"](g, x, kernel, **how)


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize(("images", "kernel", "strides"), CASES)
def test_results_are_those_of_numpy(images, kernel, strides, dtype, monkeypatch):
    monkeypatch.setattr(module, "LARGE", 0)
    monkeypatch.setattr(module, "_BYTES", 1)
    monkeypatch.setattr(threads, "limit", 3)
    random, how = np.random.default_rng(0), {"strides": strides, "rates": (1, 1)}
    x, k = [random.normal(size=shape).astype(dtype) for shape in (images, kernel)]
    kernels = {name: REGISTRY[name].kernel for name in module.KERNELS}
    g = random.normal(size=kernels["conv2d"](x, k, **how).shape).astype(dtype)
    tolerance = 1e-4 if dtype == "f4" else 1e-12
    for a, b in zip(results(module.KERNELS, x, k, g, **how), results(kernels, x, k, g, **how), strict=True):
        assert a.dtype == b.dtype
        np.testing.assert_allclose(a, b, rtol=tolerance, atol=tolerance)
    transposed = [np.asfortranarray(a) for a in (x, k, g)]
    again = results(module.KERNELS, *transposed, **how)
    for a, b in zip(results(module.KERNELS, x, k, g, **how), again, strict=True):
        np.testing.assert_array_equal(a, b)


def test_what_does_not_fit_is_refused_by_numpy():
    x, kernel = np.ones((2, 8, 8, 3), "f4"), np.ones((3, 3, 4, 16), "f4")
    with pytest.raises(ValueError, match="matmul"):
        module.conv2d(x, kernel, (1, 1), (1, 1))
    assert module.conv2d(x[:0], kernel[:, :, :3], (1, 1), (1, 1)).shape == (0, 6, 6, 16)


def test_a_graph_of_unknown_lengths_calls_machine_code(monkeypatch):
    graph = parse("""graph f(x: f32[None,8,8,1], kernel: f32[3,3,1,16]) -> (f32[None,6,6,16]):
    _1: f32[None,6,6,16] = conv2d(x, kernel, strides=(1, 1), rates=(1, 1))
    return _1
""")
    kernel = REGISTRY["conv2d"].kernel
    called = []
    monkeypatch.setattr(module, "_by_numpy", lambda *arguments, **how: called.append(arguments))
    x, k = np.random.default_rng(0).normal(size=(4, 8, 8, 1)).astype("f4"), np.ones((3, 3, 1, 16), "f4")
    (found,) = compile_graph(graph, "native").run([x, k])
    np.testing.assert_allclose(found, kernel(x, k, strides=(1, 1), rates=(1, 1)), rtol=1e-5)
    assert not called
