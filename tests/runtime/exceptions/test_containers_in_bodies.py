"""Containers that a body changes raise Python's own exceptions: of those of a `raise`, all stays known."""

from tests.programs import Programs

PROGRAMS = Programs()


test_program = PROGRAMS.test()
