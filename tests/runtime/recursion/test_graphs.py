"""Graphs with functions: their forms, the passes, what is known of calls."""

import numpy as np
import pytest

import runtime as rt
from runtime.formats.dot import to_dot
from runtime.formats.parse import ParseError, parse
from runtime.graph.effects import Memory, effects_of
from runtime.graph.functions import calls_in
from runtime.graph.verify import VerificationError, verify
from runtime.passes import optimize

FIB = """\
graph fib(n: i64) -> i64:
    _1: i64 = @fib(n)
    return _1
function @fib(n: i64) -> i64:
    _1: b1 = less(n, 2)
    _2: bool = py.bool(_1)
    retval: i64 = if _2:
        yield n
    else:
        _3: i64 = subtract(n, 1)
        _4: i64 = @fib(_3)
        _5: i64 = subtract(n, 2)
        _6: i64 = @fib(_5)
        _7: i64 = add(_4, _6)
        yield _7
    return retval
"""


def fib(n):
    if n < 2:
        return n
    return fib(n - 1) + fib(n - 2)


def without_comments(graph):
    lines = [line.split("#")[0].rstrip() for line in str(graph).splitlines()]
    return "\n".join(filter(None, lines)) + "\n"


def test_text():
    trace = rt.function(fib).get_concrete_function(np.int64(3))
    assert without_comments(trace.optimized) == FIB


def test_text_is_read_back():
    graph = parse(FIB)
    verify(graph)
    assert str(graph) == FIB
    assert rt.function(fib).get_concrete_function(np.int64(3)).optimized.functions.keys() == {"fib"}


def test_a_function_that_is_not_there():
    with pytest.raises(ParseError, match="there is no function @other"):
        parse(FIB.replace("@fib(_5)", "@other(_5)"))


def test_types_of_calls_are_verified():
    with pytest.raises(VerificationError, match="the arguments: there are 2 values for 1 places"):
        verify(parse(FIB.replace("@fib(_5)", "@fib(_5, _5)")))
    with pytest.raises(VerificationError, match="the arguments: b1 does not fit i64"):
        verify(parse(FIB.replace("= @fib(_5)", "= @fib(_1)")))


def test_pictures_show_the_functions():
    graph = parse(FIB)
    assert 'label="function @fib"' in to_dot(graph)


def test_passes_run_inside_functions():
    graph = parse("""
graph f(n: int) -> int:
    _1: int = @f(n)
    return _1
function @f(n: int) -> int:
    two: int = py.add(1, 1)
    junk: int = py.mul(n, two)
    c: bool = py.lt(n, two)
    r: int = if c:
        yield n
    else:
        m: int = py.sub(n, two)
        s: int = @f(m)
        yield s
    return r
""")
    better = optimize(graph)
    verify(better)
    text = str(better)
    assert "junk" not in text
    assert "py.lt(n, 2)" in text


EFFECTS = """
graph f(x: f64[3], y: f64[3], n: int) -> f64:
    _1: f64 = sum(y)
    @fill(x, y, n)
    _2: f64 = sum(y)
    _3: f64 = add(_1, _2)
    return _3
function @fill(x: f64[3], y: f64[3], n: int) -> ():
    c: bool = py.gt(n, 0)
    if c:
        y[n] = 1.0
        m: int = py.sub(n, 1)
        @fill(y, x, m)
    return
"""


def test_what_a_call_does_is_found():
    graph = parse(EFFECTS)
    (call,) = calls_in(graph.body)
    effects = effects_of(call)
    assert effects.writes == (0, 1)  # the function swaps them
    assert effects.may_raise and not effects.ordered
    assert str(optimize(graph)).count("sum(y)") == 2
    assert Memory(graph).is_written(graph.params[0])


def test_prints_and_stores_make_a_call_ordered():
    graph = parse(EFFECTS.replace("        y[n] = 1.0\n", "        print(n)\n"))
    (call,) = calls_in(graph.body)
    assert effects_of(call).ordered


def test_an_unused_result_of_a_call_stays():
    """The recursion may be too deep, or never end."""
    graph = optimize(parse(FIB.replace("    return _1\nfunction", "    return n\nfunction")))
    assert list(calls_in(graph.body))


def test_captured_values_are_parameters():
    scale = np.array([2.0, 3.0])

    def scaled(n):
        return 0.0 if n <= 0 else scale[n - 1] + scaled(n - 1)

    compiled = rt.function(lambda n: scaled(n))
    assert compiled(np.int64(2)) == 5.0
    (function,) = compiled.concrete_functions[0].graph.functions.values()
    assert [value.hint for value in function.params] == ["n", "scale"]


def test_explain_shows_the_lines_of_functions():
    text = str(rt.function(fib).explain(np.int64(3)))
    assert "# staged: if" in text
    assert "staged: subtract, @fib, add" in text
