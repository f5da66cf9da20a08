"""Programs over both bases give what Python gives."""

import gc
import re

import pytest

from autograph.stages.testing import check_stage
from tests.autograph.stages import toys
from tests.autograph.stages.toys import run_graphs, run_terms

BOTH = pytest.mark.parametrize("run", [run_terms, run_graphs])


def sign(x):
    if x < 0:
        return -1
    if x == 0:
        return 0
    return 1


def first_divisor(n):
    found = n
    for i in range(2, n):
        if n % i == 0:
            found = i
            break
    return found


def collatz(n, limit):
    steps = 0
    while n > 1 and steps < limit:
        if n == 27:
            return -1
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    return steps


def containers(x):
    out, seen = [0, 0], {"a": 1}
    if x > 0:
        out[0] = x
        seen["a"] = 2
        y = z = [x, 1]
    else:
        y = z = [2, x]
    y[0] = 7
    return [*out, seen, *z]


def logic(x, y):
    both, one = x and y, x or y
    ok = x > 0 and y > 0
    no = not ok
    return [
        both, one, 1 if ok else 2, 3 if no or x > 5 else 4, max(x, y, 2),
        any(v > 2 for v in [x, y]), all([x > 0, y > 0]), x in (1, 2), x not in [y, 2],
    ]  # fmt: skip


def skipped(x):
    total = 0
    for i in range(10):
        if i > x:
            break
        if i == 3:
            continue
        total += i
    return total


def counted(n):
    total = 1
    for i in range(n):
        total = total * 2 + i
    return total


def returned_early(n):
    last = -1
    for i in range(n):
        if i * i > 50:
            return i
        if i > 6:
            break
        last = i
    return last


def ended_late(x):
    total = 0
    for i in range(400):
        if i > x:
            break
        total += i
    return total


def ten_thousand(x):
    total, i = 0, 0
    while i < 10_000:
        if x > i:
            total += 1
        i += 1
    return total


@BOTH
@pytest.mark.parametrize(
    "function, calls",
    [
        (sign, [(-3,), (0,), (7,)]),
        (first_divisor, [(35,), (7,), (2,)]),
        (collatz, [(6, 100), (6, 3), (27, 10), (1, 1)]),
        (containers, [(1,), (-1,)]),
        (logic, [(1, 2), (0, 3), (6, 0), (-1, -2)]),
        (skipped, [(5,), (-1,), (20,)]),
        (counted, [(0,), (3,)]),
        (returned_early, [(0,), (3,), (9,)]),
        (ended_late, [(5,), (399,), (500,)]),
        (ten_thousand, [(37,)]),
    ],
)
def test_python_says_what_comes_out(run, function, calls):
    for call in calls:
        assert run(function, *call) == function(*call)


@pytest.mark.parametrize("truth", ["", "silent_", "equal_"])
@pytest.mark.parametrize("kind", ["terms", "graphs"])
def test_no_program_of_the_table_is_silently_wrong(kind, truth):
    stage = getattr(toys, truth + kind)
    run = run_graphs if "graphs" in kind else run_terms
    report = check_stage(stage, lambda function, *numbers: run(function, *numbers, stage=stage))
    assert report.of("raised") == []
    assert not any(re.search("Missing|Undefined|Const|Places", outcome.text) for outcome in report)
    assert len(report) >= 45 and len(report.of("right")) >= 12


def test_a_trace_leaves_nothing_to_the_collector():
    for _ in range(2):  # the first one converts
        gc.collect()
        run_terms(skipped, 5)
        left = gc.collect()
    assert left < 50
