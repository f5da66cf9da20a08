"""Forward mode: from a graph to a graph that also computes tangents.

    graph f(x: float) -> float:                 graph f(x: float, dx: f64) -> float, f64:
        y: float = math.sin(x)                      y: float = math.sin(x)
        return y                                    _1: f64 = cos(x)
                                                    dy: f64 = multiply(dx, _1)
                                                    return y, dy

Each operation is followed by what it does to tangents. The tangent of an array is an array that
lies as it does: a view has the same view of it, a store stores into it. Nothing is kept, whatever
the loops.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from runtime.gradients.activity import Activity
from runtime.gradients.buffers import push_forward_buffer
from runtime.gradients.containers import Companions, companion_type, compares, has_companion, is_handled
from runtime.gradients.errors import no_derivative
from runtime.gradients.rules import ends_here, push_forward, transposed, writes_unseen
from runtime.gradients.scope import BlockScope, adjoint_type, fit, is_buffer, is_smooth, zero
from runtime.graph import Block, Graph, Operation, Value, loop_state
from runtime.graph.effects import Memory, effects_of
from runtime.graph.functions import note_effects, reachable
from runtime.graph.rewrite import Rebuild, clone
from runtime.ops import REGISTRY
from runtime.ops.control_flow import CALL
from runtime.types import STACK, ArrayType, ObjectType, Type

#: stores whose tangent is the same store of tangents: operation -> which input is stored
#: the array that a ufunc writes, and its mask
_BEFORE_OPERANDS = {"ufunc_out": 1, "ufunc_masked": 2}


def forward(graph: Graph, wrt: Sequence[int], of: Sequence[int]) -> Graph:
    """``graph`` with further parameters, the tangents of the parameters numbered ``wrt``, and
    further results, those of the results numbered ``of``.

    Raises GradientError, with the user's place, where the path goes through what has no derivative.
    """
    changed = clone(graph)
    functions = TangentFunctions(changed)
    params = [changed.params[k] for k in wrt]
    given = [Value(tangent_type(p), "d" + p.hint) for p in params]
    tangents = Tangents(changed, functions, params)
    tangents.run(dict(zip(params, given, strict=True)))
    body = changed.body
    scope = BlockScope(body)
    found = [tangents.given(scope, body.results[k]) for k in of] if body.ends == "yield" else []
    body.params += given
    body.results += tuple(found)
    functions.differentiate_all()
    result = Graph(graph.name, body, dict(graph.info), reachable(body, functions.table))
    for function in result.functions.values():
        function.functions = result.functions
    note_effects(result)
    return result


def tangent_type(value: Value) -> Type:
    """The type of the tangent: memory for arrays, of rank 0 as well."""
    if has_companion(value) or is_buffer(value):
        return companion_type(value.type)
    return value.type if isinstance(value.type, ArrayType) else adjoint_type(value.type)


class TangentFunctions:
    """The functions of the graph; each becomes one that takes and gives tangents, too."""

    def __init__(self, graph: Graph) -> None:
        self.table = graph.functions
        self.todo: list[str] = []
        self._names: dict[str, str] = {}

    def tangent(self, name: str) -> str:
        if name not in self._names:
            taken = {*self.table, *self._names.values()}
            names = (f"{name}.tangent", *(f"{name}.tangent{k}" for k in range(2, 100_000)))
            self._names[name] = next(n for n in names if n not in taken)
            self.todo.append(name)
        return self._names[name]

    def differentiate_all(self) -> None:
        while self.todo:
            self.differentiate(self.todo.pop())

    def differentiate(self, name: str) -> None:
        graph = Rebuild().graph(self.table[name])
        graph.name = self._names[name]
        params, results = with_tangents(graph.params), with_tangents(graph.results)
        given = [Value(_type(p), "d" + p.hint) for p in params]
        tangents = Tangents(graph, self, params)
        tangents.run(dict(zip(params, given, strict=True)))
        scope = BlockScope(graph.body)
        if graph.body.ends == "yield":
            graph.body.results += tuple([tangents.given(scope, v) for v in results])
        graph.body.params += given
        self.table[graph.name] = graph


def with_tangents(values: Iterable[Value]) -> list[Value]:
    """The values beside which a call, or a stack, hands over tangents: smooth ones, and what holds these."""
    return [v for v in values if v.type == STACK or is_smooth(v.type) or has_companion(v) or is_buffer(v)]


def _type(value: Value) -> Type:
    return STACK if value.type == STACK else tangent_type(value)


class Tangents:
    """Appends to each operation of a graph what it does to tangents."""

    def __init__(self, graph: Graph, functions: TangentFunctions, wrt: Sequence[Value]) -> None:
        self.graph = graph
        self.functions = functions
        self.memory = Memory(graph, distinct_params=True)
        self.activity = Activity(graph, self.memory, wrt)
        self.made: dict[Value, Value] = {}
        self.companions = Companions(self.active, self.given, self.made.__setitem__)
        #: region of a `try` -> the parameters of its handler that have tangents
        self.landings: dict[object, list[int]] = {}

    def run(self, given: dict[Value, Value]) -> None:
        self.made.update(given)
        head = BlockScope(Block())
        for param in self.graph.params:
            if param not in given and self.moves(param):  # active values are stored in it
                self.made[param] = self.given(head, param)
        self.block(self.graph.body)
        self.graph.body.operations[:0] = head.block.operations

    def given(self, scope: BlockScope, value: Value) -> Value:
        """The tangent of a value, zero where it has none."""
        found = self.made.get(value)
        if found is not None:
            return found
        if has_companion(value):
            self.made[value] = scope.make("companion.like", value)
            return self.made[value]
        if is_buffer(value):
            self.made[value] = scope.make("buffer.zeros_like", value)
            return self.made[value]
        return scope.make("shadow_like", value) if isinstance(value.type, ArrayType) else zero(scope, value)

    def active(self, value: Value) -> bool:
        return self.activity.is_active(value)

    def moves(self, value: Value) -> bool:
        """Has the value a tangent, or holds it some?"""
        if has_companion(value):
            return self.activity.in_objects
        return self.activity.is_active_stack(value) if is_buffer(value) else self.active(value)

    # -- blocks ----------------------------------------------------------------------------------------

    def block(self, block: Block) -> None:
        operations, block.operations = block.operations, []
        scope = BlockScope(block)
        for op in operations:
            scope.location = op.location
            special = _SPECIAL.get(op.name)
            if REGISTRY[op.name].family == "buffer":
                self._buffer(op, scope)
            elif special is not None:
                special(self, op, scope)
            else:
                self.plain(op, scope)

    def _container(self, op: Operation, scope: BlockScope) -> None:
        """What it does to the companions, in which the tangents of items lie."""
        if op.is_undef:  # an object that is none yet; nobody reads it
            self.made[op.output] = scope.make("companion.like", op.output)
            return
        if not is_handled(op):
            if effects_of(op).writes or any(map(self.moves, op.outputs)):
                raise no_derivative(op)
            return
        self.companions.beside(op, scope)
        moved = self.companions.moved[op]
        for value, cell in moved.put:
            if value in self.made:
                scope.do("setitem", cell, self.made[value], index=())
        for value, cell in moved.read:
            self.made[value] = scope.make("getitem", cell, index=())
        if moved.all_read is not None:
            self._all_read(op, scope, moved.all_read[1])
        if moved.added is not None:
            tangents = (moved.added[2], self.given(scope, op.inputs[1]))
            scope.emit(op.name, tangents, op.attributes)

    def _all_read(self, op: Operation, scope: BlockScope, companion: Value) -> None:
        if op.name.endswith("to_array"):
            self.made[op.output] = scope.emit("companion.to_array", (companion,), op.attributes)[0]
            return
        total = scope.make("companion.sum", companion)
        for x in op.inputs[1:]:
            total = scope.make("add", total, self.made[x]) if x in self.made else total
        self.made.update({y: total for y in op.outputs if is_smooth(y.type)})

    def plain(self, op: Operation, scope: BlockScope) -> None:
        effects = effects_of(op)
        in_container = self.activity.in_objects and any(map(has_companion, op.inputs + op.outputs))
        if not in_container and any(self.active(op.inputs[k]) for k in effects.writes):
            self._store(op, scope)
            return
        if any(map(self.active, op.inputs)) and writes_unseen(op):
            raise no_derivative(op)
        if in_container:
            if not compares(op):
                scope.block.append(op)
            self._container(op, scope)
            if compares(op):
                scope.block.append(op)
            return
        scope.block.append(op)
        if not any(map(self.active, op.outputs)):
            return
        if any(isinstance(x.type, ObjectType) for x in op.inputs):
            raise no_derivative(op)
        if effects.view_of is not None and self.active(op.inputs[effects.view_of]):
            if op.has("reinterprets"):  # memory read as another dtype
                raise no_derivative(op)
            self._view(op, scope, effects.view_of)
            return
        known = [self.made.get(x) for x in op.inputs]
        if all(t is None for t in known) or ends_here(op):
            found: list[Value | None] = [None] * len(op.outputs)
        else:
            values = [None if t is None else self._content(scope, t) for t in known]
            found = push_forward(scope, op, values, op.outputs)
        for y, tangent in zip(op.outputs, found, strict=True):
            if self.active(y):
                self.made[y] = self._owned(scope, y, tangent)

    def _content(self, scope: BlockScope, tangent: Value) -> Value:
        rank_0 = isinstance(tangent.type, ArrayType) and not tangent.type.shape
        return scope.make("getitem", tangent, index=()) if rank_0 else tangent

    def _owned(self, scope: BlockScope, value: Value, tangent: Value | None) -> Value:
        """The tangent of a fresh value: of an array it is memory of its own, where that may be written."""
        if tangent is None:
            return self.given(scope, value)
        if not isinstance(value.type, ArrayType):
            return fit(scope, tangent, value)
        if not value.type.shape:
            return scope.make("copy", tangent)
        tangent = fit(scope, tangent, value)
        maker = tangent.owner
        is_fresh = maker in scope.block.operations[-1:] and effects_of(maker).view_of is None
        return tangent if is_fresh else scope.make("copy", tangent)

    def _view(self, op: Operation, scope: BlockScope, of: int) -> None:
        inputs = [self.made[x] if k == of else x for k, x in enumerate(op.inputs)]
        for y, tangent in zip(op.outputs, scope.emit(op.name, inputs, op.attributes), strict=True):
            self.made[y] = tangent

    # -- stores ----------------------------------------------------------------------------------------

    def _store(self, op: Operation, scope: BlockScope) -> None:
        store = _STORES.get(op.name)
        if store is None:
            raise no_derivative(op)
        store(self, op, scope)

    def _merge(self, op: Operation, scope: BlockScope) -> None:
        scope.block.append(op)
        scope.do(op.name, self.made[op.inputs[0]], self.made[op.inputs[1]], **op.attributes)

    def _pull(self, op: Operation, scope: BlockScope) -> None:
        scope.block.append(op)
        pulled = scope.make(op.name, self.made[op.inputs[0]], *op.inputs[1:], **op.attributes)
        self.made[op.output] = pulled

    def _add(self, op: Operation, scope: BlockScope) -> None:
        if op.attributes["ufunc"] not in ("add", "subtract"):
            raise no_derivative(op)
        self._same_store(op, scope, 2)

    def _same_store(self, op: Operation, scope: BlockScope, place: int = 1) -> None:
        source = self.made.get(op.inputs[place])
        if source is None:
            source = scope.constant(0.0)
        inputs = [source if k == place else x for k, x in enumerate(op.inputs)]
        inputs[0] = self.made[op.inputs[0]]
        scope.block.append(op)
        scope.emit(op.name, inputs, op.attributes)

    def _computed(self, op: Operation, scope: BlockScope) -> None:
        """The result of a ufunc, stored: its tangent is computed first, for the operands may be
        overwritten."""
        ufunc, target = op.attributes["ufunc"], self.made[op.inputs[0]]
        before = _BEFORE_OPERANDS.get(op.name, 0)
        inputs, masked = op.inputs[before:], before == 2
        if ufunc not in REGISTRY:
            raise no_derivative(op)
        pseudo = Operation.typed(ufunc, inputs, {}, op.location)
        scope.block.append(pseudo)
        known = [self.made.get(x) for x in inputs]
        values = [None if t is None else self._content(scope, t) for t in known]
        (tangent,) = push_forward(scope, pseudo, values, pseudo.outputs)
        tangent = scope.constant(0.0) if tangent is None else tangent
        scope.block.append(op)
        if masked:
            scope.do("copyto_masked", target, tangent, op.inputs[1], casting="unsafe")
        else:
            scope.do("copyto", target, tangent, casting="unsafe")

    # -- control flow ----------------------------------------------------------------------------------

    def branch(self, op: Operation, scope: BlockScope) -> None:
        for block in op.blocks:
            self.block(block)
        moving = [k for k, output in enumerate(op.outputs) if self.moves(output)]
        for block in op.blocks:
            self._yield(block, moving)
        scope.block.append(op)
        self._more_outputs(op, moving)

    def _yield(self, block: Block, moving: Sequence[int]) -> None:
        if block.ends == "yield":
            scope = BlockScope(block)
            block.results += tuple([self.given(scope, block.results[k]) for k in moving])

    def _more_outputs(self, op: Operation, moving: Sequence[int]) -> None:
        made = [Value(tangent_type(op.outputs[k]), "d" + op.outputs[k].hint, op) for k in moving]
        for k, output in zip(moving, made, strict=True):
            self.made[op.outputs[k]] = output
        op.outputs += tuple(made)

    def loop(self, op: Operation, scope: BlockScope) -> None:
        state, count = loop_state(op), len(op.outputs)
        moving = [k for k, output in enumerate(op.outputs) if self.moves(output)]
        for block in op.blocks:
            params = block.params[len(block.params) - count :]
            for k in moving:
                self.made[params[k]] = Value(tangent_type(params[k]), "d" + params[k].hint)
                block.params.append(self.made[params[k]])
        op.inputs += tuple([self.given(scope, state[k]) for k in moving])
        for block in op.blocks:
            self.block(block)
        self._yield(op.blocks[-1], moving)
        scope.block.append(op)
        self._more_outputs(op, moving)

    def attempt(self, op: Operation, scope: BlockScope) -> None:
        """A `try`: what a landing hands to the handler has tangents, too."""
        body, handler = op.blocks
        moving = [k for k, param in enumerate(handler.params) if self.moves(param)]
        for k in moving:
            param = handler.params[k]
            self.made[param] = Value(tangent_type(param), "d" + param.hint)
        handler.params += [self.made[handler.params[k]] for k in moving]
        self.landings[op.attributes["region"]] = moving
        self.branch(op, scope)

    def landing(self, op: Operation, scope: BlockScope) -> None:
        moving = self.landings[op.attributes["region"]]
        op.inputs += tuple(
            [self.given(scope, op.inputs[k - 1]) for k in moving]
        )  # the first is the exception
        scope.block.append(op)

    def call(self, op: Operation, scope: BlockScope) -> None:
        if not self.activity.is_touched(op):
            scope.block.append(op)
            return
        inputs, outputs = with_tangents(op.inputs), with_tangents(op.outputs)
        op.attributes = {**op.attributes, "function": self.functions.tangent(op.attributes["function"])}
        op.inputs += tuple([self.made[x] if x.type == STACK else self.given(scope, x) for x in inputs])
        scope.block.append(op)
        made = [Value(_type(y), "d" + y.hint, op) for y in outputs]
        self.made.update(zip(outputs, made, strict=True))
        op.outputs += tuple(made)

    def custom(self, op: Operation, scope: BlockScope) -> None:
        """The transpose of what the user's function makes of adjoints."""
        scope.block.append(op)
        (block,) = op.blocks
        if any(inner.blocks for inner in block.operations):
            raise no_derivative(op)
        pairs = zip(op.inputs[len(op.outputs) :], block.results, strict=True)
        start = [(result, self._content(scope, self.made[x])) for x, result in pairs if x in self.made]
        found = transposed(scope, block, start, op.outputs)
        for y, tangent in zip(op.outputs, found, strict=True):
            if self.active(y):
                self.made[y] = self._owned(scope, y, tangent)

    # -- buffers, and stacks of a gradient -------------------------------------------------------------

    def _buffer(self, op: Operation, scope: BlockScope) -> None:
        scope.block.append(op)
        if any(map(self.moves, op.inputs + op.outputs)):
            push_forward_buffer(op, scope, self.made, self.given)
        for y in op.outputs:
            if self.active(y) and y not in self.made:  # it shares its roots with what has a tangent
                self.made[y] = self.given(scope, y)

    def new_stack(self, op: Operation, scope: BlockScope) -> None:
        scope.block.append(op)
        if self.activity.is_active_stack(op.output):
            self.made[op.output] = scope.make("stack.new", **op.attributes)

    def push(self, op: Operation, scope: BlockScope) -> None:
        scope.block.append(op)
        values = with_tangents(op.inputs[1:])
        if op.inputs[0] in self.made and values:
            tangents = [self.given(scope, v) for v in values]
            scope.do("stack.push", self.made[op.inputs[0]], *tangents, words=op.attributes["words"])

    def pop(self, op: Operation, scope: BlockScope) -> None:
        scope.block.append(op)
        values = with_tangents(op.outputs)
        if op.inputs[0] in self.made and values:
            attributes = {"types": tuple([tangent_type(y) for y in values]), "words": op.attributes["words"]}
            popped = scope.emit("stack.pop", (self.made[op.inputs[0]],), attributes)
            self.made.update(zip(values, popped, strict=True))


_STORES: dict[str, Callable[[Tangents, Operation, BlockScope], None]] = {
    **dict.fromkeys(("setitem", "additem", "copyto", "fill", "copyto_masked"), Tangents._same_store),
    **dict.fromkeys(("inplace", "ufunc_out", "ufunc_masked"), Tangents._computed),
    "ufunc_at": Tangents._add,
    "shadow_merge": Tangents._merge,
    "shadow_pull": Tangents._pull,
}
_SPECIAL: dict[str, Callable[[Tangents, Operation, BlockScope], None]] = {
    "if": Tangents.branch,
    "while": Tangents.loop,
    "for": Tangents.loop,
    "try": Tangents.attempt,
    "landing": Tangents.landing,
    CALL: Tangents.call,
    "custom_gradient": Tangents.custom,
    "stack.new": Tangents.new_stack,
    "stack.push": Tangents.push,
    "stack.pop": Tangents.pop,
}
