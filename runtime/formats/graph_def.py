"""A graph as a GraphDef, the protocol buffer that TensorBoard and many tools read.

>>> from runtime.formats.parse import parse
>>> made = to_graph_def(parse('''
... graph double(x: f32[3]) -> f32[3]:
...     y: f32[3] = multiply(x, f32(2.0))
...     return y
... '''))
>>> for node in made.node:
...     print(node.name, node.op, node.input)
x Placeholder []
constant Const []
y multiply ['x', 'constant']
return return ['y']

The blocks of an operation are functions of the library, as in TensorFlow: its attributes name them, and its
inputs end with the values of blocks around that they use. Beside what the format has a place for, `_types`
says the exact types of the results, `_operation` the operation where the node's kind is not its name,
`_operands` how many inputs are not such values. An attribute without a form of its own is text, as a
printed graph has it. `read_graph_def` makes the graph again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from tensorboard.compat.proto.attr_value_pb2 import AttrValue
from tensorboard.compat.proto.graph_pb2 import GraphDef
from tensorboard.compat.proto.node_def_pb2 import NodeDef
from tensorboard.compat.proto.op_def_pb2 import OpDef
from tensorboard.compat.proto.tensor_pb2 import TensorProto
from tensorboard.compat.proto.tensor_shape_pb2 import TensorShapeProto
from tensorboard.compat.proto.types_pb2 import DataType

from runtime.formats.pictures import Naming, NodeNames, block_labels, naming_of
from runtime.graph import Block, Graph, Operation, Value
from runtime.graph.effects import keeps_order
from runtime.graph.literals import Objects, literal
from runtime.graph.liveness import free_values
from runtime.types import ArrayType, ObjectType, Type

#: dtypes whose names differ in the two worlds
_NAMES = {"float16": "half", "float32": "float", "float64": "double"}
#: TensorFlow's names of the attributes that hold the blocks of an operation, by what we call these
BLOCKS = {"then": "then_branch", "else": "else_branch", "test": "cond", "body": "body"}
#: attributes of TensorFlow's nodes that say what the values themselves say
ELEMENT_TYPES = frozenset({"T", "Tcond", "Tin", "Tout"})


def in_order(names: Iterable[str]) -> list[str]:
    """The names of attributes that hold blocks, in the order of the blocks.

    >>> in_order(["body", "handler", "cond"])
    ['cond', 'body', 'handler']
    """
    known = [*BLOCKS.values(), "handler"]
    return sorted(names, key=lambda name: (known.index(name) if name in known else len(known), name))


def to_graph_def(
    graph: Graph,
    naming: Naming | None = None,
    returns: bool = True,
    held: Mapping[Value, Any] | None = None,
) -> GraphDef:
    """The GraphDef of a graph.

    returns: a last node shows what the graph returns.
    held: the values of parameters that are constants of the program.
    """
    made = GraphDef()
    made.versions.producer = 1
    naming = naming_of(graph) if naming is None else naming
    nodes = _Nodes(made, made.node, naming, graph.name)
    for param in graph.params:
        if held is not None and param in held:
            nodes.constant(param, held[param])
        else:
            nodes.param(param)
    nodes.operations(graph.body)
    if returns:
        end = "return" if graph.body.ends == "yield" else "never"
        nodes.add(end, end, [*map(nodes.reference, graph.results), *nodes.after()])
    for function in graph.functions.values():
        _function(made, naming, function.name, function.body, [], "")
    return made


class _Nodes:
    """The nodes of one block, with those functions of the library that its operations need."""

    def __init__(self, made: GraphDef, nodes: Any, naming: Naming, path: str, scope: str = "") -> None:
        self.made, self.nodes, self.naming = made, nodes, naming
        self.path = path  # where it is, for the names of functions
        self.scope = scope  # in which the block stands already
        self.names = NodeNames()
        self.references: dict[Value, str] = {}
        self.last_effect = ""

    def reference(self, value: Value) -> str:
        return self.references[value]

    def after(self) -> list[str]:
        """The control input by which what has an effect keeps its place."""
        return [f"^{self.last_effect}"] if self.last_effect else []

    def add(self, name: str, kind: str, inputs: Iterable[str] = ()) -> NodeDef:
        node = self.nodes.add()
        node.name, node.op = self.names.unique(name), kind
        node.input.extend(inputs)
        return node

    def param(self, value: Value) -> None:
        node = self.add(self.naming.param(value), "Placeholder")
        node.attr["dtype"].type = data_type(value.type)
        node.attr["shape"].shape.CopyFrom(_shape(value.type))
        _note_types(node, (value,))
        self.references[value] = node.name

    def constant(self, value: Value, item: Any) -> None:
        node = self.add(self.naming.param(value), "Const")
        node.attr["_operation"].s = b"constant"
        node.attr["dtype"].type = data_type(value.type)
        node.attr["value"].CopyFrom(attribute(item, value.type))
        _note_types(node, (value,))
        self.references[value] = node.name

    def operations(self, block: Block) -> None:
        for op in block.operations:
            self.operation(op)

    def operation(self, op: Operation) -> None:
        full, form = self.naming.operation(op), self.naming.form(op)
        free = list(free_values(form))
        inputs = [*form.inputs, *free]
        ordered = keeps_order(op)
        name = full.removeprefix(self.scope + "/") if self.scope else full
        node = self.add(
            name, self.naming.kind(form), [*map(self.reference, inputs), *(self.after() if ordered else [])]
        )
        if ordered:
            self.last_effect = node.name
        if node.op != form.name:
            node.attr["_operation"].s = form.name.encode()
        for key, item in form.attributes.items():
            called = self.naming.function(item) if callable(item) else ""
            if form.is_call and key == "function":
                node.attr["f"].func.name = item
            elif called:
                node.attr[key].func.name = called
            elif not form.is_call:  # what a function of the graph does is seen there
                node.attr[key].CopyFrom(attribute(item, form.output.type if form.is_constant else None))
        _note_types(node, form.outputs, free if form.is_while else ())
        if form.is_constant:
            node.attr["dtype"].type = data_type(form.output.type)
        if form.blocks:
            self.blocks(node, form, free, full.rpartition("/")[0])
        _note_element_types(node, form, inputs)
        for k, value in enumerate(op.outputs, len(form.outputs) - len(op.outputs)):
            self.references[value] = self._output(node.name, k)

    def blocks(self, node: NodeDef, op: Operation, free: list[Value], scope: str) -> None:
        """The blocks as functions. That of a loop's body hands on what the loop only reads."""
        node.attr["_operands"].i = len(op.inputs)
        for label, block in zip(block_labels(op), op.blocks, strict=True):
            function = f"{self.path}_{node.name}_{label}".replace("/", "_").replace(" ", "_")
            node.attr[BLOCKS.get(label, label.replace(" ", "_"))].func.name = function
            passed = free if op.is_while and label == "body" else []
            _function(self.made, self.naming, function, block, free, scope, passed)

    def _output(self, node: str, k: int) -> str:
        return f"{node}:{k}" if k else node


class _FunctionNodes(_Nodes):
    """In a function of the library an output is named too."""

    def _output(self, node: str, k: int) -> str:
        return f"{node}:output:{k}"


def _note_element_types(node: NodeDef, op: Operation, inputs: list[Value]) -> None:
    """TensorFlow's attributes of control flow and of calls. A `while` gives what it is given."""
    listed: dict[str, Sequence[Value]] = {}
    if op.is_while:
        listed = {"T": inputs}
    elif op.is_call:
        listed = {"Tin": inputs, "Tout": op.outputs}
    elif op.is_branch:
        node.attr["Tcond"].type = data_type(inputs[0].type)
        listed = {"Tin": inputs[1:], "Tout": op.outputs}
    for key, values in listed.items():
        node.attr[key].list.type.extend([data_type(value.type) for value in values])


def _function(
    made: GraphDef,
    naming: Naming,
    name: str,
    block: Block,
    free: list[Value],
    scope: str,
    passed: Iterable[Value] = (),
) -> None:
    """A block as a function: its parameters and the ``free`` values are the arguments, its results and the
    values that are ``passed`` the outputs."""
    function = made.library.function.add()
    function.signature.name = name
    nodes = _FunctionNodes(made, function.node_def, naming, name, scope)
    for value in (*block.params, *free):
        arg = _arg(function.signature.input_arg.add(), nodes.names.unique(naming.param(value)), value)
        nodes.references[value] = arg.name
    function.attr["_types"].list.s.extend([str(value.type).encode() for value in (*block.params, *free)])
    function.attr["_ends"].s = block.ends.encode()
    function.attr["_results"].i = len(block.results)
    nodes.operations(block)
    outputs = NodeNames()
    for value in (*block.results, *passed):
        arg = _arg(function.signature.output_arg.add(), outputs.unique(value.hint or "output"), value)
        function.ret[arg.name] = nodes.reference(value)
    if nodes.last_effect:
        function.control_ret["effects"] = nodes.last_effect


def _arg(arg: OpDef.ArgDef, name: str, value: Value) -> OpDef.ArgDef:
    arg.name, arg.type = name, data_type(value.type)
    return arg


# -- attributes and types ------------------------------------------------------------------------------


def data_type(type: Type) -> int:
    """The number by which the format knows an element type.

    >>> from runtime.types import FLOAT
    >>> DataType.Name(data_type(FLOAT)), DataType.Name(data_type(ObjectType("list")))
    ('DT_DOUBLE', 'DT_VARIANT')
    """
    if isinstance(type, ObjectType):
        return DataType.Value("DT_STRING" if type.name == "str" else "DT_VARIANT")
    return _number(type.dtype)


def _number(dtype: np.dtype) -> int:
    return DataType.Value("DT_" + _NAMES.get(dtype.name, dtype.name).upper())


def _shape(type: Type) -> TensorShapeProto:
    lengths = [] if isinstance(type, ObjectType) else [-1 if n is None else n for n in type.shape]
    return TensorShapeProto(dim=[TensorShapeProto.Dim(size=n) for n in lengths])


def _note_types(node: NodeDef, outputs: Iterable[Value], passed: Iterable[Value] = ()) -> None:
    """The shapes where TensorBoard looks for them, and the types as a printed graph has them.
    ``passed``: what a loop only reads and gives besides, as TensorFlow's does."""
    types = [value.type for value in outputs]
    if types:
        node.attr["_output_shapes"].list.shape.extend([_shape(value.type) for value in (*outputs, *passed)])
        node.attr["_types"].list.s.extend([str(type).encode() for type in types])


def attribute(item: Any, type: Type | None = None) -> AttrValue:
    """A static value. ``type``: that of the constant whose value it is."""
    if type is not None and not isinstance(type, ObjectType):
        return AttrValue(tensor=_tensor(np.asarray(item, type.dtype), isinstance(type, ArrayType)))
    if isinstance(item, bool):
        return AttrValue(b=item)
    if isinstance(item, int) and -(2**63) <= item < 2**63:
        return AttrValue(i=item)
    if isinstance(item, np.dtype) and item.isnative and item.kind in "biufc":
        return AttrValue(type=_number(item))
    return AttrValue(s=literal(item, Objects()).encode())


def _tensor(array: np.ndarray, is_array: bool) -> TensorProto:
    shape = TensorShapeProto(dim=[TensorShapeProto.Dim(size=n) for n in array.shape])
    numbers = array.astype(array.dtype.newbyteorder("<"), copy=False)
    dtype: Any = _number(array.dtype)
    return TensorProto(dtype=dtype, tensor_shape=shape, tensor_content=numbers.tobytes())
