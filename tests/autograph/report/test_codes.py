"""The page about the command line lists every code as it is."""

from pathlib import Path

from autograph.report.findings import CODES

PAGE = Path(__file__).parents[3] / "docs" / "guide" / "command-line.md"


def test_the_table_of_codes():
    rows = [row for row in PAGE.read_text(encoding="utf-8").splitlines() if row.startswith("| AG")]
    assert rows == [f"| {c.name} | {c.severity.value} | {c.title} | {c.hint} |" for c in CODES.values()]
