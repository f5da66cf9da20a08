"""Every example of docs/errors.md and docs/errors/ prints exactly what the page says, on both engines."""

import re

import pytest

from tests.errors.inventory import inventory
from tests.errors.page import all_entries, printed_by
from tests.errors.table import examples_of

ENTRIES = [entry for entries in all_entries().values() for entry in entries]


@pytest.mark.parametrize("engine", ["numpy", "native"])
@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.title)
def test_the_text_is_as_the_page_says(entry, engine, tmp_path):
    assert printed_by(entry.program, tmp_path, engine).rstrip() == entry.expected.rstrip()


def test_every_example_shows_an_error():
    assert [entry.title for entry in ENTRIES if not entry.expected.strip()] == []


def test_most_messages_have_an_example():
    shown = [message for message in inventory() if examples_of(message, ENTRIES)]
    assert len(shown) >= 60


def test_an_error_has_all_its_parts():
    """A refusal says where, shows the line with carets, gives the reason, and what to write instead."""
    for entry in ENTRIES:
        match = re.search(r"^autograph\.errors\.(\w+): (.*)", entry.expected, re.M | re.S)
        if match is None or match[1] == "SourceNotFoundError":  # no source, no line
            continue
        lines = match[2].splitlines()
        if entry.title not in WITHOUT_PLACE:
            assert re.match(r"mistake\.py:\d+:\d+: ", lines[0]), entry.title
            assert set(lines[2].strip()) == {"^"}, entry.title
        assert any(line.startswith("hint: ") for line in lines), entry.title


#: what is wrong is a value that was given from somewhere, not a place of the program
WITHOUT_PLACE = {"A class to convert", "A value is converted", "A file that was edited after it was imported"}


def test_titles_are_different():
    titles = [entry.title for entry in ENTRIES]
    assert len(set(titles)) == len(titles)
