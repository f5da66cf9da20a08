"""What the report says becomes of each statement."""

import pytest

from autograph.report.statements import Becomes, report_on


def fates(text):
    report = report_on(text, "f.py")
    return [
        (f.line, f.kind, f.becomes.value, *f.carries, *(f"<{flag}>" for flag in f.flags))
        for function in report.functions
        for f in function.fates
    ]


@pytest.mark.parametrize(
    "body, expected",
    [
        ("if x: y = 1\nelse: y = 2\nreturn y", [(2, "if", "staged", "y")]),
        (
            "if x: y = 1\nelif z: y = 2\nelse: y = 3\nreturn y",
            [(2, "if", "staged", "y"), (3, "if", "staged", "y")],
        ),
        ("if x: print(x)", [(2, "if", "staged")]),
        ("while x: x -= 1\nreturn x", [(2, "while", "staged", "x")]),
        ("for i in x: z += i\nreturn z", [(2, "for", "staged", "z")]),
        ("for i in x: z += i\nreturn i, z", [(2, "for", "staged", "z", "i")]),
        (
            "for i in x:\n  if i: break\n  z += i\nreturn z",
            [(2, "for", "staged", "z", "<break>"), (3, "if", "staged", "z", "<break>")],
        ),
        (
            "for i in x:\n  if i: return i",
            [(2, "for", "staged", "<return>"), (3, "if", "staged", "<return>")],
        ),
        ("try: y = 1 / x\nexcept ZeroDivisionError: y = 0\nreturn y", [(2, "try", "staged", "y")]),
        ("try: import a\nexcept ImportError: a = None", [(2, "try", "python")]),
        ("with x as y:\n  if y: z = 1\nreturn z", [(2, "with", "python"), (3, "if", "staged", "z")]),
        ("match x:\n  case 1: y = 2\n  case _: y = 3\nreturn y", [(2, "match", "staged", "y")]),
        ("match x:\n  case [a]: return a", [(2, "match", "staged", "<return>")]),
        ("match x:\n  case [a]: locals()", [(2, "match", "python")]),
        ("match x:\n  case y: return y", [(2, "match", "staged")]),
        ("if not x:\n  return\nz = g(x)\nh(z)", [(2, "if", "staged")]),
        ("if x:\n  return\nz = g(x)\nh(z)", [(2, "if", "staged")]),
        ("if __debug__: y = 1", [(2, "if", "python")]),
        ("return x\nif x: y = 1", [(3, "if", "dead")]),
        ("while x:\n  x = yield x", [(2, "while", "python")]),
        ("if x: locals()", [(2, "if", "python")]),
        ("try: pass\nexcept* ValueError: pass", [(2, "try", "python")]),
    ],
)
def test_one_function(body, expected):
    text = "def f(x, z):\n" + "".join(f"    {line}\n" for line in body.splitlines())
    assert fates(text) == expected


def test_the_test_of_a_flag_is_not_taken_for_the_users_statement():
    # `if not do_break:` is put where the statement after it stands: here another `if`.
    text = "def f(x):\n for i in x:\n  if i > 3: break\n  if i > 2: x = i\n return x\n"
    assert fates(text)[-1] == (4, "if", "staged", "x")
    assert report_on(text, "f.py").operators == {}


def test_functions_are_named_by_their_qualified_names():
    text = "class A:\n  def f(self):\n    def g(): pass\nasync def h(): pass\nif 1:\n  def k(): pass\n"
    report = report_on(text, "f.py")
    assert [(f.name, f.line, f.column) for f in report.functions] == [
        ("A.f", 2, 3),
        ("A.f.<locals>.g", 3, 5),
        ("h", 4, 1),
        ("k", 6, 3),
    ]


def test_expressions_that_stages_are_asked_about():
    report = report_on(
        "def f(x, y):\n    z = x and not y\n    assert z\n    return 1 if x < y < z else f'{x}'\n", "f.py"
    )
    assert report.operators == {2: ["and", "not"], 3: ["assert"], 4: ["if-else", "and", "f-string"]}


def test_converted_text_is_recognised():
    report = report_on("import autograph.operators as ag__\ndef f(x):\n    return ag__.not_(x)\n", "f.py")
    assert report.is_converted and report.functions == []


def test_a_staged_statement_has_no_reason_and_one_that_stays_has():
    text = "def f(x):\n    if x: y = 1\n    while x: yield x\n"
    for fate in report_on(text, "f.py").functions[0].fates:
        assert (fate.reason is None) == (fate.becomes is Becomes.STAGED)
