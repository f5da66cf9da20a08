"""A `try` whose body does something that a gradient has to undo where it raises, before it is differentiated.

    y = try(region=1):                          failed, error, a = try(region=1):
            a = f(x)                                    a = f(x)
            landing(a, region=1)                        yield False, undef, a
            b = g(a)                                handler(error): yield True, error, undef
            yield b                             failed, error, landed, b = if failed:
        handler(error, landed):                         yield True, error, undef, undef
            yield h(landed)                         else:
                                                        failed, error, b = try(region=1): b = g(a) ...
                                                        yield failed, error, a, b
                                                y = try(region=1):
                                                        if failed: raise(error)
                                                        yield b
                                                    handler(error): yield h(landed)

The body is cut where a landing, a store, a call or a block stands; each part is a `try` of its own, in which
nothing is lost that came before. How far the body got is an `if` after each part, or a branch or loop
that ends there as `break` ends one: the sweep undoes what ran by the rules that it has.
"""

from __future__ import annotations

from collections.abc import Sequence

from runtime.gradients.saving import substitute
from runtime.gradients.scope import BlockScope, is_smooth
from runtime.graph import Block, Location, Operation, Value, walk
from runtime.graph.effects import effects_of
from runtime.graph.liveness import free_in
from runtime.ops.companions import STRUCTURAL
from runtime.ops.template import Hole, Template
from runtime.types import BOOL, EXCEPTION, STR, ObjectType, Type

#: so many parts one behind the other; what has more is left as it is
_MOST_PARTS = 60
_NUMBERS = 1000


def split_tries(block: Block) -> None:
    """Cut the bodies of all that need it, the inner ones first."""
    found: list[Operation] = []
    for op in block.operations:
        for nested in op.blocks:
            split_tries(nested)
        cut = _Cut(op) if op.is_try and not op.attributes.get("cleans_up") else None
        found += cut.operations() if cut is not None and cut.is_needed() and cut.is_possible() else [op]
    block.operations = found


def _computes(op: Operation) -> bool:
    """Does the operation, or one in its blocks, make a number or store something?"""
    inside = [op, *[each for block in op.blocks for each in walk(block)]]
    return any(effects_of(each).writes or any(is_smooth(y.type) for y in each.outputs) for each in inside)


def _stays(op: Operation) -> bool:
    """Has a gradient something to undo of it, where something behind it raises?"""
    return op.is_call or bool(effects_of(op).writes) or (bool(op.blocks) and _computes(op))


def is_atomic(op: Operation) -> bool:
    """Has the operation done nothing where it raises?"""
    if op.name in ("setitem", "additem"):  # an item of another dtype is converted, which may raise later
        target, value = op.inputs[:2]
        return getattr(value.type, "dtype", None) == target.type.dtype  # type: ignore[union-attr]
    return op.name in STRUCTURAL


def _may_raise(op: Operation) -> bool:
    blocks = op.blocks[1:] if op.is_try else op.blocks
    return effects_of(op).may_raise or any(_may_raise(each) for block in blocks for each in block.operations)


class _Cut:
    def __init__(self, op: Operation) -> None:
        self.op = op
        self.region = op.attributes["region"]
        self.body, self.handler = op.blocks
        self.params = self.handler.params[1:]
        self.parts = 0

    def _lands(self, op: Operation) -> bool:
        return op.is_landing and op.attributes["region"] == self.region

    def _lands_inside(self, block: Block) -> bool:
        return any(map(self._lands, walk(block)))

    def is_needed(self) -> bool:
        own = [op for op in self.body.operations if not op.is_landing]
        if any(map(_stays, own[:-1])) or (own and own[-1].blocks and _computes(own[-1])):
            return True
        holds = lambda p: is_smooth(p.type) or (isinstance(p.type, ObjectType) and p.type != STR)
        return any(map(holds, self.params))

    def is_possible(self) -> bool:
        cuts = sum(_stays(op) or op.is_landing for op in walk(self.body))
        return cuts < _MOST_PARTS and self._can_follow(self.body)

    def _can_follow(self, block: Block) -> bool:
        return all(
            self._is_followed(op) or not any(map(self._lands_inside, op.blocks)) for op in block.operations
        )

    def _is_followed(self, op: Operation) -> bool:
        """Is the body that raises in this operation undone up to there?"""
        if not op.is_control or op.attributes.get("cleans_up"):
            return False
        if not any(map(self._lands_inside, op.blocks)) and not _may_raise(op):
            return False
        left = () if op.is_branch else op.blocks[:-1]  # tests, and what a handler knows of
        tested = [each for test in left for each in test.operations] if op.is_loop else []
        if any(map(self._lands_inside, left)) or any(map(_may_raise, tested)):
            return False
        return all(map(self._can_follow, op.blocks[len(left) :]))

    # -- the graph -------------------------------------------------------------------------------------

    def operations(self) -> list[Operation]:
        op, chain = self.op, Block()
        spare = [y.type for y in op.outputs]
        self._follow(chain, self.body, spare, None)
        failed, error, *rest = chain.results
        landed, results = rest[: len(self.params)], rest[len(self.params) :]
        again = Operation("raise", (error,), (), {"exception": None, "template": Template((Hole(0),))})
        again.location = Location("", 0, caller=op.location.caller if op.location is not None else None)
        raising, ended = Block([], [again], ends="never"), Block()
        body = Block([], [Operation("if", (failed,), (), {}, (raising, ended), op.location)], tuple(results))
        substitute(self.handler, dict(zip(self.params, landed, strict=True)))
        self.handler.params = self.handler.params[:1]
        op.blocks = (body, self.handler)
        return [*chain.operations, op]

    def _follow(
        self, block: Block, source: Block, spare: Sequence[Type | Value], landed: Sequence[Value] | None
    ) -> None:
        """Append what ``source`` does to ``block``. Its results are: did it raise, what, the values for the
        handler, and its results, for which ``spare`` stands where it raised."""
        operations = list(source.operations)
        scope = BlockScope(block)
        while operations:
            op = operations[0]
            if self._lands(op):
                landed = op.inputs
            if op.is_landing or (landed is None and self.params and not op.blocks):
                block.operations += [operations.pop(0)] if not self._lands(op) else []
                operations = operations[1:] if self._lands(op) else operations
                continue
            scope.location = op.location
            rest = Block([], operations, source.results, source.ends)
            failed, error, landed = self._part(scope, rest, landed)
            operations = rest.operations
            if rest.ends == "never" and not operations:
                block.results = (failed, error, *landed, *self._spare(scope, spare))
            elif not operations:
                block.results = (failed, error, *landed, *source.results)
            else:
                self._branch(scope, failed, error, landed, rest, spare)
            return
        landed = self._landed(scope, landed)
        block.results = (*self._unharmed(scope), *landed, *source.results)

    def _part(
        self, scope: BlockScope, rest: Block, landed: Sequence[Value] | None
    ) -> tuple[Value, Value, Sequence[Value]]:
        """The first part of ``rest``, which is what stands behind it then."""
        op = rest.operations[0]
        if self._is_followed(op):
            del rest.operations[0]
            follow = self._loop if op.is_loop else self._try if op.is_try else self._if
            return follow(scope, op, landed)
        own = [rest.operations.pop(0)]
        while rest.operations and not (own[-1].blocks or _stays(own[-1])):
            following = rest.operations[0]
            if following.blocks or following.is_call or following.is_landing:
                break
            own.append(rest.operations.pop(0))
        ends = "never" if not rest.operations and rest.ends == "never" else "yield"
        used = free_in(rest)
        outputs = [y for each in own for y in each.outputs if y in used]
        made = self._attempt(scope, own, outputs, ends)
        return *made, self._landed(scope, landed)

    def _attempt(
        self, scope: BlockScope, own: list[Operation], outputs: Sequence[Value], ends: str
    ) -> tuple[Value, Value]:
        """A `try` around some operations, behind which others find their outputs."""
        inner = {y: Value(y.type, y.hint, y.owner) for y in outputs}
        body = Block([], own)
        substitute(body, inner)
        for each in own:
            each.outputs = tuple([inner.get(y, y) for y in each.outputs])
        body.ends = ends
        if ends == "yield":
            body.results = (*self._unharmed(BlockScope(body)), *inner.values())
        error = Value(EXCEPTION, "error")
        handler = Block([error])
        yes = BlockScope(handler)
        handler.results = (yes.constant(True), error, *self._spare(yes, [y.type for y in outputs]))
        self.parts += 1
        region = self.region * _NUMBERS + self.parts  # that nothing else has
        made = Operation("try", (), (BOOL, EXCEPTION), {"region": region}, (body, handler), scope.location)
        failed, error = made.outputs
        self._put(scope, made, outputs)
        return failed, error

    def _put(self, scope: BlockScope, made: Operation, outputs: Sequence[Value]) -> None:
        """Append an operation with further outputs."""
        for y in outputs:
            y.owner = made
        made.outputs += tuple(outputs)
        scope.block.append(made)

    def _branch(
        self,
        scope: BlockScope,
        failed: Value,
        error: Value,
        landed: Sequence[Value],
        rest: Block,
        spare: Sequence[Type | Value],
    ) -> None:
        """What stands behind a part runs where that did not raise."""
        stop, go_on = Block(), Block()
        no = BlockScope(stop)
        stop.results = (no.constant(True), error, *landed, *self._spare(no, spare))
        self._follow(go_on, rest, spare, landed)
        types = tuple([y.type for y in stop.results])
        made = Operation("if", (failed,), types, {}, (stop, go_on), scope.location)
        scope.block.append(made)
        scope.block.results = made.outputs

    # -- operations with blocks ------------------------------------------------------------------------

    def _more(self, op: Operation) -> list[Value]:
        """Did it raise, what, and the values for the handler: new outputs of an operation."""
        types = (BOOL, EXCEPTION, *[p.type for p in self.params])
        return [Value(type, "", op) for type in types]

    def _if(
        self, scope: BlockScope, op: Operation, landed: Sequence[Value] | None
    ) -> tuple[Value, Value, Sequence[Value]]:
        blocks = []
        for branch in op.blocks:
            blocks.append(Block())
            self._follow(blocks[-1], branch, [y.type for y in op.outputs], landed)
        op.blocks = tuple(blocks)
        made = self._more(op)
        op.outputs = (*made, *op.outputs)
        scope.block.append(op)
        return made[0], made[1], made[2:]

    def _loop(
        self, scope: BlockScope, op: Operation, landed: Sequence[Value] | None
    ) -> tuple[Value, Value, Sequence[Value]]:
        *tests, body = op.blocks
        count = len(op.outputs)
        skipped = body.params[: len(body.params) - count]
        test = tests[0] if tests else Block([Value(p.type, p.hint) for p in body.params])
        of_test, of_body, made = self._more(op), self._more(op), self._more(op)
        for value in (*of_test, *of_body):
            value.owner = None
        stop = Block()
        stop.results = (BlockScope(stop).constant(False),)
        go_on = Block([], test.operations, test.results)
        if not tests:
            go_on.results = (BlockScope(go_on).constant(True),)
        ask = Operation("if", (of_test[0],), (BOOL,), {}, (stop, go_on), op.location)
        changed = Block([*body.params, *of_body])
        state = body.params[len(skipped) :]
        self._follow(changed, body, state, of_body[2:])
        many = len(made)
        changed.results = (*changed.results[many:], *changed.results[:many])
        op.blocks = (Block([*test.params, *of_test], [ask], ask.outputs), changed)
        op.inputs += (*self._unharmed(scope), *self._landed(scope, landed))
        op.outputs += tuple(made)
        scope.block.append(op)
        return made[0], made[1], made[2:]

    def _try(
        self, scope: BlockScope, op: Operation, landed: Sequence[Value] | None
    ) -> tuple[Value, Value, Sequence[Value]]:
        """Another `try`, whose handler raises: the handler becomes what stands behind."""
        body, handler = op.blocks
        handled = [Value(p.type, p.hint, op) for p in handler.params[1:]]
        failed, error = Value(BOOL, "", op), Value(EXCEPTION, "error", op)
        results = [Value(y.type, y.hint, op) for y in op.outputs]
        inside, took = BlockScope(body), Block(handler.params)
        if body.ends == "yield":
            unknown = self._spare(inside, [p.type for p in handled])
            body.results = (*self._unharmed(inside), *unknown, *body.results)
        spare = self._spare(BlockScope(took), [y.type for y in results])
        took.results = (BlockScope(took).constant(True), *handler.params, *spare)
        known = dict(zip(handler.params, (error, *handled), strict=True))
        handler = Block([], handler.operations, handler.results, handler.ends)
        substitute(handler, known)
        op.blocks = (body, took)
        outputs, op.outputs = op.outputs, (failed, error, *handled, *results)
        scope.block.append(op)
        again = Operation("if", (failed,), (), {}, (handler, Block([], [], tuple(results))), op.location)
        again.outputs = outputs
        for y in outputs:
            y.owner = again
        return self._if(scope, again, landed)

    # -- values ----------------------------------------------------------------------------------------

    def _unharmed(self, scope: BlockScope) -> tuple[Value, Value]:
        return scope.constant(False), scope.make("undef", type=EXCEPTION)

    def _landed(self, scope: BlockScope, landed: Sequence[Value] | None) -> Sequence[Value]:
        return self._spare(scope, [p.type for p in self.params]) if landed is None else landed

    def _spare(self, scope: BlockScope, spare: Sequence[Type | Value]) -> list[Value]:
        return [x if isinstance(x, Value) else scope.make("undef", type=x) for x in spare]
