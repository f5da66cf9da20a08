"""Is a graph well formed? Runs after the passes; between them, too, to find the one that made a bug.

>>> from runtime.formats.parse import parse
>>> graph = parse('''
... graph f(x: f64[3]) -> f64[4]:
...     y: f64[4] = negative(x)
...     return y
... ''')
>>> try:
...     verify(graph)
... except VerificationError as error:
...     print(error)
negative gives f64[3], but the graph says f64[4]
    y: f64[4] = negative(x)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NoReturn

from runtime.graph.core import Graph
from runtime.graph.operations import Block, Operation, Value
from runtime.ops import REGISTRY
from runtime.ops.definition import takes_so_many
from runtime.ops.template import Template
from runtime.types import BOOL, EXCEPTION, INT, ObjectType, ScalarType, Type, is_subtype


class VerificationError(AssertionError):
    """A graph breaks a rule; the message shows the operation."""


def verify(graph: Graph, *, functions: bool = True) -> None:
    """Raises VerificationError when a rule of `runtime/graph` does not hold.

    ``functions``: in the functions of the graph, too.
    """
    for part in graph.whole() if functions else (graph,):
        _Verifier(part).check()


class _Verifier:
    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.visible: set[Value] = set()
        self.defined: set[Value] = set()
        self.operation: Operation | None = None
        self.landings: dict[object, list[Value]] = {}  # of each region: the parameters of its handler

    def check(self) -> None:
        self.block(self.graph.body, None)

    def fail(self, message: str, op: Operation | None) -> NoReturn:
        shown = f"in graph {self.graph.name}" if op is None else self.graph.writer().operation_text(op)
        raise VerificationError(f"{message}\n" + "\n".join("    " + line for line in shown.splitlines()))

    def define(self, value: Value, owner: Operation | None, op: Operation | None) -> None:
        if value in self.defined:
            self.fail(f"{value} is defined twice", op)
        if value.owner is not owner:
            self.fail(f"{value} belongs to another operation", op)
        self.defined.add(value)
        self.visible.add(value)

    def use(self, value: Value, op: Operation | None, role: str) -> None:
        if value not in self.visible:
            reason = "not visible" if value in self.defined else "not defined"
            self.fail(f"{role} {value} is {reason} here", op)

    def block(self, block: Block, parent: Operation | None) -> None:
        outer = set(self.visible)
        for param in block.params:
            self.define(param, None, parent)
        for op in block.operations:
            for value in op.inputs:
                self.use(value, op, "the input")
            self.check_operation(op)
            for output in op.outputs:
                self.define(output, op, op)
        if block.ends not in ("yield", "never"):
            self.fail(f"a block ends in {block.ends!r}; it is 'yield' or 'never'", parent)
        if block.ends == "never" and (block.results or not block.operations):
            self.fail("a block that never ends has results, or no operation that could raise", parent)
        for value in block.results:
            self.use(value, parent, "the result")
        self.visible = outer

    def check_operation(self, op: Operation) -> None:
        if op.name not in REGISTRY:
            self.fail(f"no operation is named {op.name!r}", op)
        if op.is_try:
            self.check_region(op)
        for block in op.blocks:
            self.block(block, op)
            if op.is_try:
                self.landings.pop(op.attributes["region"], None)  # landings are in the body
        if op.is_landing:
            self.check_landing(op)
        if op.is_control or op.is_call:
            getattr(self, f"check_{op.name}")(op)
        else:
            self.check_types(op)

    def check_types(self, op: Operation) -> None:
        places = range(len(op.inputs))
        definition = REGISTRY[op.name]
        kernel = definition.kernel
        if kernel is not None and not takes_so_many(kernel, len(op.inputs), tuple(op.attributes)):
            self.fail(f"{op.name} does not take {len(op.inputs)} inputs with these attributes", op)
        for item in op.attributes.values():
            if isinstance(item, Template) and not all(place in places for place in item.holes()):
                self.fail("a template has a hole for no input", op)
        try:
            types = definition.output_types([value.type for value in op.inputs], op.attributes)
        except Exception as error:  # noqa: BLE001  (a file may hold attributes of any kind)
            self.fail(f"{op.name} does not accept its inputs: {error}", op)
        recorded = [value.type for value in op.outputs]
        if len(types) != len(recorded):
            self.fail(f"{op.name} gives {len(types)} values, but the graph says {len(recorded)}", op)
        for found, said in zip(types, recorded, strict=True):
            if not isinstance(found, Type) or not is_subtype(found, said):
                self.fail(f"{op.name} gives {found}, but the graph says {said}", op)

    def match(self, op: Operation, values: Sequence[Value], wanted: Sequence[Value], what: str) -> None:
        if len(values) != len(wanted):
            self.fail(f"{what}: there are {len(values)} values for {len(wanted)} places", op)
        for value, place in zip(values, wanted, strict=True):
            # an object where there was a number or an array has to be made by an operation
            is_object = [isinstance(each.type, ObjectType) for each in (value, place)]
            if not is_subtype(value.type, place.type) or is_object[0] != is_object[1]:
                self.fail(f"{what}: {value.type} does not fit {place.type} ({place.hint or 'unnamed'})", op)

    def check_yields(self, op: Operation, wanted: Sequence[Value]) -> None:
        for k, block in enumerate(op.blocks):
            if block.ends == "yield":
                self.match(op, block.results, wanted, f"the results of block {k}")

    def check_if(self, op: Operation) -> None:
        if len(op.inputs) != 1 or not is_truth(op.inputs[0].type):
            self.fail("an if takes one bool", op)
        if len(op.blocks) != 2 or any(block.params for block in op.blocks):
            self.fail("an if has two blocks without parameters", op)
        self.check_yields(op, op.outputs)

    def check_region(self, op: Operation) -> None:
        handler = op.blocks[1].params if len(op.blocks) == 2 else []
        takes_exception = bool(handler) and is_subtype(EXCEPTION, handler[0].type)
        if not takes_exception or not isinstance(op.attributes.get("region"), int) or op.blocks[0].params:
            self.fail("a try has a number, a body, and a handler that takes the exception", op)
        self.landings[op.attributes["region"]] = op.blocks[1].params[1:]

    def check_landing(self, op: Operation) -> None:
        if op.attributes.get("region") not in self.landings:
            self.fail("a landing belongs to no try around it", op)
        self.match(op, op.inputs, self.landings[op.attributes["region"]], "the values for the handler")

    def check_try(self, op: Operation) -> None:
        self.check_yields(op, op.outputs)

    def check_call_function(self, op: Operation) -> None:
        function = self.graph.functions.get(op.attributes["function"])
        if function is None:
            self.fail(f"the graph has no function {op.attributes['function']!r}", op)
        self.match(op, op.inputs, function.params, "the arguments")
        if function.body.ends == "yield":
            self.match(op, function.results, op.outputs, "the results of the function")

    def check_while(self, op: Operation) -> None:
        if len(op.blocks) != 2:
            self.fail("a while has two blocks, test and body", op)
        self.check_loop(op, op.inputs, 0)

    def check_for(self, op: Operation) -> None:
        if len(op.inputs) < 3 or any(value.type != INT for value in op.inputs[:3]):
            self.fail("a for takes start, stop and step, which are ints", op)
        if len(op.blocks) not in (1, 2):
            self.fail("a for has a body, and may have a test before it", op)
        for block in op.blocks:
            if not block.params or block.params[0].type != INT:
                self.fail("the first parameter of the blocks of a for is the int that counts", op)
        self.check_loop(op, op.inputs[3:], 1)

    def check_loop(self, op: Operation, state: Sequence[Value], skipped: int) -> None:
        *tests, body = op.blocks
        for block in op.blocks:
            self.match(op, state, block.params[skipped:], "the initial state")
        carried = body.params[skipped:]
        for test in tests:
            answers_bool = len(test.results) == 1 and is_truth(test.results[0].type)
            if test.ends == "yield" and not answers_bool:
                self.fail("the test of a loop yields one bool", op)
        if body.ends == "yield":
            self.match(op, body.results, carried, "the next state")
        self.match(op, carried, op.outputs, "the results of the loop")


def is_truth(type: Type) -> bool:
    """A Python bool, or NumPy's."""
    return type == BOOL or (isinstance(type, ScalarType) and type.dtype.kind == "b")
