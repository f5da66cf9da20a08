"""Files of events: what TensorBoard shows.

>>> import runtime as rt, tempfile
>>> with tempfile.TemporaryDirectory() as folder, rt.EventWriter(folder) as writer:
...     for step, loss in enumerate([1.0, 0.5, 0.25]):
...         writer.scalar("loss", loss, step)
"""

from __future__ import annotations

import io
import os
import time
import weakref
from collections.abc import Sequence
from typing import Any

import numpy as np

from autograph.optional_packages import needing
from runtime.arguments import wrong_argument
from runtime.graph import Graph


class EventWriter:
    """Writes numbers, histograms, images, texts and graphs into a new file of a folder, for TensorBoard.

    It needs the extra `tensorboard`. What is written reaches the file at `flush`, at `close`, after two
    minutes, at the end of a `with` or of the program. A thread does the writing while it is open.
    """

    def __init__(
        self, folder: str | os.PathLike[str], *, filename_suffix: str = "", max_queue: int = 10,
        flush_seconds: float = 120,
    ) -> None:  # fmt: skip
        with needing("tensorboard", "a file of events"):
            from tensorboard.summary.writer.event_file_writer import EventFileWriter

        self.folder = os.fspath(folder)
        self._file = EventFileWriter(self.folder, max_queue, flush_seconds, filename_suffix)
        self._finish = weakref.finalize(self, self._file.close)  # at the latest when the program ends

    def scalar(self, name: str, value: Any, step: int, description: str | None = None) -> None:
        """A number, one point of the curve of that name."""
        from tensorboard.plugins.scalar.summary_v2 import scalar_pb

        self.summary(scalar_pb(name, float(value), description), step)

    def histogram(
        self, name: str, values: Any, step: int, buckets: int | None = None, description: str | None = None
    ) -> None:
        """How the numbers of an array are distributed."""
        from tensorboard.plugins.histogram.summary_v2 import histogram_pb

        self.summary(histogram_pb(name, np.asarray(values), buckets, description), step)

    def text(self, name: str, value: Any, step: int, description: str | None = None) -> None:
        """A text in Markdown, or an array of them."""
        from tensorboard.plugins.text.summary_v2 import text_pb

        self.summary(text_pb(name, value, description), step)

    def image(
        self, name: str, images: Any, step: int, max_outputs: int = 3, description: str | None = None
    ) -> None:
        """Images as an array [number, height, width, 1 to 4 channels]: uint8, or floats from 0 to 1."""
        from tensorboard.compat.proto.summary_pb2 import Summary
        from tensorboard.plugins.image.metadata import create_summary_metadata

        array = _as_bytes(np.asarray(images))
        head = [str(array.shape[2]).encode(), str(array.shape[1]).encode()]
        made = Summary()
        made.value.add(
            tag=name,
            metadata=create_summary_metadata(None, description),
            tensor=_strings([*head, *map(_png, array[:max_outputs])]),
        )
        self.summary(made, step)

    def graph(self, graph: Graph | Any, name: str | None = None, step: int = 0) -> None:
        """A ConcreteFunction, its graph, or a GraphDef.

        Without a name it is the graph of the folder, of which there is one, the last that was written.
        """
        self.graphs([graph], name, step)

    def graphs(self, graphs: Sequence[Any], name: str | None = None, step: int = 0) -> None:
        """Several graphs side by side, under a name."""
        from tensorboard.compat.proto.config_pb2 import RunMetadata
        from tensorboard.compat.proto.summary_pb2 import Summary
        from tensorboard.plugins.graph.metadata import PLUGIN_NAME_RUN_METADATA_WITH_GRAPH

        drawn = [_graph_def_of(graph) for graph in graphs]
        if name is None:
            self._add(graph_def=drawn[-1].SerializeToString())
            return
        run = RunMetadata()
        for each in drawn:
            run.function_graphs.add().pre_optimization_graph.CopyFrom(each)
        made = Summary()
        value = made.value.add(tag=name, tensor=_strings(run.SerializeToString()))
        value.metadata.plugin_data.plugin_name = PLUGIN_NAME_RUN_METADATA_WITH_GRAPH
        value.metadata.plugin_data.content = b"1"
        self.summary(made, step)

    def summary(self, summary: Any, step: int) -> None:
        """A Summary protocol buffer."""
        self._add(summary=summary, step=int(step))

    def _add(self, **content: Any) -> None:
        from tensorboard.compat.proto.event_pb2 import Event

        if not self._finish.alive:
            raise ValueError(f"the writer of {self.folder} is closed")
        self._file.add_event(Event(wall_time=time.time(), **content))

    def flush(self) -> None:
        """All that was written is in the file after this."""
        if self._finish.alive:
            self._file.flush()

    def close(self) -> None:
        """Finish the file. Closing twice is fine."""
        self._finish()

    def __enter__(self) -> EventWriter:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


def _graph_def_of(given: Any) -> Any:
    from tensorboard.compat.proto.graph_pb2 import GraphDef

    graph = getattr(given, "graph", given)  # of a trace
    made = graph.as_graph_def() if hasattr(graph, "as_graph_def") else graph
    if not isinstance(made, GraphDef):
        raise wrong_argument(
            f"EventWriter.graph draws no {type(given).__name__}",
            "give a trace, `f.get_concrete_function(x)`, its graph, or a GraphDef",
            "graph",
        )
    return made


def _strings(given: bytes | list[bytes]) -> Any:
    """A tensor of strings: one, or a vector of them."""
    from tensorboard.compat.proto.tensor_pb2 import TensorProto
    from tensorboard.compat.proto.types_pb2 import DT_STRING

    if isinstance(given, bytes):
        return TensorProto(dtype=DT_STRING, string_val=[given], tensor_shape={})
    return TensorProto(dtype=DT_STRING, string_val=given, tensor_shape={"dim": [{"size": len(given)}]})


def _as_bytes(images: np.ndarray) -> np.ndarray:
    """The images as uint8. Raises ValueError for an array that is none of images."""
    if images.ndim != 4 or not 1 <= images.shape[3] <= 4:
        raise ValueError(
            f"images have the shape [number, height, width, 1 to 4 channels], not {images.shape}"
        )
    if images.dtype.kind == "f":
        return (np.clip(np.nan_to_num(images), 0, 1) * 255).astype(np.uint8)
    if images.dtype != np.uint8:
        raise ValueError(f"images are uint8, or floats from 0 to 1, not {images.dtype}")
    return images


def _png(image: np.ndarray) -> bytes:
    with needing("tensorboard", "EventWriter.image"):
        from PIL import Image

    file = io.BytesIO()
    Image.fromarray(image[..., 0] if image.shape[2] == 1 else image).save(file, "PNG")
    return file.getvalue()
