"""Strings built in loops, and their methods."""

import collections
import re

import numpy as np

from tests.differential import check
from tests.programs import Programs
from tests.runtime.containers.values import LONG, X

PROGRAMS = Programs()


@PROGRAMS.of((X,), (LONG,))
def strings(x):
    s = ""
    for v in x:
        if v > 0:
            s += "p"
        else:
            s += "n"
    return s


@PROGRAMS.of((5,), (0,))
def string_loop(n):
    s = ""
    for i in range(n):
        s += str(i)
    return s


@PROGRAMS.of((5,), (0,), (40,))
def string_loop2(n):
    s = ""
    for i in range(n):
        if i % 3:
            s += "a"
        else:
            s += "b"
    return s


@PROGRAMS.of((5,), (0,), (40,))
def string_join(n):
    parts = []
    for i in range(n):
        parts.append(f"{i}")
    return ",".join(parts), parts


@PROGRAMS.of((5,), (0,), (40,))
def string_len(n):
    s = ""
    for i in range(n):
        s = s + "ab"
    return len(s), s[0] if s else None, s == "abab", "ab" in s, s * 2, s.upper()


@PROGRAMS.of((10,), (1,), (0,))
def bits(n):
    s = ""
    while n > 0:
        s = str(n % 2) + s
        n = n // 2
    return s


@PROGRAMS.of((LONG,), (-LONG,))
def texts(x):
    s = ""
    for v in x:
        s += "p" if v > 0 else "n"
    out = []
    for ch in s:
        if ch == "p":
            out.append(ch)
    asked = s.count("p"), "pp" in s, len(s), s.find("p"), s > "n", bool(s), s.startswith("n")
    return s, s.upper(), s[:3], s[-1], out, "-".join(out), s.split("p"), s * 2, asked


@PROGRAMS.of((3,), (60,))
def numbers_text(n):
    s = ""
    for i in range(n):
        s = s + str(i) + ("," if i + 1 < n else "")
    return [int(t) for t in s.split(",")], ord(s[0]), chr(n + 60)


test_program = PROGRAMS.test()


def test_lists_of_texts_that_are_known_are_put_into_a_list():
    def f(x):
        rows, table, names = [], {}, "c,d".split(",")
        for v in x:
            if v > 0:
                rows.append("a,b".split(","))
                rows.append(re.split(",", "e,f"))
                rows.append(str.split("g h"))
                table[v] = "a\nb".splitlines()
                names.append("e")
        rows.append(collections.Counter("aab").most_common())
        return rows, table, names

    check(f, (np.array([1.0, 2.0]),), (np.array([-1.0]),))


def test_a_number_gives_no_items():
    def f(x):
        table = {"n": 0, "log": []}
        table["n"] += 1
        if x[0] > 0:
            table["extra"] = 2
        kept = [1]
        if x[0] > 0:
            kept.append(2)
        try:
            kept += x[0]
        except TypeError as error:
            return table, kept, str(error)
        return table, kept, ""

    check(f, (np.array([1.0, 2.0]),), (np.array([-1.0]),))
