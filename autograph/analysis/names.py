"""Which names a statement or an expression reads, binds, deletes, and hands to closures.

>>> tree = gast.parse("y = x + (z := 1); f = lambda: k")
>>> names = Collector().collect(*tree.body)
>>> sorted(names.reads), sorted(names.writes), sorted(names.captures)
(['x'], ['f', 'y', 'z'], ['k'])
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import field
from typing import Any

import gast

from autograph.records import record
from autograph.walking import walk

Function = Any  # a FunctionDef, an AsyncFunctionDef or a Lambda of gast, which has no types
COMPREHENSIONS = (gast.ListComp, gast.SetComp, gast.DictComp, gast.GeneratorExp)

# Builtins that use up an iterable before they return, so that a generator expression given to them
# sees its variables at once, not later.
EAGER = frozenset({"all", "any", "dict", "frozenset", "list", "max", "min", "set", "sorted", "sum", "tuple"})


@record(frozen=False)
class Names:
    """What some code does to the names of its own scope. The keys of `writes` are in program order."""

    reads: set[str] = field(default_factory=set)
    writes: dict[str, None] = field(default_factory=dict)
    maybe_writes: set[str] = field(default_factory=set)
    """The part of `writes` that may not happen: a walrus in the right operand of `and`."""
    deletes: set[str] = field(default_factory=set)
    captures: set[str] = field(default_factory=set)
    """Read by closures made here, perhaps later."""
    closure_writes: set[str] = field(default_factory=set)
    """Rebound by closures made here, perhaps later (`nonlocal`)."""
    closure_deletes: set[str] = field(default_factory=set)
    """The part of `closure_writes` that they may delete."""
    globals: set[str] = field(default_factory=set)
    nonlocals: set[str] = field(default_factory=set)
    attributes: dict[str, gast.Attribute] = field(default_factory=dict)
    """Attributes of a chain of names that are stored to, by their text: `self.total`."""


@record(frozen=False)
class Scope:
    """The names of a function. `local` is in order of first binding, parameters first."""

    params: tuple[str, ...]
    local: dict[str, None]
    globals: set[str]
    nonlocals: set[str]
    captured: set[str]
    """Locals and nonlocals that closures of this function read or rebind."""
    closure_writes: set[str]
    """Locals and nonlocals that closures of this function rebind."""
    closure_deletes: set[str]


class Collector:
    """Collects names; remembers what it found out about nested functions."""

    def __init__(self) -> None:
        self._free: dict[int, tuple[set[str], set[str], set[str]]] = {}

    def collect(self, *nodes: gast.AST | None) -> Names:
        """The names that the nodes use, taken together."""
        walk = _Walk(self)
        for node in nodes:
            if node is not None:
                walk.visit(node)
        return walk.names

    def scope(self, function: Function) -> Scope:
        """The scope that a function opens."""
        params = tuple(parameters(function.args))
        names = self.collect(*_body(function))
        local = dict.fromkeys(params)
        local.update(names.writes)
        local.update(dict.fromkeys(sorted(names.deletes)))
        for outer in names.globals | names.nonlocals:
            local.pop(outer, None)
        own = local.keys() | names.nonlocals
        closure_writes = names.closure_writes & own
        captured = (names.captures & own) | closure_writes
        deleted = names.closure_deletes & own
        return Scope(params, local, names.globals, names.nonlocals, captured, closure_writes, deleted)

    def free(self, function: Function) -> tuple[set[str], set[str], set[str]]:
        """The outer names that a function reads, those that it rebinds, those that it may delete."""
        known = self._free.get(id(function))
        if known is None:
            names = self.collect(*_body(function))
            own = set(parameters(function.args)) | names.writes.keys() | names.deletes | names.globals
            own -= names.nonlocals
            bound_outside = names.nonlocals & (names.writes.keys() | names.deletes)
            reads = (names.reads | names.captures | bound_outside) - own
            writes = (names.closure_writes - own) | bound_outside
            deletes = (names.closure_deletes - own) | (names.nonlocals & names.deletes)
            known = self._free[id(function)] = reads, writes, deletes
        return known


def parameters(arguments: gast.arguments) -> list[str]:
    """The names of a function's parameters, in the order of its signature."""
    return [param.id for param in _parameter_nodes(arguments)]


def _parameter_nodes(arguments: gast.arguments) -> list[gast.Name]:
    args = arguments
    params = [*args.posonlyargs, *args.args, args.vararg, *args.kwonlyargs, args.kwarg]
    return [param for param in params if param is not None]


def attribute_chain(node: gast.AST) -> str | None:
    """`self.a.b` as text, when it is attributes of a name.

    >>> attribute_chain(gast.parse("self.a.b").body[0].value)
    'self.a.b'
    """
    if isinstance(node, gast.Name):
        return node.id
    if isinstance(node, gast.Attribute):
        base = attribute_chain(node.value)
        return base and f"{base}.{node.attr}"
    return None


def _body(function: Function) -> list[gast.AST]:
    return [function.body] if isinstance(function, gast.Lambda) else function.body


class _Walk:
    """One walk over code of one scope."""

    def __init__(self, collector: Collector) -> None:
        self.collector = collector
        self.names = Names()
        self.conditional = False

    def visit(self, node: Any) -> None:
        kind = type(node)
        method = _METHODS.get(kind)
        if method is not None:
            method(self, node)
            return
        for child in node._fields:
            self.visit_value(getattr(node, child, None))

    def visit_value(self, value: Any) -> None:
        if isinstance(value, gast.AST):
            self.visit(value)
        elif isinstance(value, list):
            for item in value:
                self.visit_value(item)

    def maybe(self, nodes: Iterable[gast.AST]) -> None:
        """Visit what may not be evaluated."""
        before, self.conditional = self.conditional, True
        for node in nodes:
            self.visit(node)
        self.conditional = before

    def write(self, name: str) -> None:
        self.names.writes.setdefault(name)
        if self.conditional:
            self.names.maybe_writes.add(name)

    def name(self, node: gast.Name) -> None:
        if isinstance(node.ctx, gast.Store):
            self.write(node.id)
        elif isinstance(node.ctx, gast.Del):
            self.names.deletes.add(node.id)
        else:
            self.names.reads.add(node.id)

    def attribute(self, node: gast.Attribute) -> None:
        self.visit(node.value)
        if not isinstance(node.ctx, gast.Load):
            chain = attribute_chain(node)
            if chain is not None:
                self.names.attributes.setdefault(chain, node)

    def constant(self, node: gast.Constant) -> None:
        pass

    def assign(self, node: gast.Assign) -> None:
        self.visit(node.value)
        self.visit_value(node.targets)

    def aug_assign(self, node: gast.AugAssign) -> None:
        if isinstance(node.target, gast.Name):
            self.names.reads.add(node.target.id)
        self.visit(node.value)
        self.visit(node.target)

    def ann_assign(self, node: gast.AnnAssign) -> None:
        if node.value is not None:
            self.visit(node.value)
            self.visit(node.target)
        elif not isinstance(node.target, gast.Name):
            self.visit(node.target.value)

    def for_(self, node: gast.For) -> None:
        for part in (node.iter, node.target, node.body, node.orelse):
            self.visit_value(part)

    def bool_op(self, node: gast.BoolOp) -> None:
        self.visit(node.values[0])
        self.maybe(node.values[1:])

    def compare(self, node: gast.Compare) -> None:
        self.visit(node.left)
        self.visit(node.comparators[0])
        self.maybe(node.comparators[1:])

    def if_exp(self, node: gast.IfExp) -> None:
        self.visit(node.test)
        self.maybe((node.body, node.orelse))

    def lambda_(self, node: gast.Lambda) -> None:
        self.defaults(node.args)
        self.closure(node)

    def function(self, node: gast.FunctionDef) -> None:
        self.visit_value(node.decorator_list)
        self.defaults(node.args)
        for param in _parameter_nodes(node.args):
            if param.annotation is not None:
                self.visit(param.annotation)
        if node.returns is not None:
            self.visit(node.returns)
        for param in getattr(node, "type_params", None) or ():
            self.captured(param)
        self.closure(node)
        self.write(node.name)

    def defaults(self, arguments: gast.arguments) -> None:
        self.visit_value(arguments.defaults)
        self.visit_value(arguments.kw_defaults)

    def closure(self, node: Function) -> None:
        reads, writes, deletes = self.collector.free(node)
        self.names.captures |= reads
        self.names.closure_writes |= writes
        self.names.closure_deletes |= deletes

    def class_(self, node: gast.ClassDef) -> None:
        for part in (node.decorator_list, node.bases, node.keywords):
            self.visit_value(part)
        for param in getattr(node, "type_params", None) or ():
            self.captured(param)
        for statement in node.body:
            self.captured(statement)
        self.write(node.name)

    def captured(self, node: gast.AST) -> None:
        """Code in a scope of its own that may also run later: a class body and its methods."""
        inner = self.collector.collect(node)
        self.names.reads |= inner.reads
        self.names.captures |= inner.reads | inner.captures
        self.names.closure_writes |= inner.closure_writes | inner.nonlocals
        self.names.closure_deletes |= inner.closure_deletes | (inner.nonlocals & inner.deletes)

    def comprehension(self, node: Any, lazy: bool = False) -> None:
        self.visit(node.generators[0].iter)
        inner = _Walk(self.collector)
        for position, generator in enumerate(node.generators):
            if position:
                inner.visit(generator.iter)
            inner.visit(generator.target)
            inner.visit_value(generator.ifs)
        own = set(inner.names.writes) - _walrus_targets(node)
        parts = (node.key, node.value) if isinstance(node, gast.DictComp) else (node.elt,)
        for part in parts:
            inner.visit(part)
        names = inner.names
        self.names.reads |= names.reads - own
        self.names.captures |= names.captures - own
        if lazy:
            self.names.captures |= names.reads - own
        self.names.closure_writes |= names.closure_writes - own
        self.names.closure_deletes |= names.closure_deletes - own
        for target in names.writes:
            if target not in own:
                self.write(target)
                self.names.maybe_writes.add(target)

    def generator_expression(self, node: gast.GeneratorExp) -> None:
        self.comprehension(node, lazy=True)

    def call(self, node: gast.Call) -> None:
        self.visit(node.func)
        for argument in node.args:
            if isinstance(argument, gast.GeneratorExp) and is_eager_call(node):
                self.comprehension(argument)
            else:
                self.visit(argument)
        self.visit_value(node.keywords)

    def import_(self, node: gast.Import) -> None:
        for alias in node.names:
            self.write(alias.asname or alias.name.partition(".")[0])

    def global_(self, node: gast.Global) -> None:
        self.names.globals.update(node.names)

    def nonlocal_(self, node: gast.Nonlocal) -> None:
        self.names.nonlocals.update(node.names)

    def match_name(self, node: gast.MatchAs) -> None:
        if getattr(node, "pattern", None) is not None:
            self.visit(node.pattern)
        if node.name is not None:
            self.write(node.name)

    def match_mapping(self, node: gast.MatchMapping) -> None:
        self.visit_value(node.keys)
        self.visit_value(node.patterns)
        if node.rest is not None:
            self.write(node.rest)

    def handler(self, node: gast.ExceptHandler) -> None:
        for part in (node.type, node.name, node.body):
            self.visit_value(part)


def is_eager_call(call: gast.Call) -> bool:
    if isinstance(call.func, gast.Name):
        return call.func.id in EAGER
    return isinstance(call.func, gast.Attribute) and call.func.attr == "join"


def _walrus_targets(node: gast.AST) -> set[str]:
    return {inner.target.id for inner in walk(node) if isinstance(inner, gast.NamedExpr)}


_METHODS: dict[type, Callable[[_Walk, Any], None]] = {
    gast.Name: _Walk.name,
    gast.Constant: _Walk.constant,
    gast.Attribute: _Walk.attribute,
    gast.Assign: _Walk.assign,
    gast.AugAssign: _Walk.aug_assign,
    gast.AnnAssign: _Walk.ann_assign,
    gast.For: _Walk.for_,
    gast.AsyncFor: _Walk.for_,
    gast.BoolOp: _Walk.bool_op,
    gast.Compare: _Walk.compare,
    gast.IfExp: _Walk.if_exp,
    gast.Lambda: _Walk.lambda_,
    gast.FunctionDef: _Walk.function,
    gast.AsyncFunctionDef: _Walk.function,
    gast.ClassDef: _Walk.class_,
    gast.ListComp: _Walk.comprehension,
    gast.SetComp: _Walk.comprehension,
    gast.DictComp: _Walk.comprehension,
    gast.GeneratorExp: _Walk.generator_expression,
    gast.Call: _Walk.call,
    gast.Import: _Walk.import_,
    gast.ImportFrom: _Walk.import_,
    gast.Global: _Walk.global_,
    gast.Nonlocal: _Walk.nonlocal_,
    gast.MatchAs: _Walk.match_name,
    gast.MatchStar: _Walk.match_name,
    gast.MatchMapping: _Walk.match_mapping,
    gast.ExceptHandler: _Walk.handler,
}
