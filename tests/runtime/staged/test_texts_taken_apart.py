"""Texts that only a run knows: taken apart, searched, and given to the methods of known texts."""

import numpy as np
import pytest

from tests.differential import Refused, check
from tests.modules import module_of

#: `s` is built in a loop, `c` is its first character, `T` is known
EXPRESSIONS = {
    "containers": "list(s), tuple(s), len(set(s)), sorted(set(s)), deque(s), [*s, *c], {c} | set(T)",
    "sorted": "sorted(s), ''.join(sorted(s)), sorted(s, key=lambda x: -ord(x)), max(s), min(s), min(T, c)",
    "places": "list(enumerate(s)), {x: i for i, x in enumerate(s)}, [i for i, x in enumerate(s) if x in T]",
    "pairs": "list(zip(s, s[1:])), sum(1 for a, b in zip(s, s[::-1]) if a != b), dict(zip(s, range(9)))",
    "backwards": "''.join(reversed(s)), list(reversed(s)), s == s[::-1], next(iter(s))",
    "mapped": "list(map(ord, s)), list(map(str.upper, s)), all(map(str.isalpha, s)), str.upper(c)",
    "filtered": "list(filter(str.islower, s)), ''.join(x if x != c else '*' for x in s), [*filter(None, s)]",
    "neighbours": "list(itertools.pairwise(s))",
    "products": "list(itertools.combinations(s, 2)), list(itertools.chain(s, T)), Counter(s), Counter(s)[c]",
    "joined": "','.join(s), s.join(['x', 'y']), c.join(T), str.join(c, [T, s]), T.join([c, c])",
    "found": "T.find(c), T.index(c), T.count(c), T.rfind(c, 1), ascii_lowercase.index(c), T[T.index(c)]",
    "replaced": "T.replace(c, ''), T.replace(c, c.upper()), T.strip(c), T.removeprefix(c), T.zfill(9)",
    "split": "T.split(c), T.rsplit(c, 1), len(T.split(c)), T.startswith(c), T.endswith((c, 'z'))",
    "named": "s.split(sep='a'), s.split('a', maxsplit=1), T.split(sep=c), s.splitlines(keepends=True)",
    "by class": "str.split(s, 'a'), str.index(T, c), str.join(',', s), s.expandtabs(tabsize=4)",
    "put in": "[L.extend(s) or L for L in ([1], [])], [L.update(s) or L for L in ({'q'}, Counter('ab'))]",
    "at the end": "[L.extend(s) or L for L in (deque([1], maxlen=3), deque())], T.replace(c, 'x', 1)",
    "tables": "T.translate({97: c}), s.translate(str.maketrans('ab', 'xy')), {'a': 1, 'b': 2, 'c': 3}[c]",
    "numbers": "int(str(len(s)) + '01', 2 + len(s)), int(f'{len(s):b}', 2), int(c, 16), int(c, base=16)",
    "held": "c in T, 'q' in s, c not in T, [x for x in T if x != c], all(x in T for x in s)",
}
WAYS_TO_FAIL = [
    "s.join(3)",
    "int(c, 2)",
    "int(s, 99)",
    "T.index(c * 9)",
    "s.join([1, c])",
    "max(s[:0])",
    "T.join([1, c])",
]


def program(expression):
    module = module_of(f"""
import itertools
from collections import Counter, deque
from string import ascii_lowercase

T = "abcab"


def taken_apart(x):
    s = ""
    for v in x:
        s += "abc"[int(v)]
    c = s[0]
    return {expression}
""")
    return module["taken_apart"]


@pytest.mark.parametrize("expression", EXPRESSIONS.values(), ids=EXPRESSIONS)
def test_expressions(expression):
    function = program(expression)
    check(function, (np.array([0, 1, 0, 2, 1]),), (np.array([2, 2, 0, 1, 1]),))


@pytest.mark.parametrize("expression", ["s.split(q=1)", "s.upper(x=1)", "s.find(sub=c)", "s.partition('b')"])
def test_what_is_refused(expression):
    with pytest.raises(Refused):
        check(program(expression), (np.array([0, 1, 0, 2, 1]),))


@pytest.mark.parametrize("expression", WAYS_TO_FAIL)
def test_what_is_wrong_raises_in_python_s_words(expression):
    check(program(expression), (np.array([0, 1, 0, 2, 1]),))
