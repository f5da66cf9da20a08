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

from collections.abc import Callable
from dataclasses import dataclass, field

from autograph.report.formats import becomes
from autograph.report.statements import Becomes, Fate, Report

_WIDEST = 36
Paint = Callable[[str, Becomes | None], str]


@dataclass(slots=True)
class _Margin:
    """What stands beside one line."""

    label: str = ""
    becomes: Becomes | None = None


@dataclass(slots=True)
class _Notes:
    """What is too long for the margin."""

    texts: list[str] = field(default_factory=list)

    def number(self, text: str) -> str:
        if text not in self.texts:
            self.texts.append(text)
        return f"[{self.texts.index(text) + 1}]"


def annotated(
    report: Report, first: int, last: int, paint: Paint | None = None, source: list[str] | None = None
) -> str:
    """Lines `first` to `last` with a margin, then the notes that the margin refers to.

    `source` are the lines as they are to be shown (in colour), the file's own without it.
    """
    notes = _Notes()
    margins = {line: _Margin() for line in range(first, last + 1)}
    for function in report.functions:
        for fate in function.fates:
            if fate.line in margins:
                _add(margins[fate.line], fate, notes)
    for line, operators in sorted(report.operators.items()):
        if line in margins and not margins[line].label:
            margins[line] = _Margin("asks: " + ", ".join(operators), Becomes.STAGED)
    for margin in margins.values():
        if len(margin.label) > _WIDEST:
            margin.label = f"{margin.label[: _WIDEST - 5].rstrip(' ,')} {notes.number(margin.label)}"
    width = max(len(margin.label) for margin in margins.values())
    digits = max(len(str(last)), 3)
    lines = source or [line.rstrip("\r\n") for line in report.lines]
    out = []
    for line, margin in margins.items():
        label = margin.label.ljust(width)
        label = paint(label, margin.becomes) if paint else label
        text = lines[line - 1] if line <= len(lines) else ""
        out.append(f"{line:{digits}} {label} | {text}".rstrip())
    if report.is_converted:
        notes.number("this file is converted already")
    out += [""] if notes.texts else []
    out += [f"[{number}] {text}" for number, text in enumerate(notes.texts, 1)]
    return "\n".join(out) + "\n"


def _add(margin: _Margin, fate: Fate, notes: _Notes) -> None:
    label = _label(fate, notes)
    margin.label = f"{margin.label}; {label}" if margin.label else label
    margin.becomes = fate.becomes if margin.becomes is None else margin.becomes


def _label(fate: Fate, notes: _Notes) -> str:
    if fate.becomes is Becomes.STAGED:
        carried = [*fate.carries, *(f"<{flag}>" for flag in fate.flags)]
        return f"staged {fate.kind}" + (f": {', '.join(carried)}" if carried else "")
    if fate.becomes is Becomes.DEAD:
        return "never reached"
    if fate.reason is None:
        return f"Python {fate.kind}"
    return f"Python {fate.kind} {notes.number(becomes(fate))}"
