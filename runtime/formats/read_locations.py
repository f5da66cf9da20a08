"""Places in the user's program, as the comments in the text of a graph give them."""

from __future__ import annotations

import ast
import re

from runtime.formats.tokens import Token
from runtime.graph import Location


def read_location(comment: Token | None, home: tuple[str, str]) -> Location | None:
    """The place that a comment gives; what it leaves out is that of the graph: file and function."""
    if comment is None:
        return None
    text = comment.text[1:].strip()
    match = re.fullmatch(
        r"(?:(?P<file>.+?):)?(?P<line>\d{1,9})(?::(?P<column>\d{1,9}))?(?: in (?P<function>.+))?", text
    )
    if match is None:
        return None  # a remark of the writer's
    file = home[0] if match["file"] is None else unquoted(match["file"])
    return Location(file, int(match["line"]), match["function"] or home[1], int(match["column"] or 0))


def home_of(header: str, graph_name: str) -> tuple[str, str]:
    """The file and the function that the first line of a text names."""
    match = re.fullmatch(r"('.*'|\".*\"|.+?)(?: in (.+))?", header)
    if match is None:
        return "<unknown>", graph_name
    return unquoted(match[1]), match[2] or graph_name


def unquoted(text: str) -> str:
    return str(ast.literal_eval(text)) if text[:1] in ("'", '"') else text
