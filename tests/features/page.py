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

#: where to read of sections
READ = {
    "[Branches](guide/branches.md)": "if logic match",
    "[Loops](guide/loops.md)": "while for loop-else generator",
    "[Lists](guide/lists.md)": "list dict tuple comprehension unpack string",
    "[Writes](guide/writes.md)": "array-write array-read",
    "[Calls](guide/calls.md)": "call decorator lambda async scope object",
    "[Methods](guide/calls.md#methods)": "method",
    "[Recursion](guide/calls.md#a-function-that-calls-itself)": "recursion",
    "[What may be called](allowed.md)": "builtins",
    "[Effects](guide/effects.md)": "with try raise print",
    "[Signatures](guide/signatures.md)": "between-calls",
    "[Gradients](guide/gradients.md)": "grad",
    "[Source](errors/source.md)": "source",
    "[The promise](promise.md)": "promotion assign misc",
}
WHERE = {section: page for page, sections in READ.items() for section in sections.split()}


def page() -> str:
    """The table as these rows have it."""
    table = registry.table()
    refused = sum(name in REFUSED for _, name in table)
    lines = [HEAD.format(count=len(table), right=len(table) - refused, refused=refused)]
    for section in registry.sections():
        lines += [f"\n## {section}\n", "\n| situation | what happens | where to read |\n|---|---|---|\n"]
        for name, happens in ((name, happens) for (of, name), happens in table.items() if of == section):
            state = "refused" if name in REFUSED else happens
            link = f"[{name}](situations/programs.md#{name.replace(' ', '-')})"
            lines.append(f"| {link} | {state} | {WHERE[section]} |\n")
    return "".join(lines)


def programs() -> str:
    """The page of the programs."""
    parts = [PROGRAMS]
    for section in registry.sections():
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
