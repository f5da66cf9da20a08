"""NumPy's functions with a keyword argument that is one of several: a dtype, an axis, an order, an output."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.differential import check

XS = [(np.array([3.0, 2.0]),), (np.array([0.0, 0.0]),), (np.array([-1.0, 4.0]),)]


def class_of_numbers(x: Any) -> Any:
    kind = np.float32 if x[0] > 2 else np.int16
    made = np.zeros(2, dtype=kind), np.full(2, 1, kind), np.arange(3, dtype=kind), np.eye(2, dtype=kind)
    return made, np.array([x[1], 1], dtype=kind), np.asarray(x, dtype=kind), np.zeros_like(x, dtype=kind)


def class_of_a_result(x: Any) -> Any:
    kind = np.float32 if x[0] > 2 else np.int16
    return np.sum(x, dtype=kind), x.sum(dtype=kind), x.mean(dtype=kind), np.cumsum(x, dtype=kind)


def python_class(x: Any) -> Any:
    kind = float if x[0] > 2 else int
    return np.zeros(2, dtype=kind), x.astype(dtype=kind), np.ones(2, dtype=kind)


def class_or_none(x: Any) -> Any:
    kind = np.float32 if x[0] > 2 else None
    return np.zeros(2, dtype=kind), np.dtype(kind), x.sum(dtype=kind)


def facts_of_a_class(x: Any) -> Any:
    kind = np.int32 if x[0] > 2 else np.int16
    return np.iinfo(kind).max


def axis(x: Any) -> Any:
    k = 0 if x[0] > 2 else None
    return np.sum(x, axis=k), x.max(axis=k), np.concatenate([x, x], axis=k)


def output(x: Any) -> Any:
    a, b = np.zeros(2), np.zeros(2)
    made = np.add(x, 1, out=a if x[0] > 2 else b)
    return a, b, made


def several(x: Any) -> Any:
    shape = (2,) if x[0] > 2 else (3,)
    return np.zeros(dtype="f4" if x[1] > 2 else "i8", shape=shape)


@pytest.mark.parametrize(
    "f",
    [
        class_of_numbers,
        class_of_a_result,
        python_class,
        class_or_none,
        facts_of_a_class,
        axis,
        output,
        several,
    ],
    ids=lambda f: f.__name__,
)
def test_a_keyword_that_is_one_of_several(f: Callable[..., Any]) -> None:
    check(f, *XS)
