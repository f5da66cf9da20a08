"""`rt.prange`: what is refused as the iterations depend on each other, and what runs in one thread."""

import numpy as np
import pytest

import runtime as rt
from autograph import StagingError
from tests.modules import module_of

PROGRAM = """
import numpy as np
import runtime as rt

def program(x, y, k):
    {lines}
"""
TOUCHES = "one iteration of this `prange` touches items of `x` that another one writes"
SAME = "iterations of this `prange` may write the same items of `x`"
REFUSED = [
    (["for i in rt.prange(1, 6):", "    x[i] = x[i - 1] + y[i]", "return x"], TOUCHES, 1),
    (["for i in rt.prange(6):", "    x[i] = x.sum()", "return x"], TOUCHES, 1),
    (["for i in rt.prange(6):", "    x[i] = y[i]", "    y[i] = x[i + k]", "return y"], TOUCHES, 2),
    (["for i in rt.prange(6):", "    x[i] = y[i]", "    x[i + 1] += 1", "return x"], TOUCHES, 2),
    (["for i in rt.prange(6):", "    x[0] += y[i]", "return x"], SAME, 1),
    (["for i in rt.prange(6):", "    x[i // 2] = i", "return x"], SAME, 1),
    (["for i in rt.prange(6):", "    x[i:] = y[i]", "return x"], SAME, 1),
    (["for i in rt.prange(6):", "    x[:] = y[i]", "return x"], SAME, 1),
    (["for i in rt.prange(6):", "    x[y.argsort()[i]] = 1", "return x"], SAME, 1),
    (["for i in rt.prange(6):", "    z = x[i:]", "    z[1:][0] = 1", "return x"], SAME, 2),
    (["for i in rt.prange(6):", "    x[y > i] = i", "return x"], SAME, 1),
    (
        ["m = 0.0", "for i in rt.prange(6):", "    m = m * 0.5 + x[i]", "return m"],
        "`m` of one iteration of this `prange` is used by the next one",
        1,
    ),
    (
        ["m = 0.0", "for i in rt.prange(6):", "    m += x[i]", "    y[i] = m", "return y"],
        "`m` of one iteration of this `prange` is used by the next one",
        1,
    ),
    (
        ["m = 1.0", "for i in rt.prange(6):", "    m += x[i]", "    m *= x[i]", "return m"],
        "`m` of one iteration of this `prange` is used by the next one",
        1,
    ),
    (
        [
            "m = 1.0",
            "for i in rt.prange(6):",
            "    m += x[i]",
            "    if y[i] > 0.5:",
            "        m = 0.0",
            "return m",
        ],
        "`m` of one iteration of this `prange` is used by the next one",
        1,
    ),
    (
        ["for i in rt.prange(6):", "    if x[i] > 0.5:", "        break", "return i"],
        "a `break` or `return` ends this `prange` early",
        0,
    ),
    (
        ["for i in rt.prange(6):", "    if x[i] > 0.5:", "        return i", "return 7"],
        "a `break` or `return` ends this `prange` early",
        0,
    ),
    (
        ["for i in rt.prange(6):", "    z = x if y[i] > 0.5 else y", "    x[i] = z[0]", "return x"],
        "this `prange` writes arrays, and may write this one, too",
        1,
    ),
]


@pytest.mark.parametrize(("lines", "message", "line"), REFUSED)
@pytest.mark.parametrize("engine", ["native", "numpy"])
def test_iterations_that_depend_on_each_other_are_refused(lines, message, line, engine):
    given = np.linspace(0.1, 1.0, 8), np.linspace(1.0, 0.2, 8), 2
    program = module_of(PROGRAM.format(lines="\n    ".join(lines)))["program"]
    with pytest.raises(StagingError) as caught:
        rt.function(program, engine=engine)(*[np.copy(a) for a in given])
    assert caught.value.message == message
    assert caught.value.line == program.__code__.co_firstlineno + 1 + line
    assert "write `range`, whose iterations run one after another" in caught.value.hint
    in_order = module_of(PROGRAM.format(lines="\n    ".join(lines).replace("rt.prange", "range")))["program"]
    found = rt.function(in_order, engine=engine)(*[np.copy(a) for a in given])
    np.testing.assert_allclose(found, program(*[np.copy(a) for a in given]), rtol=1e-15)


def test_the_other_ways_out():
    given = np.linspace(0.1, 1.0, 8)

    def from_a_copy(x):
        before = x.copy()
        for i in rt.prange(1, len(x)):
            x[i] = before[i - 1]
        return x

    def only_added(x):
        m = 0.0
        for i in rt.prange(len(x)):
            m += x[i] * 0.5
        return m

    def one_kind_added(x):
        m = 0.0
        for i in rt.prange(len(x)):
            m += float(x[i]) if x[i] > 2 else 0.0
        return m

    for program in (from_a_copy, only_added, one_kind_added):
        expected = program(given.copy())
        np.testing.assert_allclose(rt.function(program)(given.copy()), expected, rtol=1e-15)


def test_what_adds_two_kinds_of_numbers_is_told_to_add_one():
    @rt.function
    def two_kinds(x):
        m = 0.0
        for i in rt.prange(len(x)):
            m += x[i] if x[i] > 2 else 0
        return m

    with pytest.raises(StagingError, match=r"only add numbers of one kind to it: `m \+= float\(...\)`"):
        two_kinds(np.arange(5.0))


ALONE = {
    "print": ["for i in rt.prange(4):", "    print(i)"],
    "append": ["found = []", "for i in rt.prange(4):", "    found.append(str(i))", "return found"],
    "copy": ["for i in rt.prange(4):", "    z = x[:2] * i", "    x[i + 2] = y[i]", "    print(z)"],
    "try": [
        "for i in rt.prange(4):", "    try:", "        x[i] = y[i + k * 5]", "    except IndexError:",
        "        x[i] = 7", "return x",
    ],
    "down": ["for i in rt.prange(5, 0, -1):", "    x[i] = i", "return x"],
}  # fmt: skip


@pytest.mark.parametrize("what", [*ALONE])
def test_what_runs_in_one_thread_says_why(what, capsys):
    program = module_of(PROGRAM.format(lines="\n    ".join(ALONE[what])))["program"]
    ours, given = rt.function(program), (np.arange(8.0), np.arange(8.0), 1)
    expected = program(*[np.copy(a) for a in given]), capsys.readouterr().out
    found = ours(*[np.copy(a) for a in given]), capsys.readouterr().out
    assert found[1] == expected[1]
    np.testing.assert_array_equal(found[0], expected[0])
    (told,) = [way for way in ours.explain().traces[0].slow_ways if "prange" in way]
    assert "this `prange` runs in one thread: " in told


def test_undecorated_it_is_a_range():
    assert rt.prange(2, 9, 3) == range(2, 9, 3)
    ours = rt.function(lambda n: [i * 2 for i in rt.prange(n)])
    assert ours(3) == [0, 2, 4]
