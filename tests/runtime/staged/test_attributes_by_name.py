"""`hasattr` and `getattr` of staged values tell what the program's own values have."""

from collections import deque
from typing import Any

import numpy as np
import pytest

import runtime as rt
from tests.long import some

NAMES = (
    "__len__", "__iter__", "__getitem__", "__float__", "__index__", "__array__", "__call__", "__hash__",
    "__contains__", "__next__", "__array_ufunc__", "__add__", "__matmul__", "__bool__", "__reversed__",
    "shape", "__name__", "mro",
    "dtype", "ndim", "size", "T", "real", "tolist", "append", "keys", "add", "split", "bit_length",
    "is_integer", "value", "type", "builder", "boxed", "kind", "spec", "element", "length", "missing",
)  # fmt: skip
VALUES: dict[str, Any] = {
    "int": 3,
    "float": 2.5,
    "scalar": np.float64(2.5),
    "integer": np.int32(3),
    "array": np.arange(3.0),
    "no rank": np.array(2.0),
}


def said(x: Any) -> Any:
    found = []
    for name in NAMES:
        found.append(hasattr(x, name))
        if not hasattr(x, name):
            found.append(getattr(x, name, None))
    return found


@pytest.mark.parametrize("engine", some(["native", "numpy"]))
@pytest.mark.parametrize("kind", VALUES)
def test_of_numbers_and_arrays(kind: str, engine: str) -> None:
    assert rt.function(said, engine=engine)(VALUES[kind]) == said(VALUES[kind])


@pytest.mark.parametrize(
    ("make", "engine"), [(list, "numpy"), (set, "native"), (dict, "numpy"), (deque, "native")]
)
def test_of_containers_and_texts(make: Any, engine: str) -> None:
    def ask(n: int) -> Any:
        items, text = make(), ""
        for i in range(n):
            if make is dict:
                items[i] = i
            elif make is set:
                items.add(i)
            else:
                items.append(i)
            text += "a"
        return said(items), said(text)

    assert rt.function(ask, engine=engine)(3) == ask(3)
