"""An object with an attribute that is one of several things, stored outside: it holds the one of the run."""

import pytest

from tests.differential import check_scenario


class Node:
    def __init__(self, v, after=None):
        self.v = v
        self.after = after


class Holder:
    head = None


def one_of_two_made_before(n, node):
    first, second = Node(n), Node(-n)
    node.after = first if n > 2 else second


def a_tuple_with_one(n, node):
    node.after = (n, Node(n)) if n > 2 else None


WAYS = [one_of_two_made_before, a_tuple_with_one]


def described(node):
    """What hangs on the node, to some depth, with what is met again by its number."""
    met, out = [], []
    while isinstance(node, Node) and len(out) < 6:
        known = [i for i, one in enumerate(met) if one is node]
        met.append(node)
        out.append((type(node), node.v, known))
        node = node.after
    if isinstance(node, tuple):
        return out, node[0], described(node[1])
    return out, node


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
def test_stored_in_an_object_from_outside(way):
    def scenario(function):
        holder = Holder()

        @function
        def f(n):
            node = Node(n)
            way(n, node)
            holder.head = node
            return node

        seen = []
        for n in (3, 1, 4):
            node = f(n)
            seen += [node is holder.head, node.after is holder.head.after, described(holder.head)]
            node.v += 100
            seen.append(holder.head.v)
        return seen

    check_scenario(scenario)


class Asked(Node):
    """Its attributes are asked for by no name but those that the program asks for."""

    asked: list[str] = []

    def __getattr__(self, name):
        self.asked.append(name)
        raise AttributeError(name)


@pytest.mark.parametrize("cls", [Node, Asked])
def test_a_list_from_outside_gets_more_of_what_it_holds(cls):
    def scenario(function):
        head = cls(1)
        head.after = cls(2)
        kept = [head]
        Asked.asked = []

        @function
        def f(n):
            node = cls(n, head)
            if n > 2:
                kept.append(node.after)
            else:
                kept.append(node)
            return kept[-1].v

        return [f(n) for n in (3, 1, 4)], [described(node) for node in kept], Asked.asked

    check_scenario(scenario)
