"""Guard reads of variables that may hold `Undefined`: `y` becomes `ag__.bound(y)`, `del y` an assignment.

A part of the conversion of control flow: only a name that was set to `Undefined` there needs it, and only
where it is not surely bound.

>>> from autograph.passes.convert_control_flow import convert_control_flow, show
>>> show(convert_control_flow, '''
... def f(x):
...     if x > 0:
...         y = 1
...     return y
... ''')
def f(x):
    y = ag__.Undefined('y')
...
    ag__.if_stmt(x > 0, then_body, else_body, get_state, set_state, ('y',))
    return ag__.bound(y)
"""

from __future__ import annotations

import sys
from typing import Any

import gast

from autograph.analysis.flow import Flow
from autograph.analysis.jumps import SCOPES, blocks
from autograph.analysis.names import COMPREHENSIONS
from autograph.analysis.static import deleted_by
from autograph.template import assign, constant, locate, name, operator_call
from autograph.walking import children, walk


def guard_reads(
    body: list[Any], flow: Flow, guarded: set[str], deleted: set[str], functions: list[Any]
) -> list[Any]:
    """Guard reads of the `guarded` names, and make `del` of those in `deleted` leave `Undefined` behind, also
    where a function in this one deletes them.

    `functions` are the user's, which have variables of their own; closures that a pass made have not.
    """
    guard = _Guard(flow, guarded, deleted, {id(function) for function in functions})
    guard.find()
    return guard.block(body)


class _Guard:
    def __init__(self, flow: Flow, guarded: set[str], deleted: set[str], users: set[int]) -> None:
        self.flow = flow
        self.guarded = guarded
        self.deleted = deleted
        self.users = users
        self.reads: dict[int, str] = {}
        """The operator for the name nodes that need one, by identity."""
        self.statements: dict[int, tuple[str, str]] = {}
        """Augmented assignments and `del`s of a name that may be unbound."""

    def find(self) -> None:
        flow = self.flow
        mask = flow.mask(self.guarded)
        for number, code in flow.code.items():
            node = flow.nodes[number]
            used = node.reads | node.deletes | node.captures
            unsure = flow.names_in(mask & used & ~flow.strictly_bound[number])
            closures = unsure | self.deleted
            if unsure or closures:
                for part in code:
                    if part is not None:
                        self._visit(part, unsure, closures)

    def _visit(self, node: Any, unsure: set[str], closures: set[str], operator: str = "bound") -> None:
        if isinstance(node, gast.Name):
            if node.id in unsure and isinstance(node.ctx, gast.Load):
                # Where a comprehension was expanded, the name says so.
                self.reads[id(node)] = "bound_free" if getattr(node, "is_free", False) else operator
            return
        if (
            isinstance(node, gast.AugAssign)
            and isinstance(node.target, gast.Name)
            and node.target.id in unsure
        ):
            self.statements[id(node)] = (node.target.id, operator)
        if isinstance(node, gast.Delete):
            for target in deleted_by(node):
                if isinstance(target, gast.Name) and target.id in unsure:
                    self.reads[id(target)] = operator
        if isinstance(node, SCOPES) and not isinstance(node, gast.ClassDef):
            self._closure(node, unsure, closures, operator)
            return
        if isinstance(node, gast.ClassDef):
            self._class(node, unsure, closures, operator)
            return
        if isinstance(node, COMPREHENSIONS):
            self._comprehension(node, unsure, closures, operator)
            return
        for child in children(node):
            self._visit(child, unsure, closures, operator)

    def _class(self, node: Any, unsure: set[str], closures: set[str], operator: str) -> None:
        """A class body reads the variables of the function around as free ones."""
        for part in (*node.decorator_list, *node.bases, *node.keywords):
            self._visit(part, unsure, closures, operator)
        for part in node.body:
            self._visit(part, unsure, closures, "bound_free")

    def _comprehension(self, node: Any, unsure: set[str], closures: set[str], operator: str) -> None:
        """Its variables are its own, but for the first iterable, which is evaluated outside."""
        self._visit(node.generators[0].iter, unsure, closures, operator)
        if isinstance(node, gast.GeneratorExp) or sys.version_info < (3, 12):
            operator = "bound_free"  # a function of its own, as Python compiles it
        own = {n.id for g in node.generators for n in walk(g.target) if isinstance(n, gast.Name)}
        parts = [node.key, node.value] if isinstance(node, gast.DictComp) else [node.elt]
        for number, generator in enumerate(node.generators):
            parts += [generator.target, *generator.ifs, *([generator.iter] if number else [])]
        for part in parts:
            self._visit(part, unsure - own, closures - own, operator)

    def _closure(self, node: Any, unsure: set[str], closures: set[str], operator: str) -> None:
        outside = [*node.args.defaults, *node.args.kw_defaults, *getattr(node, "decorator_list", ())]
        for part in outside:
            if part is not None:
                self._visit(part, unsure, closures, operator)
        scope = self.flow.collector.scope(node)
        inner = closures - scope.local.keys() - scope.globals
        if inner:
            is_inline = getattr(node, "is_inline", False)  # an expression of this very function
            for part in node.body if isinstance(node.body, list) else [node.body]:
                self._visit(part, inner, inner, operator if is_inline else "bound_free")

    def block(self, statements: list[Any]) -> list[Any]:
        """Rewrite statements, with those inside generated closures."""
        made: list[Any] = []
        for statement in statements:
            made += self._statement(statement)
        return made

    def _statement(self, statement: Any) -> list[Any]:
        before: list[Any] = []
        if id(statement) in self.statements:
            variable, operator = self.statements[id(statement)]
            read = operator_call(operator, [name(variable, statement)], statement)
            before = [assign(variable, read, statement)]
        if isinstance(statement, gast.Delete):
            return self._delete(statement)
        inner = blocks(statement)
        outer = self.guarded
        if isinstance(statement, (gast.FunctionDef, gast.AsyncFunctionDef, gast.ClassDef)):
            inner = [statement.body]
            if id(statement) in self.users:
                self.guarded = outer - self.flow.collector.scope(statement).local.keys()
        for block in inner:
            block[:] = self.block(list(block))
        self.guarded = outer
        _Replace(self.reads, {id(block) for block in inner}).visit(statement)
        return [*before, statement]

    def _delete(self, statement: gast.Delete) -> list[Any]:
        made: list[Any] = []
        targets = statement.targets
        names = {target.id for target in deleted_by(statement) if isinstance(target, gast.Name)}
        if not names.isdisjoint(self.guarded):
            targets = deleted_by(statement)
        for target in targets:
            if isinstance(target, gast.Name) and target.id in self.guarded:
                if id(target) in self.reads:
                    check = operator_call(self.reads[id(target)], [name(target.id, target)], target)
                    made.append(locate(gast.Expr(check), statement))
                gone = operator_call("Undefined", [constant(target.id, target)], target)
                made.append(assign(target.id, gone, statement))
            else:
                _Replace(self.reads, set()).visit(target)
                made.append(locate(gast.Delete([target]), statement))
        return made


class _Replace:
    """Put guards around name nodes, everywhere but in the blocks that are done."""

    def __init__(self, reads: dict[int, str], done: set[int]) -> None:
        self.reads = reads
        self.done = done

    def visit(self, node: Any) -> None:
        for field in node._fields:
            value = getattr(node, field, None)
            if isinstance(value, list):
                if id(value) not in self.done:
                    value[:] = [self._replaced(item) for item in value]
            elif isinstance(value, gast.AST):
                setattr(node, field, self._replaced(value))

    def _replaced(self, value: Any) -> Any:
        if not isinstance(value, gast.AST):
            return value
        operator = self.reads.get(id(value))
        if operator is not None:
            return operator_call(operator, [value], value)
        self.visit(value)
        return value
