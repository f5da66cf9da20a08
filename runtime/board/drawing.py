"""A GraphDef as TensorBoard draws it well: blocks of control flow in name scopes instead of a library.

TensorBoard shows the functions of a library beside the graph, each for itself, and an `If` or a `While` as
one node without contents. As scopes, a branch or the body of a loop opens where it stands, and the lines
lead into it. So this form is for event files, the other one for all else.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tensorboard.compat.proto.function_pb2 import FunctionDef
from tensorboard.compat.proto.graph_pb2 import GraphDef
from tensorboard.compat.proto.node_def_pb2 import NodeDef

from runtime.formats.graph_def import BLOCKS, in_order

#: the attributes that hold blocks, in the order in which they are drawn -> the names of their scopes
_LABELS = {attribute: label for label, attribute in BLOCKS.items()}

#: loops, and how many operands are the range of the number that they count
_LOOPS = {"while": 0, "for": 3}


def with_scopes(graph_def: GraphDef) -> GraphDef:
    """A copy in which the blocks of our operations stand in scopes; functions that are called stay."""
    made = GraphDef()
    made.CopyFrom(graph_def)
    del made.node[:]
    drawing = _Drawing(made, {function.signature.name: function for function in graph_def.library.function})
    for node in graph_def.node:
        drawing.node(node, "", {})
    kept = [function for function in made.library.function if function.signature.name not in drawing.drawn]
    del made.library.function[:]
    made.library.function.extend(kept)
    return made


class _Drawing:
    def __init__(self, made: GraphDef, functions: Mapping[str, FunctionDef]) -> None:
        self.made, self.functions = made, functions
        self.drawn: set[str] = set()  # the functions that stand in scopes
        self.params: dict[str, NodeDef] = {}

    def node(self, node: NodeDef, scope: str, names: Mapping[str, str]) -> None:
        """One node, in a scope; ``names`` are the values for which the function's parameters stand."""
        copy = self.made.node.add()
        copy.CopyFrom(node)
        copy.name = scope + node.name
        del copy.input[:]
        copy.input.extend([_moved(name, scope, names) for name in node.input])
        if "_operands" in node.attr:
            self.blocks(copy)

    def blocks(self, copy: NodeDef) -> None:
        """Draw the blocks of an operation in its scope; it gets their results as further inputs."""
        inputs = [name for name in copy.input if not name.startswith("^")]
        control = [name for name in copy.input if name.startswith("^")]
        operands, captured = inputs[: copy.attr["_operands"].i], inputs[copy.attr["_operands"].i :]
        blocks = [
            (_LABELS.get(name, name), self.functions[copy.attr[name].func.name])
            for name in in_order(copy.attr)
            if copy.attr[name].WhichOneof("value") == "func" and copy.attr[name].func.name in self.functions
        ]
        if not blocks:
            return
        operation = copy.attr["_operation"].s.decode() if "_operation" in copy.attr else copy.op
        is_loop = operation in _LOOPS
        state = self.state(copy.name, blocks[-1][1], operands, _LOOPS[operation]) if is_loop else []
        results: list[str] = []
        for label, function in blocks:
            scope = f"{copy.name}/{label}"
            own = list(function.signature.input_arg)[: len(function.signature.input_arg) - len(captured)]
            given = state if is_loop else [self.param(scope, arg, "Placeholder", []) for arg in own]
            found = self.block(f"{scope}/", function, [*given, *captured])
            if label == "body" and is_loop:
                self.close_loop(state[len(state) - len(found) :], found)
            else:
                results += found
        del copy.input[:]
        copy.input.extend([*(state or operands), *results, *control])

    def block(self, scope: str, function: FunctionDef, given: Sequence[str]) -> list[str]:
        """The nodes of a function. Gives its results."""
        self.drawn.add(function.signature.name)
        names = {arg.name: value for arg, value in zip(function.signature.input_arg, given, strict=True)}
        for node in function.node_def:
            self.node(node, scope, names)
        return [_moved(function.ret[arg.name], scope, names) for arg in function.signature.output_arg]

    def state(self, scope: str, body: FunctionDef, operands: Sequence[str], bounds: int) -> list[str]:
        """A node for each value that a loop carries; the number of a `for` comes first, from its range."""
        args = iter(body.signature.input_arg)
        number = [self.param(scope, next(args), "range", operands[:bounds])] if bounds else []
        rest = zip(operands[bounds:], args, strict=False)  # behind them are the values from outside
        return [*number, *[self.param(scope, arg, "Merge", [name]) for name, arg in rest]]

    def param(self, scope: str, arg: Any, kind: str, source: Sequence[str]) -> str:
        """A node for a parameter of a block."""
        node = self.made.node.add(name=f"{scope}/{arg.name}", op=kind, input=source)
        node.attr["dtype"].type = arg.type
        self.params[node.name] = node
        return node.name

    def close_loop(self, state: Sequence[str], found: Sequence[str]) -> None:
        """What the body leaves is what the next round begins with."""
        for name, result in zip(state, found, strict=True):
            self.params[name].input.append(result)


def _moved(name: str, scope: str, names: Mapping[str, str]) -> str:
    """The name that an input has in the drawing: `node:output:1` of a function is `scope/node:1`."""
    mark, name = ("^", name[1:]) if name.startswith("^") else ("", name)
    if name in names:
        return mark + names[name]
    node, *rest = name.split(":")
    number = rest[-1] if rest else "0"
    return f"{mark}{scope}{node}" + ("" if number == "0" else f":{number}")
