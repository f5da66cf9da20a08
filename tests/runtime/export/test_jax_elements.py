"""Operations of elements in JAX: by the name of `jax.numpy`, and by the formula alone."""

import warnings

import numpy as np
import pytest

from runtime.ops import REGISTRY
from tests.runtime.ops.test_registry import SAMPLES, split, value_of
from tests.runtime.samples import each_sample

jax = pytest.importorskip("jax")

DTYPES = ["bool", "int64", "uint8", "float64"]
#: nothing is computed of the operand, so that the result has no shape of its own
_NO_SHAPE = {"zero_of"}
OF_ELEMENTS = {
    name: samples
    for name, samples in SAMPLES.items()
    if REGISTRY[name].family == "elementwise" and name not in _NO_SHAPE
}


def compare(name, sample, by_formula, dtypes):
    from runtime.export.jax_elements import function_of

    definition = REGISTRY[name]
    specs, attributes = split(sample)
    if attributes or definition.formula is None:
        return
    for dtype in dtypes:
        args = [value_of(s, dtype, k) for k, s in enumerate(specs)]
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            try:
                want = definition.kernel(*args)
                found = function_of(name, by_formula)(*args)
            except (TypeError, NotImplementedError):
                continue  # NumPy refuses these dtypes, or nobody has written a formula for them
        for a, b in zip(np.atleast_1d(want), np.atleast_1d(np.asarray(found)), strict=True):
            np.testing.assert_allclose(b, a, rtol=1e-14, err_msg=f"{name} of {dtype}")
        assert np.asarray(found).dtype == np.asarray(want).dtype


@each_sample({name: [samples[0]] for name, samples in OF_ELEMENTS.items()})
def test_by_formula(name, sample):
    with jax.enable_x64(True):
        compare(name, sample, True, ["int64", "float64"])


@pytest.mark.long
@each_sample(OF_ELEMENTS)
def test_by_name_and_by_formula_in_all_dtypes(name, sample):
    with jax.enable_x64(True):
        compare(name, sample, False, DTYPES)
        compare(name, sample, True, DTYPES)
