"""Strings built in loops, and their methods."""

from tests.programs import Programs
from tests.runtime.containers.values import LONG

PROGRAMS = Programs()


@PROGRAMS.of((5,), (0,), (40,))
def string_len(n):
    s = ""
    for i in range(n):
        s = s + "ab"
    return len(s), s[0] if s else None, s == "abab", "ab" in s, s * 2, s.upper()


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
