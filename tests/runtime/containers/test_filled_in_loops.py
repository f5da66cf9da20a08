"""Containers that loops fill: with values that are one of several, and from what they stand for later."""

import collections

import numpy as np
import pytest

from tests.differential import check
from tests.long import some


def sets_and_rows_made_anew(x, n):
    seen = set()
    rows = [[x[0]]]
    for i in range(n):
        seen = {k for k in seen if k > 0} | {i}
        rows = [r + [float(i)] for r in rows]
        rows.append([x[1]])
    return sorted(seen), rows


def containers_with_a_number_or_a_text(x, n):
    total = 0.0 if n > 1 else "none"
    rows = []
    for i in range(n):
        rows.append(i)
    rows.extend([total, 1])
    rows[0:0] = [total, (total, 2)]
    rows += [total]
    q = rows + [total]
    d = {}
    for i in range(n):
        d[i] = total
    d.update({7: total})
    e = {3: total, "a": (total,)}
    for i in range(n):
        e[i] = i
    c = collections.OrderedDict([(1, total)])
    for i in range(n):
        c[i] = i
    f = collections.defaultdict(list, {5: [total]})
    for i in range(n):
        f[i].append(total)
    t = [(total, 1)]
    for i in range(n):
        t.append((total, i))
    u = collections.deque([total, (1, total)])
    for i in range(n):
        u.append(total)
    return rows, q, d, e, c, f, t, u


def lists_with_a_number_or_a_text(x, n):
    total = 0.0 if n > 1 else "none"
    rows = []
    for i in range(n):
        rows.append([(total, i)])
    rows.append([(total, 5)])
    inner = [total]
    rows.append([inner])
    inner.append(1)
    return rows, inner


def a_table_that_shrinks(x, n):
    t = {}
    for i in range(n):
        t[i] = x[i]
    for i in range(n):
        t = {k: v for k, v in t.items() if k > i}
    return t


PROGRAMS = [
    sets_and_rows_made_anew,
    containers_with_a_number_or_a_text,
    lists_with_a_number_or_a_text,
    a_table_that_shrinks,
]
CALLS = [(np.array([-1.0, second, 0.5]), n) for second, n in ((2.0, 3), (-2.0, 1), (2.0, 0), (2.0, 2))]


@pytest.mark.parametrize("f", PROGRAMS)
@pytest.mark.parametrize("engine", some(["native", "numpy"]))
def test_filled(f, engine):
    check(f, *CALLS, engines=[engine])
