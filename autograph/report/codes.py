"""The findings that `autograph check` knows: a code each, how bad it is, and what to write instead.

>>> CODES["AG102"].severity.value, CODES["AG102"].hint
('error', 'handle single exceptions with `except`')
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Severity(Enum):
    """How bad a finding is. Errors and warnings make the exit status 1, notes do not."""

    ERROR = "error"  # refused, whatever the values are
    WARNING = "warning"  # Python's on plain values, refused when a staged value decides it
    NOTE = "note"  # good to know


@dataclass(frozen=True, slots=True)
class Code:
    """One kind of finding."""

    name: str
    severity: Severity
    title: str
    hint: str
    example: str
    """A program, the smallest there is, that has the finding."""


def _code(name: str, title: str, hint: str, example: str) -> Code:
    severity = {"0": Severity.ERROR, "1": Severity.ERROR, "2": Severity.WARNING, "3": Severity.NOTE}
    return Code(name, severity[name[2]], title, hint, example.strip("\n") + "\n")


_ALL = [
    _code("AG001", "the file cannot be read as Python", "correct the file", "def f(:"),
    _code(
        "AG002",
        "the name `ag__` is reserved for converted code",
        "rename the variable; code that autograph wrote is converted already",
        "def f(ag__): return ag__",
    ),
    _code(
        "AG102",
        "`except*`",
        "handle single exceptions with `except`",
        """
def f(x):
    try:
        y = 1 // int(x)
    except* ZeroDivisionError:
        y = 0
    return y
""",
    ),
    _code(
        "AG103",
        "text that is run as Python",
        "write the code itself, or run the text outside the staged function",
        """
def f(x):
    return eval("x + 1")
""",
    ),
    _code(
        "AG201",
        "a statement of an async function with `await` or `return` in it",
        "await before or after the statement, and compute in a function that is not async",
        """
async def f(x, load):
    if x > 0:
        x = await load()
    return x
""",
    ),
    _code(
        "AG202",
        "a call that sees the variables of its function",
        "name the variables that are wanted, or move the call into a function of its own",
        """
def f(x):
    if x > 0:
        y = 1
    return locals()
""",
    ),
    _code(
        "AG203",
        "a call that counts the frames around it",
        "move the call out of the statement, or pass the name that it looks for",
        """
import sys
def f(x):
    if x > 0:
        x = sys._getframe(0).f_lineno
    return x
""",
    ),
    _code(
        "AG204",
        "a jump that has to stay Python's",
        "set a variable in place of the jump, and test it after the statement",
        """
def f(x):
    for i in range(3):
        try:
            x = x + 1
        finally:
            if x > 1:
                break
    return x
""",
    ),
    _code(
        "AG206",
        "a generator advanced under a condition",
        "iterate over a list or an array with `for`, or take the item before the statement",
        """
def f(x):
    numbers = (n * n for n in (1, 2, 3))
    if x > 0:
        x = next(numbers)
    return x
""",
    ),
    _code(
        "AG207",
        "a global that has no value at module level is assigned under a condition",
        "give it a value first, at module level",
        """
def f(x):
    global total
    if x > 0:
        total = x
""",
    ),
    _code(
        "AG208",
        "a global or nonlocal variable that is deleted in a statement",
        "assign None in place of deleting it",
        """
def f(x):
    global total
    if x > 0:
        del total
""",
    ),
    _code(
        "AG302",
        "a statement that control never reaches",
        "remove it",
        """
def f(x):
    return x
    while x:
        x = x - 1
""",
    ),
    _code(
        "AG303",
        "a statement of a generator with `yield` or `return` in it",
        "let a `for` loop of a staged function consume the generator, which stages what is in it",
        """
def f(x):
    while x > 0:
        x = x - 1
        yield x
""",
    ),
]
CODES: dict[str, Code] = {code.name: code for code in _ALL}
