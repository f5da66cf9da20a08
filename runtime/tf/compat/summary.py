"""`tf.compat.v1.summary`: the writer of files that show a graph."""

from __future__ import annotations

import os
from typing import Any

from runtime.export.events import EventWriter
from runtime.tf.names import refusing


class FileWriter:
    """`tf.compat.v1.summary.FileWriter(folder, graph)`."""

    def __init__(
        self, logdir: Any, graph: Any = None, max_queue: int = 10, flush_secs: float = 120,
        filename_suffix: str | None = None,
    ) -> None:  # fmt: skip
        self._writer = EventWriter(
            os.fspath(logdir),
            filename_suffix=filename_suffix or "",
            max_queue=max_queue,
            flush_seconds=flush_secs,
        )
        if graph is not None:
            self.add_graph(graph)

    def add_graph(self, graph: Any) -> None:
        """A `tf.Graph`, or a GraphDef."""
        self._writer.graph(graph)

    def add_summary(self, summary: Any, global_step: Any = 0) -> None:
        """A Summary protocol buffer, or its bytes."""
        if isinstance(summary, bytes):
            from tensorboard.compat.proto.summary_pb2 import Summary

            summary = Summary.FromString(summary)
        self._writer.summary(summary, int(global_step))

    def get_logdir(self) -> str:
        return self._writer.folder

    def flush(self) -> None:
        self._writer.flush()

    def close(self) -> None:
        self._writer.close()

    def __enter__(self) -> FileWriter:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


__getattr__ = refusing(__name__, "tf.compat.v1.summary")
