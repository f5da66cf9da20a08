# ruff: noqa: E501  a program is a line, however long
"""A variable that a nested function deletes: reading it raises what Python raises."""

import numpy as np
import pytest

from tests.autograph.programs import assert_same, define
from tests.differential import check

#: what follows `x = 1` and `def kill()`, which deletes `x`
AFTER_KILL = {
    "read_in_a_branch": " kill()\n if c: y = x\n else: y = 2\n return y",
    "read": " if c: kill()\n return x",
    "read_in_a_loop": " s = 0\n for i in range(3):\n  if i == c: kill()\n  s += x\n return s",
    "read_in_an_operand": " if c: kill()\n return c and x",
    "read_in_a_branch_of_another_function": " def get():\n  if c: return x\n  return 5\n if c: kill()\n return get()",
    "bound_again": "  x = 3\n kill()\n if c: x += 1\n return x",
    "bound_again_in_a_loop": " while c:\n  kill()\n  x = c\n  c -= 1\n return x",
    "augmented": " kill()\n if c: x += 1\n return x",
    "deleted_in_a_branch": " if c: kill()\n if 1: del x\n return 3",
    "caught": " kill()\n try:\n  if c: return x\n except UnboundLocalError as e: return str(e)\n except NameError as e: return 'name ' + str(e)\n",
    "caught_as_a_free_variable": (
        " def g():\n  try:\n   if c: return x\n  except UnboundLocalError as e: return str(e)\n"
        "  except NameError as e: return 'name ' + str(e), e.name\n kill()\n return g()"
    ),
    "read_in_a_lambda": " kill()\n g = lambda: x if c else 3\n return g()",
    "read_in_a_comprehension": " kill()\n return [x for i in range(c)]",
}
KILL = " def kill():\n  nonlocal x\n  del x\n"
PROGRAMS = {
    **{name: f"def f(c):\n x = 1\n{KILL}{rest}" for name, rest in AFTER_KILL.items()},
    "deleted_twice": "def f(c):\n x = 1\n def kill():\n  nonlocal x\n  if c: del x\n kill()\n kill()\n return x",
    "deleted_two_functions_deep": (
        "def f(c):\n x = 1\n def a():\n  def kill():\n   nonlocal x\n   del x\n  kill()\n if c: a()\n if 1: y = x\n return y"
    ),
    "a_parameter": f"def f(x):\n{KILL} if x: kill()\n if 1: y = x\n return y",
    "deleted_by_a_method": (
        "def f(c):\n x = 1\n class K:\n  def kill(self):\n   nonlocal x\n   del x\n if c: K().kill()\n if 1: y = x\n return y"
    ),
    "read_where_it_is_nonlocal": "def f(c):\n x = 1\n def g():\n  nonlocal x\n  if c: del x\n  if c > 1: return x\n  return 4\n return g()",
}  # fmt: skip


@pytest.mark.parametrize("name", PROGRAMS)
def test_deleted_by_a_nested_function(name):
    assert_same(PROGRAMS[name], 0, 1, 2)


PARAMETERS = {
    "read_in_a_choice": "def f(x, n):\n y = x\n del x\n return y if n > 1 else x",
    "read_in_a_branch": "def f(x, n):\n y = x\n del x\n if n > 1: z = y\n else: z = x\n return z",
    "read_in_a_test": "def f(x, n):\n del n\n while x < n: x += 1\n return x",
    "read_in_an_operand": "def f(x, n):\n del x\n return n > 1 and x",
    "augmented_in_a_branch": "def f(x, n):\n del n\n if x < 3: x += n\n return x",
    "read_in_a_loop": (
        "def f(x, n):\n for i in range(3):\n  if i == n: del x\n  y = x if n > 1 else x + 1\n return y"
    ),
    "bound_again": "def f(x, n):\n y = x\n del x\n if n > 1: x = y\n return y if n > 0 else x",
    "caught": "def f(x, n):\n del x\n try: return n and x\n except NameError as e: return str(e), type(e)",
}


@pytest.mark.parametrize("name", PARAMETERS)
def test_a_deleted_parameter(name):
    assert_same(PARAMETERS[name], (1, 0), (1, 2))
    check(define(PARAMETERS[name]), (np.float64(1.0), 0), (np.float64(1.0), 2))
