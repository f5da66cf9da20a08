"""Find the fenced blocks of a Markdown page, with the line each one begins at.

>>> for block in read_blocks('Some words.\\n\\n```python title="a.py"\\nx = 1\\n```\\n'):
...     print(block.language, block.options, block.line, repr(block.text))
python {'title': 'a.py'} 4 'x = 1\\n'

A comment directly above a fence says that its block is for reading only, and why:

>>> page = '<!-- not run: it would start itself -->\\n```console\\n$ make test\\n```\\n'
>>> read_blocks(page)[0].not_run
'it would start itself'
"""

import re
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass

_FENCE = re.compile(r"^(?P<indent> *)(?P<ticks>`{3,}|~{3,})(?P<info>.*)$")
_OPTION = re.compile(r'(\w+)="([^"]*)"')
_NOT_RUN = re.compile(r"^\s*<!-- not run: (.+?) -->\s*$")


@dataclass(frozen=True)
class Block:
    """One fenced block. `line` is the page's line (from 1) that the first line of `text` stands on."""

    language: str
    options: dict[str, str]
    text: str
    line: int
    indent: str = ""
    not_run: str | None = None

    @property
    def lines(self) -> int:
        return self.text.count("\n")


def read_blocks(page: str) -> list[Block]:
    """All fenced blocks of `page`, in order. An unclosed fence is an error, not a long block."""
    return list(_blocks(page.splitlines()))


def _blocks(lines: list[str]) -> Iterator[Block]:
    at = 0
    while at < len(lines):
        opening = _FENCE.match(lines[at])
        if opening is None:
            at += 1
            continue
        end = _closing(lines, at, opening["ticks"])
        info = opening["info"].strip()
        reason = _NOT_RUN.match(lines[at - 1]) if at else None
        yield Block(
            language=info.split(" ", 1)[0],
            options=dict(_OPTION.findall(info)),
            text=textwrap.dedent("".join(line + "\n" for line in lines[at + 1 : end])),
            line=at + 2,
            indent=opening["indent"],
            not_run=reason[1] if reason else None,
        )
        at = end + 1


def _closing(lines: list[str], opened: int, ticks: str) -> int:
    for at in range(opened + 1, len(lines)):
        if lines[at].strip() == ticks:
            return at
    raise ValueError(f"line {opened + 1}: this block is never closed with {ticks}")
