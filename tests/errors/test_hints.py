"""Every hint of docs/errors/ helps: applied to its example, it makes a program that runs as in Python."""

import ast
from types import SimpleNamespace

import pytest

import runtime as rt
from tests.errors.hints import FOLLOWED
from tests.errors.page import all_entries, printed_by

HINTED = {
    entry.title: entry
    for entries in all_entries().values()
    for entry in entries
    if "hint: " in entry.expected
}
#: their hints say what to do outside of a program
NOT_OF_THE_PROGRAM = {"A file that was edited after it was imported"}


def plainly(f=None, **_):
    return f if f is not None else lambda g: g


PLAIN = SimpleNamespace(**{name: getattr(rt, name) for name in rt.__all__} | {"function": plainly})


def followed(entry):
    """The example with what the hint says, its last expression shown."""
    program = entry.program
    for old, new in FOLLOWED[entry.title].items():
        assert old in program, f"{old!r} is not in the example {entry.title!r}"
        program = program.replace(old, new)
    last = ast.parse(program).body[-1]
    if isinstance(last, ast.Expr) and not ast.unparse(last).startswith("print("):
        lines = program.splitlines()
        shown = "\n".join(lines[last.lineno - 1 :])
        program = "\n".join([*lines[: last.lineno - 1], f"print(repr({shown}))\n"])
    return program


def test_each_hint_is_tried():
    assert HINTED.keys() - NOT_OF_THE_PROGRAM == FOLLOWED.keys()


@pytest.mark.parametrize("title", FOLLOWED)
def test_the_hint_helps(title, tmp_path):
    program = followed(HINTED[title])
    plain = printed_by(program, tmp_path, given={"rt": PLAIN})
    assert plain
    assert "Error" not in plain
    for engine in ("numpy", "native"):
        assert printed_by(program, tmp_path, engine) == plain
