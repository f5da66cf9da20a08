"""A real TensorBoard opens what is written, and draws the graph of a network in a browser."""

import json
import re
import shutil
import signal
import subprocess
import sys
import time
import urllib.request
from urllib.error import URLError

import numpy as np
import pytest

import runtime as rt
import runtime.tf as tf
from autograph import AutographError

pytest.importorskip("tensorboard", reason="the extra `tensorboard` is not installed")

layers = tf.keras.layers
DEADLINE = 60.0  # seconds, for a machine that has much else to do; it takes three


def write_events(folder):
    first = layers.Dense(16, activation="relu", input_shape=(4,), name="hidden")
    second = layers.Dense(3, name="scores")
    model = tf.keras.Sequential([first, second], name="network")
    network = tf.function(lambda x: second(first(x))).get_concrete_function(tf.TensorSpec([None, 4]))

    @tf.function
    def decay(x):
        while tf.reduce_sum(x) > 1.0:
            x = x / 2.0
        return x

    with tf.summary.create_file_writer(folder / "network").as_default() as writer:
        tf.summary.graph(network.graph)
        for step in range(3):
            tf.summary.scalar("loss", 1 / (step + 1), step=step)
            tf.summary.histogram("weights", model.get_weights()[0], step=step)
        tf.summary.image("digits", np.eye(8, dtype=np.float32)[None, :, :, None], step=0)
        tf.summary.text("note", "two *layers*", step=0)
        tf.summary.trace_on(graph=True)
        decay(tf.constant([3.0, 4.0]))
        tf.summary.trace_export("decay", step=0)
        writer.close()
    model.compile("adam", "mse")
    x, y = np.ones((8, 4), np.float32), np.ones((8, 3), np.float32)
    watching = tf.keras.callbacks.TensorBoard(folder / "training", histogram_freq=1, update_freq="batch")
    model.fit(x, y, batch_size=4, epochs=2, verbose=0, validation_data=(x, y), callbacks=[watching])
    plain = rt.function(lambda x: np.tanh(x) * 2).get_concrete_function(rt.TensorSpec([3]))
    with rt.EventWriter(folder / "plain") as writer:
        writer.graph(plain)
        writer.scalar("norm", np.float32(2.5), 7)
        with pytest.raises(AutographError, match="EventWriter.graph draws no") as refused:
            writer.graph(rt.function(abs))
        assert "f.get_concrete_function(x)" in str(refused.value)


def until(ready, process):
    """Wait until ``ready()`` gives something."""
    end = time.monotonic() + DEADLINE
    while time.monotonic() < end:
        assert process.poll() is None, "TensorBoard has ended"
        try:
            found = ready()
        except URLError:
            found = None
        if found:
            return found
        time.sleep(0.05)
    raise AssertionError(f"nothing came of TensorBoard in {DEADLINE} seconds")


class Board:
    """A TensorBoard that runs."""

    def __init__(self, url):
        self.url = url

    def bytes(self, path):
        with urllib.request.urlopen(f"{self.url}data/{path}", timeout=DEADLINE) as answer:
            return answer.read()

    def text(self, path):
        return self.bytes(path).decode()

    def json(self, path):
        return json.loads(self.text(path))


@pytest.fixture(scope="module")
def board(tmp_path_factory):
    folder = tmp_path_factory.mktemp("logs")
    write_events(folder)
    output = tmp_path_factory.mktemp("output") / "output.txt"
    # its own reader, in its own process: the faster one is another program, which asks for more memory
    options = ["--port=0", "--load_fast=false", f"--logdir={folder}"]
    with output.open("w") as file:
        process = subprocess.Popen(
            [sys.executable, "-m", "tensorboard.main", *options], stdout=file, stderr=file
        )
    try:
        said = until(lambda: re.search(r" at (http://\S+)", output.read_text()), process)
        found = Board(said[1])
        runs = {"network", "training/train", "training/validation", "plain"}
        until(lambda: runs <= set(found.json("runs")) and _has_all(found), process)
        yield found
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait()


def _has_all(board):
    """Has it read all files to their ends?"""
    tags = board.json("plugin/scalars/tags")
    infos = board.json("plugin/graphs/info")
    read = "norm" in tags.get("plain", {}) and "epoch_loss" in tags.get("training/train", {})
    return read and infos.get("plain", {}).get("run_graph")


def test_it_knows_the_numbers_histograms_images_and_texts(board):
    scalars = {run: set(tags) for run, tags in board.json("plugin/scalars/tags").items()}
    assert scalars["network"] == {"loss"} and scalars["plain"] == {"norm"}
    assert scalars["training/train"] == {"batch_loss", "epoch_loss", "epoch_learning_rate"}
    assert scalars["training/validation"] == {"epoch_loss"}
    points = board.json("plugin/scalars/scalars?run=network&tag=loss")
    assert [(step, round(value, 4)) for _, step, value in points] == [(0, 1.0), (1, 0.5), (2, 0.3333)]
    assert len(board.json("plugin/scalars/scalars?run=training/train&tag=batch_loss")) == 4
    histograms = board.json("plugin/histograms/tags")
    assert set(histograms["network"]) == {"weights"}
    assert {"hidden/kernel/histogram", "scores/bias/histogram"} <= set(histograms["training/train"])
    (image,) = board.json("plugin/images/images?run=network&tag=digits&sample=0")
    assert board.bytes(f"plugin/images/individualImage?{image['query']}").startswith(b"\x89PNG")
    assert "<em>layers</em>" in board.json("plugin/text/text?run=network&tag=note")[0]["text"]


def test_it_knows_the_graphs(board):
    graph = board.text("plugin/graphs/graph?run=network&conceptual=false")
    for name in ("hidden/kernel", "hidden/MatMul", "hidden/Relu", "scores/MatMul", "scores/add"):
        assert f'name: "{name}"' in graph
    assert board.json("plugin/graphs/info")["network"]["tags"].keys() == {"decay"}
    decay = board.text("plugin/graphs/graph?run=network&tag=decay&conceptual=false")
    assert 'name: "while"' in decay
    training = board.text("plugin/graphs/graph?run=training/train&conceptual=false")
    assert all(
        f'name: "{scope}/' in training
        for scope in ("network/hidden", "gradients", "Adam", "MeanSquaredError")
    )
    assert 'op: "tanh"' in board.text("plugin/graphs/graph?run=plain&conceptual=false")


BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
#: of the page alone: nothing is looked up elsewhere, and it needs no screen
OPTIONS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
    "--disable-background-networking", "--disable-component-update", "--window-size=1400,900",
]  # fmt: skip


def test_a_browser_draws_the_graph(board, tmp_path):
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser is None:
        pytest.skip(f"no browser is installed: {', '.join(BROWSERS)}")
    image = pytest.importorskip("PIL.Image")
    picture = tmp_path / "graph.png"
    # It shows the graph of the first run, `network`. The page's clock runs ahead while nothing is loading,
    # so that all is drawn at 15 seconds of its own, which are three of ours.
    subprocess.run(
        [browser, *OPTIONS, f"--user-data-dir={tmp_path / 'profile'}", "--virtual-time-budget=15000",
         f"--screenshot={picture}", f"{board.url}#graphs"],
        check=True, capture_output=True, timeout=DEADLINE,
    )  # fmt: skip
    with image.open(picture) as opened:
        drawn = np.asarray(opened.convert("L").crop((360, 110, 1400, 900)))  # beside the controls
    box, ink = (drawn > 230) & (drawn < 245), drawn < 120
    assert box.sum() > 1000, "no scope is drawn as a box"
    assert 100 < ink.sum() < 20000, "there is no text in the drawing"
