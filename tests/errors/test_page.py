"""Every example of docs/errors.md prints exactly what the page says, on both engines."""

from pathlib import Path

import pytest

from tests.errors.page import PAGE, Entry, printed_by, read_entries

ENTRIES = read_entries(PAGE.read_text(encoding="utf-8"))


@pytest.mark.parametrize("engine", ["numpy", "native"])
@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.title)
def test_the_text_is_as_the_page_says(entry: Entry, engine: str, tmp_path: Path) -> None:
    assert printed_by(entry.program, tmp_path, engine).rstrip() == entry.expected.rstrip()


def test_titles_are_different() -> None:
    titles = [entry.title for entry in ENTRIES]
    assert len(set(titles)) == len(titles)
