"""A graph from a GraphDef that `to_graph_def` has made, in this process or another one.

>>> from runtime.formats.graph_def import to_graph_def
>>> from runtime.formats.parse import parse
>>> graph = parse('''
... graph doubled_if(x: f32[3], test: bool) -> f32[3]:
...     y: f32[3] = if test:
...         z: f32[3] = multiply(x, f32(2.0))
...         yield z
...     else:
...         yield x
...     return y
... ''')
>>> again = read_graph_def(to_graph_def(graph))
>>> print(again.graph, end="")
graph graph(x: f32[3], test: bool) -> f32[3]:
    _2: f32[3] = if test:
        _1: f32[3] = multiply(x, f32(2.0))
        yield _1
    else:
        yield x
    return _2
>>> sorted(again.named)
['if', 'test', 'x']

What is read may come from anybody: nothing of it is run, an operation has to be one that a saved function may
hold, and the graph is verified.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NoReturn

import numpy as np
from tensorboard.compat.proto.attr_value_pb2 import AttrValue
from tensorboard.compat.proto.function_pb2 import FunctionDef
from tensorboard.compat.proto.graph_pb2 import GraphDef
from tensorboard.compat.proto.node_def_pb2 import NodeDef

from autograph.errors import AutographError
from runtime.formats.graph_def import ELEMENT_TYPES, data_type, in_order
from runtime.formats.read_literals import read_type
from runtime.formats.tokens import Cursor, tokenize
from runtime.graph import Block, Graph, Operation, Value
from runtime.graph.functions import note_effects
from runtime.graph.verify import VerificationError, verify
from runtime.ops.control_flow import CALL, UNKNOWN_EFFECTS
from runtime.saving.admissible import READ_ERRORS, may_be_typed, read_data, why_not
from runtime.types import DTYPE_NAMES, ArrayType, NumberType, ScalarType, Type

#: number of an element type in the format -> the dtype
_DTYPES = {data_type(ScalarType(dtype)): dtype for dtype in DTYPE_NAMES.values() if dtype.isnative}


class GraphDefError(AutographError, ValueError):
    """A GraphDef holds what no graph of ours has."""


@dataclass(frozen=True)
class ReadGraph:
    """A graph, its values by the names of their tensors (`y`, `y:1`), and its operations by their names."""

    graph: Graph
    named: dict[str, Value] = field(default_factory=dict)
    operations: dict[str, Operation] = field(default_factory=dict)


def read_graph_def(
    graph_def: GraphDef,
    function_of: Callable[[str], Any] = lambda name: None,
    given: Mapping[str, Value] | None = None,
) -> ReadGraph:
    """The graph. Raises GraphDefError.

    function_of: the function of Python that an operation may call by this name.
    given: values that stand for tensors of the GraphDef.
    """
    reader = _Reader({one.signature.name: one for one in graph_def.library.function}, function_of)
    made = ReadGraph(Graph("graph", Block()))
    made.named.update(given or {})
    for node in graph_def.node:
        try:
            reader.node(node, made.graph.body, made, set(given or ()))
        except (*READ_ERRORS, VerificationError) as error:
            _refuse(node, str(error).partition("\n")[0])
    try:
        reader.called(made.graph)
        body = made.graph.body
        outside = (given or {}).values()
        whole = Block([*body.params, *outside], body.operations, body.results, body.ends)
        verify(Graph("graph", whole, functions=made.graph.functions))
    except (*READ_ERRORS, VerificationError) as error:
        raise GraphDefError(f"this GraphDef is no graph of ours: {error}") from None
    return made


def _refuse(node: NodeDef, why: str) -> NoReturn:
    raise GraphDefError(
        f"node {node.name!r} ({node.op}) cannot be imported: {why}",
        hint="import what as_graph_def() of this package has made",
    )


class _Reader:
    def __init__(self, functions: Mapping[str, FunctionDef], function_of: Callable[[str], Any]) -> None:
        self.functions, self.function_of = functions, function_of
        self.blocks: set[str] = set()  # the functions that are blocks of operations

    def node(self, node: NodeDef, block: Block, made: ReadGraph, given: set[str]) -> None:
        if node.name in given:
            return
        inputs = [self._value(node, name, made.named) for name in node.input if not name.startswith("^")]
        name = node.attr["_operation"].s.decode() if "_operation" in node.attr else node.op
        if name in ("return", "never"):
            block.results, block.ends = tuple(inputs), "yield" if name == "return" else name
            return
        types = [self._type(text) for text in node.attr["_types"].list.s]
        if name == "Placeholder":
            if len(types) != 1:
                _refuse(node, "it does not say its type as this package does")
            (kind,) = types
            block.params.append(Value(kind, node.name))
            made.named[node.name] = block.params[-1]
            return
        op = self.operation(node, name, inputs, types)
        block.append(op)
        made.operations[node.name] = op
        for k, value in enumerate(op.outputs):
            made.named[f"{node.name}:{k}" if k else node.name] = value

    def called(self, graph: Graph) -> None:
        """The functions that are no blocks are those that operations call."""
        for name in self.functions.keys() - self.blocks:
            body = self.block(self.functions[name], [])
            graph.functions[name] = Graph(name, body, functions=graph.functions)
        if graph.functions:
            note_effects(graph)

    def _value(self, node: NodeDef, name: str, named: Mapping[str, Value]) -> Value:
        found = named.get(name.removesuffix(":0"))
        if found is None:
            _refuse(node, f"its input {name!r} is made by no node before it")
        return found

    def _type(self, text: bytes) -> Type:
        cursor = Cursor(tokenize(text.decode(), 1))
        found = read_type(cursor)
        cursor.expect("")
        if not may_be_typed(found):
            raise ValueError(f"{text.decode()} is no type of a graph in a file")
        return found

    def operation(self, node: NodeDef, name: str, inputs: list[Value], types: list[Type]) -> Operation:
        count = node.attr["_operands"].i if "_operands" in node.attr else len(inputs)
        attributes: dict[str, Any] = {}
        blocks: dict[str, Block] = {}
        for key, item in node.attr.items():
            function = self.functions.get(item.func.name) if item.HasField("func") else None
            if name == CALL and key == "f":
                attributes |= {"function": item.func.name, "effects": UNKNOWN_EFFECTS}
            elif function is not None:
                self.blocks.add(function.signature.name)
                blocks[key] = self.block(function, inputs[count:])
            elif key not in ELEMENT_TYPES and key[0] != "_" and (name != "constant" or key == "value"):
                attributes[key] = self._attribute(item, types)
        ordered = [blocks[key] for key in in_order(blocks)]
        op = Operation(name, tuple(inputs[:count]), tuple(types), attributes, tuple(ordered))
        known = {key: item for key, item in attributes.items() if not callable(item)}
        refused = why_not(Operation(name, op.inputs, op_types(op), known, op.blocks))
        if refused is not None and not (name == "call" and len(known) < len(attributes)):
            _refuse(node, refused.reason)
        return op

    def block(self, function: FunctionDef, captured: list[Value]) -> Block:
        args = list(function.signature.input_arg)
        types = [self._type(text) for text in function.attr["_types"].list.s]
        count = len(args) - len(captured)
        params = [Value(kind, arg.name) for arg, kind in zip(args[:count], types, strict=False)]
        made = ReadGraph(Graph("block", Block(params)))
        made.named.update({arg.name: v for arg, v in zip(args, [*params, *captured], strict=True)})
        for node in function.node_def:
            inside = NodeDef()
            inside.CopyFrom(node)
            del inside.input[:]
            inside.input.extend(map(_outside_form, node.input))
            self.node(inside, made.graph.body, made, set())
        body = made.graph.body
        outputs = function.signature.output_arg
        own = function.attr["_results"].i if "_results" in function.attr else len(outputs)
        body.ends = function.attr["_ends"].s.decode()
        body.results = tuple(
            [
                self._value(NodeDef(name=arg.name), _outside_form(function.ret[arg.name]), made.named)
                for arg in outputs[:own]
            ]
        )
        return body

    def _attribute(self, item: AttrValue, types: list[Type]) -> Any:
        match item.WhichOneof("value"):
            case "b":
                return item.b
            case "i":
                return item.i
            case "type":
                return _DTYPES[item.type]
            case "tensor":
                return _constant(item, types[0])
            case "func":
                found = self.function_of(item.func.name)
                if found is None:
                    raise ValueError(f"there is no function {item.func.name!r}")
                return found
            case "s":
                return read_data(item.s.decode())
        raise ValueError(f"it has an attribute of kind {item.WhichOneof('value')}")


def op_types(op: Operation) -> tuple[Type, ...]:
    return tuple([value.type for value in op.outputs])


def _outside_form(name: str) -> str:
    """`node:output:1` of a function as `node:1`."""
    node, *rest = name.split(":")
    return node if not rest or rest[-1] == "0" else f"{node}:{rest[-1]}"


def _constant(item: AttrValue, kind: Type) -> Any:
    tensor = item.tensor
    dtype = _DTYPES[tensor.dtype]
    shape = [dim.size for dim in tensor.tensor_shape.dim]
    array = np.frombuffer(tensor.tensor_content, dtype.newbyteorder("<")).astype(dtype).reshape(shape)
    if isinstance(kind, ArrayType):
        return array
    return array[()].item() if isinstance(kind, NumberType) else array[()]
