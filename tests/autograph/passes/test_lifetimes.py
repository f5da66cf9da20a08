"""When objects die: converted code keeps them exactly as long as the variables of the original do."""

from __future__ import annotations

import pytest

from tests.autograph.programs import assert_same, converted_text, namespaces

pytestmark = pytest.mark.usefixtures("fresh_heap")

HEAD = """
class R:
 def __init__(self, n): self.n = n; print("new", n)
 def __del__(self): print("gone", self.n)
def gen(n):
 for i in range(n): yield R(("item", i))
def boom(): raise ValueError
"""

PROGRAMS = {
    "branch": (
        "def f(x):\n"
        " if x: r = R(1); p = r.n\n"
        " else: p = 0\n"
        " print('p', p)\n"
        " return p"
    ),
    "two_branches": (
        "def f(x):\n"
        " if x: r = R(1)\n"
        " print('mid')\n"
        " if not x: r = R(2)\n"
        " print('end')\n"
    ),
    "each_iteration_replaces_the_last": (
        "def f(x):\n"
        " for i in range(3):\n"
        "  r = R(i)\n"
        "  print('in', i)\n"
        " print('end')\n"
    ),
    "loop_over_new_objects": (
        "def f(x):\n"
        " for r in gen(3):\n"
        "  print('in', r.n)\n"
        " print('end')\n"
    ),
    "loop_over_enumerated_objects": (
        "def f(x):\n"
        " for i, r in enumerate(gen(3)):\n"
        "  print('in', r.n, i)\n"
        "  if i == x: break\n"
        " print('end')\n"
    ),
    "while_loop": (
        "def f(x):\n"
        " while x:\n"
        "  r = R(x)\n"
        "  x -= 1\n"
        "  print(x)\n"
        " print('end')\n"
    ),
    "test_that_makes_an_object": (
        "def f(x):\n"
        " n = 2\n"
        " while (r := R(n)).n:\n"
        "  n -= 1\n"
        " print('end')\n"
    ),
    "exception": (
        "def f(x):\n"
        " if x:\n"
        "  r = R(1)\n"
        "  boom()\n"
        " print('end')\n"
    ),
    "attribute_is_replaced": (
        "class H: pass\n"
        "def f(x):\n"
        " h = H(); h.c = R(0)\n"
        " if x:\n"
        "  old = h.c\n"
        "  h.c = R(1)\n"
        " print('end')\n"
        " del h\n"
        " print('h gone')"
    ),
    "deleted": (
        "def f(x):\n"
        " if x:\n"
        "  r = R(1)\n"
        "  print(r.n)\n"
        "  del r\n"
        " print('end')\n"
    ),
    "context": (
        "class M:\n"
        " def __enter__(s): return R(9)\n"
        " def __exit__(s,*a): print('exit')\n"
        "def f(x):\n"
        " if x:\n"
        "  with M() as m: print(m.n)\n"
        " print('end')\n"
    ),
    "function": (
        "import weakref\n"
        "def f(x):\n"
        " ref = None\n"
        " if x:\n"
        "  def h(): return 3\n"
        "  ref = weakref.ref(h)\n"
        " return ref and ref() is not None and ref()()"
    ),
    "lambda": (
        "import weakref\n"
        "def f(x):\n"
        " ref = None\n"
        " if x:\n"
        "  h = lambda: 3\n"
        "  ref = weakref.ref(h)\n"
        " return ref and ref() is not None and ref()()"
    ),
    "class": (
        "import weakref, gc\n"
        "def f(x):\n"
        " ref = None\n"
        " if x:\n"
        "  class H: v = 3\n"
        "  ref = weakref.ref(H)\n"
        " gc.collect()\n"
        " return ref and ref() is not None and ref().v"
    ),
    "branch_in_a_loop": (
        "def f(x):\n"
        " for i in range(2):\n"
        "  if x:\n"
        "   r = R((x, i))\n"
        "  print('i', i)\n"
        " print('end')\n"
    ),
    "unpacked": (
        "def f(x):\n"
        " if x:\n"
        "  a, b = R(1), R(2)\n"
        " print('end')\n"
    ),
    "list_of_objects": (
        "def f(x):\n"
        " if x:\n"
        "  a = [R(i) for i in range(2)]\n"
        " print('end')\n"
    ),
    "assignment_expression_in_a_comprehension": (
        "def f(x):\n"
        " a = [y.n for i in range(3) if (y := R(i)).n != x]\n"
        " print(a)\n"
    ),
    "assignment_expression_in_a_test": (
        "def f(x):\n"
        " if x > 0 and (r := R(x)).n > 1: print('yes')\n"
        " print('end')\n"
    ),
    "parameter_is_replaced": (
        "def f(x):\n"
        " if x: x = R(x)\n"
        " print('end')\n"
    ),
    "early_return": (
        "def f(x):\n"
        " for i in range(3):\n"
        "  r = R(i)\n"
        "  if i == x: return r.n\n"
        " print('end')\n"
    ),
    "break": (
        "def f(x):\n"
        " while True:\n"
        "  r = R(x)\n"
        "  x += 1\n"
        "  if x > 2: break\n"
        " print('end')\n"
        " return x"
    ),
    "generator": (
        "def f(x):\n"
        " if x:\n"
        "  r = R(1)\n"
        " yield 1\n"
        " print('end')\n"
        " yield 2\n"
    ),
    "second_name": (
        "def f(x):\n"
        " r = R(1)\n"
        " if x:\n"
        "  k = r\n"
        "  r = None\n"
        " print('end')\n"
    ),
    "second_name_of_a_parameter": (
        "def f(x):\n"
        " r = R(1)\n"
        " return g(r, x)\n"
        "def g(r, x):\n"
        " if x:\n"
        "  k = r\n"
        "  r = None\n"
        " print('end')\n"
    ),
    "popped": (
        "def f(x):\n"
        " rs = [R(1), R(2)]\n"
        " while rs:\n"
        "  k = rs.pop()\n"
        "  print('p', k.n)\n"
        " print('end')\n"
    ),
    "bound_in_one_iteration": (
        "def f(x):\n"
        " for i in range(2):\n"
        "  if i == x: r = R(i)\n"
        "  try: print(r.n)\n"
        "  except UnboundLocalError as e: print(e)\n"
        " print('end')\n"
    ),
    "read_before_it_is_bound": (
        "def f(x):\n"
        " if x:\n"
        "  print(r.n)\n"
        "  r = R(1)\n"
    ),
    "tested_object": (
        "def f(x):\n"
        " while R(x).n: print('body'); x -= 1\n"
        " print('end')\n"
    ),
    "tested_object_in_an_if": (
        "def f(x):\n"
        " if R(x).n: print('then')\n"
        " else: print('else')\n"
        " for r in [R(7)]: print('loop')\n"
        " print('end')\n"
    ),
    "temporary_directory": (
        "def f(x):\n"
        " from tempfile import TemporaryDirectory\n"
        " import os\n"
        " if x:\n"
        "  t = TemporaryDirectory(); p = t.name\n"
        " else: p = '/nowhere'\n"
        " return os.path.exists(p)"
    ),
}  # fmt: skip


@pytest.mark.filterwarnings("ignore:Implicitly cleaning up:ResourceWarning")
@pytest.mark.parametrize("name", PROGRAMS)
def test_objects_die_when_python_lets_them(name: str) -> None:
    assert_same(HEAD + PROGRAMS[name], 0, 1, 2)


def test_a_parameter_that_is_let_go(capsys: pytest.CaptureFixture[str]) -> None:
    original, converted = namespaces(
        HEAD + "def f(r):\n print('in')\n if r: r = None\n print('end')\ndef g(): f(R(1))"
    )
    original["g"]()
    expected = capsys.readouterr().out
    converted["g"]()
    assert capsys.readouterr().out == expected


def test_variables_of_plain_values_stay_in_their_block() -> None:
    text = converted_text("def f(xs):\n s = 0\n for x in xs:\n  y = x * 2 + len(xs)\n  s += y\n return s")
    assert "nonlocal s\n" in text


def test_the_variable_of_a_handler_that_is_bound_again_in_it() -> None:
    text = (
        "def f(n):\n"
        " try:\n"
        "  return 1 // n\n"
        " except BaseException as e:\n"
        "  e.args = ('mine',)\n"
        "  e = e.with_traceback(None)\n"
        "  return type(e).__name__, e.args\n"
    )
    assert_same(text, 0, 1)
