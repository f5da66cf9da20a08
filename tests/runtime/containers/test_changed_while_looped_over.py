"""Loops over dicts and sets of the run whose body stores into them: a key that is there changes no length."""

from collections import Counter, OrderedDict, defaultdict

import numpy as np
import pytest

from tests.differential import Refused, check

XS, NONE = np.array([1.0, 2.0, 1.0, 3.0]), np.array([])


def filled(x, table):
    for v in x:
        table[v] = v
    return table


def items_are_read_when_it_is_their_turn(x):
    table = filled(x, {})
    seen = []
    for k, v in table.items():
        seen.append((k, v))
        table[3.0] = 9.0
    for v in table.values():
        seen.append(v)
        table[1.0] = 7.0
    return seen, table


def a_new_key_and_a_handler(x):
    table = filled(x, {})
    try:
        for k in table:
            table[k + 10] = 1.0
    except RuntimeError as error:
        return str(error), table
    return "", table


def a_new_key_before_a_break(x):
    table = filled(x, {})
    for k in table:
        if k == 2:
            table[9.0] = 1.0
            break
    return table


def lists_of_a_defaultdict(x):
    groups = defaultdict(list)
    for v in x:
        groups[v % 2].append(v)
    for k in groups:
        groups[k].sort()
        for j in groups:
            groups[k].extend(groups[j][:1])
    return groups, [len(groups[k]) for k in groups], sum(sum(groups[k]) for k in groups)


def counts(x):
    found = Counter()
    for v in x:
        found[v] += 1
    for k in found:
        found[k] *= 2
    return found


@pytest.mark.parametrize(
    "f",
    [
        items_are_read_when_it_is_their_turn,
        a_new_key_and_a_handler,
        a_new_key_before_a_break,
        lists_of_a_defaultdict,
        counts,
    ],
)
def test_stores_in_the_body(f):
    check(f, (XS,), (NONE,), (XS[:1],))


def of_an_ordered_dict(x):
    ordered = filled(x, OrderedDict())
    for k in ordered:
        ordered[k] = 2.0
    return ordered


@pytest.mark.parametrize(
    "f",
    [
        of_an_ordered_dict,
    ],
)
def test_other_changes_are_refused(f):
    with pytest.raises(Refused, match=r"changes its length in a loop over this (?s:.*)over a copy: list"):
        check(f, (XS,))
