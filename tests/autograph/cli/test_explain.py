"""`autograph explain`: the user's source with a margin."""

PROGRAM = """\
import math


def first_above(xs, limit):
    found, n = None, 0
    for x in xs:
        n += 1
        if x > limit and x == x:
            found = x
            break
    assert n
    return found, n


def pairs(xs):
    for x in xs:
        if x:
            yield x, math.sin(x)
"""


def test_a_function(autograph, folder):
    folder({"program.py": PROGRAM})
    assert autograph("explain", "program.py:first_above") == (
        0,
        "  4                               | def first_above(xs, limit):\n"
        "  5                               |     found, n = None, 0\n"
        "  6 staged for: found, n, <break> |     for x in xs:\n"
        "  7                               |         n += 1\n"
        "  8 staged if: found, <break>     |         if x > limit and x == x:\n"
        "  9                               |             found = x\n"
        " 10                               |             break\n"
        " 11 asks: assert                  |     assert n\n"
        " 12                               |     return found, n\n",
        "",
    )


def test_comprehensions_are_asked_about(autograph, folder):
    text = (
        "def f(xs):\n    ys = [x * x for x in xs if x > 0]\n    return any(y > 9 for y in ys) and len(ys)\n"
    )
    folder({"program.py": text})
    assert autograph("explain", "program.py:f") == (
        0,
        "  1                                 | def f(xs):\n"
        "  2 asks: comprehension             |     ys = [x * x for x in xs if x > 0]\n"
        "  3 asks: and, generator expression |     return any(y > 9 for y in ys) and len(ys)\n",
        "",
    )


def test_reasons_stand_below(autograph, folder):
    folder({"program.py": PROGRAM})
    status, out, _ = autograph("explain", "program.py:pairs")
    assert status == 0
    assert out.splitlines() == [
        " 15                | def pairs(xs):",
        " 16 Python for [1] |     for x in xs:",
        " 17 Python if [1]  |         if x:",
        " 18                |             yield x, math.sin(x)",
        "",
        "[1] Python: the function is suspended inside it (`yield` on line 18)",
    ]


def test_a_whole_file(autograph, folder):
    folder({"program.py": PROGRAM})
    out = autograph("explain", "program.py")[1]
    shown = [
        line.split(" | ", 1)[-1] if " | " in line else "" for line in out.split("\n\n[1]")[0].splitlines()
    ]
    assert [line.rstrip(" |") for line in shown] == PROGRAM.splitlines()


def test_what_is_too_long_for_the_margin_is_a_note(autograph, folder):
    names = [f"variable_{n}" for n in range(9)]
    body = "".join(f"        {name} = x\n" for name in names)
    folder({"long.py": f"def f(x):\n    if x:\n{body}    return {', '.join(names)}\n"})
    out = autograph("explain", "long.py:f")[1]
    assert out.splitlines()[1].endswith("[1] |     if x:") and len(out.splitlines()[1]) < 60
    assert out.splitlines()[-1] == "[1] staged if: " + ", ".join(names)


def test_converted_text(autograph, folder):
    folder({"a.py": "import autograph.operators as ag__\ndef f(x):\n    return ag__.not_(x)\n"})
    status, out, _ = autograph("explain", "a.py:f")
    assert status == 0 and out.endswith("\n\n[1] this file is converted already\n")
    assert autograph("check", "a.py")[1].startswith("a.py: converted already\n\n1 file, 0 functions:")


def test_decorators_are_shown(autograph, folder):
    folder({"program.py": "@staged\ndef f(x):\n    return x\n"})
    assert "| @staged\n" in autograph("explain", "program.py:f")[1]
