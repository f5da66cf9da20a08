"""The explicit style (`tf.compat.v1`), and checkpoints."""

import numpy as np
import pytest

import runtime.tf as tf

v1 = tf.compat.v1


def test_a_session_runs_what_is_asked_for(capfd):
    graph = tf.Graph()
    with graph.as_default():
        x = v1.placeholder(tf.float32, [None, 2], name="x")
        with v1.variable_scope("one"):
            w = v1.get_variable("w", shape=[2, 2], initializer=v1.ones_initializer())
        product = tf.matmul(x, w, name="y")
        count = tf.Variable(1.0)
        more = count.assign_add(2.0)
        shout = tf.print("run", count)
        initializer = v1.global_variables_initializer()
        assert v1.global_variables()[0] is w
    with v1.Session(graph=graph) as session:
        with pytest.raises(tf.errors.FailedPreconditionError):
            session.run(count)
        session.run(initializer)
        np.testing.assert_array_equal(session.run("y:0", {"x:0": [[1, 2]]}), [[3, 3]])
        assert session.run([more, product], {x: [[0, 1]]})[0] == 3
        assert session.run(count) == 3
        session.run(shout)
    assert capfd.readouterr().err == "run 3\n"
    with v1.Session(graph=graph) as other:
        other.run(initializer)
        assert other.run(count) == 1
        with pytest.raises(tf.errors.InvalidArgumentError, match="You must feed a value for placeholder"):
            other.run(product)
    assert {op.type for op in graph.get_operations()} >= {"Placeholder", "MatMul", "AddV2", "PrintV2"}


def test_variables_are_shared_by_name_where_that_is_said():
    with tf.Graph().as_default():
        with v1.variable_scope("one"):
            w = v1.get_variable("w", shape=[1])
            with pytest.raises(ValueError, match="one/w"):
                v1.get_variable("w", shape=[1])
        with v1.variable_scope("one", reuse=True):
            assert v1.get_variable("w") is w


def test_checkpoints(tmp_path):
    variable = tf.Variable(3.0)
    checkpoint = tf.train.Checkpoint(x=variable)
    first = checkpoint.save(tmp_path / "ckpt")
    variable.assign(5.0)
    second = checkpoint.save(tmp_path / "ckpt")
    assert first.endswith("ckpt-1") and tf.train.latest_checkpoint(tmp_path) == second
    checkpoint.restore(first).assert_consumed()
    assert variable.numpy() == 3
    assert tf.train.latest_checkpoint(tmp_path / "none") is None

    late = tf.train.Checkpoint()
    status = late.restore(second)
    with pytest.raises(AssertionError, match="x"):
        status.assert_consumed()
    late.x = tf.Variable(0.0)
    assert late.x.numpy() == 5
    status.assert_consumed()


def test_checkpoints_of_models_and_optimizers(tmp_path):
    def made():
        model = tf.keras.Sequential([tf.keras.layers.Dense(2, input_shape=(3,))])
        optimizer = tf.keras.optimizers.Adam()
        optimizer.build(model.trainable_variables)
        return model, optimizer

    model, optimizer = made()
    optimizer.apply_gradients([(tf.ones(v.shape), v) for v in model.trainable_variables])
    path = tf.train.Checkpoint(model=model, optimizer=optimizer).save(tmp_path / "c")
    again, other = made()
    tf.train.Checkpoint(model=again, optimizer=other).restore(path).assert_consumed()
    x = np.ones((1, 3), np.float32)
    np.testing.assert_array_equal(again(x).numpy(), model(x).numpy())
    assert other.iterations.numpy() == 1


def test_names_of_operations_are_those_of_tensors():
    graph = tf.Graph()
    with graph.as_default():
        a = tf.constant([3.0])
        b = a * 2.0
        c = tf.reduce_sum(b + b, name="total")
        d = tf.nn.relu(tf.reduce_sum(b))
        assert [x.name for x in (a, b, c, d)] == ["Const:0", "mul:0", "total:0", "Relu:0"]
        assert b.graph is graph and b.op.graph is graph and b.op.inputs[0].name == "Const:0"
        assert str(b) == 'Tensor("mul:0", shape=(1,), dtype=float32)'
    assert [op.type for op in graph.get_operations()] == [
        "Const",
        "Const",
        "Mul",
        "AddV2",
        "Sum",
        "Sum",
        "Relu",
    ]
    with v1.Session(graph=graph) as session:
        assert session.run([c.name, d.op.outputs[0]]) == [12, 6]
        with pytest.raises(ValueError, match="nothing:0"):
            session.run("nothing:0")


def test_what_runs_before(capfd):
    with tf.Graph().as_default() as graph:
        v = tf.Variable([0.0, 0.0])
        with tf.control_dependencies([v.assign([1.0, 2.0]), tf.print("assigned")]):
            read = v.read_value()
            same = tf.identity(7)
        initializer = v1.global_variables_initializer()
    with v1.Session(graph=graph) as session:
        session.run(initializer)
        np.testing.assert_array_equal(session.run(read), [1, 2])
        assert capfd.readouterr().err == ""  # reading is no operation of its own behind the print
        session.run(initializer)
        assert session.run(same) == 7 and capfd.readouterr().err == "assigned\n"
        np.testing.assert_array_equal(session.run(v), [1, 2])


def test_an_assignment_in_a_branch_of_a_graph_is_refused():
    with tf.Graph().as_default():
        v, x = tf.Variable(1.0), v1.placeholder(tf.float32, [])
        with pytest.raises(NotImplementedError, match="assign what it gives"):
            tf.cond(x > 0, lambda: v.assign(2.0), lambda: v.assign(3.0))
        v.assign(tf.cond(x > 0, lambda: 2.0, lambda: 3.0))
