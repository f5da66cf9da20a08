"""Two libraries without dependencies: terms, which choose by `where`, graphs with `cond` and `while_loop`.

Each comes in two kinds: values that tell nobody their truth, and values that are silently true.
"""

from __future__ import annotations

import operator
from typing import Any

from autograph.stages import FunctionalStage, SelectStage

ARITHMETIC = "add sub mul truediv floordiv mod pow".split()
COMPARISONS = "lt le gt ge eq ne".split()


class Silent:
    """Arithmetic and comparisons make values. One is true, and equals itself alone, as objects do."""

    def made(self, function, *operands):
        return type(self)(function, *operands)


def _define(cls, name):
    function = getattr(operator, name)
    setattr(cls, f"__{name}__", lambda a, *b: a.made(function, a, *b))
    if name in ARITHMETIC:
        setattr(cls, f"__r{name}__", lambda b, a: b.made(function, a, b))


for _name in (*ARITHMETIC, "lt", "le", "gt", "ge", "neg", "abs"):
    _define(Silent, _name)


class Unknown(Silent):
    """What asks for a number of Python's, or for a hash, raises."""

    __hash__ = None

    def __bool__(self):
        raise TypeError(f"a {type(self).__name__} is known only when the program runs")

    __float__ = __int__ = __index__ = __bool__


_define(Unknown, "eq")
_define(Unknown, "ne")


class Formula:
    """A function of terms and numbers; `where` computes the one that it chooses."""

    def __init__(self, function, *operands):
        self.function, self.operands = function, operands

    def value(self, given: dict[str, Any]) -> Any:
        known: dict[int, Any] = {}
        pending = [self]
        while pending:
            term = pending.pop()
            if id(term) in known:
                continue
            needed = term.operands if term.function != "where" else term.operands[:1]
            missing = [o for o in needed if isinstance(o, Formula) and id(o) not in known]
            if not missing and term.function == "where":
                condition, a, b = (known.get(id(o), o) for o in term.operands)
                chosen = term.operands[1 if condition else 2]
                missing = [chosen] if isinstance(chosen, Formula) and id(chosen) not in known else []
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


class Term(Formula, Unknown):
    """A term whose truth nobody is told."""


class SilentTerm(Formula, Silent):
    """A term that is taken for an object of Python's wherever nobody sees to it."""


class Terms(SelectStage):
    name, types, limit = "terms", (Term,), 60

    def where(self, condition, a, b):
        return Term("where", condition, a, b)

    def unfinished(self, go_on):
        pass  # the tests ask for no more than `limit` iterations


class SilentTerms(Terms):
    name, types = "silent terms", (SilentTerm,)

    def where(self, condition, a, b):
        return SilentTerm("where", condition, a, b)


class EqualTerms(SilentTerms):
    name = "equal terms"

    def equal(self, a, b):
        return SilentTerm(operator.eq, a, b)


terms, silent_terms, equal_terms = Terms(), SilentTerms(), EqualTerms()


def run_terms(function, *arguments, stage=terms):
    """The function over terms, computed for these arguments."""
    names = [f"x{place}" for place in range(len(arguments))]
    made = stage.convert(function)(*map(stage.types[0], names))
    return _computed(made, lambda term: term.value(dict(zip(names, arguments, strict=True))))


def _computed(value, compute):
    if isinstance(value, Silent):
        return compute(value)
    if isinstance(value, (list, tuple)):
        return type(value)([_computed(part, compute) for part in value])
    if isinstance(value, dict):
        return {key: _computed(part, compute) for key, part in value.items()}
    return value


class Operation:
    """The result of an operation of the graph that is being written."""

    def __init__(self, operation, *operands):
        self.graph = GRAPHS[-1]
        self.place = len(self.graph)
        self.graph.append((operation, operands))


class Node(Operation, Unknown):
    """A node whose truth nobody is told."""


class SilentNode(Operation, Silent):
    """A node that is taken for an object of Python's wherever nobody sees to it."""


#: those that are being written, the innermost last
GRAPHS: list[list[Any]] = []


def graph_of(function, count, kind=Node):
    """The graph that a function writes, and what it gives."""
    GRAPHS.append([])
    try:
        result = function(*[kind("parameter", place) for place in range(count)])
        return GRAPHS[-1], result
    finally:
        GRAPHS.pop()


def cond(condition, then, orelse, values, kind=Node):
    sides = graph_of(then, len(values), kind), graph_of(orelse, len(values), kind)
    assert len(sides[0][1]) == len(sides[1][1])
    made = kind("cond", condition, *sides, *values)
    return tuple(kind("part", made, place) for place in range(len(sides[0][1])))


def while_loop(test, body, values, kind=Node):
    parts = graph_of(test, len(values), kind), graph_of(body, len(values), kind)
    assert len(parts[1][1]) == len(values)
    made = kind("while", *parts, *values)
    return tuple(kind("part", made, place) for place in range(len(values)))


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
        if not isinstance(value, Operation):
            return value
        return self.held[value.place] if value.graph is self.graph else self.outer.value(value)


class Graphs(FunctionalStage):
    name, types = "graphs", (Node,)

    def cond(self, condition, then, orelse, values):
        return cond(condition, then, orelse, values, self.types[0])

    def while_loop(self, test, body, values):
        return while_loop(test, body, values, self.types[0])


class SilentGraphs(Graphs):
    name, types = "silent graphs", (SilentNode,)


class EqualGraphs(SilentGraphs):
    name = "equal graphs"

    def equal(self, a, b):
        return SilentNode(operator.eq, a, b)


graphs, silent_graphs, equal_graphs = Graphs(), SilentGraphs(), EqualGraphs()


def run_graphs(function, *arguments, stage=graphs):
    """The function over a graph, run with these arguments."""
    graph, result = graph_of(stage.convert(function), len(arguments), stage.types[0])
    return _computed(result, Execution(graph, arguments).value)
