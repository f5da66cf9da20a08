"""A graph as a GraphDef: what its nodes are called, and that nothing of it is lost."""

import sys

import numpy as np
import pytest

import runtime as rt
from autograph.errors import AutographError
from runtime.engines import numpy_engine

pytest.importorskip("tensorboard", reason="the extra `tensorboard` is not installed")


from runtime.export.read_graph_def import GraphDefError, read_graph_def


def layer(x, w):
    return np.tanh(x @ w)


def network(x, w1, w2):
    hidden = layer(x, w1)
    return layer(hidden, w2)


def relu_sum(x, limit):
    total = 0.0
    for value in x:
        if value > 0:
            total += value
        if total > limit:
            break
    return total


def halve(x):
    steps = 0
    while np.sum(x) > 1:
        x = x / 2
        steps += 1
    return x, steps


def running(x, n):
    x = x.copy()
    for i in range(1, n):
        x[i] += x[i - 1]
    return x


def collected(x, n):
    found = []
    for i in range(n):
        if x[i] > 0:
            found.append(x[i])
    return found


def guarded(x, n):
    try:
        y = x[n]
    except IndexError:
        y = -1.0
    return y


def refused(x, n):
    if x[0] > 0:
        raise ValueError(n)
    raise KeyError(n)


def factorial(n):
    return 1 if n < 2 else n * factorial(n - 1)


ONES, X = np.ones((2, 3)), np.array([1.5, -2.0, 4.0])
CALLS = [
    (network, (ONES, np.ones((3, 4)), np.ones((4, 2)))),
    (relu_sum, (X, 3.0)),
    (halve, (X,)),
    (running, (X, 3)),
    (collected, (X, 3)),
    (guarded, (X, 5)),
    (factorial, (5,)),
]


def graph_of(f, args):
    decorated = rt.function(f)
    return decorated.get_concrete_function(*args).graph


@pytest.mark.parametrize(("f", "args"), CALLS, ids=lambda value: getattr(value, "__name__", ""))
def test_a_graph_that_is_read_again_computes_the_same(f, args):
    graph = graph_of(f, args)
    again = read_graph_def(type(graph.as_graph_def()).FromString(graph.as_graph_def().SerializeToString()))
    copies = [[np.copy(a) if isinstance(a, np.ndarray) else a for a in args] for _ in range(2)]
    expected, found = (
        numpy_engine.compile(g)(given) for g, given in zip((graph, again.graph), copies, strict=True)
    )
    assert [type(value) for value in found] == [type(value) for value in expected]
    assert str(found) == str(expected)


def test_a_graph_that_only_raises_does_so_again():
    graph = graph_of(refused, (X, 3))
    again = read_graph_def(graph.as_graph_def()).graph
    assert again.body.ends == graph.body.ends == "never"
    with pytest.raises(ValueError, match="3"):
        numpy_engine.compile(again)([X, 3])


def test_names_are_the_users_in_a_scope_for_each_call():
    made = graph_of(network, CALLS[0][1]).as_graph_def()
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


def test_what_no_graph_of_ours_has_is_refused_at_its_node():
    made = graph_of(halve, (X,)).as_graph_def()
    made.node.add(name="evil", op="os.system")
    with pytest.raises(GraphDefError, match=r"node 'evil' \(os.system\).*no operation 'os.system'"):
        read_graph_def(made)
    del made.node[-1]
    made.node.add(name="foreign", op="Placeholder")
    with pytest.raises(GraphDefError, match="node 'foreign' .* does not say its type"):
        read_graph_def(made)
    del made.node[-1]
    made.node[-1].input.append("missing")
    with pytest.raises(GraphDefError, match="'missing' is made by no node before it"):
        read_graph_def(made)


def test_without_the_package_the_error_says_how_to_install_it(monkeypatch):
    graph = graph_of(halve, (X,))
    monkeypatch.delitem(sys.modules, "runtime.formats.graph_def")
    for name in [name for name in sys.modules if name.partition(".")[0] == "tensorboard"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "tensorboard", None)
    for use in (graph.as_graph_def, lambda: rt.EventWriter("unused")):
        with pytest.raises(AutographError, match=r"pip install 'autograph-runtime\[tensorboard\]'"):
            use()
