"""Write the real output of every example into docs/errors.md, to be read before it is committed.

    python -m tests.errors.update [WORDS OF A TITLE]

With words, only the entries whose title has them are run, and their output is also printed. The table of
all messages at the end of the page is made anew each time.
"""

import sys
import tempfile
from pathlib import Path

from tests.errors.page import PAGE, Entry, printed_by, read_entries
from tests.errors.table import with_table


def updated(page: str, outputs: list[tuple[Entry, str]]) -> str:
    """The page with other texts in the output blocks of these entries."""
    lines = page.splitlines()
    for entry, printed in reversed(outputs):
        start = entry.output.line - 1
        lines[start : start + entry.output.lines] = printed.rstrip().splitlines()
    return "\n".join(lines) + "\n"


def main(words: list[str]) -> int:
    """Update the page, and say which entries changed."""
    page = PAGE.read_text(encoding="utf-8")
    outputs, changed = [], []
    for entry in read_entries(page):
        if not all(word.lower() in entry.title.lower() for word in words):
            continue
        with tempfile.TemporaryDirectory() as folder:
            outputs.append((entry, printed_by(entry.program, Path(folder))))
        if words or outputs[-1][1].rstrip() != entry.expected.rstrip():
            changed.append(f"--- {entry.title}\n{outputs[-1][1]}")
    PAGE.write_text(with_table(updated(page, outputs)), encoding="utf-8")
    print(*changed, sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
