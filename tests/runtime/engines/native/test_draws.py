"""Draws of NumPy's generators in machine code: their numbers, states and errors, and other threads."""

import threading

import numpy as np
import pytest

import runtime as rt

BITS = {"PCG64": np.random.PCG64, "MT19937": np.random.MT19937, "Philox": np.random.Philox}
GENERATOR = {
    "random": lambda rng, i: rng.random(),
    "uniform": lambda rng, i: rng.uniform(),
    "uniform of a range": lambda rng, i: rng.uniform(-1.5, i + 2),
    "standard_normal": lambda rng, i: rng.standard_normal(),
    "normal": lambda rng, i: rng.normal(),
    "normal of two": lambda rng, i: rng.normal(i, scale=0.25),
    "standard_exponential": lambda rng, i: rng.standard_exponential(),
    "exponential": lambda rng, i: rng.exponential(i + 0.5),
    "integers": lambda rng, i: rng.integers(i + 7),
    "integers of a range": lambda rng, i: rng.integers(-5, high=10**12),
}
STATE = {
    "rand": lambda rng, i: rng.rand(),
    "random_sample": lambda rng, i: rng.random_sample(),
    "uniform": lambda rng, i: rng.uniform(1, 3 + i),
}
CASES = [(np.random.Generator, f) for f in GENERATOR.values()] + [
    (np.random.RandomState, f) for f in STATE.values()
]


@pytest.mark.parametrize("bits", BITS.values(), ids=list(BITS))
def test_numbers_and_state_are_numpys(bits):
    for cls, draw in CASES:

        @rt.function(engine="native")
        def draws(rng, n):
            total = 0.0
            for i in range(n):
                total += draw(rng, i)
            return total, draw(rng, 1)

        first, second = cls(bits(3)), cls(bits(3))
        assert draws(first, 300) == draws.__wrapped__(second, 300)
        states = [str(rng._bit_generator.state) for rng in (first, second)]
        assert states[0] == states[1]
        assert not draws.explain().traces[0].kernels


@rt.function(engine="native")
def normal(rng, scale):
    return rng.normal(0.0, scale)


@rt.function(engine="native")
def integer(rng, low, high):
    return rng.integers(low, high)


@rt.function(engine="native")
def uniform(rng, high):
    return rng.uniform(0.0, high)


@pytest.mark.parametrize(
    ("draw", "numbers"),
    [
        (normal, (-1.0,)), (normal, (0.0,)), (normal, (np.nan,)), (integer, (3, 3)), (integer, (5, -5)),
        (uniform, (np.inf,)), (uniform, (-1.0,)), (integer, (-(2**62), 2**62)),
    ],
)  # fmt: skip
def test_what_numpy_refuses_is_numpys_to_judge(draw, numbers):
    def outcome(function):
        try:
            return str(function(np.random.default_rng(1), *numbers))
        except (ValueError, OverflowError) as error:
            return type(error), str(error)

    assert outcome(draw) == outcome(draw.__wrapped__)


@rt.function(engine="native")
def of_both(one, other, n):
    total = 0.0
    for i in range(n):
        rng = one if i % 3 else other
        total = total * 0.5 + rng.random()
    return total


def test_generators_may_take_turns():
    def pair():
        return np.random.default_rng(1), np.random.default_rng(2)

    assert of_both(*pair(), 100) == of_both.__wrapped__(*pair(), 100)


@rt.function(engine="native")
def some(rng, found):
    for i in range(len(found)):
        found[i] = rng.random()


def test_who_holds_the_lock_draws_first():
    """Another thread fills arrays without the GIL: together they have the numbers of one generator."""
    rng, ours = np.random.default_rng(5), np.empty(200)
    some(rng, ours)
    arrays = []

    def fill():
        for _ in range(40):
            arrays.append(rng.random(20000))

    thread = threading.Thread(target=fill)
    thread.start()
    while thread.is_alive():
        found = np.empty(3000)
        some(rng, found)
        arrays.append(found)
    thread.join()
    together = np.sort(np.concatenate([ours, *arrays]))
    assert np.array_equal(together, np.sort(np.random.default_rng(5).random(len(together))))


def test_a_lock_of_this_thread_lets_it_draw():
    rng, same = np.random.default_rng(6), np.random.default_rng(6)
    found = np.empty(5)
    with rng.bit_generator.lock:
        some(rng, found)
    assert np.array_equal(found, same.random(5))
