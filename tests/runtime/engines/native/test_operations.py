"""Every operation of the registry on its samples: machine code (or the call back) against the kernel."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

from runtime.engines import numpy_engine
from runtime.ops import REGISTRY
from runtime.types import type_of
from tests.long import some
from tests.runtime.engines.native.graphs import Maker, check, outcome
from tests.runtime.samples import strange

#: of those in parentheses one, the next operation another
DTYPES = [("float64",), ("int64", "float32", "int32", "uint8", "bool")]
CALLED = [("float64", "int64", "float16", "complex128")]  # for operations whose kernel is called anyway
#: of complex numbers, infinity times others hangs on the library of linear algebra
PRODUCTS = {"dot", "matmul"}
UNINITIALISED = {"empty", "empty_like"}
NAMES = [name for name, definition in REGISTRY.items() if definition.samples and name not in UNINITIALISED]


def dtypes_of(name: str, turn: int) -> list[str]:
    """The dtypes that an operation is tried with: in turn, for compiling all of them takes minutes."""
    number = NAMES.index(name) + turn
    given = DTYPES if REGISTRY[name].native is not None else CALLED
    return [one[number % len(one)] for one in given]


def arguments_of(
    sample: list[Any], dtype: str, scalars: bool, is_strange: bool = False
) -> tuple[list[Any], dict[str, Any]]:
    """A shape becomes an array, a dict the attributes; ``scalars`` makes NumPy scalars of 0-d arrays."""
    generator = np.random.default_rng(7)
    values: list[Any] = []
    attributes: dict[str, Any] = {}
    for item in sample:
        if isinstance(item, dict):
            attributes = item
        elif isinstance(item, tuple) and all(isinstance(n, int) for n in item):
            array = (generator.random(item) * 6 - (1 if np.dtype(dtype).kind in "ifc" else 0)).astype(dtype)
            if is_strange:
                array = strange(item, dtype, len(values))
            values.append(array[()] if scalars and not item else np.asarray(array))
        else:
            values.append(item)
    return values, attributes


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("turn", some(range(5), one_in=5))
@pytest.mark.parametrize("name", NAMES)
def test_as_the_kernel(name: str, turn: int) -> None:
    """All samples and dtypes in one graph, because each compilation takes a while."""
    definition = REGISTRY[name]
    cases = [
        arguments_of(sample, dtype, scalars, is_strange=turn % 2 == 1)
        for sample in definition.samples
        for dtype in dtypes_of(name, turn)
        if dtype != "complex128" or turn % 2 == 0 or name not in PRODUCTS
        for scalars in (
            [False, True] if any(type(part) is tuple and not part for part in sample) else [False]
        )
    ]
    runs = [case for case in cases if _works(name, case)]
    maker = Maker(*[type_of(v) for values, _ in runs for v in values])
    params = iter(maker.params)
    results: list[Any] = []
    for values, attributes in runs:
        outputs = maker(name, *[next(params) for _ in values], **attributes)
        results += outputs if isinstance(outputs, tuple) else [outputs]
    check(maker.returns(*results), *[v for values, _ in runs for v in values], ulps=8)


def _works(name: str, case: tuple[list[Any], dict[str, Any]]) -> bool:
    """Is the operation defined for these dtypes, as in NumPy?"""
    values, attributes = case
    maker = Maker(*[type_of(v) for v in values])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            outputs = maker(name, *maker.params, **attributes)
        except (TypeError, ValueError, IndexError):
            return False
        graph = maker.returns(*(outputs if isinstance(outputs, tuple) else (outputs,)))
        return isinstance(outcome(numpy_engine.compile(graph), values), list)
