"""Every block of README.md and docs/ runs and prints what the page says it prints."""

import difflib

import pytest

from tests.guide.page import ROOT, pages, run_page


def difference(page, outcome):
    wanted = outcome.expected.text if outcome.expected else ""
    lines = difflib.unified_diff(
        wanted.splitlines(), outcome.printed.splitlines(), "the page says", "it prints", lineterm=""
    )
    return f"{page}:{outcome.line}: the block prints something else:\n" + "\n".join(lines)


@pytest.mark.parametrize("page", pages(), ids=str)
def test_page(page, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    name = page.stem.replace("-", "_").lower()
    text = (ROOT / page).read_text(encoding="utf-8")
    for package in ("jax", "pandas", "sklearn", "casadi"):
        if f"\nimport {package}" in text or f"\nfrom {package}" in text:
            pytest.importorskip(package, reason=f"the page shows {package}")
    outcomes = run_page(name, text, tmp_path)
    wrong = [difference(page, outcome) for outcome in outcomes if not outcome.agrees]
    assert not wrong, "\n\n".join(wrong)


@pytest.mark.parametrize("words", ["way out", "ways out", "kink", "a graph would keep"])
def test_plain_words_are_used(words):
    assert [page for page in pages() if words in (ROOT / page).read_text(encoding="utf-8").lower()] == []
