"""A graph leaves as a GraphDef, and comes back into another graph."""

from pathlib import Path

import numpy as np
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
    assert "StatelessWhile" in [node.op for node in made.node]
    inner = [node.op for function in made.library.function for node in function.node_def]
    assert {"StatelessIf", "FloorDiv", "Mul", "Greater"} <= set(inner)


@tf.function
def summed(x, limit):
    total = tf.constant(0.0)
    for k in tf.range(tf.size(x)):
        if total > limit:
            tf.print("enough")
            break
        total += x[k]
    for row in tf.stack([x, x]):
        total += tf.reduce_sum(row)
    return total


def test_control_flow_has_the_attributes_of_tensorflow():
    made = summed.get_concrete_function(tf.TensorSpec([3]), tf.TensorSpec([])).graph.as_graph_def()
    loops = [node for node in made.node if node.op in ("While", "StatelessWhile")]
    assert [node.op for node in loops] == ["While", "StatelessWhile"]  # the first one prints
    functions = {function.signature.name: function for function in made.library.function}
    for node in loops:
        types = list(node.attr["T"].list.type)
        data = [name for name in node.input if not name.startswith("^")]
        assert len(types) == len(data) == len(node.attr["_output_shapes"].list.shape)
        test, body = [functions[node.attr[key].func.name].signature for key in ("cond", "body")]
        assert [a.type for a in test.input_arg] == [a.type for a in body.input_arg] == types
        assert [a.type for a in body.output_arg] == types and len(test.output_arg) == 1
    (branch,) = [node for function in functions.values() for node in function.node_def if node.op == "If"]
    assert {"Tcond", "Tin", "Tout", "then_branch", "else_branch"} <= set(branch.attr)
    assert "DT_INT32" in str(made)


def _gradients(x, f):
    other = tf.constant([1.0, 1.0])
    with tf.GradientTape() as tape:
        tape.watch([x, other])
        y, _ = f(x), f(other)
    return tape.gradient(y, [x, other])


def test_a_function_that_is_called_is_a_function_of_the_library():
    weight = tf.Variable(3.0)
    grown = tf.function(lambda x: tf.function(lambda y: y * weight)(x) + 1.0)

    @tf.function
    def shown(x):
        tf.print(x)
        return x, tf.function(lambda y: tf.gather(y, 10))(x)

    f = tf.function(lambda x: shown(grown(grown(x)))[0])
    graph = f.get_concrete_function(tf.TensorSpec([2])).graph
    calls = ["PartitionedCall", "PartitionedCall_1", "StatefulPartitionedCall"]
    assert [op.name for op in graph.get_operations() if op.type.endswith("Call")] == calls
    made = graph.as_graph_def()
    functions = {function.signature.name: function for function in made.library.function}
    nodes = {node.name: node for node in made.node}
    assert nodes[calls[0]].attr["f"] == nodes[calls[1]].attr["f"]
    for name in calls:
        called = functions[nodes[name].attr["f"].func.name].signature
        assert [arg.type for arg in called.input_arg] == list(nodes[name].attr["Tin"].list.type)
        assert [arg.type for arg in called.output_arg] == list(nodes[name].attr["Tout"].list.type)
    inner = functions[nodes[calls[0]].attr["f"].func.name].node_def
    assert [node.op for node in inner] == ["PartitionedCall", "Const", "AddV2"]
    with tf.Graph().as_default():
        (y,) = tf.graph_util.import_graph_def(made, return_elements=["Identity:0"], name="")
        with v1.Session() as session:
            assert session.run(y, {"x:0": [1, 2], "Variable:0": 3}).tolist() == [13, 22]
    assert tf.function(_gradients)(tf.constant([1.0, 2.0]), grown)[1] is None
    with tf.GradientTape() as tape:  # what nobody uses is not computed
        y = f(tf.constant([1.0, 2.0]))
    assert y.numpy().tolist() == [13, 22] and tape.gradient(y, weight) == 3 * 2 * 3 + 2


def test_operations_and_tensors_know_their_graph():
    made = summed.get_concrete_function(tf.TensorSpec([3]), tf.TensorSpec([]))
    graph = made.graph
    assert isinstance(graph, tf.Graph) and graph is made.graph
    for op in graph.get_operations():
        assert isinstance(op, tf.Operation) and op.graph is graph
        assert all(isinstance(tensor, tf.Tensor) and tensor.graph is graph for tensor in op.outputs)


def test_a_graph_is_imported_and_run():
    graph = tf.Graph()
    with graph.as_default():
        x = v1.placeholder(tf.float32, [2], name="x")
        with tf.name_scope("layer"):
            y = tf.add(x * tf.constant([2.0, 3.0]), tf.random.uniform([2]) * 0.0, name="y")
        tf.print("computed", y)
    content = graph.as_graph_def().SerializeToString()

    read = v1.GraphDef()
    read.ParseFromString(content)
    other = tf.Graph()
    with other.as_default():
        tf.graph_util.import_graph_def(read, name="")
        (again,) = tf.graph_util.import_graph_def(
            read, {"x:0": tf.constant([1.0, 1.0])}, ["layer/y:0"], name="second"
        )
        with v1.Session() as session:
            np.testing.assert_array_equal(session.run("layer/y:0", {"x:0": [1, 1]}), [2, 3])
            np.testing.assert_array_equal(session.run(again), [2, 3])
    names = [op.name for op in other.get_operations()]
    assert {"x", "layer/y", "second/layer/y"} <= set(names) and "second/x" not in names


def test_loops_over_items_are_imported_as_loops_that_count():
    made = summed.get_concrete_function(tf.TensorSpec([3]), tf.TensorSpec([]))
    with tf.Graph().as_default():
        (total,) = tf.graph_util.import_graph_def(
            made.graph.as_graph_def(), return_elements=[made.outputs[0].name], name=""
        )
        with v1.Session() as session:
            for limit in (0.0, 2.5, 10.0):
                given = np.float32([1, 2, 3])
                found = session.run(total, {"x:0": given, "limit:0": limit})
                assert found == {0.0: 13.0, 2.5: 15.0, 10.0: 18.0}[limit]


def test_loops_are_imported():
    made = collatz.get_concrete_function(tf.TensorSpec([], tf.int32))
    with tf.Graph().as_default():
        (steps,) = tf.graph_util.import_graph_def(
            made.graph.as_graph_def(), return_elements=[made.outputs[0].name], name=""
        )
        with v1.Session() as session:
            assert session.run(steps, {"n:0": 27}) == 111


def test_a_graph_is_written_to_a_file(tmp_path):
    graph = collatz.get_concrete_function(tf.TensorSpec([], tf.int32)).graph
    text = Path(tf.io.write_graph(graph, tmp_path, "collatz.pbtxt"))
    assert 'op: "StatelessWhile"' in text.read_text()
    binary = Path(tf.io.write_graph(graph.as_graph_def(), tmp_path, "collatz.pb", as_text=False))
    assert v1.GraphDef.FromString(binary.read_bytes()) == graph.as_graph_def()
