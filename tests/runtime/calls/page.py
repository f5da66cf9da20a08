"""The tables of docs/allowed.md, made from the table: `python -m tests.runtime.calls.page` writes them."""

from __future__ import annotations

import pathlib
import re
import textwrap

from runtime.allowed import SUBJECTS, Callee, Way
from runtime.messages import NUMPY_CALLS
from runtime.numpy_calls.whole import SCIPY

PAGE = pathlib.Path(__file__).parents[3] / "docs/allowed.md"
#: below it nothing is written by hand
MARK = "## How a call is done\n"


def page() -> str:
    written, mark, _ = PAGE.read_text(encoding="utf-8").partition(MARK)
    assert mark, f"{PAGE} has no line {MARK!r}"
    ways = "".join([f"| {_name(way)} | {way.value} |\n" for way in Way])
    subjects = "".join([f"\n## {subject}\n\n{_table(subject)}" for subject in SUBJECTS])
    return f"{written}{mark}\n| how | |\n|---|---|\n{ways}{subjects}{_numpy()}"


def _name(way: Way) -> str:
    return way.name.lower().replace("_", " ")


def _table(subject: str) -> str:
    rows = [_row(module, names, callee) for module, names, callee in SUBJECTS[subject]]
    return "| module | callees | how | effects |\n|---|---|---|---|\n" + "".join(rows)


def _row(module: str, names: str, callee: Callee) -> str:
    shown = [f"`{name}`" for name in names.split() if not re.match(r"_[^_]|.*\._", name)]
    if not shown:
        return ""
    return f"| `{module}` | {' '.join(shown)} | {_name(callee.way)} | {_effects(callee)} |\n"


def _effects(callee: Callee) -> str:
    effects = callee.effects
    found = ["changes its object or first argument"] if effects.writes else []
    found += ["acts on the world"] if effects.ordered else []
    found += ["takes iterators"] if callee.items else []
    found += ["calls `key`" if "key" in callee.calls else "calls what it is given" if callee.calls else ""]
    return ", ".join([text for text in found if text])


def _numpy() -> str:
    refused = " ".join([f"`{name}`" for name in sorted(NUMPY_CALLS)])
    scipy = ", ".join([f"`{package}`" for package in SCIPY])
    said = (
        "Functions of NumPy are operations of the graph, or are called as a whole in each run. Refused are "
        f"those that act on the world outside, or depend on it: {refused}.",
        f"Functions of {scipy} are called as a whole.",
    )
    texts = [textwrap.fill(text, 98, break_long_words=False, break_on_hyphens=False) for text in said]
    return "\n## NumPy and SciPy\n\n" + "\n\n".join(texts) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
