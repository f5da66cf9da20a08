"""The text of functions that stand in no file: of Python's own prompt, `python -c` and `python < file`,
and of what magics of IPython run (`%%time`, `%timeit`).

Python 3.13 keeps the text of the first two. Before, what was typed is in the history of readline, and the
text of `-c` among the arguments of the process. What is found there counts only where compiling it gives the
very code that the function runs, so that nothing is misread: the history has no empty lines, and none that
repeats the line before.
"""

from __future__ import annotations

import ast
import os
import re
import stat
import sys
from collections.abc import Callable, Iterator
from types import CodeType
from typing import Any

PROMPTS = frozenset({"<stdin>", "<console>"})

#: so many lines back, and so many lines of one statement, are looked at
_LINES_BACK, _LINES_OF_ONE = 2000, 300
#: before the statement of a magic: `-n 10 -r1`
_OPTIONS = re.compile(r"^\s*(-\S+\s+(\d+\s+)?)+")


def typed_lines(code: CodeType, is_source: Callable[[list[str]], bool]) -> list[str]:
    """The program that made `code`, or the statement, from the newest on; no lines where there is none."""
    programs = {"<string>": _commands, "<stdin>": _redirected}.get(code.co_filename, list)
    for text in (*programs(), *_magics()):
        program = text.splitlines(keepends=True)
        if is_source(program):
            return program
    if code.co_filename not in PROMPTS:
        return []
    lines = _history()
    mark = re.compile(r"\blambda\b" if code.co_name == "<lambda>" else rf"@|\bdef\s+{code.co_name}\b")
    for first in range(len(lines) - 1, max(-1, len(lines) - _LINES_BACK), -1):
        if not mark.search(lines[first]):
            continue
        begin = first - code.co_firstlineno + 1
        for end in range(first + 1, min(len(lines), first + _LINES_OF_ONE) + 1):
            if begin >= 0 and is_source(lines[begin:end]):
                return lines[begin:end]
    return []


def _commands() -> list[str]:
    """What may be the text of `python -c`: it follows the option, or a group of options that ends in it."""
    given = sys.orig_argv
    options = [i for i, option in enumerate(given) if re.match(r"-[^-]*c", option)]
    return [given[i].partition("c")[2] or "".join(given[i + 1 : i + 2]) for i in options]


def _redirected() -> list[str]:
    """Standard input where it is a file: `python < program.py`, and what some shells make of `<<`."""
    try:
        about = os.fstat(0)
        text = os.pread(0, about.st_size, 0) if stat.S_ISREG(about.st_mode) else b""
        return [text.decode()]
    except (OSError, AttributeError, UnicodeDecodeError):  # closed; no pread on Windows; no text
        return []


def _magics() -> Iterator[str]:
    """What magics of IPython may have run, from the newest on: their last arguments, as it reads them."""
    shell: Any = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    frame = None if shell is None else sys._getframe()
    while frame is not None:  # one that runs now is in no history yet, or is not to be in it
        if frame.f_code.co_name == "run_cell_magic" and isinstance(frame.f_locals.get("cell"), str):
            yield shell.transform_cell(frame.f_locals["cell"])
        frame = frame.f_back
    for cell in [] if shell is None else reversed(shell.history_manager.input_hist_parsed[-_LINES_BACK:]):
        pending = [cell]
        while pending:
            text = pending.pop()
            try:
                found = _arguments_of_magics(ast.parse(text)) if "_magic(" in text else []
                pending += [shell.transform_cell(_OPTIONS.sub("", given)) for given in found]
            except SyntaxError:  # a cell that did not run
                continue
            yield from pending[len(pending) - len(found) :]


def _arguments_of_magics(tree: ast.Module) -> list[str]:
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    magics = [
        node for node in calls if getattr(node.func, "attr", "") in ("run_cell_magic", "run_line_magic")
    ]
    last = [one.args[-1] for one in magics if one.args]
    return [one.value for one in last if isinstance(one, ast.Constant) and isinstance(one.value, str)]


def _history() -> list[str]:
    readline = sys.modules.get("readline")
    if readline is None:
        return []
    count = readline.get_current_history_length()
    typed = [readline.get_history_item(number) or "" for number in range(1, count + 1)]
    return [f"{line}\n" for text in typed for line in text.split("\n")]
