"""Two libraries without dependencies: terms, which choose by `where`, graphs with `cond` and `while_loop`.

Neither tells the truth of its values: `bool` raises.
"""

from __future__ import annotations

import operator
from typing import Any

from autograph.stages import FunctionalStage, SelectStage

ARITHMETIC = "add sub mul truediv floordiv mod pow".split()
COMPARISONS = "lt le gt ge eq ne".split()


class Unknown:
    """Arithmetic and comparisons make values; what asks for a number of Python's raises."""

    __hash__ = None

    def made(self, function, *operands):
        raise NotImplementedError

    def __bool__(self):
        raise TypeError(f"a {type(self).__name__} is known only when the program runs")

    __float__ = __int__ = __index__ = __bool__


def _define(name):
    function = getattr(operator, name)
    setattr(Unknown, f"__{name}__", lambda a, *b: a.made(function, a, *b))
    if name in ARITHMETIC:
        setattr(Unknown, f"__r{name}__", lambda b, a: b.made(function, a, b))


for _name in (*ARITHMETIC, *COMPARISONS, "neg", "abs"):
    _define(_name)


class Term(Unknown):
    """A function of terms and numbers; `where` computes the one that it chooses."""

    def __init__(self, function, *operands):
        self.function, self.operands = function, operands

    def made(self, function, *operands):
        return Term(function, *operands)

    def value(self, given: dict[str, Any]) -> Any:
        known: dict[int, Any] = {}
        pending = [self]
        while pending:
            term = pending.pop()
            if id(term) in known:
                continue
            needed = term.operands if term.function != "where" else term.operands[:1]
            missing = [o for o in needed if isinstance(o, Term) and id(o) not in known]
            if not missing and term.function == "where":
                condition, a, b = (known.get(id(o), o) for o in term.operands)
                chosen = term.operands[1 if condition else 2]
                missing = [chosen] if isinstance(chosen, Term) and id(chosen) not in known else []
            if missing:
                pending += [term, *missing]
                continue
            operands = [known.get(id(o), o) for o in term.operands]
            if term.function == "where":
                known[id(term)] = operands[1 if operands[0] else 2]
            else:
                name = isinstance(term.function, str)
                known[id(term)] = given[term.function] if name else term.function(*operands)
        return known[id(self)]


class Terms(SelectStage):
    name, types, limit = "terms", (Term,), 60

    def where(self, condition, a, b):
        return Term("where", condition, a, b)

    def unfinished(self, go_on):
        pass  # the tests ask for no more than `limit` iterations


terms = Terms()


def run_terms(function, *arguments, stage=terms):
    """The function over terms, computed for these arguments."""
    names = [f"x{place}" for place in range(len(arguments))]
    made = stage.convert(function)(*map(Term, names))
    return _computed(made, lambda term: term.value(dict(zip(names, arguments, strict=True))))


def _computed(value, compute):
    if isinstance(value, Unknown):
        return compute(value)
    if isinstance(value, (list, tuple)):
        return type(value)([_computed(part, compute) for part in value])
    if isinstance(value, dict):
        return {key: _computed(part, compute) for key, part in value.items()}
    return value


class Node(Unknown):
    """The result of an operation of the graph that is being written."""

    graphs: list[list[Any]] = []

    def __init__(self, operation, *operands):
        self.graph = Node.graphs[-1]
        self.place = len(self.graph)
        self.graph.append((operation, operands))

    def made(self, function, *operands):
        return Node(function, *operands)


def graph_of(function, count):
    """The graph that a function writes, and what it gives."""
    Node.graphs.append([])
    try:
        result = function(*[Node("parameter", place) for place in range(count)])
        return Node.graphs[-1], result
    finally:
        Node.graphs.pop()


def cond(condition, then, orelse, *values):
    sides = graph_of(then, len(values)), graph_of(orelse, len(values))
    assert len(sides[0][1]) == len(sides[1][1])
    made = Node("cond", condition, *sides, *values)
    return tuple(Node("part", made, place) for place in range(len(sides[0][1])))


def while_loop(test, body, values):
    parts = graph_of(test, len(values)), graph_of(body, len(values))
    assert len(parts[1][1]) == len(values)
    made = Node("while", *parts, *values)
    return tuple(Node("part", made, place) for place in range(len(values)))


class Execution:
    """A run of a graph; a graph in it sees what is known outside."""

    def __init__(self, graph, arguments, outer=None):
        self.held, self.outer, self.graph = {}, outer, graph
        for place, (operation, operands) in enumerate(graph):
            self.held[place] = self.done(operation, operands, arguments)

    def done(self, operation, operands, arguments):
        if operation == "parameter":
            return arguments[operands[0]]
        if operation == "part":
            return self.value(operands[0])[operands[1]]
        if operation == "cond":
            condition, then, orelse, *values = operands
            graph, result = then if self.value(condition) else orelse
            return Execution(graph, self.values(values), self).values(result)
        if operation == "while":
            (test, go_on), (body, result), *values = operands
            values = self.values(values)
            while Execution(test, values, self).value(go_on):
                values = Execution(body, values, self).values(result)
            return values
        return operation(*self.values(operands))

    def values(self, values):
        return [self.value(value) for value in values]

    def value(self, value):
        if not isinstance(value, Node):
            return value
        return self.held[value.place] if value.graph is self.graph else self.outer.value(value)


class Graphs(FunctionalStage):
    name, types = "graphs", (Node,)

    def cond(self, condition, then, orelse, values):
        return cond(condition, then, orelse, *values)

    def while_loop(self, test, body, values):
        return while_loop(test, body, values)


graphs = Graphs()


def run_graphs(function, *arguments, stage=graphs):
    """The function over a graph, run with these arguments."""
    graph, result = graph_of(stage.convert(function), len(arguments))
    return _computed(result, Execution(graph, arguments).value)
