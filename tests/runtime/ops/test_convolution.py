"""Convolutions are computed block by block, in several threads: that does not show in the results."""

from importlib import import_module

import numpy as np
import pytest

from runtime.ops import REGISTRY, convolution

CONV, OF_INPUT, OF_KERNEL = [
    REGISTRY[name].kernel for name in ("conv2d", "conv2d_input_gradient", "conv2d_kernel_gradient")
]


@pytest.mark.parametrize("memory", [1, 3000, 9000, 2**20], ids=["a row", "some rows", "some images", "all"])
@pytest.mark.parametrize("small", [0, 500, 2**18], ids=["one product", "one for a row", "one for some rows"])
@pytest.mark.parametrize("channels", [3, 5])
def test_any_blocks_give_the_sum_over_windows_and_its_transposes(memory, small, channels, monkeypatch):
    monkeypatch.setattr(convolution, "_BYTES", memory)
    monkeypatch.setattr(convolution, "_SMALL", small)
    random, how = np.random.default_rng(0), {"strides": (1, 2), "rates": (2, 1)}
    x, kernel = random.normal(size=(5, 9, 8, channels)), random.normal(size=(3, 2, channels, 4))
    windows = np.lib.stride_tricks.sliding_window_view(x, (5, 2), axis=(1, 2))[:, :, ::2, :, ::2]
    found = CONV(x, kernel, **how)
    np.testing.assert_allclose(found, np.einsum("nhwcij,ijco->nhwo", windows, kernel))
    g = random.normal(size=found.shape)
    np.testing.assert_allclose(OF_KERNEL(g, x, kernel, **how), np.einsum("nhwcij,nhwo->ijco", windows, g))
    np.testing.assert_allclose(np.vdot(OF_INPUT(g, kernel, x, **how), x), np.vdot(g, found))
    assert OF_INPUT(g[:0], kernel, x[:0], **how).shape == (0, 9, 8, channels)
    assert not OF_KERNEL(g[:0], x[:0], kernel, **how).any()
    with pytest.raises(ValueError, match="a patch of 5 pixels does not fit into 4 of them"):
        CONV(x[:, :4], kernel, **how)


@pytest.mark.parametrize("channels", [3, 5])
def test_several_threads_give_what_one_gives(channels, monkeypatch):
    random, how = np.random.default_rng(0), {"strides": (1, 1), "rates": (1, 1)}
    x, kernel = random.normal(size=(9, 9, 8, channels)), random.normal(size=(3, 2, channels, 4))
    monkeypatch.setattr(convolution, "_BYTES", 3000)
    monkeypatch.setattr(convolution, "LARGE", 0)
    expected, found = [], []
    for results, limit in (expected, 1), (found, 3):
        monkeypatch.setattr(import_module("runtime.ops.threads"), "limit", limit)
        y = CONV(x, kernel, **how)
        results += [y, OF_INPUT(y, kernel, x, **how), OF_KERNEL(y, x, kernel, **how)]
    for a, b in zip(expected, found, strict=True):
        np.testing.assert_array_equal(a, b)
