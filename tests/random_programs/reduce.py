"""Make a failing program smaller while it keeps failing: drop statements, then calls, then simplify.

>>> text = "def f(a):\\n    b = 1\\n    if a:\\n        b = len(str(a))\\n    return b + a\\n"
>>> print(reduce(Program(text, ("1", "2")), lambda p: "len" in p.source))
def f(a):
    b = len
<BLANKLINE>
f(2)
<BLANKLINE>
"""

from __future__ import annotations

import ast
import copy
import dataclasses
import time
from collections.abc import Callable, Iterator

from tests.random_programs.program import Program

Fails = Callable[[Program], bool]


def reduce(program: Program, fails: Fails, attempts: int = 600, seconds: float = 60) -> Program:
    """The smallest failing program that greedy steps find in so many attempts, or so long."""
    left = [attempts]
    end = time.monotonic() + seconds

    def still(candidate: Program) -> bool:
        left[0] = left[0] - 1 if time.monotonic() < end else 0
        return fails(candidate)

    smaller: Program | None = program
    while smaller is not None and left[0] > 0:
        program = smaller
        smaller = next((p for p in smaller_programs(program) if left[0] > 0 and still(p)), None)
    return program


def smaller_programs(program: Program) -> Iterator[Program]:
    """Every program that is one step smaller, the largest steps first."""
    for number in range(len(program.calls)):
        calls = program.calls[:number] + program.calls[number + 1 :]
        if calls:
            yield dataclasses.replace(program, calls=calls)
    tree = ast.parse(program.source)
    for change in [*_statement_changes(tree), *_expression_changes(tree)]:
        candidate = copy.deepcopy(tree)
        if not change(candidate):
            continue
        try:
            text = ast.unparse(ast.fix_missing_locations(candidate)) + "\n"
        except (AttributeError, ValueError, TypeError, AssertionError):  # no program any more
            continue
        if len(text) < len(program.source) and "def f(" in text:
            yield dataclasses.replace(program, source=text)


def _blocks(tree: ast.AST) -> list[list[ast.stmt]]:
    blocks = []
    for node in ast.walk(tree):
        for _, value in ast.iter_fields(node):
            if isinstance(value, list) and value and isinstance(value[0], ast.stmt):
                blocks.append(value)
    return blocks


def _statement_changes(tree: ast.AST) -> Iterator[Callable[[ast.AST], bool]]:
    """Remove a statement, or put its block in its place."""
    places = [(b, s) for b, block in enumerate(_blocks(tree)) for s in range(len(block))]
    for b, s in places:
        yield lambda t, b=b, s=s: _replace(_blocks(t)[b], s, [])
        statement = _blocks(tree)[b][s]
        for field in ("body", "orelse", "finalbody"):
            if isinstance(statement, ast.If | ast.For | ast.While | ast.Try | ast.With):
                if getattr(statement, field, None):
                    yield lambda t, b=b, s=s, f=field: _replace(
                        _blocks(t)[b], s, getattr(_blocks(t)[b][s], f)
                    )
        if getattr(statement, "orelse", None):
            yield lambda t, b=b, s=s: _drop_else(_blocks(t)[b][s])


def _replace(block: list[ast.stmt], index: int, by: list[ast.stmt]) -> bool:
    block[index : index + 1] = by
    if not block:
        block.append(ast.Pass())
    return True


def _hoist_block(block: list[ast.stmt], index: int, field: str) -> bool:
    return _replace(block, index, getattr(block[index], field))


def _drop_else(statement: ast.stmt) -> bool:
    statement.orelse = []  # type: ignore[attr-defined]
    return True


def _expressions(tree: ast.AST) -> list[tuple[ast.AST, str, int | None]]:
    found: list[tuple[ast.AST, str, int | None]] = []
    for node in ast.walk(tree):
        for field, value in ast.iter_fields(node):
            if isinstance(value, ast.expr):
                found.append((node, field, None))
            elif isinstance(value, list):
                found += [(node, field, i) for i, item in enumerate(value) if isinstance(item, ast.expr)]
    return found


def _expression_changes(tree: ast.AST) -> Iterator[Callable[[ast.AST], bool]]:
    """Put one of its own parts in the place of an expression."""
    for number, (node, field, index) in enumerate(_expressions(tree)):
        value = getattr(node, field)
        expression = value if index is None else value[index]
        parts = [part for part in ast.iter_child_nodes(expression) if isinstance(part, ast.expr)]
        for part in range(len(parts)):
            yield lambda t, n=number, p=part: _hoist(t, n, p)


def _hoist(tree: ast.AST, number: int, part: int) -> bool:
    node, field, index = _expressions(tree)[number]
    value = getattr(node, field)
    expression = value if index is None else value[index]
    context = getattr(expression, "ctx", None)
    if context is not None and not isinstance(context, ast.Load):
        return False
    new = [p for p in ast.iter_child_nodes(expression) if isinstance(p, ast.expr)][part]
    if index is None:
        setattr(node, field, new)
    else:
        value[index] = new
    return True
