"""A graph leaves as a GraphDef."""

from pathlib import Path

import pytest

import runtime.tf as tf

pytest.importorskip("tensorboard", reason="the extra `tensorboard` is not installed")

v1 = tf.compat.v1


@tf.function
def collatz(n):
    steps = 0
    while n > 1:
        if n % 2 == 0:
            n = n // 2
        else:
            n = 3 * n + 1
        steps += 1
    return steps


def test_the_graph_of_a_function_has_its_names_and_types():
    made = tf.function(lambda x, w: tf.nn.relu(tf.matmul(x, w, name="product"))).get_concrete_function(
        tf.TensorSpec([None, 2]), tf.TensorSpec([2, 3])
    ).graph.as_graph_def()  # fmt: skip
    assert [(node.name, node.op) for node in made.node] == [
        ("x", "Placeholder"), ("w", "Placeholder"), ("product", "MatMul"),
        ("Relu", "Relu"), ("Identity", "Identity"),
    ]  # fmt: skip
    assert "MatMul" in str(made) and made.FromString(made.SerializeToString()) == made


def test_blocks_are_functions_of_the_library():
    made = collatz.get_concrete_function(tf.TensorSpec([], tf.int32)).graph.as_graph_def()
    assert "While" in [node.op for node in made.node]
    inner = [node.op for function in made.library.function for node in function.node_def]
    assert {"If", "FloorDiv", "Mul", "Greater"} <= set(inner)


def test_a_graph_is_written_to_a_file(tmp_path):
    graph = collatz.get_concrete_function(tf.TensorSpec([], tf.int32)).graph
    text = Path(tf.io.write_graph(graph, tmp_path, "collatz.pbtxt"))
    assert 'op: "While"' in text.read_text()
    binary = Path(tf.io.write_graph(graph.as_graph_def(), tmp_path, "collatz.pb", as_text=False))
    assert v1.GraphDef.FromString(binary.read_bytes()) == graph.as_graph_def()
