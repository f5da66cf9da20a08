"""How `autograph check` prints: for people, for programs, for GitHub's annotations.

And `autograph explain`: a program beside what becomes of it.

>>> from autograph.report.statements import report_on
>>> text = "def f(x):\\n    while x > 1 and x:\\n        x = x / 2\\n    return locals\\n"
>>> print(annotated(report_on(text, "f.py"), 1, 4), end="")
  1                 | def f(x):
  2 staged while: x |     while x > 1 and x:
  3                 |         x = x / 2
  4                 |     return locals
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from autograph.report.findings import Finding, Severity
from autograph.report.statements import Becomes, Fate, FunctionReport, Report

SCHEMA_VERSION = 1


def to_text(reports: Sequence[Report], findings: Sequence[Finding], quiet: bool = False) -> str:
    """The findings with their source lines, what becomes of each function, and a line that counts."""
    parts = [f"{finding.as_error()}\n" for finding in findings]
    if not quiet:
        parts += [_listing(report) for report in reports]
        parts.append(_summary(reports, findings) + "\n")
    return "\n".join(part for part in parts if part)


def _listing(report: Report) -> str:
    """The functions of a file that have statements of which there is something to say."""
    if report.is_converted:
        return f"{report.file}: converted already\n"
    return "\n".join(_function(report, function) for function in report.functions if function.fates)


def _function(report: Report, function: FunctionReport) -> str:
    lines = [f"{report.file}:{function.line}:{function.column}: {function.name}"]
    lines += [f"{fate.line:6}  {fate.kind:<8}  {becomes(fate)}" for fate in function.fates]
    return "\n".join(lines) + "\n"


def becomes(fate: Fate) -> str:
    """What becomes of a statement, in words.

    >>> becomes(Fate("while", 1, 1, 2, Becomes.STAGED, ("x", "y"), ("break",)))
    'staged, carries x, y, and whether it did `break`'
    """
    if fate.becomes is Becomes.STAGED:
        carried = [", ".join(fate.carries)] if fate.carries else []
        carried += ["whether it did " + ", ".join(f"`{flag}`" for flag in fate.flags)] if fate.flags else []
        return "staged" + (f", carries {', and '.join(carried)}" if carried else "")
    if fate.becomes is Becomes.DEAD:
        return "never reached"
    if fate.reason is None:
        return "Python, as always; what is in it is converted"
    return f"Python: {fate.reason.text}"


def _summary(reports: Sequence[Report], findings: Sequence[Finding]) -> str:
    functions = [function for report in reports for function in report.functions]
    fates = [fate for function in functions for fate in function.fates if "with" not in fate.kind]
    staged = sum(fate.becomes is Becomes.STAGED for fate in fates)
    counted = counts(findings)
    return (
        f"{_number(len(reports), 'file')}, {_number(len(functions), 'function')}: "
        f"{_number(staged, 'statement')} staged, {len(fates) - staged} not; "
        f"{_number(counted['errors'], 'error')}, {_number(counted['warnings'], 'warning')}, "
        f"{_number(counted['notes'], 'note')}"
    )


def _number(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"


def counts(findings: Sequence[Finding]) -> dict[str, int]:
    """How many errors, warnings and notes."""
    return {f"{kind.value}s": sum(finding.severity is kind for finding in findings) for kind in Severity}


def to_json(reports: Sequence[Report], findings: Sequence[Finding]) -> str:
    """One JSON object; docs/guide/command-line.md describes it."""
    document = {
        "version": SCHEMA_VERSION,
        "files": [_json_report(report) for report in reports],
        "findings": [_json_finding(finding) for finding in findings],
        "counts": counts(findings),
    }
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def _json_report(report: Report) -> dict[str, Any]:
    functions = [
        {
            "name": function.name,
            "line": function.line,
            "column": function.column,
            "end_line": function.end_line,
            "statements": [_json_fate(fate) for fate in function.fates],
        }
        for function in report.functions
    ]
    return {"file": report.file, "converted": report.is_converted, "functions": functions}


def _json_fate(fate: Fate) -> dict[str, Any]:
    return {
        "kind": fate.kind,
        "line": fate.line,
        "column": fate.column,
        "end_line": fate.end_line,
        "becomes": fate.becomes.value,
        "carries": list(fate.carries),
        "jumps": list(fate.flags),
        "reason": fate.reason and fate.reason.text,
    }


def _json_finding(finding: Finding) -> dict[str, Any]:
    return {
        "file": finding.file,
        "line": finding.line,
        "column": finding.column,
        "end_line": finding.end_line,
        "end_column": finding.end_column,
        "severity": finding.severity.value,
        "code": finding.code.name,
        "message": finding.message,
        "hint": finding.hint,
        "function": finding.function,
    }


_COMMANDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "notice"}


def to_github(findings: Sequence[Finding]) -> str:
    """Workflow commands, which GitHub shows beside the lines of a change."""
    return "".join(
        f"::{_COMMANDS[finding.severity]} file={_property(finding.file)},line={finding.line},"
        f"endLine={finding.end_line},col={finding.column},endColumn={finding.end_column},"
        f"title={_property(finding.code.name)}::{_data(_github_message(finding))}\n"
        for finding in findings
    )


def _github_message(finding: Finding) -> str:
    return f"{finding.message}\nhint: {finding.hint}" if finding.hint else finding.message


def _data(text: str) -> str:
    """Text as the data of a workflow command.

    >>> _data("100% of\\nit")
    '100%25 of%0Ait'
    """
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


_WIDEST = 36


def annotated(report: Report, first: int, last: int) -> str:
    """Lines `first` to `last` with a margin, then the notes that the margin refers to."""
    notes: list[str] = []
    margins: dict[int, list[str]] = {line: [] for line in range(first, last + 1)}
    for function in report.functions:
        for fate in function.fates:
            if fate.line in margins:
                margins[fate.line].append(_label(fate, notes))
    for line, operators in report.operators.items():
        if line in margins and not margins[line]:
            margins[line] = ["asks: " + ", ".join(operators)]
    labels = {line: _short("; ".join(parts), notes) for line, parts in margins.items()}
    width = max(map(len, labels.values()))
    digits = max(len(str(last)), 3)
    lines = [line.rstrip("\r\n") for line in report.lines]
    out = [
        f"{line:{digits}} {label:{width}} | {lines[line - 1] if line <= len(lines) else ''}".rstrip()
        for line, label in labels.items()
    ]
    if report.is_converted:
        notes.append("this file is converted already")
    out += ["", *(f"[{number}] {text}" for number, text in enumerate(notes, 1))] if notes else []
    return "\n".join(out) + "\n"


def _short(label: str, notes: list[str]) -> str:
    """The label, or its beginning where it is too long for the margin."""
    return label if len(label) <= _WIDEST else f"{label[: _WIDEST - 5].rstrip(' ,')} {_noted(label, notes)}"


def _noted(text: str, notes: list[str]) -> str:
    if text not in notes:
        notes.append(text)
    return f"[{notes.index(text) + 1}]"


def _label(fate: Fate, notes: list[str]) -> str:
    if fate.becomes is Becomes.STAGED:
        carried = [*fate.carries, *(f"<{flag}>" for flag in fate.flags)]
        return f"staged {fate.kind}" + (f": {', '.join(carried)}" if carried else "")
    if fate.becomes is Becomes.DEAD:
        return "never reached"
    return f"Python {fate.kind}" + ("" if fate.reason is None else f" {_noted(becomes(fate), notes)}")
