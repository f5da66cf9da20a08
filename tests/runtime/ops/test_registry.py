"""Every operation: the inferred types are the types of what its kernel returns, for all dtypes and kinds."""

import itertools
import warnings

import numpy as np
import pytest

from runtime.ops import REGISTRY
from runtime.types import ArrayType, is_subtype, type_of
from tests.runtime.samples import each_sample

DTYPES = ["bool", "int8", "int64", "uint8", "uint64", "float32", "float64", "complex128"]
PYTHON_FAMILIES = {name for d in REGISTRY.values() if (name := d.family).startswith("python")}

SAMPLES = {name: definition.samples for name, definition in REGISTRY.items() if definition.samples}


def split(sample):
    if sample and isinstance(sample[-1], dict):
        return sample[:-1], sample[-1]
    return sample, {}


def value_of(spec, dtype, seed):
    """An array for a shape; a number stands for itself."""
    if not isinstance(spec, tuple):
        return spec
    values = np.random.default_rng(seed).integers(1, 3, spec)
    if len(spec) >= 2 and spec[-1] == spec[-2]:
        values = values + 5 * np.eye(spec[-1], dtype=int)  # has an inverse
        values = values + np.swapaxes(values, -1, -2)  # and is symmetric
    return np.asarray(values, dtype)


def forgotten(t):
    return ArrayType(t.dtype, (None,) * t.ndim) if isinstance(t, ArrayType) else t


def as_scalar(value):
    return value[()] if isinstance(value, np.ndarray) and not value.ndim else value


def check(definition, args, attributes):
    """Either both the rule and the kernel refuse, or the types agree. Returns whether there was a result."""
    types = tuple(map(type_of, args))
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            results = definition.kernel(*args, **attributes)
        except (TypeError, ValueError, IndexError, OverflowError, AttributeError, np.linalg.LinAlgError):
            return False
        results = results if isinstance(results, tuple) else () if results is None else (results,)
        for infer_from in (types, tuple(map(forgotten, types))):
            try:
                inferred = definition.infer(infer_from, **attributes)
            except TypeError:
                if infer_from is types and all(
                    r.dtype != object and r.dtype.name != "float128" for r in results if hasattr(r, "dtype")
                ):
                    raise
                continue  # a rule may ask to know the lengths
            inferred = inferred if isinstance(inferred, tuple) else (inferred,)
            assert len(inferred) == len(results)
            for t, value in zip(inferred, results, strict=True):
                assert is_subtype(type_of(value), t), f"{types} {attributes}: {type_of(value)}, inferred {t}"
    return True


@each_sample(SAMPLES)
def test_inferred_types_are_those_of_the_kernel(name, sample):
    definition = REGISTRY[name]
    specs, attributes = split(sample)
    shapes = [k for k, spec in enumerate(specs) if isinstance(spec, tuple)]
    ran = False
    choices = itertools.product(DTYPES, repeat=min(len(shapes), 2)) if len(shapes) < 3 else zip(*[DTYPES] * 3)
    for dtypes in choices:
        dtypes = itertools.cycle(dtypes) if dtypes else iter(())
        args = [value_of(s, next(dtypes) if isinstance(s, tuple) else None, k) for k, s in enumerate(specs)]
        ran |= check(definition, args, attributes)
        if any(isinstance(a, np.ndarray) and not a.ndim for a in args):
            ran |= check(definition, list(map(as_scalar, args)), attributes)
    assert ran, f"{name} has no dtype for which its sample runs"


@pytest.mark.parametrize(
    "name",
    [
        n
        for n, d in REGISTRY.items()
        if d.family == "elementwise" and n not in ("clip", "relu", "where", "where_ufunc", "zero_of")
    ],
)
def test_python_numbers_are_weak_operands_of_ufuncs(name):
    definition = REGISTRY[name]
    numbers = [True, 3, 2.5, 1 + 2j]
    arrays = [np.ones((2,), d) for d in DTYPES] + [np.ones((), d)[()] for d in DTYPES]
    if definition.loops.nin == 1:
        for number in numbers:
            check(definition, [number], {})
        return
    for x in arrays + numbers:
        for number in numbers:
            check(definition, [x, number], {})
            check(definition, [number, x], {})


@pytest.mark.filterwarnings("ignore:Bitwise inversion")
@pytest.mark.parametrize(
    "name",
    [n for n, d in REGISTRY.items() if d.family in PYTHON_FAMILIES and d.family != "python choice"],
)
def test_python_operations_take_every_kind_of_number(name):
    definition = REGISTRY[name]
    count = len(split(definition.samples[0])[0]) if definition.samples else 0
    for values in itertools.product([True, 2, 1.5, 1 + 1j], repeat=count):
        check(definition, list(values), {})


def test_every_operation_states_its_family_and_samples():
    for name, definition in REGISTRY.items():
        assert definition.family, name
        for sample in definition.samples:
            assert isinstance(sample, list), name
