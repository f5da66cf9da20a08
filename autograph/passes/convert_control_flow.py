"""Turn `if`, `while`, `for` and `try` into calls that take the blocks as closures.

>>> show(convert_control_flow, '''
... def relu_like(x):
...     if x > 0:
...         y = x
...     else:
...         y = 0
...     return y
... ''')
def relu_like(x):
    y = ag__.Undefined('y')
<BLANKLINE>
    def get_state():
        return (y,)
<BLANKLINE>
    def set_state(state):
        nonlocal y
        y, = state
<BLANKLINE>
    def then_body():
        nonlocal y
        y = x
<BLANKLINE>
    def else_body():
        nonlocal y
        y = 0
    ag__.if_stmt(x > 0, then_body, else_body, get_state, set_state, ('y',))
    return y

The state of a statement is what it may rebind and somebody may read afterwards. Other names that a block
binds are local to its closure.
"""

from __future__ import annotations

from typing import Any

import gast

from autograph.analysis.flow import Flow
from autograph.analysis.jumps import LOOPS, TRIES, Jumps, blocks, suspends
from autograph.analysis.names import Collector
from autograph.analysis.static import StaysPython, only_imports, own_nodes
from autograph.passes import close_with, convert_try, guard_reads, watch_tries
from autograph.passes.context import Context
from autograph.passes.lower_jumps import is_docstring
from autograph.passes.maybe_unbound import Frame, MaybeUnbound, has_unbound, undefined, with_undefined
from autograph.template import assign, constant, locate, name, operator_call
from autograph.template import show as show


def convert_control_flow(tree: gast.Module, context: Context | None = None) -> gast.Module:
    """Convert the statements of every function."""
    context = context or Context(tree)
    for function in context.functions:
        if not isinstance(function, gast.Lambda):
            if context.has(gast.ClassDef):
                watch_tries.watch_tries_of_classes(function)
            Conversion(function, context).run()
    return tree


class Conversion:
    """The control flow of one function."""

    def __init__(self, function: Any, context: Context) -> None:
        self.function = function
        self.context = context
        self.jumps = Jumps()
        self.stays = StaysPython(function, self.jumps)
        self.states: set[str] = set()
        self.begins: dict[int, str] = {}
        """Assignments of `Undefined` right before a statement, by identity: the variable."""

    def run(self) -> None:
        function = self.function
        if not self._has_work(function.body) and not has_unbound(function):
            return
        self.collector = Collector()
        self.flow = Flow(function, self.collector)
        self.scope = self.flow.scope
        self.frame = frame = Frame()
        self.unbound = unbound = MaybeUnbound(self.flow, self.collector, self.context, frame)
        unbound.in_thunks()
        unbound.in_closures()
        unbound.in_expressions()
        body = self.block(function.body, frame, set())
        body = [s for s in body if self.begins.get(id(s)) not in frame.undefined]
        body = [s for s in body if not getattr(s, "declares", {""}) <= {*frame.undefined}]
        own = {n for n in unbound.variables | self.states if not self.context.is_generated(n)}
        deleted = self.states & own & self.flow.deleted()
        deleted |= self.scope.closure_deletes & self.scope.local.keys()
        guarded = (unbound.variables & own) | deleted
        if guarded:
            body = guard_reads.guard_reads(body, self.flow, guarded, deleted, self.context.functions)
        function.body = self._with_lost_names(with_undefined(body, frame, function, self.context))

    def _with_lost_names(self, body: list[Any]) -> list[Any]:
        """Names that only closures bind now, and that somebody still reads, stay local: unbound here.

        In statements that nothing reaches, a `nonlocal` of the closures may be all that is left of a name.
        """
        names = self.collector.collect(*body)
        bound = names.writes.keys() | names.deletes | set(self.scope.params)
        used = names.reads | names.captures | names.closure_writes
        lost = [variable for variable in self.scope.local if variable in used - bound]
        if not lost:
            return body
        at = body[0]
        dead = [assign(variable, constant(None, at), at) for variable in lost]
        start = 1 if is_docstring(at) else 0
        return [*body[:start], locate(gast.If(constant(False, at), dead, []), at), *body[start:]]

    def _has_work(self, statements: list[Any]) -> bool:
        return any(
            self.converts(statement)
            or isinstance(statement, TRIES)
            or any(map(self._has_work, blocks(statement)))
            for statement in statements
        )

    def converts(self, statement: Any) -> bool:
        """Is this statement to become a call?"""
        if not isinstance(statement, (gast.If, gast.While, gast.For, gast.Try)) or self.stays(statement):
            return False
        if isinstance(statement, (gast.If, gast.Try)):
            return not self.jumps.leaving(statement)
        return not statement.orelse and not self.jumps.of_block(statement.body) - {"continue"}

    # Blocks

    def block(self, statements: list[Any], frame: Frame, initialised: set[str]) -> list[Any]:
        """The statements as they stand in `frame`; `initialised`: names sure to hold something."""
        made: list[Any] = []
        for statement in statements:
            if isinstance(statement, gast.Continue) and frame.is_loop_body:
                made.append(locate(gast.Return(None), statement))
            elif self.converts(statement):
                made += self.statement(statement, frame, initialised)
            else:
                made += self.python(statement, frame, initialised)
        return made

    def python(self, statement: Any, frame: Frame, initialised: set[str]) -> list[Any]:
        """A statement that stays; what is in it may not."""
        if hasattr(statement, "manager"):
            statement = close_with.as_with(statement)
        inner = frame
        if isinstance(statement, LOOPS) and frame.is_loop_body:
            inner = Frame(frame.outer, False, frame.undefined)  # its `continue` is its own
        for block in blocks(statement):
            block[:] = self.block(list(block), inner, set(initialised))
        if isinstance(statement, (gast.Try, gast.TryStar)):
            self.rename_handlers(statement)
            if not only_imports(statement):
                watch_tries.watch_try(statement, self._why_it_stays(statement))
        if isinstance(statement, gast.AnnAssign) and isinstance(statement.target, gast.Name) and frame.outer:
            # A name that is nonlocal cannot have an annotation, and a function's have no effect.
            if statement.value is None:
                return []
            return [locate(gast.Assign([statement.target], statement.value, None), statement)]
        return [statement]

    def _why_it_stays(self, statement: Any) -> str:
        if isinstance(statement, gast.TryStar):
            return "it is an `except*`"
        if self.stays.reads_frame or self.stays.counts_frames:
            return "the function looks at its frame"
        if suspends(statement):
            return "the function is suspended in it"
        return (
            "it unbinds a global" if self.stays.unbinds_outside(statement) else "a jump leaves its `finally`"
        )

    def rename_handlers(self, statement: Any) -> None:
        """Python unbinds the name of an exception; a variable that is state then holds `Undefined`."""
        for handler in statement.handlers:
            if handler.name is None or handler.name.id not in self.scope.local:
                continue
            if isinstance(statement, gast.TryStar) or handler.name.id in self.unbound.variables:
                at, variable = handler, handler.name.id
                held = self.context.fresh("error")
                handler.name.id = held
                inner = [assign(variable, name(held, at), at), *handler.body]
                handler.body = [locate(gast.Try(inner, [], [], [self.undefined_again(variable, at)]), at)]

    def statement(self, statement: Any, frame: Frame, initialised: set[str]) -> list[Any]:
        state = self.state(statement)
        self.states.update(state)
        made: list[Any] = []
        for variable in self.unbound.before(statement, state, frame, initialised):
            made.append(undefined(variable, statement, self.context))
            self.begins[id(made[-1])] = variable
        if frame is self.frame:
            self.unbound.reads(statement)
        if self.context.is_used("super"):
            self.explicit_super(statement)
        made += self.state_functions(state, statement)
        if hasattr(statement, "manager"):
            return made + close_with.convert_with_block(self, statement, state)
        if isinstance(statement, gast.Try):
            made += convert_try.convert_try(self, statement, state)
        else:
            convert = {gast.If: self.if_, gast.While: self.while_, gast.For: self.for_}[type(statement)]
            made += convert(statement, state)
        return made

    def state(self, statement: Any) -> tuple[str, ...]:
        """The variables that the statement may change, and whose value matters to more than one closure."""
        flow = self.flow
        changed = flow.changed_mask(statement) | flow.mask(self.scope.closure_writes)
        mask = changed & (flow.live_after_mask(statement) | flow.live_into_blocks_mask(statement))
        return flow.in_order(mask)

    def explicit_super(self, statement: gast.AST) -> None:
        """`super()` finds class and object in its frame; a closure has them under their names."""
        arguments = self.function.args
        first = next(iter([*arguments.posonlyargs, *arguments.args]), None)
        for node in own_nodes(statement):
            is_super = (
                isinstance(node, gast.Call) and isinstance(node.func, gast.Name) and node.func.id == "super"
            )
            if is_super and not node.args and first is not None:
                node.args = [name("__class__", node), name(first.id, node)]

    # Closures

    def state_functions(self, state: tuple[str, ...], at: Any) -> list[Any]:
        if not state:
            return []
        parameter = self.context.fresh("state")
        values = locate(gast.Tuple([name(v, at) for v in state], gast.Load()), at)
        targets = locate(gast.Tuple([name(v, at, gast.Store()) for v in state], gast.Store()), at)
        store = locate(gast.Assign([targets], name(parameter, at), None), at)
        declared = self.declarations(set(state), at)
        return [
            self.define("get_state", None, [locate(gast.Return(values), at)], at),
            self.define("set_state", parameter, [*declared, store], at),
        ]

    def closure(
        self,
        kind: str,
        parameter: str | None,
        statements: list[Any],
        state: tuple[str, ...],
        at: Any,
        first: list[Any] | None = None,
        depth: int = 0,
        last: Any = None,
    ) -> Any:
        """A block as a function without result. ``depth`` tells closures of one kind apart.

        ``last`` is a statement to run however the block is left.
        """
        outer = frozenset(state)
        frame = Frame(outer, kind == "loop_body")
        held = set(self.collector.collect(*(first or [])).writes) | {parameter or ""}
        body = (first or []) + self.block(statements, frame, held)
        body = _without_needless_pass(with_undefined(body, frame, at, self.context))
        if body and isinstance(body[-1], gast.Return):
            body.pop()
        if last is not None:
            body = [locate(gast.Try(body or [locate(gast.Pass(), at)], [], [], [last]), at)]
        written = self.collector.collect(*body)
        declared = self.declarations(((written.writes.keys() | written.deletes) & outer) - {parameter}, at)
        return self.define(kind, parameter, declared + (body or [locate(gast.Pass(), at)]), at, depth)

    def undefined_again(self, variable: str, at: Any) -> Any:
        """`variable` is unbound from here on."""
        self.unbound.variables.add(variable)
        return undefined(variable, at, self.context)

    def declarations(self, names: set[str], at: Any) -> list[Any]:
        """`nonlocal` and `global` for the names, in the order in which the function binds them."""
        ordered = [known for known in self.flow.names if known in names]
        global_names = [known for known in ordered if known in self.scope.globals]
        outer_names = [known for known in ordered if known not in self.scope.globals]
        made: list[Any] = []
        if global_names:
            made.append(locate(gast.Global(global_names), at))
        if outer_names:
            made.append(locate(gast.Nonlocal(outer_names), at))
        return made

    def define(self, kind: str, parameter: str | None, body: list[Any], at: Any, depth: int = 0) -> Any:
        params = [] if parameter is None else [name(parameter, at, gast.Param())]
        arguments = gast.arguments(params, [], None, [], [], None, [])
        return locate(
            gast.FunctionDef(self.context.fresh(kind, depth), arguments, body, [], None, None, []), at
        )

    def call(self, kind: str, arguments: list[Any], state: tuple[str, ...], at: Any) -> Any:
        """`ag__.kind(arguments, get_state, set_state, names)`."""
        if state:
            texts = locate(gast.Tuple([constant(variable, at) for variable in state], gast.Load()), at)
            arguments = [*arguments, self.reference("get_state", at), self.reference("set_state", at), texts]
        return locate(gast.Expr(operator_call(kind, arguments, at)), at)

    def reference(self, kind: str, at: Any) -> Any:
        return name(self.context.fresh(kind), at)

    # The three statements

    def if_(self, statement: gast.If, state: tuple[str, ...]) -> list[Any]:
        self.context.note_test(statement.test)
        bodies = [
            self.closure("then_body", None, statement.body, state, statement),
            self.closure("else_body", None, statement.orelse, state, statement),
        ]
        branches = [self.reference(kind, statement) for kind in ("then_body", "else_body")]
        return [*bodies, self.call("if_stmt", [statement.test, *branches], state, statement)]

    def while_(self, statement: gast.While, state: tuple[str, ...]) -> list[Any]:
        test = self.test(statement.test, state)
        body = self.closure("loop_body", None, statement.body, state, statement)
        parts = [self.reference(kind, statement) for kind in ("loop_test", "loop_body")]
        return [test, body, self.call("while_stmt", parts, state, statement)]

    def for_(self, statement: gast.For, state: tuple[str, ...]) -> list[Any]:
        first: list[Any] = []
        target = statement.target
        if isinstance(target, gast.Name) and target.id not in state:
            item = target.id
        else:
            item = self.context.fresh("item")
            first = [locate(gast.Assign([target], name(item, target), None), target)]
        body = self.closure("loop_body", item, statement.body, state, statement, first)
        go_on = getattr(statement, "go_on", None)
        made = [body]
        test = constant(None, statement)
        if go_on is not None:
            made.insert(0, self.test(go_on, state))
            test = self.reference("loop_test", statement)
        parts = [statement.iter, test, self.reference("loop_body", statement)]
        return [*made, self.call("for_stmt", parts, state, statement)]

    def test(self, test: Any, state: tuple[str, ...]) -> Any:
        self.context.note_test(test)
        declared = self.declarations(self.collector.collect(test).writes.keys() & set(state), test)
        return self.define("loop_test", None, [*declared, locate(gast.Return(test), test)], test)


def _without_needless_pass(body: list[Any]) -> list[Any]:
    kept = [statement for statement in body if not isinstance(statement, gast.Pass)]
    return kept or body
