"""`tf.io`: a graph in a file."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from autograph.optional_packages import needing
from runtime.saving.folders import new_file
from runtime.tf.names import refusing


def write_graph(graph_or_graph_def: Any, logdir: Any, name: str, as_text: bool = True) -> str:
    """Write a graph, or a GraphDef, as text or as bytes. Gives the path."""
    with needing("tensorboard", "tf.io.write_graph"):
        from google.protobuf import text_format
    graph_def = graph_or_graph_def
    if hasattr(graph_def, "as_graph_def"):
        graph_def = graph_def.as_graph_def()
    path = Path(os.fspath(logdir), name)
    with new_file(path) as made:
        if as_text:
            made.write_text(text_format.MessageToString(graph_def), encoding="utf-8")
        else:
            made.write_bytes(graph_def.SerializeToString())
    return str(path)


__getattr__ = refusing(__name__, "tf.io")
