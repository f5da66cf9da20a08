"""A graph as a GraphDef: what its nodes are called."""

import sys

import numpy as np
import pytest

import runtime as rt
from autograph.errors import AutographError

pytest.importorskip("tensorboard", reason="the extra `tensorboard` is not installed")


def layer(x, w):
    return np.tanh(x @ w)


def network(x, w1, w2):
    hidden = layer(x, w1)
    return layer(hidden, w2)


def halve(x):
    steps = 0
    while np.sum(x) > 1:
        x = x / 2
        steps += 1
    return x, steps


ONES, X = np.ones((2, 3)), np.array([1.5, -2.0, 4.0])


def graph_of(f, args):
    decorated = rt.function(f)
    return decorated.get_concrete_function(*args).graph


def test_names_are_the_users_in_a_scope_for_each_call():
    made = graph_of(network, (ONES, np.ones((3, 4)), np.ones((4, 2)))).as_graph_def()
    assert {node.name: list(node.input) for node in made.node} == {
        "x": [], "w1": [], "w2": [],
        "layer/matmul": ["x", "w1"], "layer/tanh": ["layer/matmul"],
        "layer_1/matmul": ["layer/tanh", "w2"], "layer_1/tanh": ["layer_1/matmul"],
        "return": ["layer_1/tanh"],
    }  # fmt: skip
    (x,) = [node for node in made.node if node.name == "x"]
    assert [dim.size for dim in x.attr["shape"].shape.dim] == [2, 3]


def test_blocks_are_functions_of_the_library():
    made = graph_of(halve, (X,)).as_graph_def()
    (loop,) = [node for node in made.node if node.op == "while"]
    functions = {one.signature.name: one for one in made.library.function}
    body = functions[loop.attr["body"].func.name]
    assert loop.attr["cond"].func.name in functions
    assert [arg.name for arg in body.signature.input_arg][:1] == ["x"]
    assert "true_divide" in [node.op for node in body.node_def]


def test_without_the_package_the_error_says_how_to_install_it(monkeypatch):
    graph = graph_of(halve, (X,))
    monkeypatch.delitem(sys.modules, "runtime.formats.graph_def")
    for name in [name for name in sys.modules if name.partition(".")[0] == "tensorboard"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "tensorboard", None)
    for use in (graph.as_graph_def, lambda: rt.EventWriter("unused")):
        with pytest.raises(AutographError, match=r"pip install 'autograph-runtime\[tensorboard\]'"):
            use()
