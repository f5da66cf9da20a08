"""The guard of objects from outside: machine code says yes where Python does, and else asks it."""

import numpy as np
import pytest

import runtime as rt
from autograph.operators import Undefined
from runtime.engines.native.objects.object_graphs import checker
from runtime.specs.readers import HoldsKnown
from runtime.specs.spec import Const, Leaf, Variant
from runtime.types import FLOAT, INT, STR, ArrayType, ContainerType, InstanceType
from tests.programs import Programs


class Node:
    def __init__(self, v, next=None):
        self.v = v
        self.next = next


class Slotted:
    __slots__ = ("next", "other", "v")

    def __init__(self, v, next=None):
        self.v = v
        self.next = next


class Leafy(Slotted):
    """Slots of its base, and a dict."""

    def __init__(self, v, *parts):
        super().__init__(v, list(parts))
        self.name = "leaf"


NODE, SLOTTED, LEAFY = (Leaf(InstanceType(cls.__name__, cls)) for cls in (Node, Slotted, Leafy))
HOLDS = HoldsKnown(
    {
        Node: {
            "v": Variant((Leaf(INT), Leaf(FLOAT), Leaf(ArrayType(np.dtype("float64"), (None,))))),
            "next": Variant((Const(None), NODE, LEAFY)),
            "late": Variant((Const(Undefined("late")), Leaf(STR))),
        },
        Slotted: {"v": Leaf(FLOAT), "next": Variant((Const(None), SLOTTED))},
        Leafy: {"v": Leaf(FLOAT), "next": Leaf(ContainerType("list", NODE)), "name": Leaf(STR)},
    }
)


def changed(item, **attributes):
    for name, value in attributes.items():
        setattr(item, name, value)
    return item


def chain(n):
    node = None
    for k in range(n):
        node = Node(k, node)
    return node


def ring(n):
    first = node = chain(n)
    while node.next is not None:
        node = node.next
    node.next = first
    return first


def with_dict(node):
    vars(node)
    return node


KNOWN = [
    chain(1), chain(3000), ring(5), [chain(2), ring(2)], (Node(1.5), Slotted(2.0)), [], Slotted(1.0),
    {"a": Node(1), 2: chain(2)}, Node(np.ones(3)), changed(Node(1), late="x"), Leafy(1.0),
    with_dict(Node(1, with_dict(Node(2.5)))), Slotted(1.0, Slotted(2.0)), with_dict(Leafy(0.5, Node(3))),
    Leafy(1.0, chain(2), Node(1, Leafy(2.0, ring(3)))), [[Node(1)], [Node(2), []]],
    changed(with_dict(Node(1)), late="y"),
]  # fmt: skip
#: what Python knows, and machine code leaves to it
LEFT = [{Node(1)}, [Node(1), {2}], Leafy(1.0, {Node(2)})]
OTHER = [
    Node("text"), Node(1, Node(None)), Node(2**70), changed(Node(1), more=1), changed(Node(1), late=2),
    Node(1, Slotted(1.0)), Slotted(1), changed(Slotted(1.0), other=1), [Node(1), Node("x")], {"a": Node([])},
    changed(with_dict(Node(1)), more=1), changed(Leafy(1.0), more=2), Leafy(1.0, Node("x")),
    Leafy(1.0, Node(1, Leafy(1))), changed(with_dict(Node(1)), late=b"y"), [[Node(1)], [Node("x")]],
    Node(np.ones((2, 2))), Slotted.__new__(Slotted), Node.__new__(Node),
]  # fmt: skip


@pytest.fixture(scope="module")
def asked():
    return []


@pytest.fixture(scope="module")
def check(asked):
    def otherwise(value):
        asked.append(value)
        return False

    made = checker(HOLDS.kinds, otherwise)
    assert made is not None
    return made


@pytest.mark.parametrize("values", [KNOWN, LEFT, OTHER], ids=["known", "left", "other"])
def test_as_in_python(check, asked, values):
    for value in values:
        asked.clear()
        assert HOLDS(value) is (values is not OTHER)
        assert check(value) is (values is KNOWN)
        assert len(asked) == (values is not KNOWN)


PROGRAMS = Programs()


@PROGRAMS.scenario
def lists_of_many_lengths(function):
    """A long linked list is data, as a long list is: one trace for all lengths."""

    @function
    def total(node):
        found, count = 0, 0
        while node is not None:
            found += node.v
            node.v = found
            count += 1
            node = node.next
        return found, count

    results = [total(chain(n)) for n in (1, 40, 700, 41)]
    mixed = chain(50)
    mixed.next.v = 2.5
    results += [total(mixed), mixed.v, mixed.next.next.v]
    return results


test_program = PROGRAMS.test()


def test_one_trace_for_all_lengths():
    @rt.function
    def total(node):
        found = 0
        while node is not None:
            found += node.v
            node = node.next
        return found

    assert [total(chain(n)) for n in (30, 50, 900)] == [435, 1225, 404550]
    assert total.trace_count == 1
