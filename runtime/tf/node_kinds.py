"""What TensorFlow calls the operations of a graph, and which of its control flow has another form there."""

from __future__ import annotations

from runtime.graph import Block, Operation, Value
from runtime.graph.effects import keeps_order
from runtime.graph.rewrite import constant_of
from runtime.types import BOOL

#: our names of operations -> TensorFlow's, where these are no others than in `logical_not` -> `LogicalNot`
_TYPES = {
    "add": "AddV2",
    "py.add": "AddV2",
    "subtract": "Sub",
    "multiply": "Mul",
    "true_divide": "RealDiv",
    "matmul": "MatMul",
    "negative": "Neg",
    "py.lt": "Less",
    "py.gt": "Greater",
    "absolute": "Abs",
    "maximum_or_first": "Maximum",
    "minimum_or_first": "Minimum",
    "power": "Pow",
    "constant": "Const",
    "concatenate": "ConcatV2",
    "stack": "Pack",
    "take": "GatherV2",
    "getitem": "StridedSlice",
    "where": "SelectV2",
    "astype": "Cast",
    "arange": "Range",
    "dim": "Shape",
    "floor_divide": "FloorDiv",
    "remainder": "FloorMod",
    "conv2d": "Conv2D",
    **{f"arc{name}": f"A{name}" for name in ("sin", "cos", "tan", "sinh", "cosh", "tanh", "tan2")},
    **{f"is{name}": f"Is{name.capitalize()}" for name in ("nan", "inf", "finite")},
    **{f"arg{name}": f"Arg{name.capitalize()}" for name in ("max", "min")},
}
#: control flow; where nothing inside has an effect, `Stateless` stands before it
_WITH_BLOCKS = {"if": "If", "while": "While", "for": "While"}
_CALLED = {
    "_print": "PrintV2",
    "_python_print": "PrintV2",
    "_check": "Assert",
    "_scalar": "WriteScalarSummary",
    "_histogram": "WriteHistogramSummary",
    "_image": "WriteImageSummary",
    "_text": "WriteSummary",
    "uniform": "RandomUniform",
    "normal": "RandomStandardNormal",
    "truncated_normal": "TruncatedNormal",
}
#: what TensorFlow calls the operations of Python's operators and statements
_NAMES = {
    "add": "add",
    "subtract": "sub",
    "multiply": "mul",
    "true_divide": "truediv",
    "floor_divide": "floordiv",
    "remainder": "mod",
    "power": "pow",
    "getitem": "strided_slice",
    "if": "cond",
    "while": "while",
    "for": "while",
    "take": "GatherV2",
}


def type_of_operation(op: Operation) -> str:
    """TensorFlow's name of the kind of operation."""
    if op.calls_python or op.draws:
        return _CALLED.get(getattr(op.attributes["function"], "__name__", ""), "PyFunc")
    if op.is_call:
        return "StatefulPartitionedCall" if keeps_order(op) else "PartitionedCall"
    with_blocks = _WITH_BLOCKS.get(op.name)
    if with_blocks is not None:
        return with_blocks if keeps_order(op) else f"Stateless{with_blocks}"
    words = [op.name] if "." in op.name else map(str.capitalize, op.name.split("_"))
    return _TYPES.get(op.name) or "".join(words)


def usual_name(op: Operation) -> str:
    """What an operation is called where the program does not say."""
    return _NAMES.get(op.name) or type_of_operation(op)


def source_of(value: Value) -> Value:
    """The value itself, where this is the scalar in an array without axes."""
    op = value.owner
    is_scalar = op is not None and op.is_load and op.attributes["index"] == ()
    return op.inputs[0] if op is not None and is_scalar else value


def as_while(op: Operation) -> Operation:
    """A `for` as the `while` that counts, as TensorFlow has it. One whose step only a run knows stays."""
    if not op.is_counted or constant_of(op.inputs[2]) is None:
        return op
    start, stop, step, *carried = op.inputs
    *tests, body = op.blocks
    params = tests[0].params if tests else [Value(param.type, param.hint) for param in body.params]
    is_left = Operation(_order_of(step), (params[0], stop), (BOOL,), location=op.location)
    test = Block(params, [is_left], (is_left.output,))
    for other in tests:
        kind = other.results[0].type
        false = Operation("constant", (), (kind,), {"value": False}, location=op.location)
        blocks = Block([], other.operations, other.results), Block([], [false], false.outputs)
        both = Operation("if", (is_left.output,), (kind,), {}, blocks, op.location)
        test = Block(params, [is_left, both], both.outputs)
    index = body.params[0]
    following = Operation("py.add", (index, step), (index.type,), location=op.location)
    turn = Block(body.params, [*body.operations, following], (following.output, *body.results))
    types = tuple([value.type for value in body.params])
    return Operation("while", (start, *carried), types, {}, (test, turn), op.location)


def _order_of(step: Value) -> str:
    made = constant_of(step)
    assert made is not None
    return "py.lt" if made.attributes["value"] > 0 else "py.gt"
