"""docs/errors/ as a list of mistakes: run one as a user's file, give the text of its error.

Every entry is a heading, a Python block titled `mistake.py`, and the text that the mistake prints:

>>> text = '### A name\\n\\n```python title="mistake.py"\\n1 / 0\\n```\\n\\n```text\\nshown\\n```\\n'
>>> [entry] = read_entries(text)
>>> entry.title, entry.program, entry.expected
('A name', '1 / 0\\n', 'shown\\n')
"""

import contextlib
import io
import linecache
import re
import sys
import traceback
import types
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import autograph
import runtime as rt
import tests.quiet  # noqa: F401
from tests.guide.markdown import Block, read_blocks

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGES = [DOCS / "errors.md", *sorted((DOCS / "errors").glob("*.md"))]
FILE = "mistake.py"

#: what every example may use without importing it; the page says so at its top
GIVEN = {"np": np, "rt": rt, "autograph": autograph}


@dataclass(frozen=True)
class Entry:
    """One mistake of a page. `output` is its text block: what was `expected` when the page was written."""

    title: str
    program: str
    output: Block

    @property
    def expected(self) -> str:
        return self.output.text


def read_entries(page: str) -> list[Entry]:
    """The entries of the page, in order."""
    lines = page.splitlines()
    blocks = read_blocks(page)
    entries = []
    for block, output in zip(blocks, blocks[1:], strict=False):
        if block.options.get("title") != FILE or output.language != "text":
            continue
        title = next(line for line in reversed(lines[: block.line]) if re.match(r"#+ ", line))
        entries.append(Entry(title.lstrip("# "), block.text, output))
    return entries


def all_entries() -> dict[Path, list[Entry]]:
    """The entries of each page."""
    return {page: read_entries(page.read_text(encoding="utf-8")) for page in PAGES}


def printed_by(program: str, folder: Path, engine: str = "numpy", given: dict[str, Any] | None = None) -> str:
    """What a user sees who runs `program`: what it prints, warnings, and the error it ends with."""
    path = folder / FILE
    path.write_text(program, encoding="utf-8")
    linecache.checkcache(str(path))
    module = types.ModuleType("mistake")
    module.__dict__.update({**GIVEN, **(given or {})}, __file__=str(path))
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed), _module(module):
        with warnings.catch_warnings(), np.errstate(), _engine(engine), contextlib.chdir(folder):
            warnings.simplefilter("always")
            warnings.showwarning = _show_warning
            try:
                exec(compile(program, str(path), "exec", dont_inherit=True), module.__dict__)
            except BaseException as error:  # SystemExit and groups are errors to show, too
                printed.write("".join(_shown(error, str(path))))
    return printed.getvalue().replace(str(folder) + "/", "")


def _shown(error: BaseException, file: str) -> Iterable[str]:
    """A refusal says its place itself; an exception of the program has its traceback, the user's lines only.

    Without carets: each version of Python sets them in another way.
    """
    shown = traceback.TracebackException.from_exception(error)
    if isinstance(error, autograph.AutographError):
        return shown.format_exception_only()
    shown.stack = traceback.StackSummary.from_list(
        [(e.filename, e.lineno, e.name, e.line) for e in shown.stack if e.filename == file]
    )
    return shown.format()


def _show_warning(message: Any, category: Any, filename: str, lineno: int, *rest: Any) -> None:
    sys.stderr.write(f"{filename}:{lineno}: {category.__name__}: {message}\n")


@contextlib.contextmanager
def _module(module: types.ModuleType) -> Iterator[None]:
    sys.modules[module.__name__] = module
    try:
        yield
    finally:
        del sys.modules[module.__name__]


@contextlib.contextmanager
def _engine(engine: str) -> Iterator[None]:
    """The engine of functions that name none."""
    from runtime.functions.functions import Function

    before = Function.__init__.__kwdefaults__["engine"]
    made = rt.function.__kwdefaults__["engine"]
    Function.__init__.__kwdefaults__["engine"] = rt.function.__kwdefaults__["engine"] = engine
    try:
        yield
    finally:
        Function.__init__.__kwdefaults__["engine"] = before
        rt.function.__kwdefaults__["engine"] = made
