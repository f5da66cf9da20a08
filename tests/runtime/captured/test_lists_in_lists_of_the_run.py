"""A list from outside that is found at two places, at one of which only a run knows the items.

A change through that place is seen at the other: both are the run's then.
"""

import numpy as np
import pytest

from tests.differential import check_scenario
from tests.modules import module_of

_HEAD = """\
import collections

class Holder:
    def __init__(self, v):
        self.v = v

"""

#: what stands in the module, and what the function does with `SHELF`, which holds `ROW`, and `KNOWN`
PROGRAMS = {
    "in a list of lists": (
        "ROW = [7, 8]\nSHELF = [[ROW]]\nKNOWN = ROW",
        "before = len(KNOWN)\nfor i in range(n):\n    SHELF[i % 1][0].append(n)\nreturn before, len(KNOWN)",
    ),
    "in two lists": (
        "ROW = [7, 8]\nSHELF = [[ROW]]\nKNOWN = [ROW]",
        "KNOWN[0].append(1)\nfor i in range(n):\n    SHELF[i % 1][0].append(n)\nreturn len(KNOWN[0])",
    ),
    "in a deque": (
        "ROW = [7, 8]\nSHELF = collections.deque([ROW, [1]])\nKNOWN = ROW",
        "before = len(KNOWN)\nfor i in range(n):\n    SHELF[i % 2].append(n)\nreturn before, len(KNOWN)",
    ),
    "in a deque that gets another": (
        "ROW = [[7]]\nSHELF = collections.deque([ROW])\nKNOWN = [ROW]",
        "SHELF[0][0] = [1]\nSHELF[0] = [[n]]\nKNOWN[0][0].append(1)\nreturn KNOWN[0][0][0]",
    ),
    "in a list that grows": (
        "ROW = [7]\nSHELF = [ROW, [2]]\nKNOWN = ROW",
        "for i in range(n):\n    SHELF[i][0] = 4\n    SHELF.append([n])\nreturn KNOWN[0]",
    ),
    "a set in a list": (
        "ROW = {1}\nSHELF = [ROW]\nKNOWN = [ROW]",
        "before = len(KNOWN[0])\nSHELF.append({n})\nSHELF[n % 2].add(50)\nreturn before, len(KNOWN[0])",
    ),
    "in a tuple in a list": (
        "ROW = [7]\nSHELF = [(ROW, 1)]\nKNOWN = ROW",
        "before = len(KNOWN)\nSHELF.append(([n], n))\nSHELF[n % 2][0].append(5)\nreturn before, len(KNOWN)",
    ),
    "in an object of a list": (
        "ROW = [7]\nSHELF = [Holder(ROW), Holder([1])]\nKNOWN = [ROW]",
        "before = KNOWN[0][0]\nSHELF[n % 2].v[0] += 1\nreturn before, KNOWN[0][0]",
    ),
    "an array": (
        "ROW = np.array([7])\nSHELF = [ROW]\nKNOWN = [ROW]",
        "before = KNOWN[0][0]\nSHELF.append(np.array([n]))\nSHELF[n % 2][0] += 5\nreturn before, KNOWN[0][0]",
    ),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_change_is_seen_at_the_other_place(name):
    world, body = PROGRAMS[name]
    lines = "".join(f"    {line}\n" for line in body.splitlines())

    def scenario(function):
        module = module_of(f"{_HEAD}{world}\n\ndef f(n):\n{lines}", np=np)
        f = function(module["f"])
        return [(f(n), repr(module["ROW"]), repr(module["KNOWN"])) for n in (3, 1, 2, 0, 4)]

    check_scenario(scenario)


def test_it_may_lie_there_from_a_later_call_on():
    def scenario(function):
        rows, known = [[[1]], [[2]]], [5]

        @function
        def f(n):
            before = known[0]
            rows[n % 2][0][0] += 10
            return before, known[0]

        seen = [f(0), f(1)]
        rows[0][0] = known
        return [*seen, f(0), f(1), f(2), known]

    check_scenario(scenario)


def test_arguments_may_lie_in_each_other():
    def scenario(function):
        @function
        def f(rows, row, n):
            before = len(row)
            for i in range(n):
                rows[i % 2][0].append(n)
            return before, len(row)

        row = [1]
        return f([[row], [[2]]], row, 3), f([[[1]], [[2]]], row, 3), row

    check_scenario(scenario)
