"""The verifier names the rule that is broken, and shows the operation."""

import pytest

from runtime.formats.parse import parse
from runtime.graph import Block, Graph, Operation, Value
from runtime.graph.rewrite import clone
from runtime.graph.verify import VerificationError, verify
from runtime.types import BOOL, FLOAT, INT


def check(text, message):
    with pytest.raises(VerificationError, match=message):
        verify(parse(text))


def test_inferred_types():
    check(
        """
graph f(x: f64[3]) -> f64:
    y: f64 = negative(x)
    return y
""",
        r"negative gives f64\[3\], but the graph says f64\n    y: f64 = negative\(x\)",
    )


def test_a_graph_may_say_less_than_is_known():
    verify(
        parse(
            """
graph f(x: f64[3]) -> f64[None]:
    y: f64[None] = negative(x)
    return y
"""
        )
    )


def test_unknown_operations_and_refused_inputs():
    check("graph f(x: int) -> int:\n    y: int = py.ad(x)\n    return y\n", "no operation is named 'py.ad'")
    check(
        """
graph f(x: f64[3], y: f64[4]) -> f64[3]:
    z: f64[3] = add(x, y)
    return z
""",
        "add does not accept its inputs: operands could not be broadcast",
    )


def test_blocks_of_control_flow():
    check(
        """
graph f(x: float) -> float:
    y: float = if x:
        yield x
    else:
        yield x
    return y
""",
        "an if takes one bool",
    )
    check(
        """
graph f(c: bool, x: float) -> float:
    y: float = if c:
        yield 1
    else:
        yield x
    return y
""",
        "the results of block 0: int does not fit float",
    )
    check(
        """
graph f(n: int) -> int:
    k: int = for i: int in range(0, n, 1) with k: int = 0:
        yield
    return k
""",
        "the next state: there are 0 values for 1 places",
    )


def test_dominance():
    inner = Block()
    hidden = inner.append(Operation("constant", (), (FLOAT,), {"value": 1.0})).output
    pred = Value(BOOL, "c")
    body = Block([pred], [Operation("if", (pred,), blocks=(inner, Block()))], (hidden,))
    with pytest.raises(VerificationError, match="the result <Value _: float> is not visible here"):
        verify(Graph("f", body))


def test_values_are_defined_once():
    x = Value(INT, "x")
    with pytest.raises(VerificationError, match="is defined twice"):
        verify(Graph("f", Block([x, x], [], (x,))))


def test_a_clone_shares_nothing():
    graph = parse(
        """
graph f(c: bool, x: float) -> float:
    y: float = if c:
        z: float = py.neg(x)
        yield z
    else:
        yield x
    return y
"""
    )
    copy = clone(graph)
    verify(copy)
    assert str(copy) == str(graph)
    assert not set(copy.operations()) & set(graph.operations())
