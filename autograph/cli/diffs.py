r"""The difference between a file and what conversion makes of it, as `patch` and `git apply` take it.

What the file has and the converter does not look at stays as it is: a byte order mark, `\r\n`, a last line
without an end, the encoding.

>>> print(unified("x = 1\nf = g\n", "x = 1\nf = h\n", "a.py").expandtabs(), end="")
--- a.py
+++ a.py        (converted)
@@ -1,2 +1,2 @@
 x = 1
-f = g
+f = h
"""

from __future__ import annotations

import difflib
import re

from autograph.cli.files import UsageError

_BYTE_ORDER_MARK = "\ufeff"
_COOKIE = re.compile(r"^[ \t\f]*#.*?coding[:=]")  # PEP 263


def unified(before: str, after: str, file: str) -> str:
    """A unified diff; empty when nothing changes. `before` is the text as it is written in the file.

    Raises UsageError for a file with lines that end in a carriage return alone, which no patch has.
    """
    if "\r" in before.replace("\r\n", "\n"):
        raise UsageError(
            "a line of this file ends in a carriage return alone, which a diff cannot show",
            file=file,
            hint="convert it with -o, or save it with the line ends of this system",
        )
    mark = _BYTE_ORDER_MARK if before.startswith(_BYTE_ORDER_MARK) else ""
    old = _lines(before.removeprefix(mark))
    new = _written_like(old, _with_cookies_of(old, _lines(after)))
    if mark:
        old, new = ([mark + lines[0], *lines[1:]] for lines in (old, new))
    name = f"{file}\t" if " " in file else file  # as `diff` does: a name ends at a tab
    rows = difflib.unified_diff(old, new, name, file, tofiledate="(converted)")
    return "".join(row if row.endswith("\n") else f"{row}\n\\ No newline at end of file\n" for row in rows)


def _lines(text: str) -> list[str]:
    """The lines with their ends: not those of `str.splitlines`, which also ends one at a form feed."""
    return [line for line in re.split(r"(?<=\n)", text) if line]


def _with_cookies_of(old: list[str], new: list[str]) -> list[str]:
    """`new` with the encoding that the file says it has: the diff is written in that."""
    cookies = [line for line in old[:2] if _COOKIE.match(line)]
    begin = [cookies.pop(0) if _COOKIE.match(line) and cookies else line for line in new[:2]]
    return begin + new[2:]


def _written_like(old: list[str], new: list[str]) -> list[str]:
    """`new` with the line ends of `old`: lines that stay keep theirs, others get the file's most common."""
    plain_old, plain_new = ([line.rstrip("\r\n") for line in lines] for lines in (old, new))
    windows = sum(line.endswith("\r\n") for line in old)
    end = "\r\n" if 2 * windows > len(old) else "\n"
    made: list[str] = []
    for kind, i, j, start, stop in difflib.SequenceMatcher(None, plain_old, plain_new).get_opcodes():
        made += old[i:j] if kind == "equal" else [line + end for line in plain_new[start:stop]]
    return [line if line.endswith("\n") else line + end for line in made[:-1]] + made[-1:]
