"""Strings built in loops, and their methods."""

from tests.programs import Programs

PROGRAMS = Programs()


@PROGRAMS.of((5,), (0,), (40,))
def string_len(n):
    s = ""
    for i in range(n):
        s = s + "ab"
    return len(s), s[0] if s else None, s == "abab", "ab" in s, s * 2, s.upper()


test_program = PROGRAMS.test()
