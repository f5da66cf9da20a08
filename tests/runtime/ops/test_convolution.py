"""Convolutions are computed block by block: the blocks do not show in the results."""

import numpy as np
import pytest

from runtime.ops import REGISTRY, convolution

CONV, OF_INPUT, OF_KERNEL = [
    REGISTRY[name].kernel for name in ("conv2d", "conv2d_input_gradient", "conv2d_kernel_gradient")
]


@pytest.mark.parametrize("memory", [1, 3000, 9000, 2**20], ids=["a row", "some rows", "some images", "all"])
@pytest.mark.parametrize("small", [0, 2**18], ids=["one product", "a product for each row"])
def test_any_blocks_give_the_sum_over_windows_and_its_transposes(memory, small, monkeypatch):
    monkeypatch.setattr(convolution, "_BYTES", memory)
    monkeypatch.setattr(convolution, "_SMALL", small)
    random, how = np.random.default_rng(0), {"strides": (1, 2), "rates": (2, 1)}
    x, kernel = random.normal(size=(5, 9, 8, 3)), random.normal(size=(3, 2, 3, 4))
    windows = np.lib.stride_tricks.sliding_window_view(x, (5, 2), axis=(1, 2))[:, :, ::2, :, ::2]
    found = CONV(x, kernel, **how)
    np.testing.assert_allclose(found, np.einsum("nhwcij,ijco->nhwo", windows, kernel))
    g = random.normal(size=found.shape)
    np.testing.assert_allclose(OF_KERNEL(g, x, kernel, **how), np.einsum("nhwcij,nhwo->ijco", windows, g))
    np.testing.assert_allclose(np.vdot(OF_INPUT(g, kernel, x, **how), x), np.vdot(g, found))
    assert OF_INPUT(g[:0], kernel, x[:0], **how).shape == (0, 9, 8, 3)
