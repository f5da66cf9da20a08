"""``f.explain()``, in full: each statement, the engine, and why each trace was made."""

import re
import textwrap

import numpy as np
import pytest

import runtime as rt
from tests.modules import module_of

X = np.array([1.0, -2.0, 3.0])


def defined(text, **names):
    """The functions of a text, with line numbers that stay what they are."""
    text = textwrap.dedent(text).strip() + "\n"
    return module_of(text, rt=rt, np=np, **{"__name__": "explained"}, **names)


def shown(explanation):
    """As printed, without the number that a registered source has."""
    return re.sub(r"source \d+", "source N", str(explanation))


PROGRAM = """
@rt.function(engine="native")
def f(x, n):
    "A docstring is no statement."
    mode = "double"
    if mode == "double":
        y = x * scale
    else:
        y = x
    for i in range(3):
        y = y + i
    for j in range(n):
        y = y + j
    if y.sum() > 100:
        y = helper(y)
    while y[0] < 10:
        y = y + 1
    assert y.sum() > 0
    return y


def helper(z):
    if z is None:
        return 0
    return z * 2
"""


def test_every_statement_says_what_became_of_it():
    space = defined(PROGRAM, scale=2.0)
    assert shown(space["f"].explain(X, 3)).splitlines()[2:] == [
        "trace 1: f(x: f64[3], n: int)",
        "  made because: the first call",
        "  guard: scale is 2.0",
        "  f, <autograph source N>:",
        '     4      mode = "double"                                 # as Python',
        '     5      if mode == "double":                            # constant: taken',
        "     6          y = x * scale                               # staged: multiply",
        "     8          y = x                                       # not reached",
        "     9      for i in range(3):                              # unrolled: 3 times",
        "    10          y = y + i                                   # staged: add",
        "    11      for j in range(n):                              # staged: for",
        "    12          y = y + j                                   # staged: add",
        "    13      if y.sum() > 100:                               # staged: if",
        "    14          y = helper(y)                               # staged: what helper() does",
        "    15      while y[0] < 10:                                # staged: while",
        "    16          y = y + 1                                   # staged: add",
        "    17      assert y.sum() > 0                              # staged: assert",
        "    18      return y                                        # as Python",
        "  helper, <autograph source N>:",
        "    22      if z is None:                                   # constant: not taken",
        "    23          return 0                                    # not reached",
        "    24      return z * 2                                    # staged: multiply",
        "  engine: native",
        "  NumPy runs: raise",
    ]


def test_the_same_as_data():
    f = defined(PROGRAM, scale=2.0)["f"]
    explanation = f.explain(X, 3)
    fates = {(s.function, s.line): (s.fate, s.detail) for s in explanation.statements}
    assert fates["f", 5] == ("constant", "taken")
    assert fates["f", 9] == ("unrolled", "3 times")
    assert fates["helper", 24] == ("staged", "multiply")
    (trace,) = explanation.traces
    assert (trace.engine, trace.reason, trace.guards) == ("native", "the first call", ["scale is 2.0"])
    assert explanation._repr_html_().startswith("<pre>f: 1 trace")


def test_why_there_is_another_trace():
    space = defined(
        """
        @rt.function
        def f(x):
            return x * scale * settings["gain"] * len(items)
        """,
        scale=2.0, settings={"gain": 1.0}, items=[1],
    )  # fmt: skip
    f = space["f"]
    f(X)
    space["scale"] = 3.0
    f(X)
    space["settings"]["gain"] = 5
    f(X)
    space["items"].append(2)
    f(X)
    f(X[:2])
    assert [trace.reason for trace in f.explain().traces] == [
        "the first call",
        "changed: `scale` was 2.0, is 3.0",
        "changed: `settings['gain']` was 1.0, is 5",
        "changed: `items` was a list of 1, is a list of 2",
        "a new signature: `x` was f64[3], is f64[2]",
    ]


def test_what_an_old_trace_read_has_changed_since():
    space = defined(
        """
        @rt.function
        def f(x):
            factor = 2
            return x * scale * factor
        """,
        scale=2.0,
    )
    space["f"](X)
    space["scale"] = 3.0
    (trace,) = space["f"].explain().traces
    assert [(s.line, s.fate) for s in trace.statements] == [(3, "as Python, or not reached"), (4, "staged")]


def test_a_refusal_is_explained_at_its_line():
    f = defined(
        """
        @rt.function
        def f(x):
            y = x + 1
            z = open("data.txt")
            return y
        """
    )["f"]
    explanation = f.explain(X)
    assert [(s.line, s.fate) for s in explanation.statements] == [
        (3, "reached"), (4, "refused"), (5, "not reached"),
    ]  # fmt: skip
    assert str(explanation).startswith("f: refused; a call raises this error\n")
    assert "input, output and dynamic code cannot be part of a graph" in str(explanation)
    assert f.trace_count == 0


def test_with_a_fallback_it_says_so():
    f = rt.function(lambda x: open("data.txt"), fallback="python")
    assert str(f.explain(X)).startswith("<lambda>: refused; it runs as plain Python\n")


def test_not_traced_yet():
    f = rt.function(lambda x: x)
    assert str(f.explain()) == "<lambda>: not traced yet; call it, or explain(*args)"


def test_numbers_that_had_to_be_constants():
    f = rt.function(lambda x, axis: x.sum(axis=axis))
    f(X, 0)
    (trace,) = f.explain().traces
    assert trace.guards == ["axis is 0"]
    assert (
        trace.constants == "`axis` is known only at run time, but the shape or type of the result hangs on it"
    )
    assert "  Python numbers among the arguments are constants: `axis` is known" in str(trace)


def test_what_is_read_at_each_call():
    space = defined("f = rt.function(lambda x: x * weights)", weights=np.ones(3))
    space["f"](X)
    assert space["f"].explain().traces[0].inputs == ["weights"]
    assert space["f"].explain().traces[0].guards == ["weights is f64[3]"]


def test_explain_keeps_no_argument_alive():
    import gc
    import weakref

    class Model:
        def __init__(self):
            self.w = 2.0

    model = Model()
    gone = weakref.ref(model)
    f = rt.function(lambda m, x: m.w * x)
    f(model, X)
    del model
    gc.collect()
    assert gone() is None
    assert [s.fate for s in f.explain().statements] == ["staged"]


@pytest.mark.parametrize("engine", ["numpy", "native"])
def test_explaining_has_no_effect(engine, capsys):
    calls = []

    def f(x):
        calls.append(1)
        print("called")
        return x

    decorated = rt.function(f, engine=engine)
    decorated.explain(X)
    decorated.explain()
    assert (calls, capsys.readouterr().out) == ([], "")
    decorated(X)
    assert (calls, capsys.readouterr().out) == ([1], "called\n")
    assert decorated.trace_count == 1


TURNS = """
@rt.function
def f(x):
    s = x[0]
    for v in x:
        if v > 2:
            s += v
    for v in x:
        for w in (1, 2):
            s = s + v * w
    for w in (1, 2): s += w
    return s
"""


def test_turns_of_loops_are_counted_whatever_stands_first_in_them():
    told = shown(defined(TURNS)["f"].explain(X)).splitlines()
    assert [line.split("# ")[1] for line in told if " for " in line] == [
        "unrolled: 3 times", "unrolled: 3 times", "unrolled: 6 times", "unrolled", "staged: add",
    ]  # fmt: skip


def test_jumps_that_leave_no_code_of_their_own():
    f = defined(
        """
        @rt.function
        def f(x, n):
            total = 0.0
            for v in x:
                if v < 0:
                    continue
                total += v
            for i in range(n):
                if i == 3:
                    total += 1
                    continue
                total += 2
            for k in range(4):
                if k == 2:
                    continue
                if k > 7:
                    continue
                if k > 8:
                    total += 1
                    continue
                total += k
            for k in range(2):
                if mode:
                    continue
                else:
                    total += k
            return total
        """,
        mode=True,
    )["f"]
    statements = f.explain(X, 5).statements
    told = {s.line: s.fate for s in statements if s.text.strip() in ("continue", "total += k")}
    assert told == {
        6: "as Python", 11: "as Python", 15: "as Python", 17: "not reached", 20: "not reached",
        21: "staged", 24: "as Python", 26: "not reached",
    }  # fmt: skip
    assert [s.detail for s in statements if s.text.strip() == "if k == 2:"] == ["taken"]
