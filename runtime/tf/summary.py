"""`tf.summary`: numbers, histograms, images, texts and graphs in files that TensorBoard shows.

It needs the extra `tensorboard`. Summaries are written where they stand when operations run at once; in a
`tf.function` each call writes them, in order.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from runtime.export.events import EventWriter
from runtime.tf import functions
from runtime.tf.arguments import only
from runtime.tf.debugging import _effect
from runtime.tf.functions import ConcreteFunction
from runtime.tf.names import refusing
from runtime.tf.tensors import convert
from runtime.tf.traces import current
from runtime.tf.variables import Variable


class _Default(threading.local):
    """Where summaries of this thread go."""

    writer: SummaryWriter | None = None
    step: Any = None


_default = _Default()


class SummaryWriter:
    """`tf.summary.create_file_writer(folder)`."""

    def __init__(self, writer: EventWriter | None) -> None:
        self._writer = writer

    @contextmanager
    def as_default(self, step: Any = None) -> Iterator[SummaryWriter]:
        """Summaries inside go to this one; at the end they are in the file."""
        before = _default.writer, _default.step
        _default.writer, _default.step = self, _default.step if step is None else step
        try:
            yield self
        finally:
            _default.writer, _default.step = before
            if current() is None:
                self.flush()

    def set_as_default(self, step: Any = None) -> None:
        _default.writer = self
        if step is not None:
            _default.step = step

    def flush(self) -> None:
        if self._writer is not None:
            self._writer.flush()

    def close(self) -> None:
        if self._writer is not None:
            self._writer.close()


def create_file_writer(
    logdir: Any, max_queue: int | None = None, flush_millis: int | None = None,
    filename_suffix: str | None = None, name: str | None = None,
) -> SummaryWriter:  # fmt: skip
    """A writer of a new file in this folder, whose name ends with `.v2`, or with ``filename_suffix``."""
    suffix = ".v2" if filename_suffix is None else filename_suffix
    seconds = 120 if flush_millis is None else flush_millis / 1000
    folder = os.fspath(logdir)
    return SummaryWriter(
        EventWriter(folder, filename_suffix=suffix, max_queue=max_queue or 10, flush_seconds=seconds)
    )


def create_noop_writer() -> SummaryWriter:
    """A writer that writes nothing."""
    return SummaryWriter(None)


def flush(writer: SummaryWriter | None = None, name: str | None = None) -> None:
    """All that was written is in the file after this."""
    chosen = _default.writer if writer is None else writer
    if chosen is not None:
        chosen.flush()


# -- steps -------------------------------------------------------------------------------------------------


class experimental:
    """`tf.summary.experimental`: a step for all summaries that say none."""

    @staticmethod
    def get_step() -> Any:
        return _default.step

    @staticmethod
    def set_step(step: Any) -> None:
        _default.step = step


def should_record_summaries() -> bool:
    """Is there a writer?"""
    return _default.writer is not None and _default.writer._writer is not None


# -- summaries ---------------------------------------------------------------------------------------------


def _write(kind: Callable[..., None], name: str, data: Any, step: Any, *options: Any) -> bool:
    """Hand a summary to the default writer: now, or each time the graph runs."""
    if not should_record_summaries():
        return False
    assert _default.writer is not None
    step = _default.step if step is None else step
    if step is None:
        raise ValueError(
            f"No step set for the summary {name!r}. Give step=, or write"
            " tf.summary.experimental.set_step(step) before."
        )
    if isinstance(step, Variable):
        step = step._as_tensor()
    trace = current()
    scopes = [] if trace is None else trace.name_scopes
    _effect(kind, _default.writer._writer, "/".join([*scopes, name]), data, step, *options)
    return True


def _writer_of(kind: str, name: str) -> Callable[..., None]:
    """What writes a summary of this kind; ``name`` is by what graphs call it."""

    def write(writer: EventWriter, name: str, data: Any, step: Any, *options: Any) -> None:
        getattr(writer, kind)(name, data, int(step), *options)

    write.__name__ = name
    return write


_scalar, _histogram = _writer_of("scalar", "_scalar"), _writer_of("histogram", "_histogram")
_image, _text = _writer_of("image", "_image"), _writer_of("text", "_text")


def scalar(name: str, data: Any, step: Any = None, description: str | None = None) -> bool:
    """A number. True where there is a writer."""
    tensor = convert(data)
    if tensor.ndim:
        raise ValueError(f"tf.summary.scalar: {name!r} has shape {tensor.shape}, and is no number")
    return _write(_scalar, name, tensor, step, description)


def histogram(
    name: str, data: Any, step: Any = None, buckets: int | None = None, description: str | None = None
) -> bool:
    """How the numbers of a tensor are distributed."""
    return _write(_histogram, name, convert(data), step, buckets, description)


def image(
    name: str, data: Any, step: Any = None, max_outputs: int = 3, description: str | None = None
) -> bool:
    """Images [number, height, width, channels], uint8, or floats from 0 to 1."""
    return _write(_image, name, convert(data), step, max_outputs, description)


def text(name: str, data: Any, step: Any = None, description: str | None = None) -> bool:
    """A Python string, in Markdown, or a list of them."""
    texts = data if isinstance(data, str) else np.asarray(data, dtype=np.str_).tolist()
    return _write(_text, name, texts, step, description)


# -- graphs ------------------------------------------------------------------------------------------------


def graph(graph_data: Any) -> bool:
    """A `tf.Graph`, the graph of a concrete function, or a GraphDef: one for each folder."""
    if not should_record_summaries():
        return False
    assert _default.writer is not None and _default.writer._writer is not None
    _default.writer._writer.graph(graph_data)
    return True


def trace_on(graph: bool = True, profiler: bool = False, profiler_outdir: str | None = None) -> None:
    """From now on the functions that run are noted, for `trace_export`."""
    if profiler or profiler_outdir is not None:
        raise NotImplementedError("tf.summary.trace_on: profiler= is not supported: use a profiler of Python")
    functions.note_runs([] if graph else None)


def trace_off() -> None:
    """Forget what was noted."""
    functions.note_runs(None)


def trace_export(name: str, step: Any = None, profiler_outdir: str | None = None) -> None:
    """Write the graphs of the functions that ran since `trace_on`, under this name; note no more."""
    only("tf.summary.trace_export", profiler_outdir=(profiler_outdir, None))
    ran: list[ConcreteFunction] | None = functions.noted_runs()
    if ran is None:
        raise ValueError("Must enable trace before export through tf.summary.trace_on.")
    step = _default.step if step is None else step
    if step is None:
        raise ValueError(f"No step set for the graph {name!r}. Give step=.")
    if should_record_summaries() and ran:
        assert _default.writer is not None and _default.writer._writer is not None
        _default.writer._writer.graphs([function.graph for function in ran], name, int(step))
    functions.note_runs(None)


__getattr__ = refusing(__name__, "tf.summary")
