"""Put expressions that bind variables into functions of their own, which are called in their place.

>>> from autograph.passes.expand_bindings import expand_bindings
>>> show(expand_bindings, '''
... def f(x, k):
...     return k, any((seen := v) > k for v in x), k > 1 and (last := x[-1]) > k
... ''')
def f(x, k):
    if False:
        seen = None
        last = None
<BLANKLINE>
    def element(v):
        nonlocal seen
        return (seen := v) > k
<BLANKLINE>
    def operands_1():
        nonlocal last
        result = k > 1
        if result:
            result = (last := x[-1]) > k
        return result
    return (k, any((element(v) for v in x)), operands_1())

A part of `expand_bindings`, which writes statements for what its statement evaluates first. Anything else
must be evaluated where it stands, after what stands before it; and a generator expression item by item.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import Any

import gast

from autograph.analysis.jumps import SCOPES
from autograph.analysis.names import COMPREHENSIONS, Collector, Scope
from autograph.analysis.static import counts_frames, own_nodes
from autograph.passes.comprehensions import keeps_variables
from autograph.passes.context import Context
from autograph.passes.lower_jumps import is_docstring
from autograph.template import assign, constant, locate, name
from autograph.template import show as show
from autograph.walking import walk

_ELSEWHERE = (gast.stmt, gast.ExceptHandler, *SCOPES)
_SUSPENDING = (gast.Await, gast.Yield, gast.YieldFrom)


class BindInFunctions:
    """The expressions of one function."""

    def __init__(self, function: Any, context: Context) -> None:
        self.function = function
        self.context = context
        self.scope: Scope | None = None
        self.bound: dict[str, None] = {}
        self.inlines = True  # the comprehension at hand, from Python 3.12 on

    def statement(self, statement: Any, may_bind: Callable[[Any], bool]) -> list[Any]:
        """Definitions of the functions that the statement now calls."""
        made: list[Any] = []
        for holder, place, node in list(_found(statement, may_bind)):
            if isinstance(node, COMPREHENSIONS):
                made += self.comprehension(node)
            elif not isinstance(statement, gast.Return) or statement.value is not node:
                kind = "operands" if isinstance(node, gast.BoolOp) else "choice"
                made += self.moved(holder, place, node, kind)
        return made

    def comprehension(self, node: Any) -> list[Any]:
        """Each part that binds a variable becomes a call with the variables of the comprehension."""
        made = []
        self.inlines = not isinstance(node, gast.GeneratorExp)
        for field in ("key", "value", "elt"):
            if hasattr(node, field):
                made += self.moved(node, field, getattr(node, field), "element", node.generators)
        for number, generator in enumerate(node.generators):
            for place, test in enumerate(generator.ifs):
                known = node.generators[: number + 1]
                made += self.moved(generator.ifs, place, test, "test", known, is_test=True)
        return made

    def moved(
        self, holder: Any, place: Any, node: Any, kind: str, generators: Any = (), is_test: bool = False
    ) -> list[Any]:
        """The definition of a function for `node`, which becomes a call of it."""
        found = dict.fromkeys(_bound(node))
        targets = [each for generator in generators for each in walk(generator.target)]
        variables = {each.id: None for each in targets if isinstance(each, gast.Name)}
        if not found or keeps_variables(node, set(variables), self.context):
            return []
        read = Collector().collect(node)
        own = [variable for variable in variables if variable in read.reads | read.captures]
        called = self.context.fresh(kind, len(self.context.added))
        parameters = [name(variable, node, gast.Param()) for variable in own]
        arguments = gast.arguments(parameters, [], None, [], [], None, [])
        body = self.declared(found, node) + _returned(node, is_test or asks_for_truth(node))
        made = locate(gast.FunctionDef(called, arguments, body, [], None, None, []), node)
        is_part = bool(targets)  # of a comprehension, which Python may compile as a function
        made.is_inline = not is_part or (self.inlines and sys.version_info >= (3, 12))
        self.context.add_function(made)
        given: list[Any] = [name(variable, node) for variable in own]
        call = locate(gast.Call(name(called, node), given, []), node)
        if isinstance(holder, list):
            holder[place] = call
        else:
            setattr(holder, place, call)
        return [made]

    def declared(self, found: dict[str, None], at: Any) -> list[Any]:
        """`global` and `nonlocal` for variables of the function around."""
        self.scope = self.scope or Collector().scope(self.function)
        global_names = [each for each in found if each in self.scope.globals]
        outer_names = [each for each in found if each not in self.scope.globals]
        self.bound.update(dict.fromkeys(outer_names))
        made: list[Any] = [locate(gast.Global(global_names), at)] if global_names else []
        return [*made, locate(gast.Nonlocal(outer_names), at)] if outer_names else made

    def with_variables(self, body: list[Any]) -> list[Any]:
        """Variables that only those functions bind now stay this function's."""
        if not self.bound or self.scope is None:
            return body
        left = Collector().collect(*body).writes.keys() | set(self.scope.params) | self.scope.nonlocals
        lost = [variable for variable in self.bound if variable not in left]
        if not lost:
            return body
        at = body[0]
        dead = [assign(variable, constant(None, at), at) for variable in lost]
        start = 1 if is_docstring(at) else 0
        while isinstance(body[start], (gast.Global, gast.Nonlocal)):
            start += 1
        declaration = locate(gast.If(constant(False, at), dead, []), at)
        declaration.declares = {*lost}  # until it is said that they are `Undefined`
        return [*body[:start], declaration, *body[start:]]


def mark_tests(root: Any) -> None:
    """Note at each test within which expressions Python asks for their truth, and for nothing else."""
    for node in walk(root):
        if isinstance(node, (gast.If, gast.While, gast.Assert, gast.IfExp)):
            mark_test(node.test)
        elif isinstance(node, gast.comprehension):
            for test in node.ifs:
                mark_test(test)


def mark_test(node: Any) -> None:
    """This is a test. `not`, `and`, `or` and conditional expressions within are no values then, either."""
    node.is_test = True
    if isinstance(node, gast.BoolOp):
        parts = node.values
    elif isinstance(node, gast.IfExp):
        parts = [node.body, node.orelse]
    else:
        parts = [node.operand] if isinstance(node, gast.UnaryOp) and isinstance(node.op, gast.Not) else []
    for part in parts:
        mark_test(part)


def asks_for_truth(node: Any) -> bool:
    """Does only the truth of the expression matter where it stands?"""
    return getattr(node, "is_test", False)


def _found(holder: Any, may_bind: Callable[[Any], bool]) -> Iterator[tuple[Any, Any, Any]]:
    """The outermost expressions that are to become calls: what holds each, where, and itself."""
    if isinstance(holder, SCOPES):
        return
    for owner, place, node in _children(holder):
        if isinstance(node, _ELSEWHERE):
            continue
        if _can_move(node, may_bind):
            yield owner, place, node
        else:
            yield from _found(node, may_bind)


def _children(node: Any) -> Iterator[tuple[Any, Any, Any]]:
    for field, value in gast.iter_fields(node):
        if isinstance(value, gast.AST):
            yield node, field, value
        elif isinstance(value, list):
            for index, item in enumerate(value):
                if isinstance(item, gast.AST):
                    yield value, index, item


def _can_move(node: Any, may_bind: Callable[[Any], bool]) -> bool:
    if isinstance(node, COMPREHENSIONS):
        binds = bool(_bound(node)) and not any(generator.is_async for generator in node.generators)
    else:
        binds = isinstance(node, (gast.BoolOp, gast.IfExp)) and may_bind(node)
    return binds and not any(_belongs_to_frame(each) for each in own_nodes(node))


def _belongs_to_frame(node: Any) -> bool:
    is_super = isinstance(node, gast.Name) and node.id == "super"
    return is_super or isinstance(node, _SUSPENDING) or counts_frames(node)


def _bound(node: Any) -> list[str]:
    return [each.target.id for each in own_nodes(node) if isinstance(each, gast.NamedExpr)]


def _returned(node: Any, is_test: bool) -> list[Any]:
    """`return node`; only its truth, asked once for each operand, where nothing else matters."""
    if not is_test or not isinstance(node, (gast.BoolOp, gast.IfExp)):
        return [locate(gast.Return(node), node)]
    mark_test(node)
    ways = [[locate(gast.Return(constant(way, node)), node)] for way in (True, False)]
    return [locate(gast.If(node, *ways), node)]
