"""The statements of the functions that a trace ran through, and what became of each.

A statement is *staged* (it is operations of the graph), *unrolled* (a loop that ran while tracing, each time
round staged by itself), *constant* (a condition that was known while tracing), run *as Python* (no operation
comes of it), *not reached* or *refused*. Where a function is refused, those before are just *reached*.
"""

from __future__ import annotations

import ast
import linecache
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

from runtime.functions.recorded_lines import Lines
from runtime.graph import Graph, Operation

_CONTROL = {ast.If: "if", ast.While: "while", ast.For: "for", ast.Try: "try"}
_JUMPS = (ast.Return, ast.Raise, ast.Break, ast.Continue)
_Function: TypeAlias = "ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda"


@dataclass(frozen=True)
class Statement:
    """One statement: where it stands, its first line, and what became of it."""

    file: str
    line: int
    function: str
    text: str
    fate: str
    detail: str = ""

    def __str__(self) -> str:
        said = f"{self.fate}: {self.detail}" if self.detail else self.fate
        return f"{self.line:6d}  {self.text:50s}  # {said}"


def statements_of(
    graph: Graph,
    lines: Lines | None,
    by_kernel: set[tuple[str, int, str]],
    refused: tuple[str, int] | None = None,
) -> list[Statement]:
    """All statements of the functions that the graph or the recorded lines come from.

    lines: which lines ran, None where that was not recorded. by_kernel: operations (file, line, name) that
    machine code leaves to NumPy. refused: the line of an error.
    """
    operations: dict[tuple[str, int], list[Operation]] = defaultdict(list)
    for operation in [operation for part in graph.whole() for operation in part.operations()]:
        does_nothing = operation.is_constant or operation.is_undef or operation.is_landing
        if operation.location is not None and not does_nothing:
            operations[operation.location.file, operation.location.line].append(operation)
    places = {*operations, *(lines or ()), *([refused] if refused is not None else ())}
    files = sorted({file for file, _ in places})
    reached = {
        file: list(functions_in(file, {line for where, line in places if where == file})) for file in files
    }
    names = {name.rpartition(".")[2] for functions in reached.values() for name, _ in functions}
    found: list[Statement] = []
    for file, functions in reached.items():
        teller = _Teller(file, operations, lines, by_kernel, refused, names)
        for name, function in functions:
            found += teller.function(name, function)
    return found


def functions_in(file: str, touched: set[int]) -> Iterator[tuple[str, _Function]]:
    """The functions of a file that hold one of these lines, innermost first meant, in source order."""
    try:
        tree = ast.parse("".join(linecache.getlines(file)))
    except SyntaxError:  # a line of a notebook, an expression: then there is no list
        return
    inside: dict[int, _Function] = {}
    names: dict[_Function, str] = {}
    for node, name in _functions(tree, ""):
        names[node] = name
        first = node.body.lineno if isinstance(node, ast.Lambda) else node.body[0].lineno
        for line in range(first, (node.end_lineno or first) + 1):
            inside[line] = node
    reached = {inside[line] for line in touched if line in inside}
    for node in sorted(reached, key=lambda node: (node.lineno, node.col_offset)):
        yield names[node], node


def _functions(node: ast.AST, prefix: str) -> Iterator[tuple[_Function, str]]:
    for child in ast.iter_child_nodes(node):
        name = prefix
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            name = f"{prefix}.{child.name}" if prefix else child.name
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
            yield child, name
        elif isinstance(child, ast.Lambda):
            yield child, f"{prefix}.<lambda>" if prefix else "<lambda>"
        yield from _functions(child, name)


class _Teller:
    """Says what became of the statements of one file."""

    def __init__(
        self,
        file: str,
        operations: dict[tuple[str, int], list[Operation]],
        lines: Lines | None,
        by_kernel: set[tuple[str, int, str]],
        refused: tuple[str, int] | None,
        reached: set[str],
    ) -> None:
        self.file = file
        self.operations = operations
        self.lines = lines
        self.by_kernel = by_kernel
        self.refused = refused
        self.reached = reached
        self.name = ""
        self.before: ast.stmt | None = None  # what stands before the statement, in its block

    def function(self, name: str, function: _Function) -> list[Statement]:
        self.name = name
        if isinstance(function, ast.Lambda):
            return [self._tell(function.body, function.body.lineno, function.body.end_lineno, False)]
        body = function.body
        if isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant) and len(body) > 1:
            body = body[1:]  # the docstring
        return [s for node in body for s in self._statements(node, False)]

    def _statements(self, node: ast.stmt, in_loop: bool) -> Iterator[Statement]:
        inner = [child for block in _blocks(node) for child in block]
        last = inner[0].lineno - 1 if inner else node.end_lineno
        last = max(node.lineno, min(last or node.lineno, node.end_lineno or node.lineno))
        yield self._tell(node, node.lineno, last, in_loop)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            return  # told by itself where it is reached
        is_staged = any(op.is_loop for op in self._at(node.lineno, last))
        staged_loop = in_loop or (isinstance(node, ast.For | ast.While) and is_staged)
        for block in _blocks(node):
            for before, child in zip([None, *block], block, strict=False):
                self.before = before
                yield from self._statements(child, staged_loop)

    def _tell(self, node: ast.AST, first: int, last: int | None, in_loop: bool) -> Statement:
        fate, detail = self._fate(node, first, last or first, in_loop)
        text = linecache.getline(self.file, first).rstrip()
        return Statement(self.file, first, self.name, text, fate, detail)

    def _fate(self, node: ast.AST, first: int, last: int, in_loop: bool) -> tuple[str, str]:
        if self.refused is not None and self.refused[0] == self.file and first <= self.refused[1] <= last:
            return "refused", ""
        found = self._at(first, last)
        names = self._names(found)
        control = _CONTROL.get(type(node))
        staged = [op.name for op in found if op.is_loop or op.name == control]
        if control is not None and staged:
            return "staged", staged[0]
        if isinstance(node, ast.Assert) and found:
            return "staged", "assert"
        ran = self.lines is None or self._reached(first, last) or self._falls_into(node)
        if isinstance(node, ast.For | ast.While) and (ran or found):
            return "unrolled", self._times(node, in_loop)
        if isinstance(node, ast.If) and not found:
            return self._constant(node) if ran else ("not reached", "")
        if found:
            return "staged", names
        called = [] if control or not ran else self._calls(node)
        if called:
            return "staged", f"what {', '.join(called)} does"
        if self.lines is None:
            return "as Python, or not reached", ""
        if ran:
            return ("as Python" if self.refused is None else "reached"), ""
        return "not reached", ""

    def _calls(self, node: ast.AST) -> list[str]:
        """The functions with statements of their own here that a statement calls."""
        calls = [part.func for part in ast.walk(node) if isinstance(part, ast.Call)]
        names = [f.id if isinstance(f, ast.Name) else getattr(f, "attr", "") for f in calls]
        return [f"{name}()" for name in dict.fromkeys(names) if name in self.reached]

    def _names(self, found: list[Operation]) -> str:
        told = {}
        for op in found:
            assert op.location is not None
            kernel = (self.file, op.location.line, op.name) in self.by_kernel
            name = f"@{op.attributes['function']}" if op.is_call else op.name
            told[name] = f"{name} (NumPy)" if kernel else name
        return ", ".join(told.values())

    def _at(self, first: int, last: int) -> list[Operation]:
        return [op for line in range(first, last + 1) for op in self.operations.get((self.file, line), ())]

    def _times(self, node: ast.For | ast.While, in_loop: bool) -> str:
        """How often a loop went round while tracing; inside a staged loop, which is traced more than
        once, nobody counts, nor in a loop of one line, whose lines do not tell its turns."""
        if self.lines is None or in_loop or node.body[0].lineno == node.lineno:
            return ""
        first = self.lines.get((self.file, node.body[0].lineno), 0)  # more than once a turn, for an `if`
        count = self.lines.get((self.file, -node.lineno), first)
        return f"{count} time{'s' * (count != 1)}"

    def _constant(self, node: ast.If) -> tuple[str, str]:
        if self.lines is None:
            return "constant", ""
        taken = self._ran(node.body)
        if not taken and node.orelse and not self._ran(node.orelse):
            return "constant", ""
        return "constant", "taken" if taken else "not taken"

    def _falls_into(self, node: ast.AST) -> bool:
        """A `continue` that ends a block leaves no code: it is reached where what stands before it is."""
        before = self.before
        return (
            isinstance(node, ast.Continue)
            and before is not None
            and not any(isinstance(part, _JUMPS) for part in ast.walk(before))
            and self._ran([before])
        )

    def _ran(self, body: list[ast.stmt]) -> bool:
        return self._reached(body[0].lineno, body[-1].end_lineno or body[-1].lineno)

    def _reached(self, first: int, last: int) -> bool:
        return self.lines is not None and any(
            (self.file, line) in self.lines for line in range(first, last + 1)
        )


def _blocks(node: ast.stmt) -> Iterator[list[ast.stmt]]:
    """The blocks of statements in a statement, in order."""
    for name in ("body", "handlers", "orelse", "finalbody", "cases"):
        parts = getattr(node, name, [])
        if parts and isinstance(parts[0], ast.stmt):
            yield parts
        else:
            yield from (part.body for part in parts)
