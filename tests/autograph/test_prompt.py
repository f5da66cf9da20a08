"""Functions that stand in no file: typed at Python's own prompt, of `python -c`, of standard input."""

import os
import pty
import select
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

TYPED = [
    "import autograph, functools",
    "def f(x):",
    "    if x > 2:",
    "        return 'first'",
    "    return -x",
    "",
    "print('ONE', autograph.convert(f)(3), 'if_stmt' in autograph.to_code(f))",
    "def f(x):",
    "    if x > 2:",
    "        return 'second'",
    "    return -x",
    "",
    "print('TWO', autograph.convert(f)(3))",
    "g = autograph.convert(lambda x: x if x > 0 else -x); print('THREE', g(-7))",
    "class A:",
    "    @functools.cache",
    "    def m(self, x):",
    "        while x > 10: x -= 3",
    "        return x",
    "",
    "print('FOUR', autograph.convert(A.m.__wrapped__)(A(), 21))",
    "@autograph.convert",
    "def h(x):",
    "    return 'yes' if x else 'no'",
    "",
    "print('FIVE', h(0))",
    "exec('def made(x): return 1 if x else 2')",
    "print('SIX', end=' '); autograph.convert(made)",
    "exit()",
]


def test_functions_typed_at_the_prompt(tmp_path):
    pytest.importorskip("readline")
    home = str(tmp_path)  # where the history is written
    environment = {**os.environ, "PYTHON_BASIC_REPL": "1", "TERM": "dumb", "PYTHONSTARTUP": "", "HOME": home}
    terminal, inner = pty.openpty()
    # No fork of this process: other tests have started threads in it.
    prompt = subprocess.Popen(
        [sys.executable, "-q", "-i"],
        stdin=inner,
        stdout=inner,
        stderr=inner,
        env=environment,
        start_new_session=True,
    )
    os.close(inner)
    shown = b""
    end = time.monotonic() + 60
    for line in TYPED:
        os.write(terminal, f"{line}\n".encode())
    while time.monotonic() < end:
        if select.select([terminal], [], [], 1)[0]:
            try:
                more = os.read(terminal, 65536)
            except OSError:
                break
            if not more:
                break
            shown += more
    prompt.wait(60)
    os.close(terminal)
    text = shown.decode(errors="replace").replace("\r", "")
    answers = [line for line in text.split("\n") if line.startswith(("ONE", "TWO", "THREE", "FOUR", "FIVE"))]
    assert answers == ["ONE first True", "TWO second", "THREE 7", "FOUR 9", "FIVE no"], text
    assert "the source of `made` cannot be found" in text


PROGRAM = """\
import numpy as np, autograph

def larger(x):
    return np.abs(x) if x < 0 else np.sqrt(x)

print(autograph.convert(larger)(-4.0), autograph.convert(lambda x: not x)(0))
print("if_exp" in autograph.to_code(larger))
"""


def run(*arguments, **options):
    return subprocess.run(
        [sys.executable, *arguments], capture_output=True, text=True, check=False, cwd=ROOT, **options
    )


def test_functions_of_a_program_that_is_an_argument():
    done = run("-B", "-c", PROGRAM, "-c", "rest")
    assert done.stdout == "4.0 True\nTrue\n", done.stderr
    assert run(f"-Bc{PROGRAM}").stdout == done.stdout


def test_functions_of_standard_input(tmp_path):
    (tmp_path / "program").write_text(PROGRAM)
    with open(tmp_path / "program") as program:
        done = run("-", stdin=program)
    assert done.stdout == "4.0 True\nTrue\n", done.stderr


def test_what_came_through_a_pipe_is_refused_with_a_hint():
    refused = run("-", input=PROGRAM).stderr.splitlines()
    assert refused[-2:] == [
        "autograph.errors.SourceNotFoundError: <stdin>:3: the source of `larger` cannot be found",
        "hint: save the program in a file and run that file: Python keeps no text of what it was sent",
    ]
