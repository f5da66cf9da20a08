"""`tf.summary`: where summaries go, and when they are written. tests/runtime/board opens such files."""

import subprocess
import sys

import numpy as np
import pytest

import runtime.tf as tf

pytest.importorskip("tensorboard", reason="the extra `tensorboard` is not installed")

from tensorboard.backend.event_processing.event_file_loader import LegacyEventFileLoader
from tensorboard.util.tensor_util import make_ndarray


def written(folder):
    """(tag, step, value) of all summaries of a folder, in order."""
    (file,) = folder.glob("events.out.tfevents.*.v2")
    return [
        (value.tag, event.step, make_ndarray(value.tensor))
        for event in LegacyEventFileLoader(str(file)).Load()
        for value in event.summary.value
    ]


def test_a_function_writes_at_each_call_in_order(tmp_path):
    step = tf.Variable(0, dtype=tf.int64)

    @tf.function
    def train(x):
        with tf.name_scope("train"):
            for _ in tf.range(2):
                step.assign_add(1)
                tf.summary.scalar("loss", x * tf.cast(step, tf.float32), step=step)

    with tf.summary.create_file_writer(tmp_path).as_default() as writer:
        train(tf.constant(1.0))
        tf.summary.scalar("between", 0, step=0)
        train(tf.constant(10.0))
        writer.close()
    assert written(tmp_path) == [
        ("train/loss", 1, 1.0), ("train/loss", 2, 2.0), ("between", 0, 0.0),
        ("train/loss", 3, 30.0), ("train/loss", 4, 40.0),
    ]  # fmt: skip


def test_without_a_writer_nothing_is_written_and_without_a_step_it_is_refused(tmp_path):
    assert not tf.summary.scalar("loss", 1.0, step=0)
    writer = tf.summary.create_file_writer(tmp_path)
    with writer.as_default(step=5):
        assert tf.summary.scalar("loss", 1.0)
    with writer.as_default(), pytest.raises(ValueError, match="No step set for the summary 'loss'"):
        tf.summary.scalar("loss", 1.0)
    with tf.summary.create_noop_writer().as_default():
        assert not tf.summary.scalar("loss", 1.0, step=0)
    writer.close()
    with writer.as_default(), pytest.raises(ValueError, match="closed"):
        tf.summary.scalar("loss", 1.0, step=0)
    assert [(tag, step) for tag, step, _ in written(tmp_path)] == [("loss", 5)]


def test_what_nobody_flushed_is_written_when_the_program_ends(tmp_path):
    program = (
        "import sys, runtime.tf as tf; tf.summary.create_file_writer(sys.argv[1]).set_as_default();"
        "tf.summary.scalar('loss', 1.5, step=0)"
    )
    subprocess.run([sys.executable, "-c", program, str(tmp_path)], check=True)
    assert written(tmp_path) == [("loss", 0, 1.5)]


def test_what_is_not_supported_is_refused_by_name(tmp_path):
    with pytest.raises(NotImplementedError, match="profiler="):
        tf.summary.trace_on(profiler=True)
    with pytest.raises(ValueError, match="trace_on"):
        tf.summary.trace_export("graph", step=0)
    with tf.summary.create_file_writer(tmp_path).as_default() as writer:
        with pytest.raises(ValueError, match="'x' has shape \\(2,\\)"):
            tf.summary.scalar("x", [1.0, 2.0], step=0)
        with pytest.raises(ValueError, match="1 to 4 channels"):
            tf.summary.image("x", np.zeros((2, 8, 8)), step=0)
        writer.close()
    with pytest.raises(AttributeError, match="tf.summary has no 'audio'"):
        tf.summary.audio
    with pytest.raises(TypeError, match="write_images"):
        tf.keras.callbacks.TensorBoard(tmp_path, write_images=True)


def test_the_writer_of_the_explicit_style_writes_the_graph(tmp_path):
    graph = tf.Graph()
    with graph.as_default():
        tf.add(tf.compat.v1.placeholder(tf.float32, [2], name="x"), 1.0, name="y")
    with tf.compat.v1.summary.FileWriter(tmp_path, graph=graph) as writer:
        assert writer.get_logdir() == str(tmp_path)
    (file,) = tmp_path.iterdir()
    graphs = [event.graph_def for event in LegacyEventFileLoader(str(file)).Load() if event.graph_def]
    assert [node.name for node in tf.compat.v1.GraphDef.FromString(graphs[0]).node] == ["x", "Const", "y"]
