"""docs/situations.md: the table of situations, each with the program that the tests run.

`python -m tests.features.page` writes it; a test demands that it is what these rows say.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import pathlib
import textwrap

from tests.features import registry
from tests.features.refused import REFUSED

PAGE = pathlib.Path(__file__).parents[2] / "docs" / "situations.md"

HEAD = """\
# Situations

What people write under a decorator like this one: {count} situations, each a small program with control flow
that depends on data. {right} are right here, on both engines: values, types, printed lines, exceptions and
changes to arguments and objects are those of plain Python, call after call. {refused} are refused. None is
silently wrong.

The tests run every program below beside plain Python. A program with a `function` argument is a scenario: it
applies the decorator by itself.
"""


def page() -> str:
    """The page as these rows have it."""
    table = registry.table()
    refused = sum(name in REFUSED for _, name in table)
    parts = [HEAD.format(count=len(table), right=len(table) - refused, refused=refused)]
    section = ""
    for heading, name in table:
        if heading != section:
            sources = sources_of(heading)
            parts.append(f"\n## {heading}\n")
            section = heading
        state = "refused" if name in REFUSED else "right"
        parts.append(f'\n??? {"failure" if state == "refused" else "success"} "{name}: {state}"\n')
        why = "<!-- not run: the tests run this program as a row of the table -->"
        parts.append(textwrap.indent(f"{why}\n```python\n{sources[name]}```\n", "    "))
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
