"""Each code has an example that has it; what a code calls refused is refused."""

import re
import sys

import numpy
import pytest

import runtime
from autograph import StagingError
from autograph.errors import AutographError
from autograph.report.findings import CODES, Severity, finding_of_error, findings_of
from autograph.report.statements import report_on
from tests.modules import module_of


def found_in(text):
    try:
        return findings_of(report_on(text, "f.py"))
    except AutographError as error:
        return [finding_of_error(error, "f.py")]


def codes(text):
    return [finding.code.name for finding in found_in(text)]


@pytest.mark.parametrize("code", CODES)
def test_the_example_of_a_code_has_it_and_no_other(code):
    assert codes(CODES[code].example) == [code]


REFUSED = [
    code for code in CODES.values() if code.name[2] in "12" and code.name != "AG201"
]  # async: not taken at all


@pytest.mark.parametrize("code", REFUSED, ids=lambda code: code.name)
def test_the_example_of_an_error_or_warning_is_refused_when_it_is_staged(code):
    """Else the check would be out of date: what it warns of has become possible."""
    namespace = module_of(CODES[code.name].example)
    with pytest.raises(StagingError):
        runtime.function(namespace["f"])(numpy.array(1.0))


@pytest.mark.parametrize("code", CODES.values(), ids=lambda code: code.name)
def test_severities_go_with_the_numbers(code):
    expected = {"0": Severity.ERROR, "1": Severity.ERROR, "2": Severity.WARNING, "3": Severity.NOTE}
    assert code.severity is expected[code.name[2]] and re.fullmatch(r"AG\d{3}", code.name)


def test_a_finding_prints_as_errors_do():
    text = "def f(x):\n    while x:\n        yield x\n"
    assert str(found_in(text)[0].as_error()).splitlines() == [
        "f.py:2:5: note AG303: this `while` stays Python's: the function is suspended inside it "
        "(`yield` on line 3)",
        "    while x:",
        "    ^^^^^",
        "hint: let a `for` loop of a staged function consume the generator, which stages what is in it",
    ]


def test_columns_count_characters():
    (found,) = found_in("def f(é):\n    éé = é; return eval(é)\n")
    assert (found.line, found.column, found.end_column) == (2, 20, 27)


@pytest.mark.parametrize(
    "line, expected",
    [
        ("return eval(x)", ["AG103"]),
        ("return eval(x)  # autograph: ignore", []),
        ("return eval(x)  # autograph: ignore[AG103]", []),
        ("return eval(x)  # autograph: ignore[AG201, AG103]", []),
        ("return eval(x)  # autograph: ignore[AG201]", ["AG103"]),
    ],
)
def test_a_line_can_be_ignored(line, expected):
    assert codes(f"def f(x):\n    {line}\n") == expected


@pytest.mark.parametrize(
    "text",
    [
        "def eval(x): return x\ndef f(x): return eval(x)\n",
        "def f(x, eval): return eval(x)\n",
        "def f(x):\n    total = 0\n    for i in x: total += i\n    return total\n",
        "def f(x):\n    if x: y = 1\n    else: raise ValueError\n    return y\n",
        "def f(x):\n    try: y = 1 / x\n    except ZeroDivisionError: return 0\n    return y\n",
        "TOTAL = 0\ndef f(x):\n    global TOTAL\n    if x: TOTAL = x\n",
        "def f(x):\n    first = next(iter(x))\n    while first: first -= 1\n    return first\n",
        "def f(x):\n    while True:\n        y = x\n        if y: return y\n",
    ],
)
def test_nothing_to_find(text):
    assert codes(text) == []


def test_return_in_functions_that_are_suspended():
    assert codes("def f(x):\n  if x: return\n  yield x\n") == ["AG303"]
    assert codes("async def f(x):\n  if x: return\n  await x\n") == ["AG201"]


def test_one_finding_for_a_statement_and_what_is_in_it():
    assert codes("def f(x):\n  for i in x:\n    if i:\n      while i: yield i\n") == ["AG303"]
    assert codes("def f(x):\n  if x: y = 1\n  if x: z = 2\n  return locals()\n") == ["AG202"]


def test_nothing_is_run():
    assert codes("import sys\nsys.modules['ran_by_check'] = sys\n@exit\ndef f(x): return x\n") == []
    assert "ran_by_check" not in sys.modules
