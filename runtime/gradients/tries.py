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
        return getattr(value.type, "dtype", None) == target.dtype
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
        self._follow(chain, self.body, [y.type for y in op.outputs], self._undefined(chain, self.params))
        failed, error, *rest = chain.results
        landed, results = rest[: len(self.params)], rest[len(self.params) :]
        again = Operation("raise", (error,), (), {"exception": None, "template": Template((Hole(0),))})
        again.location = Location("", 0, caller=op.location.caller if op.location is not None else None)
        raising = Block([], [again], ends="never")
        body = Block(
            [], [Operation("if", (failed,), (), {}, (raising, Block()), op.location)], tuple(results)
        )
        substitute(self.handler, dict(zip(self.params, landed, strict=True)))
        self.handler.params = self.handler.params[:1]
        op.blocks = (body, self.handler)
        return [*chain.operations, op]

    def _follow(
        self, block: Block, source: Block, spare: Sequence[Type | Value], landed: Sequence[Value]
    ) -> None:
        """Append what ``source`` does to ``block``, which yields the outcome (did it raise, what, the values
        for the handler) and the results of ``source``, for which ``spare`` stands where it raised."""
        operations = list(source.operations)
        while operations:
            op = operations[0]
            if op.is_landing:
                landed = op.inputs if self._lands(op) else landed
                block.operations += [each for each in (operations.pop(0),) if not self._lands(each)]
                continue
            rest = Block([], operations, source.results, source.ends)
            own = [operations.pop(0)] if self._is_followed(op) else self._own(operations)
            if not any(map(_may_raise, own)) and not self._is_followed(op):
                block.operations += own
                continue
            outcome = self._part(block, own, rest, landed)
            if operations:
                self._go_on(block, outcome, rest, spare)
            else:
                results = self._spare(block, spare) if rest.ends == "never" else source.results
                block.results = (*outcome, *results)
            return
        block.results = (*_unharmed(block), *landed, *source.results)

    def _own(self, operations: list[Operation]) -> list[Operation]:
        """Those up to the next place to cut at, taken away."""
        own = [operations.pop(0)]
        while operations and not (own[-1].blocks or _stays(own[-1])):
            if operations[0].blocks or operations[0].is_call or operations[0].is_landing:
                break
            own.append(operations.pop(0))
        return own

    def _part(
        self, block: Block, own: list[Operation], rest: Block, landed: Sequence[Value]
    ) -> Sequence[Value]:
        """What comes of some operations, or of one with blocks; ``rest`` stands behind them."""
        op = own[0]
        if self._is_followed(op):
            follow = self._loop if op.is_loop else self._try if op.is_try else self._if
            return follow(block, op, landed)
        ends = "never" if not rest.operations and rest.ends == "never" else "yield"
        used = free_in(rest)
        outputs = tuple([y for each in own for y in each.outputs if y in used])
        return (*self._attempt(block, own, outputs, ends), *landed)

    def _attempt(
        self, block: Block, own: list[Operation], outputs: tuple[Value, ...], ends: str
    ) -> tuple[Value, ...]:
        """A `try` around some operations, behind which others find their outputs."""
        inner = {y: Value(y.type, y.hint, y.owner) for y in outputs}
        body, handler = Block([], own, ends=ends), Block([Value(EXCEPTION, "error")])
        substitute(body, inner)
        for each in own:
            each.outputs = tuple([inner.get(y, y) for y in each.outputs])
        body.results = (*_unharmed(body), *inner.values()) if ends == "yield" else ()
        yes = BlockScope(handler).constant(True)
        handler.results = (yes, *handler.params, *self._undefined(handler, outputs))
        self.parts += 1
        region = self.region * _NUMBERS + self.parts  # that nothing else has
        made = Operation("try", (), (BOOL, EXCEPTION), {"region": region}, (body, handler), own[0].location)
        outcome = made.outputs
        _set_outputs(made, (*outcome, *outputs))
        block.append(made)
        return outcome

    def _go_on(
        self, block: Block, outcome: Sequence[Value], rest: Block, spare: Sequence[Type | Value]
    ) -> None:
        """What stands behind a part runs where that did not raise."""
        failed, error, *landed = outcome
        stop, go_on = Block(), Block()
        yes = BlockScope(stop).constant(True)
        stop.results = (yes, error, *landed, *self._spare(stop, spare))
        self._follow(go_on, rest, spare, landed)
        types = tuple([y.type for y in stop.results])
        location = rest.operations[0].location if rest.operations else None
        made = block.append(Operation("if", (failed,), types, {}, (stop, go_on), location))
        block.results = made.outputs

    # -- operations with blocks ------------------------------------------------------------------------

    def _outcome(self) -> list[Value]:
        return [Value(type) for type in (BOOL, EXCEPTION, *[p.type for p in self.params])]

    def _if(self, block: Block, op: Operation, landed: Sequence[Value]) -> Sequence[Value]:
        branches, outcome = [Block() for _ in op.blocks], self._outcome()
        for made, branch in zip(branches, op.blocks, strict=True):
            self._follow(made, branch, [y.type for y in op.outputs], landed)
        op.blocks = tuple(branches)
        _set_outputs(op, (*outcome, *op.outputs))
        block.append(op)
        return outcome

    def _loop(self, block: Block, op: Operation, landed: Sequence[Value]) -> Sequence[Value]:
        *tests, body = op.blocks
        outcome, of_test, of_body = [self._outcome() for _ in range(3)]
        test = tests[0] if tests else Block([Value(p.type, p.hint) for p in body.params])
        stop, go_on, changed = (
            Block(),
            Block([], test.operations, test.results),
            Block([*body.params, *of_body]),
        )
        stop.results = (BlockScope(stop).constant(False),)
        go_on.results = test.results or (BlockScope(go_on).constant(True),)
        ask = Operation("if", (of_test[0],), (BOOL,), {}, (stop, go_on), op.location)
        self._follow(changed, body, body.params[len(body.params) - len(op.outputs) :], of_body[2:])
        many = len(outcome)
        changed.results = (*changed.results[many:], *changed.results[:many])
        op.blocks = (Block([*test.params, *of_test], [ask], ask.outputs), changed)
        op.inputs += (*_unharmed(block), *landed)
        _set_outputs(op, (*op.outputs, *outcome))
        block.append(op)
        return outcome

    def _try(self, block: Block, op: Operation, landed: Sequence[Value]) -> Sequence[Value]:
        """Another `try`, whose handler raises: the handler becomes what stands behind."""
        body, handler = op.blocks
        caught = [Value(p.type, p.hint) for p in (Value(BOOL), *handler.params)]
        results = tuple([Value(y.type, y.hint) for y in op.outputs])
        if body.ends == "yield":
            unknown = self._undefined(body, handler.params[1:])
            body.results = (*_unharmed(body), *unknown, *body.results)
        took = Block(handler.params)
        yes = BlockScope(took).constant(True)
        took.results = (yes, *handler.params, *self._undefined(took, results))
        behind = Block([], handler.operations, handler.results, handler.ends)
        substitute(behind, dict(zip(handler.params, caught[1:], strict=True)))
        op.blocks = (body, took)
        again = Operation("if", (caught[0],), (), {}, (behind, Block(results=results)), op.location)
        _set_outputs(again, op.outputs)
        _set_outputs(op, (*caught, *results))
        block.append(op)
        return self._if(block, again, landed)

    # -- values ----------------------------------------------------------------------------------------

    def _undefined(self, block: Block, like: Sequence[Value]) -> list[Value]:
        return self._spare(block, [y.type for y in like])

    def _spare(self, block: Block, spare: Sequence[Type | Value]) -> list[Value]:
        scope = BlockScope(block)
        return [x if isinstance(x, Value) else scope.make("undef", type=x) for x in spare]


def _unharmed(block: Block) -> tuple[Value, Value]:
    """Nothing was raised."""
    scope = BlockScope(block)
    return scope.constant(False), scope.make("undef", type=EXCEPTION)


def _set_outputs(op: Operation, outputs: tuple[Value, ...]) -> None:
    op.outputs = outputs
    for y in outputs:
        y.owner = op
