"""Turn stores to items into calls that give the container's new value.

>>> show(convert_item_stores, '''
... def f(x, i, d):
...     x[i] = x[i - 1]
...     x[i] += 1
...     x[i], x[i + 1] = x[i + 1], x[i]
...     del d["k"]
... ''')
def f(x, i, d):
    x = ag__.set_item(x, i, x[i - 1])
    x = ag__.aug_item(x, i, ag__.iadd, 1)
    item, item_1 = (x[i + 1], x[i])
    x = ag__.set_item(x, i, item)
    x = ag__.set_item(x, i + 1, item_1)
    d = ag__.del_item(d, 'k')

What follows an item waits for its store, and so does a tuple that is unpacked:

>>> show(convert_item_stores, '''
... def f(x):
...     x[0], (a, *b) = 9, x
... ''')
def f(x):
    item, item_1 = (9, x)
    x = ag__.set_item(x, 0, item)
    a, *b = item_1

The order of evaluation stays Python's: first the value, then the container, then the key. It can be seen
where more than one of them calls something or may fail; names that surely have a value do not.

>>> show(convert_item_stores, '''
... def f(d):
...     d[key()] = value()
...     d['n'] += value()
...     d[d['a']] = d['b']
...     CACHE['n'] = d
... ''')
def f(d):
    d = ag__.set_item(value=value(), target=d, key=key())
    d = ag__.set_item(d, 'n', ag__.iadd(d['n'], value()))
    d = ag__.set_item(value=d['b'], target=d, key=d['a'])
    ag__.store_item(CACHE, 'n', d)

A global, or another variable that other code may rebind, is read once more after the store, which may run
special methods of the user's.

>>> show(convert_item_stores, '''
... def f(i):
...     global table
...     table[i] = 1
... ''')
def f(i):
    global table
    table = ag__.kept(ag__.set_item(table, i, 1, held=ag__.BOTH), table)

What is computed on the way may give the variable another value, which it keeps. `held` is read last:

>>> show(convert_item_stores, '''
... def f(x):
...     x[1] += (x := x * 2)[0]
... ''')
def f(x):
    key = 1
    x = ag__.set_item(x, key, ag__.iadd(x[key], (x := (x * 2))[0]), held=x)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count
from typing import Any

import gast

from autograph.analysis.flow import Flow
from autograph.analysis.jumps import blocks
from autograph.analysis.names import Collector
from autograph.analysis.static import deleted_by
from autograph.passes.context import Context
from autograph.template import assign, constant, locate, name, operator, operator_call
from autograph.template import show as show
from autograph.walking import walk

_IN_PLACE = {
    gast.Add: "iadd",
    gast.Sub: "isub",
    gast.Mult: "imul",
    gast.MatMult: "imatmul",
    gast.Div: "itruediv",
    gast.Mod: "imod",
    gast.Pow: "ipow",
    gast.LShift: "ilshift",
    gast.RShift: "irshift",
    gast.BitOr: "ior",
    gast.BitXor: "ixor",
    gast.BitAnd: "iand",
    gast.FloorDiv: "ifloordiv",
}


def convert_item_stores(tree: gast.Module, context: Context | None = None) -> gast.Module:
    """Convert the item stores of every function."""
    context = context or Context(tree)
    classes: dict[int, Any] = {}  # of functions; a class is in all functions around it
    for function in context.functions:
        classes |= {id(node): node for node in walk(function) if isinstance(node, gast.ClassDef)}
        if not isinstance(function, gast.Lambda):
            _ItemStores(function, context).run()
    for node in classes.values():
        _ItemStoresOfClass(node, context).run()
    return tree


class _ItemStores:
    def __init__(self, function: Any, context: Context) -> None:
        self.function = function
        self.context = context
        self._own: set[str] | None = None
        self._flow: Flow | None = None
        self.statement: Any = None
        """The one that is being rewritten."""

    def run(self) -> None:
        self.function.body = self.block(self.function.body)

    def own(self) -> set[str]:
        """Names that this function may rebind."""
        if self._own is None:
            scope = Collector().scope(self.function)
            self._own = scope.local.keys() | scope.globals | scope.nonlocals
            self.shared = scope.closure_writes | scope.globals | scope.nonlocals
        return self._own

    def block(self, statements: list[Any]) -> list[Any]:
        made: list[Any] = []
        for statement in statements:
            for block in blocks(statement):
                block[:] = self.block(list(block))
            self.statement = statement
            rewrite = _REWRITE.get(type(statement))
            made += [statement] if rewrite is None else rewrite(self, statement)
        return made

    # Statements

    def assignment(self, statement: gast.Assign) -> list[Any]:
        targets = statement.targets
        if not any(map(_stores_item, targets)):
            return [statement]
        if len(targets) == 1:
            return self.assign_to(targets[0], statement.value, statement)
        held = self.context.fresh("value")
        made: list[Any] = [assign(held, statement.value, statement)]
        for target in targets:
            made += self.assign_to(target, name(held, statement), statement)
        return made

    def assign_to(self, target: Any, value: Any, at: Any, held: Iterator[int] | None = None) -> list[Any]:
        if isinstance(target, gast.Subscript):
            return [self.store(target, value, at)]
        stores = self.hold(target, held) if _stores_item(target) else []
        return [locate(gast.Assign([target], value, None), at), *stores]

    def hold(self, target: Any, held: Iterator[int] | None = None) -> list[Any]:
        """Put variables in place of the items in a tuple of targets; the stores that come after.

        ``held`` numbers the variables of one statement.
        """
        stores: list[Any] = []
        self._hold(target, stores, count() if held is None else held)
        return stores

    def _hold(self, target: Any, stores: list[Any], held: Iterator[int]) -> None:
        for position, element in enumerate(target.elts):
            inner = element.value if isinstance(element, gast.Starred) else element
            # Stores are made from left to right, so what follows an item waits too.
            if not stores and isinstance(inner, (gast.Tuple, gast.List)):
                self._hold(inner, stores, held)
                continue
            if not stores and not isinstance(inner, gast.Subscript):
                continue
            item = self.context.fresh("item", next(held))
            variable = name(item, inner, gast.Store())
            if inner is element:
                target.elts[position] = variable
            else:
                element.value = variable
            stores += self.assign_to(inner, name(item, inner), inner, held)

    def augmented(self, statement: gast.AugAssign) -> list[Any]:
        target, value = statement.target, statement.value
        if not isinstance(target, gast.Subscript):
            if isinstance(target, gast.Attribute) and isinstance(target.value, gast.Name):
                statement.keeps_owner = self._may_rebind(target.value.id, value)
            return [statement]
        in_place = operator(_IN_PLACE[type(statement.op)], statement)
        key = index_expression(target.slice)
        if self._is_sure(value) and not _binds(target):
            arguments = [target.value, key, in_place, value]
            held = self.held(target.value, key)
            return [self.rebind("aug_item", "update_item", target.value, arguments, statement, held)]
        # The old item is read before the value is computed.
        made: list[Any] = []
        container, held = target.value, self.held(target.value, key, value)
        if not (self._is_sure(key) and self._is_sure(container)) or _binds(value):
            if not isinstance(container, gast.Name) or self._may_rebind(container.id, key):
                made.append(assign(self.context.fresh("container"), container, container))
                container = name(self.context.fresh("container"), container)
            made.append(assign(self.context.fresh("key"), key, target))
            key = name(self.context.fresh("key"), target)
        item = locate(gast.Subscript(name(container.id, target), key, gast.Load()), target)
        if isinstance(target.value, gast.Name) and not made:
            item.slice = target.slice
        result = locate(gast.Call(in_place, [item, value], []), statement)
        arguments = [container, key, result]
        made.append(self.rebind("set_item", "store_item", target.value, arguments, statement, held))
        return made

    def annotated(self, statement: gast.AnnAssign) -> list[Any]:
        if not isinstance(statement.target, gast.Subscript) or statement.value is None:
            return [statement]
        return [self.store(statement.target, statement.value, statement)]

    def delete(self, statement: gast.Delete) -> list[Any]:
        targets = deleted_by(statement)
        if not any(isinstance(target, gast.Subscript) for target in targets):
            return [statement]
        made: list[Any] = []
        for target in targets:
            if isinstance(target, gast.Subscript):
                arguments = [target.value, index_expression(target.slice)]
                held = self.held(*arguments)
                made.append(self.rebind("del_item", "remove_item", target.value, arguments, statement, held))
            else:
                made.append(locate(gast.Delete([target]), statement))
        return made

    def loop(self, statement: gast.For) -> list[Any]:
        target = statement.target
        if isinstance(target, gast.Subscript):
            held = self.context.fresh("item")
            statement.target = name(held, target, gast.Store())
            statement.body.insert(0, self.store(target, name(held, target), target))
        elif _stores_item(target):
            statement.body[:0] = self.hold(target)
        return [statement]

    # The calls

    def store(self, target: gast.Subscript, value: Any, at: Any) -> Any:
        container, key = target.value, index_expression(target.slice)
        held = self.held(container, key)  # the value comes before the container is read
        if self._same_in_any_order(container, key, value):
            return self.rebind("set_item", "store_item", container, [container, key, value], at, held)
        # Keyword arguments are evaluated in the order in which they are written.
        parts = {"value": value, "target": container, "key": key}
        keywords = [locate(gast.keyword(word, part), at) for word, part in parts.items()]
        return self.rebind("set_item", "store_item", container, [], at, keywords + held)

    def held(self, container: Any, *after: Any) -> list[Any]:
        """`held=x`: what the variable holds once all is computed, where that may be something else."""
        if not isinstance(container, gast.Name) or container.id not in self.own():
            return []
        if container.id in self.shared:
            return []  # see `rebind`
        if not any(self._may_rebind(container.id, node) for node in after):
            return []
        return [locate(gast.keyword("held", name(container.id, container)), container)]

    def _may_rebind(self, variable: str, node: Any) -> bool:
        """May the variable hold something else after this was evaluated?"""
        if any(isinstance(inner, gast.NamedExpr) and inner.target.id == variable for inner in walk(node)):
            return True
        is_shared = variable not in self.own() or variable in self.shared
        return is_shared and any(isinstance(inner, _RUNS_OTHER_CODE) for inner in walk(node))

    def _same_in_any_order(self, container: Any, key: Any, value: Any) -> bool:
        if self._is_sure(value):
            return not _binds(container) and not _binds(key)
        return self._is_sure(container) and self._is_sure(key) and not _binds(value)

    def _is_sure(self, node: Any) -> bool:
        """Can nobody see when this is evaluated? A constant, or a name that only this function rebinds and
        that surely has a value here; a tuple or slice of them."""
        if isinstance(node, gast.Constant):
            return True
        if isinstance(node, gast.Name):
            return self._is_private(node.id) and self._is_bound(node.id)
        if isinstance(node, (gast.Tuple, gast.List)):
            return all(map(self._is_sure, node.elts))
        if isinstance(node, gast.UnaryOp):
            return isinstance(node.operand, gast.Constant) and isinstance(node.operand.value, (int, float))
        return _is_slice_call(node) and all(map(self._is_sure, node.args))

    def _is_private(self, variable: str) -> bool:
        return variable in self.own() and variable not in self.shared or self.context.is_generated(variable)

    def _is_bound(self, variable: str) -> bool:
        if self.context.is_generated(variable):
            return True
        if self._flow is None:
            self._flow = Flow(self.function)
        return variable in self._flow.bound_before(self.statement)

    def rebind(
        self, kind: str, other: str, container: Any, arguments: list[Any], at: Any, keywords: Any = ()
    ) -> Any:
        """`x = ag__.kind(x, ...)`, or `ag__.other(x, ...)` where the function has no `x` to rebind."""
        is_own = isinstance(container, gast.Name) and container.id in self.own()
        call = operator_call(kind if is_own else other, arguments, at)
        call.keywords = list(keywords)
        if not is_own:
            return locate(gast.Expr(call), at)
        if container.id in self.shared:
            call.keywords.append(locate(gast.keyword("held", operator("BOTH", at)), at))
            call = operator_call("kept", [call, name(container.id, at)], at)
        return assign(container.id, call, at)


class _ItemStoresOfClass(_ItemStores):
    """In the body of a class no name is rebound, and what is held for a moment is no attribute."""

    def own(self) -> set[str]:
        return set()

    def _is_sure(self, node: Any) -> bool:
        return isinstance(node, gast.Name) or super()._is_sure(node)

    def block(self, statements: list[Any]) -> list[Any]:
        made = super().block(statements)
        held = {
            target.id
            for statement in made
            if isinstance(statement, gast.Assign)
            for target in walk(statement)
            if isinstance(target, gast.Name) and self.context.is_generated(target.id)
        }
        for variable in sorted(held):
            made.append(locate(gast.Delete([name(variable, made[-1], gast.Del())]), made[-1]))
        return made


_RUNS_OTHER_CODE = (gast.Call, gast.Await, gast.Yield, gast.YieldFrom)
_REWRITE: dict[type, Callable[[_ItemStores, Any], list[Any]]] = {
    gast.Assign: _ItemStores.assignment,
    gast.AugAssign: _ItemStores.augmented,
    gast.AnnAssign: _ItemStores.annotated,
    gast.Delete: _ItemStores.delete,
    gast.For: _ItemStores.loop,
    gast.AsyncFor: _ItemStores.loop,
}


def keeps_owner(statement: gast.AugAssign) -> bool:
    """Is the object whose attribute this changes to be held, for its variable may soon be another's?"""
    return getattr(statement, "keeps_owner", False)


def _stores_item(target: Any) -> bool:
    if isinstance(target, (gast.Tuple, gast.List)):
        return any(map(_stores_item, target.elts))
    if isinstance(target, gast.Starred):
        return _stores_item(target.value)
    return isinstance(target, gast.Subscript)


def index_expression(index: Any) -> Any:
    """The index as an expression that may stand outside brackets."""
    if isinstance(index, gast.Slice):
        parts = [part or constant(None, index) for part in (index.lower, index.upper)]
        if index.step is not None:
            parts.append(index.step)
        return operator_call("slice", parts, index)
    if isinstance(index, gast.Tuple) and any(
        isinstance(part, (gast.Slice, gast.Starred)) for part in index.elts
    ):
        return locate(gast.Tuple([index_expression(part) for part in index.elts], gast.Load()), index)
    return index


def _binds(node: Any) -> bool:
    """Is there an assignment expression in it?"""
    return any(isinstance(inner, gast.NamedExpr) for inner in walk(node))


def _is_slice_call(node: Any) -> bool:
    return (
        isinstance(node, gast.Call)
        and isinstance(node.func, gast.Attribute)
        and node.func.attr == "slice"
        and (isinstance(node.func.value, gast.Name) and node.func.value.id == "ag__")
    )
