"""Reading one graph of a saved folder: its text, checked before anything believes it."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from runtime.formats.parse import parse
from runtime.graph import Graph
from runtime.graph.verify import VerificationError, verify
from runtime.saving.admissible import is_plain_name
from runtime.saving.data import READ_ERRORS
from runtime.saving.errors import LoadError, damaged
from runtime.saving.folders import read_text


def read_graph(
    folder: Path,
    form: Mapping[str, Any],
    constants: dict[int, Any],
    refusal: Callable[[Graph], str | None],
) -> Graph:
    """The graph that a manifest names by ``graph`` and ``crc32``.

    ``refusal`` says what the graph may not hold, if it does. Raises LoadError that names the file, and
    ValueError where the manifest names no file of this folder.
    """
    if not is_plain_name(form["graph"]):
        raise ValueError(f"{form['graph']!r} is no name of a file in this folder")
    file = folder / form["graph"]
    try:
        content = read_text(file)
    except OSError as error:
        raise LoadError(f"this cannot be read: {error.strerror}", file=str(file)) from None
    if zlib.crc32(content) != form["crc32"]:
        raise damaged(str(file), "its contents are not those that were saved")
    try:
        graph = parse(content.decode("utf-8"), constants)
    except READ_ERRORS as error:
        raise damaged(str(file), error) from None
    refused = refusal(graph)
    if refused is not None:
        raise damaged(str(file), refused)
    try:
        verify(graph)
    except (VerificationError, *READ_ERRORS) as error:
        raise damaged(str(file), str(error).partition("\n")[0]) from None
    return graph
