# ruff: noqa: E501  a program is a line or two, however long
"""Programs of CPython's own tests of the language that once meant something else converted."""

import pytest

from tests.autograph.programs import assert_same

GROUP = "ExceptionGroup('g', [ValueError(1), TypeError(2), OSError(3)])"

PROGRAMS = {
    "a_pattern_with_two_names_for_the_value": (
        "def f(x):\n match x:\n  case (0 as a) as b: return a, b\n  case (1 | 2 as c) as d if d > 1: return c, d\n  case e as g: return e, g", 0, 1, 2, 3
    ),
    "a_pattern_for_any_sequence_asks_for_no_length": (
        "import collections.abc\n@collections.abc.Sequence.register\nclass S:\n pass\n"
        "def f(x):\n match S() if x else x:\n  case [*_]: return 'sequence'\n  case _: return 'other'", 0, 1, [[]]
    ),
    "a_match_in_a_function_that_shows_its_variables": (
        "def f(x):\n match x + 1:\n  case 1 | 2: return locals()\n  case y if len(repr(y)): return locals()\n", 0, 1, 2
    ),
    "which_classes_may_be_caught_is_asked_of_all": (
        "def f(kinds):\n try:\n  try: raise ValueError\n  except kinds: return 'caught'\n"
        " except TypeError as e: return str(e)", ((ValueError, 42),), ((ValueError, (KeyError,)),), ((KeyError, ValueError),), 42
    ),
    "except_star_raises_again_what_it_caught": (
        "def f(n):\n r = 0\n try:\n  try: raise " + GROUP + "\n"
        "  except* (ValueError, TypeError) as e:\n   if n == 1: raise\n   elif n == 2: raise e\n   for k in range(n): r += k\n"
        "  except* OSError as e:\n   while r > 2:\n    raise\n"
        " except ExceptionGroup as e: return e.message, list(map(repr, e.exceptions))\n return r", 0, 1, 2, 3, 4
    ),
    "except_star_raises_another": (
        "def f(n):\n try:\n  try: raise " + GROUP + "\n  except* ValueError:\n   if n: raise KeyError(n)\n"
        "  except* TypeError: raise\n  except* OSError: pass\n"
        " except ExceptionGroup as e: return e.message, list(map(repr, e.exceptions))", 0, 1
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", PROGRAMS)
def test_same_meaning(name):
    program, *calls = PROGRAMS[name]
    assert_same(program, *calls)
