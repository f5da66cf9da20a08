"""`autograph check`: three formats, three exit statuses, nothing run."""

import json
import subprocess
import sys

import pytest

GOOD = """\
def total(xs):
    s = 0
    for x in xs:
        if x > 0:
            s += x
    return s
"""
BAD = """\
import os


def f(x):
    if x > 0: x = 1
    return x
    if x: x = 2


def numbers(n):
    while n:
        n -= 1
    return locals()
"""


class TestText:
    def test_what_is_staged(self, autograph, folder):
        folder({"good.py": GOOD})
        assert autograph("check", "good.py") == (
            0,
            "good.py:1:1: total\n"
            "     3  for       staged, carries s\n"
            "     4  if        staged, carries s\n"
            "\n"
            "1 file, 1 function: 2 statements staged, 0 not; 0 errors, 0 warnings, 0 notes\n",
            "",
        )

    def test_findings_come_first(self, autograph, folder):
        folder({"bad.py": BAD})
        status, out, err = autograph("check", "bad.py")
        assert (status, err) == (1, "")
        assert out == (
            "bad.py:7:5: note AG302: control never reaches this `if`\n"
            "    if x: x = 2\n"
            "    ^^\n"
            "hint: remove it\n"
            "\n"
            "bad.py:11:5: warning AG202: this `while` stays Python's: the function calls `locals()` "
            "on line 13, which sees its variables, so they must stay where they are\n"
            "    while n:\n"
            "    ^^^^^\n"
            "hint: name the variables that are wanted, or move the call into a function of its own\n"
            "\n"
            "bad.py:4:1: f\n"
            "     5  if        staged, carries x\n"
            "     7  if        never reached\n"
            "\n"
            "bad.py:10:1: numbers\n"
            "    11  while     Python: the function calls `locals()` on line 13, "
            "which sees its variables, so they must stay where they are\n"
            "\n"
            "1 file, 2 functions: 1 statement staged, 2 not; 0 errors, 1 warning, 1 note\n"
        )

    def test_quiet(self, autograph, folder):
        folder({"good.py": GOOD, "bad.py": BAD})
        assert autograph("check", "-q", "good.py") == (0, "", "")
        status, out, _ = autograph("check", "--quiet", "bad.py")
        assert status == 1 and "staged, carries" not in out and "files" not in out

    def test_one_function(self, autograph, folder):
        folder({"bad.py": BAD})
        status, out, _ = autograph("check", "-q", "bad.py:numbers")
        assert status == 1 and "AG202" in out and "AG302" not in out


class TestStatus:
    @pytest.mark.parametrize(
        "arguments, status",
        [
            (["good.py"], 0),
            (["bad.py"], 1),
            (["good.py", "bad.py"], 1),
            (["bad.py:f"], 0),  # a note is left
            (["bad.py", "--select", "AG2"], 1),
            (["bad.py", "--select", "AG3"], 0),
            (["bad.py", "--ignore", "AG1,AG202"], 0),
            (["syntax.py"], 2),
            (["good.py", "syntax.py", "--select", "AG3"], 2),
            (["missing.py"], 2),
            (["."], 2),  # it holds syntax.py
            (["package"], 0),
        ],
    )
    def test_of(self, autograph, folder, arguments, status):
        folder(
            {
                "good.py": GOOD,
                "bad.py": BAD,
                "syntax.py": "def f(:\n",
                "package/__init__.py": "",
                "package/inner/good.py": GOOD,
                "package/.hidden/bad.py": BAD,
                "package/__pycache__/bad.py": BAD,
            }
        )
        assert autograph("check", *arguments)[0] == status

    def test_one_bad_file_does_not_hide_the_others(self, autograph, folder):
        folder({"a.py": "def f(:\n", "b.py": BAD, "c.py": b"\xff\xfe\x00"})
        status, out, err = autograph("check", "-q", ".")
        assert (status, err) == (2, "")
        found = [line.split(": ")[:2] for line in out.splitlines() if " AG" in line]
        assert found == [
            ["./a.py:1:7", "error AG001"],
            ["./b.py:7:5", "note AG302"],
            ["./b.py:11:5", "warning AG202"],
            ["./c.py:1:1", "error AG001"],
        ]


class TestUsage:
    @pytest.mark.parametrize(
        "arguments, message",
        [
            (["check"], "the following arguments are required: FILE[:NAME]"),
            (["check", "modle.py"], "modle.py: no such file; did you mean 'model.py'?"),
            (["check", "model.py:totl"], "model.py: no function or class 'totl'; did you mean 'total'?"),
            (["check", "empty"], "empty: there are no Python files in this directory"),
            (["check", "model.py", "--ignore", "AG999"], "there is no code 'AG999'"),
            (["check", "model.py", "--format", "jsn"], "invalid choice: 'jsn'"),
            (["check", "model.py", "--quit"], "did you mean '--quiet'?"),
        ],
    )
    def test_of(self, autograph, folder, arguments, message):
        folder({"model.py": GOOD, "empty/readme.txt": ""})
        status, out, err = autograph(*arguments)
        assert (status, out) == (2, "") and message in err


def test_json(autograph, folder):
    folder({"bad.py": BAD})
    status, out, err = autograph("check", "bad.py", "--format", "json")
    assert (status, err) == (1, "")
    document = json.loads(out)
    assert list(document) == ["version", "files", "findings", "counts"]
    assert document["version"] == 1
    assert document["counts"] == {"errors": 0, "warnings": 1, "notes": 1}
    assert document["files"][0]["functions"][0] == {
        "name": "f",
        "line": 4,
        "column": 1,
        "end_line": 7,
        "statements": [
            {
                "kind": "if",
                "line": 5,
                "column": 5,
                "end_line": 5,
                "becomes": "staged",
                "carries": ["x"],
                "jumps": [],
                "reason": None,
            },
            {
                "kind": "if",
                "line": 7,
                "column": 5,
                "end_line": 7,
                "becomes": "dead",
                "carries": [],
                "jumps": [],
                "reason": None,
            },
        ],
    }
    assert document["findings"][0] == {
        "file": "bad.py",
        "line": 7,
        "column": 5,
        "end_line": 7,
        "end_column": 7,
        "severity": "note",
        "code": "AG302",
        "message": "control never reaches this `if`",
        "hint": "remove it",
        "function": "f",
    }


def test_github(autograph, folder):
    folder({"a,b.py": BAD, "good.py": GOOD})
    status, out, _ = autograph("check", "a,b.py", "--format", "github")
    assert status == 1
    assert out.splitlines()[0] == (
        "::notice file=a%2Cb.py,line=7,endLine=7,col=5,endColumn=7,title=AG302::"
        "control never reaches this `if`%0Ahint: remove it"
    )
    assert [line.partition(" ")[0] for line in out.splitlines()] == ["::notice", "::warning"]
    assert autograph("check", "good.py", "--format", "github") == (0, "", "")


def test_the_files_are_never_run(autograph, folder):
    folder({"noisy.py": "print('run')\nraise SystemExit(3)\ndef f(x):\n    return not x\n"})
    assert autograph("check", "-q", "noisy.py") == (0, "", "")


def test_the_order_of_findings_does_not_depend_on_hashing(folder):
    folder({"bad.py": BAD})
    outputs = {
        subprocess.run(
            [sys.executable, "-m", "autograph", "check", "bad.py", "--format", "json"],
            capture_output=True,
            text=True,
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(filter(None, sys.path))},
            check=False,
        ).stdout
        for seed in ("1", "2", "3")
    }
    assert len(outputs) == 1 and "AG302" in outputs.pop()
