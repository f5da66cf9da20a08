"""Write the real output of every example into docs/errors/, to be read before it is committed.

    python -m tests.errors.update [WORDS OF A TITLE]

With words, only the entries whose title has them are run, and their output is also printed.
"""

import sys
import tempfile
from pathlib import Path

from tests.errors.page import Entry, all_entries, printed_by


def updated(page: str, outputs: list[tuple[Entry, str]]) -> str:
    """The page with other texts in the output blocks of these entries."""
    lines = page.splitlines()
    for entry, printed in reversed(outputs):
        start = entry.output.line - 1
        lines[start : start + entry.output.lines] = printed.rstrip().splitlines()
    return "\n".join(lines) + "\n"


def main(words: list[str]) -> int:
    """Update the pages, and say which entries changed."""
    for page, entries in all_entries().items():
        outputs = []
        for entry in entries:
            if not all(word.lower() in entry.title.lower() for word in words):
                continue
            with tempfile.TemporaryDirectory() as folder:
                outputs.append((entry, printed_by(entry.program, Path(folder))))
            if words or outputs[-1][1].rstrip() != entry.expected.rstrip():
                print(f"--- {page.name}: {entry.title}\n{outputs[-1][1]}")
        page.write_text(updated(page.read_text(encoding="utf-8"), outputs), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
