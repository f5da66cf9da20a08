"""Operators hand control flow over to a stage as soon as it claims a value, and not before."""

import textwrap

import pytest

from autograph.errors import StagingError
from autograph.staging import Stage
from tests.autograph.programs import namespaces
from tests.autograph.recording import Recorder, Symbol
from tests.differential import registered


def record(program, *arguments):
    """What the recorder wrote when `f` ran, and the result."""
    _, converted = namespaces(program)
    with registered(Recorder()) as recorder:
        result = converted["f"](*arguments)
        recorder.write(f"return {result!r}")
    return recorder.program()


def expect(text):
    return textwrap.dedent(text).strip()


n = Symbol("n")


def test_if():
    program = "def f(x):\n if x > 0: y = x\n else: y = 0\n return y"
    assert record(program, n) == expect("""
        if n > 0:
          y = n
        else:
          y = 0
        return y
    """)
    assert record(program, 3) == "return 3"


def test_while_carries_what_it_changes():
    program = "def f(a, b):\n while b > 0:\n  a, b = b, a % b\n return a"
    assert record(program, n, Symbol("m")) == expect("""
        a = n
        b = m
        while b > 0:
          a = b
          b = a % b
        return a
    """)


def test_a_while_loop_that_becomes_staged_is_peeled():
    program = "def f(x):\n i = 0\n while i < 2 or x > i:\n  i += 1\n return i"
    assert record(program, n) == expect("""
        i = 2
        while i < 2 or n > i:
          i = i + 1
        return i
    """)


def test_the_test_that_was_found_staged_leaves_no_trace_in_variables():
    program = "def f(x, i):\n while (i := i - 1) * x > 0: pass\n return i"
    assert record(program, n, 10) == expect("""
        i = 10
        while i - 1 * n > 0:
          pass
        return i
    """)


def test_staged_for():
    program = (
        "def f(xs):\n t = 0\n for x in xs:\n  if x < 0: continue\n  if x > 9: break\n  t += x\n return t"
    )
    assert record(program, n) == expect("""
        t = 0
        do_break = False
        for item in n and not do_break:
          if not item < 0:
            if item > 9:
              do_break = True
            else:
              t = t + item
            t = t
            do_break = do_break
          else:
            pass
          t = t
          do_break = do_break
        return t
    """)


def test_a_python_loop_whose_end_becomes_staged_gives_away_the_rest():
    program = "def f(xs, x):\n for i in xs:\n  if i > 1 and i > x: return i\n return -1"
    assert record(program, [1, 2, 3], n) == expect("""
        if n < 2:
          do_return = True
          retval = 2
        else:
          pass
        do_return = do_return
        retval = retval
        for item in rest and not do_return:
          if item > 1 and item > n:
            do_return = True
            retval = item
          else:
            pass
          do_return = do_return
          retval = retval
        if not do_return:
          retval = -1
        else:
          pass
        return retval
    """)


def test_expressions():
    program = "def f(x):\n assert x, 'no'\n return (1 if x else 2), not x, 0 < x < 5, x in (1, 2), (x or 1)"
    assert record(program, n) == expect("""
        assert n
        return ((1 if n else 2), not n, n > 0 and n < 5, n in (1, 2), n or 1)
    """)


def test_match_takes_static_structure_apart():
    program = "def f(x):\n match (x, 1):\n  case (a, 1) if a > 0: r = a\n  case _: r = 0\n return r"
    assert record(program, n) == expect("""
        if n > 0:
          r = n
        else:
          r = 0
        return r
    """)


def test_match_tests_parts_with_staged_values():
    program = "def f(x):\n match (x, 1):\n  case (0, 1): r = 1\n  case _: r = 2\n return r"
    assert "if n == 0 and True:" in record(program, n)


def test_match_on_the_class_of_a_value_of_a_stage_without_classes_is_refused():
    with pytest.raises(StagingError, match="patterns ask for a class"):
        record("def f(x):\n match [x]:\n  case [int()]: return 1", n)


@pytest.mark.parametrize(
    ("program", "construct"),
    [
        ("def f(x):\n if x: pass", "an `if` statement"),
        ("def f(x):\n while x: pass", "a `while` loop"),
        ("def f(x):\n return not x", "`not`"),
        ("def f(x):\n return x and 1", "`and`"),
        ("def f(x):\n return f'{x}'", "an f-string"),
        ("def f(x):\n for i in x: pass", "a `for` loop"),
        ("def f(x):\n return 1 if x else 2", "a conditional expression"),
        ("def f(x):\n x[0] = 1", "an item assignment"),
        ("def f(x):\n assert x", "an `assert` statement"),
        ("def f(x):\n raise x", "a `raise` statement"),
        ("def f(x):\n return 1 in x", "`in`"),
    ],
)
def test_what_a_stage_leaves_out_is_refused_by_name(program, construct):
    class Bare(Stage):
        name = "bare"

        def claims(self, value):
            return isinstance(value, Symbol)

    _, converted = namespaces(program)
    with registered(Bare()), pytest.raises(StagingError) as caught:
        converted["f"](n)
    assert caught.value.message == f"{construct} over values of stage 'bare' is not supported"
