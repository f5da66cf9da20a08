"""Let a stage see stores to variables that several functions share: `global`, and `nonlocal` ones.

>>> show(mark_variables, '''
... def f(x):
...     total = 0
...     def add(v):
...         nonlocal total
...         global seen
...         total = total + v
...         return (seen := v)
...     for total in x:
...         add(total)
...     return total
... ''')
def f(x):
    ag__.new_variables(lambda: (total,))
    total = 0
    ag__.stored_variable(lambda: total)
<BLANKLINE>
    def add(v):
        nonlocal total
        global seen
        total = total + v
        ag__.stored_variable(lambda: total)
        return ag__.stored_global('seen', (seen := v))
    for total in x:
        ag__.stored_variable(lambda: total)
        add(total)
    return total

A mark comes right after the store, in the user's own frame: Python writes these variables with no hook.
The function that owns such variables says so first, for each call makes new ones. They are those that a
function inside declares; what closures only read is state of the owner's statements alone.

Only for a stage that asks (`Stage.marks`), after all closures and thunks are made; but which
variables these are is asked before (`SharedVariables`): when all functions are the user's, or stand for an
expression that binds (`bind_in_functions`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import gast

from autograph.analysis.jumps import TRIES, blocks
from autograph.analysis.names import Collector
from autograph.mangling import mangled
from autograph.passes.context import Context, SharedVariables, is_wrapper
from autograph.passes.lower_jumps import is_docstring
from autograph.template import assign, constant, locate, name, operator_call, thunk
from autograph.template import show as show
from autograph.walking import Transformer, walk

_FUNCTIONS = (gast.FunctionDef, gast.AsyncFunctionDef)
_DECLARATIONS = (gast.Global, gast.Nonlocal)


def mark_variables(tree: gast.Module, context: Context | None = None) -> gast.Module:
    """Mark the stores in every function."""
    context = context or Context(tree)
    mark = _Mark(context, context.shared or SharedVariables(context))
    for statement in tree.body:
        for definition in statement.body if is_wrapper(statement) else [statement]:
            mark.inside(definition, {}, None)
    return tree


class _Mark:
    def __init__(self, context: Context, shared: SharedVariables) -> None:
        self.context = context
        self.shared = shared
        self.collector = Collector()

    # -- functions and classes ------------------------------------------------------------------------

    def inside(self, statement: Any, around: dict[str, bool], class_name: str | None) -> None:
        """Mark what is in a definition. ``around``: what the function around marks, in its closures too."""
        scope = _Scope(self, {}, class_name)
        if isinstance(statement, _FUNCTIONS):
            if id(statement) in self.shared.stored:
                scope.names = self.shared.stored[id(statement)]
            elif self._sets_state(statement):
                return
            elif around:  # a closure that a pass made
                local = self.collector.scope(statement).local
                scope.names = {variable: kind for variable, kind in around.items() if variable not in local}
            statement.body = scope.block(statement.body)
            own = self.shared.own.get(id(statement))
            if own:
                statement.body = _owning(statement, own)
        elif isinstance(statement, gast.ClassDef):
            found = self.collector.collect(*statement.body)
            scope.names = dict.fromkeys(found.nonlocals, False) | dict.fromkeys(found.globals, True)
            scope.class_name = statement.name
            statement.body = scope.block(statement.body)

    def _sets_state(self, function: Any) -> bool:
        return function.name == self.context.fresh("set_state") and self.context.is_generated(function.name)


def _owning(function: Any, own: list[str]) -> list[Any]:
    """The body, which begins with new variables. They stay the function's, whatever its closures bind."""
    body = function.body
    start = 1 if is_docstring(body[0]) else 0
    while start < len(body) and isinstance(body[start], _DECLARATIONS):
        start += 1
    at = body[min(start, len(body) - 1)]
    read = locate(gast.Tuple([name(variable, at) for variable in own], gast.Load()), at)
    made = locate(gast.Expr(operator_call("new_variables", [thunk(read)], at)), at)
    return [*body[:start], made, *body[start:]]


# -- statements -----------------------------------------------------------------------------------------


class _Scope:
    """The statements of one function or class body."""

    def __init__(self, mark: _Mark, names: dict[str, bool], class_name: str | None) -> None:
        self.mark = mark
        self.names = names
        self.class_name = class_name

    def block(self, statements: list[Any]) -> list[Any]:
        return [made for statement in statements for made in self.statement(statement)]

    def statement(self, statement: Any) -> list[Any]:
        if isinstance(statement, (*_FUNCTIONS, gast.ClassDef)):
            self.expressions(statement)
            self.mark.inside(statement, self.names, self.class_name)
            return [statement, *self.stored([statement.name], statement)]
        inner = blocks(statement)
        for block in inner:
            block[:] = self.block(list(block))
        if not self.names:
            return [statement]
        self.expressions(statement)
        if isinstance(statement, (gast.For, gast.AsyncFor)):
            self._begin(statement.body, statement, "target")
        elif isinstance(statement, (gast.With, gast.AsyncWith)):
            for item in reversed(statement.items):
                self._begin(statement.body, item, "optional_vars")
        elif isinstance(statement, TRIES):
            for handler in statement.handlers:
                self._handler(handler)
        elif isinstance(statement, gast.Match):
            for case in statement.cases:
                self._case(case)
        if inner:
            return [statement]
        return self._simple(statement)

    def _simple(self, statement: Any) -> list[Any]:
        stored = self.stored(_names_stored(statement), statement)
        if not stored:
            return [statement]
        if _stores_at_once(statement):
            return [statement, *stored]
        return [locate(gast.Try([statement], [], [], stored), statement)]

    def _begin(self, body: list[Any], holder: Any, field: str) -> None:
        """Mark what a loop or a `with` binds, at the beginning of its block."""
        target = getattr(holder, field)
        stored = [] if target is None else self.stored(_names_in(target), target)
        if not stored:
            return
        if _is_flat(target):
            body[:0] = stored
            return
        item = self.mark.context.fresh("item")
        setattr(holder, field, name(item, target, gast.Store()))
        bind = locate(gast.Assign([target], name(item, target), None), target)
        body[:0] = self._simple(bind)

    def _handler(self, handler: Any) -> None:
        """Python unbinds the name of an exception at the end of its handler."""
        if handler.name is None or handler.name.id not in self.names:
            return
        variable, held = handler.name.id, self.mark.context.fresh("error")
        handler.name.id = held
        stored = lambda: self.stored([variable], handler)
        bind = [assign(variable, name(held, handler), handler), *stored()]
        gone = locate(gast.Delete([name(variable, handler, gast.Del())]), handler)
        unbind = [assign(variable, constant(None, handler), handler), gone, *stored()]
        handler.body = [*bind, locate(gast.Try(handler.body, [], [], unbind), handler)]

    def _case(self, case: Any) -> None:
        """What a pattern captures is bound before the guard is asked."""
        stored = self.stored(_captures(case.pattern), case.pattern)
        if not stored:
            return
        if case.guard is None:
            case.body[:0] = stored
        else:  # a mark gives None
            case.guard = locate(gast.BoolOp(gast.Or(), [*[s.value for s in stored], case.guard]), case.guard)

    def stored(self, names: list[str], at: Any) -> list[Any]:
        """The marks for those of the names that are shared."""
        found = [variable for variable in dict.fromkeys(names) if variable in self.names]
        return [locate(gast.Expr(self.call(variable, at)), at) for variable in found]

    def call(self, variable: str, at: Any, *value: Any) -> Any:
        if self.names[variable]:
            known = variable if self.class_name is None else mangled(variable, self.class_name)
            return operator_call("stored_global", [constant(known, at), *value], at)
        return operator_call("stored_variable", [thunk(name(variable, at)), *value], at)

    def expressions(self, statement: Any) -> None:
        """Mark the assignment expressions of a statement itself."""
        _MarkExpressions(self, {id(block) for block in _blocks_of(statement)}).statement(statement)


class _MarkExpressions(Transformer):
    def __init__(self, scope: _Scope, done: set[int]) -> None:
        self.scope = scope
        self.done = done

    def statement(self, statement: Any) -> None:
        for field, value in list(gast.iter_fields(statement)):
            if isinstance(value, gast.AST):
                setattr(statement, field, self.visit(value))
            elif isinstance(value, list) and id(value) not in self.done:
                value[:] = [self.visit(item) if isinstance(item, gast.AST) else item for item in value]

    def visit_Lambda(self, node: Any) -> Any:
        for part in (node.args.defaults, node.args.kw_defaults):
            part[:] = self._all(part)
        return node

    def visit_ExceptHandler(self, node: Any) -> Any:
        if node.type is not None:
            node.type = self.visit(node.type)
        return node

    def visit_match_case(self, node: Any) -> Any:
        if node.guard is not None:
            node.guard = self.visit(node.guard)
        return node

    def visit_NamedExpr(self, node: Any) -> Any:
        node.value = self.visit(node.value)
        if node.target.id not in self.scope.names:
            return node
        return self.scope.call(node.target.id, node, node)


# -- what a statement stores ------------------------------------------------------------------------------


def _blocks_of(statement: Any) -> list[Any]:
    if isinstance(statement, (*_FUNCTIONS, gast.ClassDef)):
        return [statement.body]
    return blocks(statement)


def _names_stored(statement: Any) -> list[str]:
    """The variables that a statement without blocks binds or deletes, but for assignment expressions."""
    if isinstance(statement, (gast.Import, gast.ImportFrom)):
        return [alias.asname or alias.name.partition(".")[0] for alias in statement.names]
    if isinstance(statement, gast.AnnAssign) and statement.value is None:
        return []
    targets = getattr(statement, "targets", None) or [getattr(statement, "target", None)]
    return [found for target in targets if target is not None for found in _names_in(target)]


def _names_in(target: Any) -> list[str]:
    return [node.id for node in _targets(target) if isinstance(node, gast.Name)]


def _targets(target: Any) -> Iterator[Any]:
    """The parts of a target, which are stored to."""
    if isinstance(target, (gast.Tuple, gast.List)):
        for part in target.elts:
            yield from _targets(part)
    elif isinstance(target, gast.Starred):
        yield from _targets(target.value)
    else:
        yield target


def _is_flat(target: Any) -> bool:
    """Does nothing come between the stores to the variables of this target?"""
    parts = target.elts if isinstance(target, (gast.Tuple, gast.List)) else [target]
    return all(isinstance(p.value if isinstance(p, gast.Starred) else p, gast.Name) for p in parts)


def _stores_at_once(statement: Any) -> bool:
    """Can a statement not fail after it has stored to one of its variables?"""
    if isinstance(statement, (gast.Import, gast.ImportFrom)):
        return len(statement.names) == 1
    targets = getattr(statement, "targets", None) or [getattr(statement, "target", None)]
    if isinstance(statement, gast.Delete) and len(targets) > 1:
        return False
    return len(targets) == 1 and _is_flat(targets[0])


def _captures(pattern: Any) -> list[str]:
    found = [getattr(node, "name", None) or getattr(node, "rest", None) for node in walk(pattern)]
    return [variable for variable in found if variable is not None]
