"""The text of functions that were typed into Python's own prompt, which keeps no source before Python 3.13.

The lines are in the history of readline. What stands there counts only where compiling it gives the very
code that the function runs, so that nothing is misread: the history has no empty lines, and none that repeats
the line before.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from types import CodeType

PROMPTS = frozenset({"<stdin>", "<console>"})

#: so many lines back, and so many lines of one statement, are looked at
_LINES_BACK, _LINES_OF_ONE = 2000, 300


def typed_lines(code: CodeType, is_source: Callable[[list[str]], bool]) -> list[str]:
    """The statement that made `code`, from the newest on; no lines where there is none."""
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


def _history() -> list[str]:
    readline = sys.modules.get("readline")
    if readline is None:
        return []
    count = readline.get_current_history_length()
    typed = [readline.get_history_item(number) or "" for number in range(1, count + 1)]
    return [f"{line}\n" for text in typed for line in text.split("\n")]
