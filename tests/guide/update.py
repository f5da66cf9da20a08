"""Write the real output of blocks into documentation pages, to be read before it is committed.

    python -m tests.guide.update docs/tutorial.md

Only the output that disagrees is replaced, so a `...` that still matches stays.
"""

import sys
import tempfile
from pathlib import Path

from tests.guide.page import Outcome, run_page


def updated(text: str, outcomes: list[Outcome]) -> str:
    """`text` with the output blocks that disagree replaced by what was printed."""
    lines = text.splitlines()
    for outcome in reversed(outcomes):
        block = outcome.expected
        if outcome.agrees or block is None:
            continue
        printed = [block.indent + line.rstrip() for line in outcome.printed.rstrip().splitlines()]
        lines[block.line - 1 : block.line - 1 + block.lines] = printed
    return "\n".join(lines) + "\n"


def main(pages: list[str]) -> int:
    """Update each page; say which changed and which blocks print without an output block below them."""
    for page in map(Path, pages):
        before = page.read_text(encoding="utf-8")
        after, outcomes = run(page, before)
        for _ in range(3):  # longer output moves the blocks below it, and some print their lines
            page.write_text(after, encoding="utf-8")
            if all(outcome.agrees for outcome in outcomes):
                break
            after, outcomes = run(page, after)
        print(f"{page}: {'updated' if after != before else 'as it was'}")
        for outcome in outcomes:
            if outcome.expected is None and outcome.printed:
                print(f"{page}:{outcome.line}: prints, and has no ```text block below it")
    return 0


def run(page: Path, text: str) -> tuple[str, list[Outcome]]:
    """The page's text with the output of this run."""
    with tempfile.TemporaryDirectory() as scratch:
        outcomes = run_page(page.stem.replace("-", "_").lower(), text, Path(scratch))
    return updated(text, outcomes), outcomes


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
