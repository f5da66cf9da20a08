"""The table of all messages at the end of docs/errors.md, made from our sources and the page's examples."""

import functools
import re

from autograph.report.codes import CODES
from tests.errors.inventory import Message, inventory
from tests.errors.page import Entry, read_entries

HEADING = "## Every message"
INTRODUCTION = """
All refusals there are, in alphabetical order of their words; `…` stands for what differs from case to case.
It is made from the sources (`python -m tests.errors.update`), and the tests demand that none is missing.

| message | what to write instead | example |
|---|---|---|
"""


CHECK = """\
## What `autograph check` finds

Without running anything, [`autograph check`](guide/command-line.md) reports what cannot be staged. Its
findings have codes, which `--select`, `--ignore` and comments `# autograph: ignore[AG201]` name.

| code | severity | finding | what to write instead |
|---|---|---|---|
"""


def with_table(page: str) -> str:
    """The page with the table as it is to be."""
    above = page.partition(HEADING + "\n")[0].rstrip()
    return f"{above}\n\n{HEADING}\n{INTRODUCTION}{table(read_entries(page))}\n{findings()}"


def findings() -> str:
    """The findings of `autograph check`, with their codes."""
    rows = [
        f"| {code.name} | {code.severity.value} | {_cell(code.title)} | {_cell(code.hint)} |\n"
        for code in CODES.values()
    ]
    return CHECK + "".join(rows)


def table(entries: list[Entry]) -> str:
    """The rows of the table."""
    return "".join(
        f"| {_cell(m.message)} | {_cell(m.hint or '')} | {_link(m, entries)} |\n" for m in inventory()
    )


def examples_of(message: Message, entries: list[Entry]) -> list[Entry]:
    """The examples that print this message. Its own words have to be there, not only its gaps."""
    if len(re.sub(r"\W", "", message.message)) < 12:
        return []
    return [entry for entry in entries if message.matches(_first_line(entry.expected))]


@functools.cache
def _first_line(text: str) -> str:
    return next((line for line in text.splitlines() if "Error: " in line), "")


def _link(message: Message, entries: list[Entry]) -> str:
    found = examples_of(message, entries)
    return f"[{_cell(found[0].title)}](#{_anchor(found[0].title)})" if found else ""


def _anchor(title: str) -> str:
    return re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", title).strip().lower())


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|").replace("<", "&lt;")
