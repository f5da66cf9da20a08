"""docs/errors/every-message.md: `make docs` makes it of our sources and the examples of the other pages."""

import functools
import re
from pathlib import Path

from autograph.report.findings import CODES
from tests.errors.inventory import Message, inventory
from tests.errors.page import DOCS, Entry, all_entries

PAGE = """\
# Every message

All refusals there are, in alphabetical order of their words; `…` stands for what differs from case to case.

| message | what to write instead | example |
|---|---|---|
{messages}
## What `autograph check` finds

Without running anything, [`autograph check`](../guide/command-line.md) reports what cannot be staged. Its
findings have codes, which `--select`, `--ignore` and comments `# autograph: ignore[AG201]` name.

| code | severity | finding | what to write instead |
|---|---|---|---|
{findings}"""

Examples = dict[Path, list[Entry]]


def every_message() -> str:
    """The page."""
    examples = all_entries()
    rows = (f"| {_cell(m.message)} | {_cell(m.hint or '')} | {_link(m, examples)} |\n" for m in inventory())
    findings = (
        f"| {code.name} | {code.severity.value} | {_cell(code.title)} | {_cell(code.hint)} |\n"
        for code in CODES.values()
    )
    return PAGE.format(messages="".join(rows), findings="".join(findings))


def examples_of(message: Message, entries: list[Entry]) -> list[Entry]:
    """The examples that print this message. Its own words have to be there, not only its gaps."""
    if len(re.sub(r"\W", "", message.message)) < 12:
        return []
    return [entry for entry in entries if message.matches(_first_line(entry.expected))]


@functools.cache
def _first_line(text: str) -> str:
    return next((line for line in text.splitlines() if "Error: " in line), "")


def _link(message: Message, examples: Examples) -> str:
    for page, entries in examples.items():
        for entry in examples_of(message, entries):
            up = "../" if page.parent == DOCS else ""
            return f"[{_cell(entry.title)}]({up}{page.name}#{_anchor(entry.title)})"
    return ""


def _anchor(title: str) -> str:
    return re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", title).strip().lower())


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|").replace("<", "&lt;")
