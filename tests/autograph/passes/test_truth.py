"""Converted `and` and `or` give what Python gives; a test asks for the truth of each operand as often.

All expressions of `and` and `or` over four operands, wherever a test or a value may stand, with a stage awake
(otherwise the user's own statements run).
"""

import linecache
from itertools import product

import pytest

import autograph
from autograph.registry import register_stage, unregister_stage
from autograph.staging import Stage

PLACES = {
    "value": "return {}",
    "operand of not": "return not ({})",
    "operand": "return ({}) and a",
    "argument": "return str({})",
    "chosen": "return ({}) if a else 0",
    "chosen otherwise": "return (0 if a else ({})) or d",
    "if": "if {}: return 1",
    "if not": "if not ({}): return 1",
    "elif": "if a: return 0\n    elif {}: return 1",
    "while": "while ({}) and more: return 1",
    "conditional expression": "return 1 if {} else 2",
    "assert": "assert {}, 'refused'",
    "comprehension": "return [i for i in 'z' if {}]",
    "generator": "return list(i for i in 'z' if {})",
}
OTHER_FORMS = [
    "(a and (w := b)) or c",
    "(a or (w := b)) and c",
    "not ((w := a) and b) or c",
    "(a or\n b and c) and d",
    "(b or c if a else c or d) and d",
    "(a if b and c else d and (b or c)) or d",
    "(a or b and (c and d)) and a",
]


TESTS = ("if", "if not", "elif", "while", "conditional expression", "assert", "comprehension", "generator")


class Awake(Stage):
    name = "awake"

    def active(self):
        return False

    def claims(self, value):
        return False

    def text_of(self, value):
        return None


@pytest.fixture(autouse=True)
def awake():
    stage = Awake()
    register_stage(stage)
    yield
    unregister_stage(stage)


class Truth:
    def __init__(self, name, value, asked):
        self.name, self.value, self.asked = name, value, asked

    def __bool__(self):
        self.asked.append(self.name)
        return self.value

    def __repr__(self):
        return self.name


def forms(operands):
    """All ways to put `and`, `or` and parentheses between the operands."""
    if len(operands) == 1:
        return [operands]
    return [
        f"({left} {operator} {right})"
        for at in range(1, len(operands))
        for left, operator, right in product(forms(operands[:at]), ("and", "or"), forms(operands[at:]))
    ]


def function_of(body):
    text = f"def f(a, b, c, d, more=True):\n    {body}\n"
    linecache.cache[text] = (len(text), None, text.splitlines(True), text)
    namespace = {}
    exec(compile(text, text, "exec"), namespace)
    return namespace["f"]


def outcome(f, values):
    asked = []
    try:
        result = repr(f(*(Truth(name, value, asked) for name, value in zip("abcd", values, strict=True))))
    except AssertionError as error:
        result = repr(error)
    return result, asked


@pytest.mark.parametrize("place", PLACES)
def test_same_result(place):
    for form in (*forms("abcd"), *OTHER_FORMS):
        f = function_of(PLACES[place].format(form))
        converted = autograph.convert(f)
        for values in product((False, True), repeat=4):
            found, expected = outcome(converted, values), outcome(f, values)
            assert found[0] == expected[0], (form, values)
            assert place not in TESTS or found == expected, (form, values)
