"""A program beside what becomes of it: `autograph explain`.

>>> from autograph.report.statements import report_on
>>> text = "def f(x):\\n    while x > 1 and x:\\n        x = x / 2\\n    return locals\\n"
>>> print(annotated(report_on(text, "f.py"), 1, 4), end="")
  1                 | def f(x):
  2 staged while: x |     while x > 1 and x:
  3                 |         x = x / 2
  4                 |     return locals
"""

from __future__ import annotations

from autograph.report.formats import becomes
from autograph.report.statements import Becomes, Fate, Report

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
    return label if len(label) <= _WIDEST else f"{label[: _WIDEST - 5].rstrip(' ,')} {_number(label, notes)}"


def _number(text: str, notes: list[str]) -> str:
    if text not in notes:
        notes.append(text)
    return f"[{notes.index(text) + 1}]"


def _label(fate: Fate, notes: list[str]) -> str:
    if fate.becomes is Becomes.STAGED:
        carried = [*fate.carries, *(f"<{flag}>" for flag in fate.flags)]
        return f"staged {fate.kind}" + (f": {', '.join(carried)}" if carried else "")
    if fate.becomes is Becomes.DEAD:
        return "never reached"
    return f"Python {fate.kind}" + ("" if fate.reason is None else f" {_number(becomes(fate), notes)}")
