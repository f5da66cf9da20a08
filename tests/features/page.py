"""docs/situations.md: the table of situations, and the page of their programs, which `make docs` makes.

`python -m tests.features.page` writes the table; a test demands that it is what these rows say.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import pathlib

from tests.features import registry
from tests.features.refused import REFUSED

PAGE = pathlib.Path(__file__).parents[2] / "docs" / "situations.md"

HEAD = """\
# Situations

What people write under a decorator: {count} situations, each with a small program in which control
flow depends on data. {right} are right on both engines: values, types, printed lines, exceptions
and changes to arguments and objects are those of plain Python, call after call. {refused} are
refused. None is silently wrong: the tests run every program beside plain Python.
"""

PROGRAMS = """\
# The programs of the situations

Each program of [the table](../situations.md). One with a `function` argument applies the decorator itself.
"""

#: section -> what happens, where to read of it
SECTIONS = {
    "if": ("each call decides which branch runs", "[Branches](guide/branches.md)"),
    "logic": ("operands run only where Python runs them", "[Branches](guide/branches.md)"),
    "match": ("each call decides which case runs", "[Branches](guide/branches.md)"),
    "while": ("a loop of the graph: each call decides when it ends", "[Loops](guide/loops.md)"),
    "for": ("a loop of the graph, or unrolled where all is known", "[Loops](guide/loops.md)"),
    "loop-else": ("runs where no `break` was met in this call", "[Loops](guide/loops.md)"),
    "promotion": ("dtypes are those of NumPy and Python", "[The promise](promise.md)"),
    "comprehension": ("a loop that makes a container", "[Lists](guide/lists.md)"),
    "builtins": ("works on values of the run", "[What may be called](allowed.md)"),
    "generator": ("advanced by the loop that consumes it", "[Loops](guide/loops.md)"),
    "list": ("may grow and be changed in loops", "[Lists](guide/lists.md)"),
    "dict": ("may gain keys and be changed in loops", "[Lists](guide/lists.md)"),
    "tuple": ("items may be values of the run", "[Lists](guide/lists.md)"),
    "object": ("attributes are read and written in each call", "[Calls](guide/calls.md)"),
    "array-write": ("written in place, in order; views share memory", "[Writes](guide/writes.md)"),
    "array-read": ("indices may be values of the run", "[Writes](guide/writes.md)"),
    "scope": ("names mean what they mean in Python", "[Calls](guide/calls.md)"),
    "call": ("what is called is converted, too", "[Calls](guide/calls.md)"),
    "decorator": ("what decorators made is converted, too", "[Calls](guide/calls.md)"),
    "method": ("a function with the object as an argument", "[Calls](guide/calls.md#methods)"),
    "recursion": (
        "real calls, as deep as the data say",
        "[Calls](guide/calls.md#a-function-that-calls-itself)",
    ),
    "lambda": ("converted as other functions are", "[Calls](guide/calls.md)"),
    "source": ("the source is found, and converted", "[Source](errors/source.md)"),
    "async": ("computes as a function does", "[Calls](guide/calls.md)"),
    "with": ("entered and left in each call", "[Effects](guide/effects.md)"),
    "try": ("each call decides which handler runs", "[Effects](guide/effects.md)"),
    "raise": ("raised by the call, at your line", "[Effects](guide/effects.md)"),
    "assign": ("assigned in each call, in order", "[The promise](promise.md)"),
    "unpack": ("items are taken in each call", "[Lists](guide/lists.md)"),
    "print": ("printed by each call, in order", "[Effects](guide/effects.md)"),
    "string": ("text of values of the run", "[Lists](guide/lists.md)"),
    "misc": ("as in Python", "[The promise](promise.md)"),
    "between-calls": ("the next call sees the change", "[Signatures](guide/signatures.md)"),
    "grad": ("the derivative of the path that ran", "[Gradients](guide/gradients.md)"),
}


def page() -> str:
    """The table as these rows have it."""
    table = registry.table()
    refused = sum(name in REFUSED for _, name in table)
    lines = [HEAD.format(count=len(table), right=len(table) - refused, refused=refused)]
    for section in dict(table):
        lines += [f"\n## {section}\n", "\n| situation | what happens | where to read |\n|---|---|---|\n"]
        happens, where = SECTIONS[section]
        for name in (name for of, name in table if of == section):
            state = "refused" if name in REFUSED else happens
            lines.append(
                f"| [{name}](situations/programs.md#{name.replace(' ', '-')}) | {state} | {where} |\n"
            )
    return "".join(lines)


def programs() -> str:
    """The page of the programs."""
    parts = [PROGRAMS]
    for section in dict(registry.table()):
        parts.append(f"\n## {section}\n")
        parts += [
            f"\n### {name} {{ #{name.replace(' ', '-')} }}\n\n```python\n{text}```\n"
            for name, text in sources_of(section).items()
        ]
    return "".join(parts)


def sources_of(section: str) -> dict[str, str]:
    """The program of each row of a section, without the line that registers it."""
    module = importlib.import_module(registry.module_of(section))
    text = inspect.getsource(module)
    lines = text.splitlines(keepends=True)
    found = {}
    for node in ast.parse(text).body:
        decorators = getattr(node, "decorator_list", [])
        for call in [*decorators, *([node.value] if isinstance(node, ast.Expr) else [])]:
            name = row_name(call)
            if name is not None:
                found[name] = "".join(lines[node.lineno - 1 : node.end_lineno])
    return found


def row_name(call: ast.expr) -> str | None:
    """The name of the row that `row("name", ...)` or `row("name", ...)(program)` registers."""
    while isinstance(call, ast.Call):
        if isinstance(call.func, ast.Name) and call.args and isinstance(call.args[0], ast.Constant):
            return str(call.args[0].value)
        call = call.func
    return None


def main() -> None:
    PAGE.write_text(page(), encoding="utf-8")
    print(f"wrote {PAGE.name}: {len(registry.table())} situations")


if __name__ == "__main__":
    main()
