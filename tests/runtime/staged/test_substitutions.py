"""`re.sub` and `re.subn` by a function, and methods of patterns and matches."""

import re

import numpy as np

from tests.differential import check, check_scenario

CALLS = [(np.array(items),) for items in ([1, 2], [3, 2], [3, 0])]
PATTERN = re.compile("([a-z])([0-9]*)")


def test_texts_of_the_run():
    def f(x):
        number = lambda match: f"{x[0]}{match.group()}"
        return re.sub("a", number, "bab"), re.subn("a", number, "baab", count=1), PATTERN.sub(number, "a1 b")

    check(f, *CALLS)


def test_effects_and_conditions_of_the_run():
    def scenario(function):
        log = []

        @function
        def f(x):
            def chosen(match):
                if x[0] > 1:
                    log.append(match.start())
                    return "z"
                return f"{x[0]}"

            return re.sub("a", chosen, "abaa"), len(log), re.sub("b", lambda m: None, "abc")

        return [(f(*call), list(log)) for call in CALLS]

    check_scenario(scenario)


def test_what_python_says_and_gives():
    def f(x):
        found = []
        for attempt in (
            lambda: re.sub("a", lambda m: 1, "bab"),
            lambda: re.sub("a", lambda m: 1, "a"),
            lambda: re.sub("(", lambda m: "1", "a"),
            lambda: re.sub("a", lambda m: "1"),
            lambda: re.sub("a", lambda m: "1", 3),
            lambda: re.sub("a", lambda m: b"1", "bab"),
            lambda: re.sub("a", lambda: "1", "bab"),
            lambda: re.sub(b"a", lambda m: b"1", b"bab"),
            lambda: re.sub("a", lambda m: "1", "aaa", count=2),
            lambda: re.sub("A", lambda m: "1", "aaa", count=-1, flags=re.I),
            lambda: re.subn("x*", lambda m: "-", "abxd"),
            lambda: re.sub("a", lambda m: "q", "aaa", foo=1),
            lambda: PATTERN.sub(lambda m: "q", "aaa", "b"),
        ):
            try:
                found.append(attempt())
            except (TypeError, re.error) as error:
                found.append((type(error).__name__, str(error)))
        return found, x

    check(f, *CALLS)


def test_patterns_and_matches():
    def f(x):
        match = PATTERN.match("a12")
        if match is None:
            return x
        texts = [one.group() for one in PATTERN.finditer("a1b2")]
        return int(match.group(2)) * x, match.groups(), match.span(), PATTERN.split("xa1"), texts

    check(f, *CALLS)


def test_an_iterator_of_matches_under_a_condition():
    def f(x):
        found = re.finditer("a", "abaa")
        start = 0
        if x[0] > 1:
            start = next(found).start()
        return next(found).start(), start

    check(f, *CALLS, may_refuse=True)
