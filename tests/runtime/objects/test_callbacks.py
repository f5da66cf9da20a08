"""Functions and methods that objects and dicts hold, and that are called by a key or an event."""

from tests.programs import Programs

PROGRAMS = Programs()


test_program = PROGRAMS.test()
