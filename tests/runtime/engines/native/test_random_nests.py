"""Random expressions over arrays: dtypes, broadcasting, functions that NumPy's loops compute, reductions."""

from __future__ import annotations

import random
import warnings
from typing import Any

import numpy as np
import pytest

from runtime.types import DTYPE_NAMES, ArrayType, NumberType, ScalarType
from tests.long import some
from tests.runtime.engines.native.graphs import Maker, check

BINARY = (
    "add subtract multiply maximum minimum true_divide less equal arctan2 hypot remainder floor_divide"
).split()
UNARY = "negative absolute sqrt exp tanh sin floor isnan square sign logical_not".split()
REDUCTIONS = "sum max min any all".split()
DTYPES = ["f64", "f32", "i64", "i32", "u8", "bool"]


def expression(seed: int) -> tuple[Any, list[Any]]:
    choose = random.Random(seed)
    generator = np.random.default_rng(seed)
    known = choose.random() < 0.5
    rows, columns = choose.choice([1, 2, 3, 700]), choose.choice([1, 3, 5])
    shapes: list[tuple[int, ...]] = [(rows, columns), (columns,), (rows, 1), (rows, columns), ()]
    arguments: list[Any] = []
    types: list[str] = []
    for _ in range(choose.randint(1, 3)):
        shape, dtype = choose.choice(shapes), choose.choice(DTYPES)
        array = (generator.normal(size=shape) * 4).astype(DTYPE_NAMES[dtype])
        if choose.random() < 0.3:
            array = np.repeat(np.asarray(array)[None], 2, 0)[choose.choice([0, 1])]
            array = array[::-1] if array.ndim else array
        arguments.append(np.asarray(array))
        types.append(f"{dtype}[{','.join(str(n) if known or n == 1 else 'None' for n in shape)}]")
    arguments += [2.5, 3, np.float32(1.5)]
    maker = Maker(*types, "float", "int", "f32")
    values = list(maker.params)
    for _ in range(choose.randint(2, 12)):
        name = choose.choice(choose.choice([BINARY, BINARY, UNARY, REDUCTIONS]))
        inputs = [choose.choice(values) for _ in range(2 if name in BINARY else 1)]
        if all(isinstance(v.type, NumberType) for v in inputs):
            continue
        if name in REDUCTIONS and not isinstance(inputs[0].type, ArrayType):
            continue
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                values.append(maker(name, *inputs))
        except (TypeError, ValueError):
            maker.block.operations[:] = [op for op in maker.block.operations if op.outputs]
    made = [v for v in values[len(types) + 3 :] if isinstance(v.type, ArrayType | ScalarType)]
    results = choose.sample(made, min(len(made), 3))
    return maker.returns(*results), arguments


@pytest.mark.parametrize("seed", some(range(60)))
def test_as_numpy(seed: int) -> None:
    graph, arguments = expression(seed)
    check(graph, *arguments, ulps=64)
