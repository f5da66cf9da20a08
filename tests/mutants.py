"""Do tests that add no line also find no fault that the others miss? Faults are put in, and both are run.

    python -m tests.mutants cover/*.npz --among tests/runtime/heap --count 200 --tree ../copy

The files are those of `tests.cover`. Of the lines that the superfluous tests run, `--count` are changed, one
at a time: a comparison, a condition, a number, an operator. Each change is tried in `--tree`, a copy of the
repository, by the tests that stay and run that line, quick ones first, and where none of these fails, by the
superfluous ones. What only the latter find is printed with the tests that found it: these stay.
"""

from __future__ import annotations

import argparse
import ast
import itertools
import os
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from tests.cover import Cover, _without_engine

_CHOSEN = "TESTS_CHOSEN"
_OTHER: dict[type, type] = {
    **{
        ast.Lt: ast.LtE,
        ast.LtE: ast.Lt,
        ast.Gt: ast.GtE,
        ast.GtE: ast.Gt,
        ast.Eq: ast.NotEq,
        ast.NotEq: ast.Eq,
    },
    **{ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In},
    **{ast.And: ast.Or, ast.Or: ast.And, ast.Add: ast.Sub, ast.Sub: ast.Add, ast.BitOr: ast.BitAnd},
}


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """As a plugin: run the tests alone whose names the file has that the environment names."""
    if _CHOSEN in os.environ:
        order = {name: k for k, name in enumerate(Path(os.environ[_CHOSEN]).read_text().splitlines())}
        known = [item for item in items if _without_engine(item.nodeid) in order]
        items[:] = sorted(known, key=lambda item: order[_without_engine(item.nodeid)])


def mutants(text: str, line: int) -> Iterator[tuple[str, str]]:
    """The module with one thing changed in this line, and what it is.

    >>> [what for _, what in mutants("def f(a):\\n    return a < 1 and not a", 2)]
    ['And -> Or', 'Lt -> LtE', 'not a -> not not', '1 -> 2']
    """
    nodes = list(ast.walk(ast.parse(text)))
    functions = [node for node in nodes if isinstance(node, ast.FunctionDef)]
    if not any(f.lineno < line <= (f.end_lineno or 0) for f in functions):
        return  # runs once in a process, so that no test needs it
    places = [k for k, node in enumerate(nodes) if getattr(node, "lineno", 0) == line]
    for place in places:
        tree = ast.parse(text)
        what = _change(next(itertools.islice(ast.walk(tree), place, None)))
        if what:
            yield ast.unparse(tree), what


def _change(node: ast.AST) -> str:
    if isinstance(node, ast.Compare) and type(node.ops[0]) in _OTHER:
        old = node.ops[0]
        node.ops[0] = _OTHER[type(old)]()
        return f"{type(old).__name__} -> {type(node.ops[0]).__name__}"
    if isinstance(node, ast.BoolOp | ast.BinOp) and type(node.op) in _OTHER:
        old_operator = node.op
        node.op = _OTHER[type(old_operator)]()
        return f"{type(old_operator).__name__} -> {type(node.op).__name__}"
    if isinstance(node, ast.Constant) and type(node.value) in (int, bool):
        old_value = node.value
        node.value = not old_value if isinstance(old_value, bool) else old_value + 1
        return f"{old_value} -> {node.value}"
    if isinstance(node, ast.If | ast.IfExp | ast.While):
        text, node.test = ast.unparse(node.test), ast.UnaryOp(ast.Not(), node.test)
        return f"if {text} -> if not"
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        text, node.operand = ast.unparse(node), ast.UnaryOp(ast.Not(), node.operand)
        return f"{text} -> not not"
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        text, node.value = ast.unparse(node), ast.Constant(None)
        return f"without {text}"
    return ""


class Trial:
    """A copy of the repository in which one line is changed at a time."""

    def __init__(self, tree: Path, seconds: int) -> None:
        self.tree, self.seconds = tree, seconds

    def fails(self, tests: list[str]) -> str:
        """The first of these tests that fails, by their order; empty where all pass."""
        chosen = self.tree / ".chosen"
        chosen.write_text("\n".join(tests))
        command = [sys.executable, "-m", "pytest", "-x", "-q", "-n", "0", "-p", "no:cacheprovider"]
        files = sorted({test.partition("::")[0] for test in tests})
        world = dict(os.environ, PYTHONPATH=str(self.tree), **{_CHOSEN: str(chosen)})
        try:
            done = subprocess.run(
                [*command, "-p", "tests.mutants", *files],
                cwd=self.tree,
                env=world,
                capture_output=True,
                text=True,
                timeout=self.seconds,
            )
        except subprocess.TimeoutExpired:
            return "does not end"
        failed = [row for row in done.stdout.splitlines() if row.startswith(("FAILED", "ERROR"))]
        return failed[0] if failed else "" if done.returncode == 0 else "does not start"

    def tried(self, file: str, line: int, draw: random.Random, kept: list[str], gone: list[str]) -> str:
        """What changed and who found it: `kept`, `gone` with the test, or nobody."""
        path = self.tree / file
        text = path.read_text()
        changes = list(mutants(text, line))
        if not changes:
            return ""
        changed, what = draw.choice(changes)
        path.write_text(changed)
        try:
            found = "kept" if self.fails(kept) else self.fails(gone)
        finally:
            path.write_text(text)
        return f"{file}:{line} {what}: {found or 'nobody'}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--keep", action="append", default=[], help="tests that stay: a regular expression")
    parser.add_argument("--left", type=int, default=1, help="as of `tests.cover`")
    parser.add_argument("--among", default="", help="changes are tried for tests that begin so")
    parser.add_argument("--tree", type=Path, required=True, help="a copy of the repository, to be changed")
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--rare", type=int, default=40, help="lines that at most so many tests run that stay")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    cover = Cover(options.files)
    gone = set(cover.superfluous(options.keep, options.left))
    kept = np.zeros(len(cover.names), int)
    for test in set(range(len(cover.tests))) - gone:
        kept[cover.rows[test]] += 1
    of_gone = [cover.rows[test] for test in gone if cover.tests[test].startswith(options.among)]
    lines = [k for k in np.unique(np.concatenate(of_gone)).tolist() if cover.names[k].startswith("line ")]
    lines = [place for place in lines if kept[place] <= options.rare]
    draw = random.Random(options.seed)
    draw.shuffle(lines)
    trial, tried = Trial(options.tree, seconds=120), 0
    while lines and tried < options.count:
        place = lines.pop()
        file, _, line = cover.names[place].removeprefix("line ").rpartition(":")
        told = trial.tried(file, int(line), draw, *_running(cover, place, gone))
        tried += bool(told)
        if told:
            print(told, flush=True)


def _running(cover: Cover, place: int, gone: set[int]) -> tuple[list[str], list[str]]:
    """The tests that run a line, quick ones first: those that stay, and those that may go."""
    found = [test for test, row in enumerate(cover.rows) if place in row]
    found.sort(key=lambda test: cover.seconds[test])
    return (
        [cover.tests[test] for test in found if test not in gone],
        [cover.tests[test] for test in found if test in gone],
    )


if __name__ == "__main__":
    main()
