"""`min` and `max` with a key in machine code: the first of equal ones is found."""

import sys

import pytest

import runtime as rt
from tests.differential import check

NAN = float("nan")
#: values, keys by value
KEYS = {
    "ints": {f"v{k}": k * 7 % 13 for k in range(40)},
    "large ints": {f"v{k}": (2**62 - k % 3) * (-1) ** k for k in range(40)},
    "floats": {f"v{k}": k * 7 % 13 / 4 for k in range(40)},
    "zeros": {f"v{k}": (0.0, -0.0)[k % 2] for k in range(40)},
    "NaN": {f"v{k}": (1.5, NAN, 2.5, float("nan"))[k % 4] for k in range(1, 41)},
    "NaN first": {f"v{k}": (NAN, 1.5)[k % 2] for k in range(40)},
    "ints and floats": {f"v{k}": (k, k / 2)[k % 2] for k in range(40)},
    "texts": {f"v{k}": "bacäb"[k % 5] * (k % 3) for k in range(40)},
    "pairs": {f"v{k}": (k * 7 % 3, f"t{k % 11}") for k in range(40)},
    "None": {f"v{k}": (1, None)[k == 20] for k in range(40)},
}


def extremes(table):
    return max(table, key=table.get), min(table.items(), key=lambda pair: pair[1])


@pytest.mark.parametrize("name", KEYS)
def test_as_in_python(name):
    table = KEYS[name]
    shorter = dict(list(table.items())[:35])
    check(extremes, (table,), (shorter,))


def largest(words, keys, n):
    return max(words[:n], key=lambda word: keys[word])


def test_reference_counts_and_none():
    words = [f"word {k}" for k in range(40)]
    keys = {word: len(word) * k % 7 for k, word in enumerate(words)}
    compiled = rt.function(largest, engine="native")
    assert compiled(words, keys, 40) == largest(words, keys, 40)
    before = [sys.getrefcount(word) for word in words]
    for n in (40, 1, 7):
        assert compiled(words, keys, n) == largest(words, keys, n)
    with pytest.raises(ValueError, match=r"max\(\)"):
        compiled(words, keys, 0)
    assert [sys.getrefcount(word) for word in words] == before


def test_it_is_machine_code():
    compiled = rt.function(extremes, engine="native")
    compiled(KEYS["ints"])
    fallbacks = compiled.concrete_functions[0].compiled.executable.fallbacks
    assert {name for name, _ in fallbacks} == {"raise"}  # where there are no items
