"""What `autograph check` finds in a program: each finding with its place, its code and what to write instead.

>>> from autograph.report.statements import report_on
>>> for found in findings_of(report_on("def f(x):\\n    for i in x:\\n        yield i\\n", "f.py")):
...     print(found.line, found.column, found.code.name, found.code.title)
2 5 AG303 a statement of a generator with `yield` or `return` in it

The findings that `autograph check` knows: a code each, how bad it is, and what to write instead.

>>> CODES["AG102"].severity.value, CODES["AG102"].hint
('error', 'handle single exceptions with `except`')
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from typing import Any

import gast

from autograph.analysis.static import own_nodes
from autograph.errors import AutographError, ConversionError, SourceSyntaxError
from autograph.report.statements import Becomes, Fate, FunctionReport, Report

#: what a stage may advance in a run, where it is made of lists or arrays
_OVER_ITEMS = {"iter", "enumerate", "zip", "reversed", "map"}
_RUN_TEXT = {"exec", "eval"}
_IGNORED = re.compile(r"#\s*autograph:\s*ignore(?:\[([A-Z0-9, ]*)\])?")


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing to know about a place of a program. Lines and columns count from 1, columns in characters."""

    file: str
    line: int
    column: int
    end_line: int
    end_column: int
    code: Code
    message: str
    function: str | None = None
    """The qualified name of the function it stands in."""
    source_line: str | None = None
    hint: str | None = None
    """What to write instead."""

    @property
    def severity(self) -> Severity:
        """The code's."""
        return self.code.severity

    def as_error(self) -> AutographError:
        """The finding in the form of autograph's errors, which know how to print themselves."""
        one_line = self.end_line == self.line
        return AutographError(
            f"{self.severity.value} {self.code.name}: {self.message}",
            file=self.file,
            line=self.line,
            column=self.column,
            end_column=self.end_column if one_line else len(self.source_line or "") + 1,
            source_line=self.source_line,
            hint=self.hint,
        )


def findings_of(report: Report) -> list[Finding]:
    """All findings of a program, in the order of its lines; ignored lines left out."""
    found = [finding for function in report.functions for finding in _Finder(report, function).run()]
    kept = [finding for finding in found if not _is_ignored(finding)]
    return sorted(kept, key=lambda finding: (finding.line, finding.column, finding.code.name))


def finding_of_error(error: AutographError, file: str) -> Finding:
    """A file that is refused as a whole, as a finding of it."""
    is_refused = isinstance(error, ConversionError) and not isinstance(error, SourceSyntaxError)
    code = CODES["AG002" if is_refused and error.variable == "ag__" else "AG001"]
    line, column = error.line or 1, error.column or 1
    width = len(error.source_line or "") + 1
    end = min(error.end_column or column + 1, max(width, column + 1))
    return Finding(
        error.file or file, line, column, line, end, code, error.message, None, error.source_line, error.hint
    )


def _is_ignored(finding: Finding) -> bool:
    """Does the line say `# autograph: ignore` or `# autograph: ignore[AG201]`?"""
    match = _IGNORED.search(finding.source_line or "")
    return match is not None and (match[1] is None or finding.code.name in re.split(r"[,\s]+", match[1]))


class _Finder:
    """The findings of one function."""

    def __init__(self, report: Report, function: FunctionReport) -> None:
        self.report = report
        self.function = function
        self.nodes = [node for part in function.node.body for node in own_nodes(part)]

    def run(self) -> Iterator[Finding]:
        yield from self._statements()
        yield from self._calls()
        yield from self._globals()

    def _at(self, node: Any, code: str, message: str, hint: str | None = None) -> Finding:
        return self._finding(
            (node.lineno, node.col_offset, node.end_lineno, node.end_col_offset), code, message, hint
        )

    def _finding(
        self, place: tuple[int, int, int, int], code: str, message: str, hint: str | None = None
    ) -> Finding:
        lines = self.report.lines
        line, column, end_line, end_column = place
        text = lines[line - 1].rstrip("\r\n") if line <= len(lines) else ""
        end_text = lines[end_line - 1].rstrip("\r\n") if end_line <= len(lines) else ""
        kind = CODES[code]
        return Finding(
            self.report.file,
            line,
            _characters(text, column) + 1,
            end_line,
            _characters(end_text, end_column) + 1,
            kind,
            message,
            self.function.name,
            text,
            hint or kind.hint,
        )

    # Statements that stay Python's

    def _statements(self) -> Iterator[Finding]:
        told: list[Fate] = []
        for fate in self.function.fates:
            if fate.becomes is Becomes.DEAD:
                if not any(outer.line <= fate.line <= outer.end_line for outer in told):
                    told.append(fate)
                    yield self._of_fate(fate, "AG302", f"control never reaches this `{fate.kind}`")
            elif fate.reason is not None and fate.reason.code is not None:
                if not any(_says_the_same(outer, fate) for outer in told):
                    told.append(fate)
                    message = f"this `{fate.kind}` stays Python's: {fate.reason.text}"
                    yield self._of_fate(fate, fate.reason.code, message)

    def _of_fate(self, fate: Fate, code: str, message: str) -> Finding:
        start = fate.column - 1
        return self._finding((fate.line, start, fate.line, start + len(fate.kind)), code, message)

    # Calls

    def _calls(self) -> Iterator[Finding]:
        for node in self.nodes:
            if self._calls_builtin(node, _RUN_TEXT):
                message = f"`{node.func.id}` runs text as Python, whose effects a graph would not have"
                yield self._at(node, "AG103", message)
        yield from self._advanced_iterators()

    def _advanced_iterators(self) -> Iterator[Finding]:
        staged = [fate for fate in self.function.fates if fate.becomes is Becomes.STAGED]
        for node in self.nodes:
            if self._calls_builtin(node, {"next"}) and not self._knows_its_place(node.args[:1]):
                around = [f for f in staged if f.line < node.lineno <= f.end_line]
                if around:
                    where = f"the `{around[-1].kind}` of line {around[-1].line}"
                    message = f"`next` advances an iterator inside {where}: staged, it would happen once only"
                    yield self._at(node, "AG206", message)

    def _calls_builtin(self, node: gast.AST, names: set[str]) -> bool:
        is_call = isinstance(node, gast.Call) and isinstance(node.func, gast.Name)
        return is_call and node.func.id in names - self.report.bound

    def _knows_its_place(self, iterators: list[gast.AST]) -> bool:
        """Is it an iterator over items, made in this function: one that a stage can advance in a run?"""
        (iterator,) = iterators or (None,)
        made = [
            node.value
            for node in self.nodes
            if isinstance(node, gast.Assign)
            and any(isinstance(t, gast.Name) and t.id == getattr(iterator, "id", "") for t in node.targets)
        ]
        return bool(made) and all(self._calls_builtin(value, _OVER_ITEMS) for value in made)

    # Names

    def _globals(self) -> Iterator[Finding]:
        declared = {name for node in self.nodes if isinstance(node, gast.Global) for name in node.names}
        missing = declared - self.report.module_names
        if not missing:
            return
        for fate in self.function.fates:
            for name in fate.carries:
                if fate.becomes is Becomes.STAGED and name in missing:
                    missing.discard(name)
                    yield self._of_fate(
                        fate,
                        "AG207",
                        f"this `{fate.kind}` assigns the global `{name}`, which has no value at module level",
                    )


def _says_the_same(outer: Fate, inner: Fate) -> bool:
    """Is the inner statement part of the outer one, and does it stay for the same kind of reason?"""
    if outer.reason is None or inner.reason is None or outer.reason.code != inner.reason.code:
        return False
    return outer.line <= inner.line <= outer.end_line or outer.reason.code == "AG202"


def _characters(text: str, column: int) -> int:
    """A column in bytes of UTF-8 as one in characters."""
    if text.isascii():
        return column
    return len(text.encode("utf-8", "surrogatepass")[:column].decode("utf-8", "replace"))


class Severity(Enum):
    """How bad a finding is. Errors and warnings make the exit status 1, notes do not."""

    ERROR = "error"  # refused, whatever the values are
    WARNING = "warning"  # Python's on plain values, refused when a staged value decides it
    NOTE = "note"  # good to know


@dataclass(frozen=True, slots=True)
class Code:
    """One kind of finding."""

    name: str
    severity: Severity
    title: str
    hint: str
    example: str
    """A program, the smallest there is, that has the finding."""


def _code(name: str, title: str, hint: str, example: str) -> Code:
    severity = {"0": Severity.ERROR, "1": Severity.ERROR, "2": Severity.WARNING, "3": Severity.NOTE}
    return Code(name, severity[name[2]], title, hint, example.strip("\n") + "\n")


_ALL = [
    _code("AG001", "the file cannot be read as Python", "correct the file", "def f(:"),
    _code(
        "AG002",
        "the name `ag__` is reserved for converted code",
        "rename the variable; code that autograph wrote is converted already",
        "def f(ag__): return ag__",
    ),
    _code(
        "AG102",
        "`except*`",
        "handle single exceptions with `except`",
        """
def f(x):
    try:
        y = 1 // int(x)
    except* ZeroDivisionError:
        y = 0
    return y
""",
    ),
    _code(
        "AG103",
        "text that is run as Python",
        "write the code itself, or run the text outside the staged function",
        """
def f(x):
    return eval("x + 1")
""",
    ),
    _code(
        "AG201",
        "a statement of an async function with `await` or `return` in it",
        "await before or after the statement, and compute in a function that is not async",
        """
async def f(x, load):
    if x > 0:
        x = await load()
    return x
""",
    ),
    _code(
        "AG202",
        "a call that sees the variables of its function",
        "name the variables that are wanted, or move the call into a function of its own",
        """
def f(x):
    if x > 0:
        y = 1
    return locals()
""",
    ),
    _code(
        "AG203",
        "a call that counts the frames around it",
        "move the call out of the statement, or pass the name that it looks for",
        """
import sys
def f(x):
    if x > 0:
        x = sys._getframe(0).f_lineno
    return x
""",
    ),
    _code(
        "AG204",
        "a jump that has to stay Python's",
        "set a variable in place of the jump, and test it after the statement",
        """
def f(x):
    for i in range(3):
        try:
            x = x + 1
        finally:
            if x > 1:
                break
    return x
""",
    ),
    _code(
        "AG206",
        "a generator advanced under a condition",
        "iterate over a list or an array with `for`, or take the item before the statement",
        """
def f(x):
    numbers = (n * n for n in (1, 2, 3))
    if x > 0:
        x = next(numbers)
    return x
""",
    ),
    _code(
        "AG207",
        "a global that has no value at module level is assigned under a condition",
        "give it a value first, at module level",
        """
def f(x):
    global total
    if x > 0:
        total = x
""",
    ),
    _code(
        "AG208",
        "a global or nonlocal variable that is deleted in a statement",
        "assign None in place of deleting it",
        """
def f(x):
    global total
    if x > 0:
        del total
""",
    ),
    _code(
        "AG302",
        "a statement that control never reaches",
        "remove it",
        """
def f(x):
    return x
    while x:
        x = x - 1
""",
    ),
    _code(
        "AG303",
        "a statement of a generator with `yield` or `return` in it",
        "let a `for` loop of a staged function consume the generator, which stages what is in it",
        """
def f(x):
    while x > 0:
        x = x - 1
        yield x
""",
    ),
]
CODES: dict[str, Code] = {code.name: code for code in _ALL}
