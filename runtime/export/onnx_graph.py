"""A graph as nodes: operations in order, blocks as nested graphs.

if      If; the arrays that its branches write are among its outputs
while   Loop without a count: the test is evaluated before it, and at the end of each round
for     Loop with a count; with a test, a round's end asks it where a next round is in the range
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from runtime.export.onnx_nodes import (
    BOOL,
    INT64,
    Call,
    Nodes,
    NotExportable,
    element_type,
    nested,
    refusal,
    value_info,
)
from runtime.export.onnx_shapes import range_length
from runtime.export.onnx_table import RULES
from runtime.export.onnx_writes import written
from runtime.graph import Block, Graph, Operation, Value, walk
from runtime.graph.versions import Versions, Writes, is_write
from runtime.types import ArrayType, ContainerType, ObjectType, Type

_WAYS_OUT = {
    "print": "print outside the exported function",
    "assert": "check it before the call; a model of ONNX does not raise",
    "raise": "check it before the call, or return a number that says it; a model of ONNX does not raise",
}
_TRUTH, _INT = ArrayType(BOOL, ()), ArrayType(INT64, ())


class GraphNodes(Versions):
    """Exports the operations of one graph."""

    def __init__(self, graph: Graph, name: str) -> None:
        super().__init__(Writes(graph))
        self.graph = graph
        self.name = name
        self.nodes = Nodes()

    def block(self, block: Block) -> None:
        """The operations of a block, into the innermost graph."""
        for op in block.operations:
            self.nodes.operation = op
            try:
                self.operation(op)
            except NotExportable as error:
                raise refusal(op, self.name, str(error), error.hint) from None

    def operation(self, op: Operation) -> None:
        if op.is_constant:
            self.names[op.output] = self.constant(op)
        elif op.hands_on:
            getattr(self, f"{op.name}_")(op)
        elif op.outputs and all(map(self.writes.is_view, op.outputs)):
            pass  # made anew where it is used
        elif op.name in ("check_writable", "errstate"):
            pass
        elif is_write(op):
            self.write(op)
        else:
            found = self.call(op, [self.value(value) for value in op.inputs])
            self.names.update(zip(op.outputs, found, strict=True))

    def constant(self, op: Operation) -> str:
        kind = op.output.type
        if isinstance(kind, ObjectType):
            return ""  # an operand of something that says why it cannot be exported
        if kind.dtype.kind == "c":
            raise NotExportable("complex numbers have no form")
        return self.nodes.constant(op.attributes["value"])

    def call(self, op: Operation, names: Sequence[str]) -> list[str]:
        """The names of what an operation gives."""
        if op.is_undef:
            return [self.anything(op.output.type)]
        rule = RULES.get(op.name)
        for value in (*op.inputs, *op.outputs):
            check_type(value.type, op)
        if rule is None:
            raise refusal(op, self.name, f"{op.name} has no form", _WAYS_OUT.get(op.name))
        found = rule(Call(op, names, self.nodes))
        return found if isinstance(found, list) else [found]

    def anything(self, kind: Type) -> str:
        """A value that nobody reads."""
        if isinstance(kind, ObjectType):
            raise NotExportable("a variable without a value, or one that is None or a string, has no form")
        shape = self.nodes.ints(*[n or 0 for n in kind.shape])
        return self.nodes.emit("Expand", self.nodes.number(0, kind.dtype), shape)

    def all_positions(self, whole: str) -> str:
        return self.nodes.positions(whole)

    # -- writes ------------------------------------------------------------------------------------------

    def write(self, op: Operation) -> None:
        target = op.inputs[0]
        holder = self.writes.holder(target)
        names = ["", *[self.value(value) for value in op.inputs[1:]]]
        places = None if holder is target else self.places(target)
        self.new_version(holder, written(Call(op, names, self.nodes), self.value(holder), places))

    # -- control flow --------------------------------------------------------------------------------------

    def if_(self, op: Operation) -> None:
        holders = self.written_by(op)
        results: list[Value] = [*op.outputs, *holders]
        graphs = []
        for block, label in zip(op.blocks, ("then", "else"), strict=True):
            graphs.append(self.nested(block, label, lambda b: [*b.results, *holders], results))
        if not results:
            return
        test = self.nodes.cast(self.value(op.inputs[0]), op.inputs[0].dtype, BOOL)
        names = self.nodes.emit_several(
            "If", [test], len(results), then_branch=graphs[0], else_branch=graphs[1]
        )
        self.names.update(zip(results, names, strict=True))

    def nested(
        self, block: Block, label: str, gives: Callable[[Block], Sequence[Value]], like: Sequence[Value]
    ) -> object:
        """A block as a graph without inputs, which gives these values."""
        self._check_ends(block)
        before = dict(self.names)
        with self.nodes.graph() as nodes:
            self.block(block)
            names = [
                self.nodes.emit("Identity", self._given(value, place))
                for value, place in zip(gives(block), like, strict=True)
            ]
        self.names = before
        outputs = [value_info(name, place.numeric, True) for name, place in zip(names, like, strict=True)]
        return nested(nodes, self.nodes.fresh(label), [], outputs)

    def _given(self, value: Value, place: Value) -> str:
        check_type(place.type)
        return self.nodes.cast(self.value(value), value.dtype, place.dtype)

    def _check_ends(self, block: Block) -> None:
        if block.ends == "never" and not (block.operations and block.operations[-1].is_raise):
            raise NotExportable("a path that never ends has no form")

    def while_(self, op: Operation) -> None:
        test, body = op.blocks
        initial = [self._given(v, p) for v, p in zip(op.inputs, body.params, strict=True)]
        holders = self.written_by(op)
        whole = [self.names[holder] for holder in holders]
        going = self._test(test, dict(zip(test.params, initial, strict=True)))
        loop = _Loop(self, op, body, holders)
        with loop.rounds(skipped=0) as end:
            after = end.run(body)
            end.finish(self._test(test, dict(zip(test.params, after, strict=True))), after)
        loop.emit("", going, initial, whole)

    def for_(self, op: Operation) -> None:
        *tests, body = op.blocks
        start, stop, step = (self.value(value) for value in op.inputs[:3])
        state = body.params[1:]
        initial = [self._given(v, p) for v, p in zip(op.inputs[3:], state, strict=True)]
        holders = self.written_by(op)
        count = range_length(self.nodes, start, stop, step)
        going = self.nodes.number(True, BOOL)
        if tests:
            there = self.nodes.emit("Greater", count, self.nodes.number(0, INT64))
            going = self._guarded_test(there, tests[0], start, initial)
        whole = [self.names[holder] for holder in holders]
        loop = _Loop(self, op, body, holders)
        with loop.rounds(skipped=1) as end:
            emit = self.nodes.emit
            self.names[body.params[0]] = emit("Add", start, emit("Mul", loop.number, step))
            after = end.run(body)
            going_on = emit("Identity", loop.going)
            if tests:
                next_round = emit("Add", loop.number, self.nodes.number(1, INT64))
                there = emit("Less", next_round, count)
                following = emit("Add", start, emit("Mul", next_round, step))
                going_on = self._guarded_test(there, tests[0], following, after)
            end.finish(going_on, after)
        loop.emit(count, going, initial, whole)

    def _guarded_test(self, there: str, test: Block, i: str, state: Sequence[str]) -> str:
        """The test of a `for`, where there is a next round; False elsewhere."""
        graphs = []
        for label in ("then", "else"):
            with self.nodes.graph() as nodes:
                given = dict(zip(test.params, [i, *state], strict=True))
                found = self._test(test, given) if label == "then" else self.nodes.number(False, BOOL)
                name = self.nodes.emit("Identity", found)
            graphs.append(nested(nodes, self.nodes.fresh(label), [], [value_info(name, _TRUTH)]))
        return self.nodes.emit("If", there, then_branch=graphs[0], else_branch=graphs[1])

    def _test(self, test: Block, given: dict[Value, str]) -> str:
        """The test of a loop, inserted here."""
        self._check_ends(test)
        if any(map(is_write, walk(test))):
            raise NotExportable("the test of a loop writes into an array")
        before = dict(self.names)
        self.names.update(given)
        self.block(test)
        (result,) = test.results
        name = self.nodes.cast(self.value(result), result.dtype, BOOL)
        self.names = before
        return name


class _Loop:
    """A Loop under construction: its body's inputs and outputs."""

    def __init__(self, graph: GraphNodes, op: Operation, body: Block, holders: Sequence[Value]) -> None:
        self.graph = graph
        self.op = op
        self.body = body
        self.holders = holders
        self.number = graph.nodes.fresh("i")
        self.going = graph.nodes.fresh("going")
        self.made: object = None

    def rounds(self, skipped: int) -> _Rounds:
        return _Rounds(self, skipped)

    def emit(self, count: str, going: str, initial: Sequence[str], whole: Sequence[str]) -> None:
        """The Loop itself; its results get the names."""
        results = [*self.op.outputs, *self.holders]
        if not results:
            return
        names = self.graph.nodes.emit_several(
            "Loop", [count, going, *initial, *whole], len(results), body=self.made
        )
        self.graph.names.update(zip(results, names, strict=True))


class _Rounds:
    """Inside: the nodes of one round."""

    def __init__(self, loop: _Loop, skipped: int) -> None:
        self.loop = loop
        self.state = loop.body.params[skipped:]

    def __enter__(self) -> _Rounds:
        graph = self.loop.graph
        self.before = dict(graph.names)
        self.context = graph.nodes.graph()
        self.nodes = self.context.__enter__()
        places = [*self.state, *self.loop.holders]
        self.inputs = [graph.nodes.fresh(place.hint or "carried") for place in places]
        for place in places:
            check_type(place.type)
        graph.names.update(zip(places, self.inputs, strict=True))
        return self

    def __exit__(self, *error: Any) -> None:
        self.context.__exit__(*error)
        self.loop.graph.names = self.before

    def run(self, body: Block) -> list[str]:
        """The body of the loop; the names of the next state."""
        graph = self.loop.graph
        graph._check_ends(body)
        graph.block(body)
        return [graph._given(value, place) for value, place in zip(body.results, self.state, strict=True)]

    def finish(self, going: str, after: Sequence[str]) -> None:
        graph, loop = self.loop.graph, self.loop
        newest = [graph.names[holder] for holder in loop.holders]
        outputs = [graph.nodes.emit("Identity", name) for name in (going, *after, *newest)]
        places = [*self.state, *loop.holders]
        loop.made = nested(
            self.nodes,
            graph.nodes.fresh("body"),
            [
                value_info(loop.number, _INT),
                value_info(loop.going, _TRUTH),
                *[value_info(n, p.numeric, True) for n, p in zip(self.inputs, places, strict=True)],
            ],
            [
                value_info(outputs[0], _TRUTH),
                *[value_info(n, p.numeric, True) for n, p in zip(outputs[1:], places, strict=True)],
            ],
        )


def check_type(kind: Type, op: Operation | None = None) -> None:
    """Refuse what is no array of numbers."""
    if isinstance(kind, ContainerType):
        raise NotExportable(f"a {kind.name} whose length only a run knows has no form")
    if isinstance(kind, ObjectType):
        what = "a string" if kind.name == "str" else "an object of Python"
        raise NotExportable(f"{op.name if op else 'a value'} is about {what}, for which ONNX has no form")
    if kind.dtype.kind == "c":
        raise NotExportable("complex numbers have no form")
    element_type(kind.dtype)
