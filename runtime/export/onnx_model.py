"""A function as a model of ONNX.

>>> import runtime as rt
>>> def relu(x):
...     return np.maximum(x, 0)
>>> model = onnx_model(relu, rt.TensorSpec([None, 3], "float32"))
>>> [node.op_type for node in model.graph.node], model.graph.input[0].name
(['Max', 'Identity'], 'x')
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from types import MethodType
from typing import Any

import numpy as np
from google.protobuf.message import DecodeError
from onnx import ModelProto, NodeProto, checker, helper, shape_inference

from autograph.errors import StagingError
from runtime.arguments import wrong_argument
from runtime.export.onnx_graph import GraphNodes, check_type
from runtime.export.onnx_nodes import OPSET, NotExportable, refusal, value_info, with_kernels
from runtime.functions.concrete import ConcreteFunction, unboxed
from runtime.functions.decorator import function
from runtime.functions.functions import Function
from runtime.functions.plans import Boxed, Building, Chosen, Constant, Leaf, Plan, Shared, TupleOf
from runtime.functions.tensor_specs import TensorSpec
from runtime.graph import Block, Operation
from runtime.graph.liveness import free_in
from runtime.guards.paths import Argument, DistinctGuard, NumberGuard
from runtime.saving.admissible import first_refused
from runtime.saving.loaded import Signature
from runtime.saving.signatures import Exactly, Items, Numeric, Spec
from runtime.saving.signatures import Mapping as MappingSpec
from runtime.saving.sources import Source, at_definition, at_operation, is_frozen, root_of, sources_of
from runtime.types import ScalarType, numeric, type_of

#: of the file: what onnx 1.13 and ONNX Runtime 1.14 read
IR_VERSION = 8


def _of_model(spec: Any) -> Any:
    """A tensor without axes is what an operation on numbers gives, too: a model knows no difference."""
    if isinstance(spec, tuple | list):
        return type(spec)(map(_of_model, spec))
    if isinstance(spec, dict):
        return {key: _of_model(part) for key, part in spec.items()}
    return ScalarType(spec.dtype) if isinstance(spec, TensorSpec) and not spec.shape else spec


def _by_signature(target: Any) -> tuple[Any, tuple[Any, ...]]:
    """A function whose ``input_signature`` has tensors without axes, without it; and the specs of a model."""
    decorated: Any = target.__func__ if isinstance(target, MethodType) else target
    signature = decorated.input_signature if isinstance(decorated, Function) else None
    specs = _of_model(signature)
    if specs == signature:
        return target, ()
    plain = function(decorated.python_function)
    return (MethodType(plain, target.__self__) if isinstance(target, MethodType) else plain), specs


def onnx_model(target: Any, /, *specs: Any, **named_specs: Any) -> ModelProto:
    """What ``export_onnx`` writes, as an object of the package onnx that its checker has passed."""
    if not specs and not named_specs:
        target, specs = _by_signature(target)
    kind, sources = sources_of(target, _of_model(specs), _of_model(named_specs))
    if kind != "function":
        raise wrong_argument(
            f"a {kind} of {len(sources)} functions is exported, and a model of ONNX is one function",
            "export one of its functions: rt.export_onnx(path, module.predict, spec)",
            "target",
        )
    (source,) = sources.values()
    if len(source.signatures) != 1:
        raise StagingError(
            f"{source.name}() has {len(source.signatures)} signatures, and a model of ONNX has one",
            hint="say for which arguments: rt.export_onnx(path, f, rt.TensorSpec([None, 3]))",
        )
    model = _Model(source, source.signatures[0]).model()
    try:
        checker.check_model(model, full_check=True)
    except DecodeError:
        raise StagingError(
            f"{source.name}() cannot be exported to ONNX: its branches nest deeper than such files may",
            hint="export a part of it, or write the choice as an array that is indexed",
        ) from None
    except (checker.ValidationError, shape_inference.InferenceError) as error:
        raise StagingError(
            f"{source.name}() cannot be exported to ONNX: {error}", hint="report this function, please"
        ) from None
    return model


def model_of(graph: GraphNodes, inputs: list[Any], outputs: list[Any]) -> ModelProto:
    """The model whose nodes these are."""
    nodes = graph.nodes
    used = used_in(nodes.scope)
    initializers = [one for one in nodes.initializers if one.name in used]
    made = helper.make_graph(nodes.scope, graph.name, inputs, outputs, initializers)
    opset = [helper.make_opsetid("", OPSET)]
    model = helper.make_model(made, opset_imports=opset, ir_version=IR_VERSION, producer_name="autograph")
    return with_kernels(model, nodes.made_by, graph.name)


def used_in(nodes: Iterable[NodeProto]) -> set[str]:
    """The names that nodes, and the graphs in them, use."""
    used: set[str] = set()
    for node in nodes:
        used.update(node.input)
        for attribute in node.attribute:
            used |= used_in(attribute.g.node)
    return used


class _Model:
    def __init__(self, source: Source, signature: Signature) -> None:
        self.source = source
        self.signature = signature
        self.concrete: ConcreteFunction = signature.concrete
        self.graph = self.concrete.optimized
        self.nodes = GraphNodes(self.graph, source.name)

    def model(self) -> ModelProto:
        self._check_functions()
        refused = first_refused(self.graph)
        if refused is not None:
            op, (reason, hint) = refused
            message = f"{self.source.name}() cannot be exported to ONNX: {reason}"
            raise at_operation(self.concrete, op, message, hint)
        try:
            inputs = self._inputs()
            self.nodes.block(self.graph.body)
            outputs = self._outputs(inputs)
        except NotExportable as error:
            message = f"{self.source.name}() cannot be exported to ONNX: {error}"
            raise at_definition(self.concrete, message) from None
        return model_of(self.nodes, inputs, outputs)

    def _check_functions(self) -> None:
        for op in self.graph.operations():
            if op.is_call:
                name = op.attributes["function"]
                raise refusal(op, self.source.name, f"{name}() calls itself", "write it as a loop")
            self._check_effect(op)

    def _check_effect(self, op: Operation) -> None:
        reason = {"raise": "an exception is raised", "print": "something is printed",
                  "assert": "an assertion may fail", "try": "exceptions are caught"}.get(op.name)  # fmt: skip
        if reason is not None:
            hint = "do this outside the exported function: a model of ONNX neither prints nor raises"
            raise refusal(op, self.source.name, reason, hint)

    # -- inputs ------------------------------------------------------------------------------------------

    def _inputs(self) -> list[Any]:
        names = dict(self._leaf_names())
        fixed = self.source.fixed
        found = []
        for guard in self.concrete.guards:
            frozen = all(is_frozen(path, fixed) for path in (guard.path, *guard.others))
            if not frozen and not isinstance(guard, NumberGuard | DistinctGuard):
                raise NotExportable(f"it holds only where {guard}")
        for position, param in zip(self.concrete.positions, self.graph.params, strict=False):
            check_type(param.type)
            name = self.nodes.nodes.fresh("in") if position not in names else names[position]
            found.append(value_info(name, param.numeric))
            self.nodes.names[param] = name
        used = free_in(Block([], self.graph.body.operations, self.graph.results))
        for param, path in zip(
            self.graph.params[len(self.concrete.positions) :], self.concrete.paths, strict=True
        ):
            if param not in used:  # a list, say, of which the trace knew the items
                continue
            root = root_of(path)
            if isinstance(root, Argument) and root.index >= len(fixed):
                raise NotExportable(f"`{path}` is changed or asked, an argument that is no array")
            value = unboxed(path.fetch(fixed))
            check_type(type_of(value))
            self.nodes.names[param] = self.nodes.nodes.constant(value)
        return found

    def _leaf_names(self) -> Iterator[tuple[int, str]]:
        """The flat arguments that are arrays and numbers, by place, and what the inputs are called."""
        place = len(self.source.fixed)
        named = list(self.concrete.arguments)[self.source.skipped :]
        for name, spec in zip(named, (*self.signature.args, *self.signature.kwargs.values()), strict=False):
            for part, leaf in _named_leaves(spec, name):
                if leaf is not None:
                    yield place, part
                place += 1

    # -- outputs -----------------------------------------------------------------------------------------

    def _outputs(self, inputs: list[Any]) -> list[Any]:
        found = []
        taken = {one.name for one in inputs}
        base = "result" if not any(name.startswith("result") for name in taken) else "returned"
        for name, result in self._results(self.concrete.plan, base, set()):
            if isinstance(result, Constant):
                source, kind = self.nodes.nodes.constant(result.value), type_of(result.value)
            else:
                value = self.graph.results[result]
                check_type(value.type)
                source, kind = self.nodes.value(value), value.type
            node = helper.make_node("Identity", [source], [name])
            self.nodes.nodes.scope.append(node)
            found.append(value_info(name, numeric(kind)))
        if not found:
            raise NotExportable("it returns no array and no number")
        return found

    def _results(self, plan: Plan, name: str, seen: set[int]) -> Iterator[tuple[str, Any]]:
        """The numbers and arrays that are returned, and what the outputs are called."""
        match plan:
            case Building():
                yield from self._results(plan.plan, name, seen)
            case Leaf():
                yield name, plan.leaf
            case Boxed():
                yield name, plan.index
            case TupleOf():
                for k, item in enumerate(plan.items):
                    yield from self._results(item, f"{name}[{k}]", seen)
            case Shared():
                if plan.number in seen:
                    raise NotExportable("a list is returned in two places")
                keys = range(len(plan.items)) if plan.keys is None else plan.keys
                for key, item in zip(keys, plan.items, strict=True):
                    yield from self._results(item, f"{name}[{key!r}]", seen | {plan.number})
            case Chosen() if plan.promoted is not None:  # ONNX has one type for a number
                yield from self._results(plan.promoted, name, seen)
            case Constant() if isinstance(plan.value, int | float | np.generic):
                yield name, plan
            case Constant():
                raise NotExportable(f"it returns {plan.value!r}, and outputs of ONNX are numbers and arrays")
            case _:
                raise NotExportable("it returns one of several kinds of values, or an object")


def _named_leaves(spec: Spec, name: str) -> Iterator[tuple[str, Any]]:
    """The leaves of an argument; those that are lists and dicts themselves with None."""
    match spec:
        case Numeric():
            yield name, spec
        case Items():
            if spec.kind == "list":
                yield name, None
            for k, item in enumerate(spec.items):
                yield from _named_leaves(item, f"{name}[{k}]")
        case MappingSpec():
            yield name, None
            for key, item in zip(spec.keys, spec.items, strict=True):
                yield from _named_leaves(item, f"{name}[{key!r}]")
        case Exactly():
            pass
