"""What needs a value while JAX traces is refused at its line, and no `except` of the program catches it."""

import math
from contextlib import suppress
from functools import lru_cache

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph
import autograph.stages.jax

MASK = "an array is indexed with a mask that only a run knows"
KEY = "a value that is known only at run time is no key of a dict, and no member of a set"
NEEDED = "a value is needed while JAX traces that is known only at run time"
CANNOT = "Python or JAX cannot do this with a value that is known only at run time"
TEXT = "this text is known only at run time"


def evens(n):
    for k in range(3):
        if n > k:
            yield k


@lru_cache
def doubled(n):
    return n * 2


#: what a program tries, its result in Python on x = [1, -2, 3] and n = 2, and why it is refused
TRIED = {
    "a mask": (lambda x, n: (x[x > 0]).sum(), 4.0, MASK),
    "a slice": (lambda x, n: x[:n].sum(), -1.0, CANNOT),
    "a key": (lambda x, n: {2: 5.0}[n], 5.0, KEY),
    "get of a dict": (lambda x, n: {2: 5.0}.get(n, 0.0), 5.0, KEY),
    "a member": (lambda x, n: len({n}), 1, KEY),
    "a cached call": (lambda x, n: doubled(n), 4, KEY),
    "a shape": (lambda x, n: jnp.zeros(n).sum(), 0.0, CANNOT),
    "a reshape": (lambda x, n: x.reshape(n - 1, -1).sum(), 2.0, CANNOT),
    "a repeated tuple": (lambda x, n: len((0,) * n), 2, CANNOT),
    "an index": (lambda x, n: [1, 2, 3][n], 3, "Python needs a number here that is known only at run time"),
    "a function of math": (lambda x, n: math.sqrt(n), 2**0.5, NEEDED),
    "a length": (lambda x, n: jnp.arange(n).sum(), 1, r"needed .* \(It arose in the jnp.arange argument"),
    "an item": (lambda x, n: x[0].item(), 1.0, NEEDED),
    "NumPy": (lambda x, n: np.sin(n), math.sin(2), "NumPy is given an array that is known only at run time"),
    "a generator's if": (
        lambda x, n: len(list(evens(n))),
        2,
        "whether a value is true that is known only at run time",
    ),
    "a number from text": (lambda x, n: int(f"{n}"), 2, TEXT),
}
ARGUMENTS = np.array([1.0, -2.0, 3.0], np.float32), 2


def under_except(attempt):
    def program(x, n):
        try:
            return attempt(x, n)
        except Exception:
            return 99.0

    return program


def under_suppress(attempt):
    def program(x, n):
        result = 99.0
        with suppress(TypeError, ValueError, IndexError):
            result = attempt(x, n)
        return result

    return program


def in_a_branch(attempt):
    def program(x, n):
        result = 99.0
        if n > 0:
            result = attempt(x, n)
        return result

    return program


@pytest.mark.parametrize("within", [under_except, under_suppress, in_a_branch])
@pytest.mark.parametrize("what", TRIED)
def test_what_needs_a_value_is_refused(what, within):
    attempt, expected, reason = TRIED[what]
    program = within(attempt)
    assert np.allclose(program(*ARGUMENTS), expected)
    with pytest.raises(autograph.StagingError, match=reason) as refused:
        jax.jit(autograph.convert(program))(*ARGUMENTS)
    assert refused.value.file == __file__ and refused.value.__cause__ is not None
    assert "tracing.py" not in str(refused.value)


def test_the_refusal_points_at_the_line():
    items = [1.0, 2.0, 3.0]

    @jax.jit
    @autograph.convert
    def total(n):
        found, i = 0.0, 0
        while i < n:
            found += items[i]
            i += 1
        return found

    with pytest.raises(autograph.StagingError) as refused:
        total(2)
    text = str(refused.value).splitlines()
    assert text[0].endswith(":22: Python needs a number here that is known only at run time")
    assert text[1:3] == ["    found += items[i]", "             ^^^^^^^^"]


HONEST = {
    "a list in a set": lambda x, n: len({[]}),
    "an index": lambda x, n: [1, 2][5],
    "two shapes": lambda x, n: (x + jnp.ones(5)).sum(),
    "unpacked": lambda x, n: [a for a, b in [x]][0],
    "the length of a number": lambda x, n: len(n),
}


@pytest.mark.parametrize("what", HONEST)
def test_errors_of_the_program_are_caught_by_it(what):
    program = under_except(HONEST[what])
    assert program(*ARGUMENTS) == 99
    assert jax.jit(autograph.convert(program))(*ARGUMENTS) == 99


KEPT = "how long this list is depends on the `if` of its comprehension, which only a run knows"
UNSIZED = {
    "an array": lambda x: jnp.array([v for v in x if v > 0]).sum(),
    "an append": lambda x: [v for v in x if v > 0].append(1.0),
    "a result": lambda x: [v for v in x if v > 0],
    "a tuple": lambda x: tuple([v for v in x if v > 0]),
    "a concatenation": lambda x: [v for v in x if v > 0] + [1.0],
}


@pytest.mark.parametrize("what", UNSIZED)
def test_a_list_of_unknown_length_is_refused_where_its_length_is_needed(what):
    with pytest.raises(autograph.StagingError, match=KEPT) as refused:
        jax.jit(autograph.convert(UNSIZED[what]))(ARGUMENTS[0])
    assert refused.value.file == __file__ and refused.value.hint


def test_true_as_a_pattern_is_refused_with_the_guard_that_works():
    def asks_for_the_object(x):
        match x > 0:
            case True:
                return x
            case _:
                return -x

    def asks_for_the_truth(x):
        match (x > 0, x > 1):
            case (positive, large) if positive and large:
                return x * 3
            case (positive, _) if positive:
                return x * 2
            case _:
                return -x

    with pytest.raises(autograph.StagingError, match="`case positive if positive:`"):
        jax.jit(autograph.convert(asks_for_the_object))(1.0)
    guarded = jax.jit(autograph.convert(asks_for_the_truth))
    assert [guarded(x) for x in (-1.0, 0.5, 2.0)] == [1.0, 1.0, 6.0]
