"""`tf.Graph`, and the explicit style of `tf.compat.v1`: a graph that is built first, then run.

Its initializers, too, by the names of `tf.compat.v1`.
"""

from __future__ import annotations

from abc import ABCMeta
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import optree

from runtime.engines import numpy_engine
from runtime.graph import Block, Operation, Value
from runtime.graph.liveness import free_values
from runtime.tf.arguments import only
from runtime.tf.before_runs import in_one
from runtime.tf.dtypes import TensorShape, numpy_dtype
from runtime.tf.errors import FailedPreconditionError, InvalidArgumentError
from runtime.tf.graph_view import GraphView, NamedTensor
from runtime.tf.graph_view import Operation as NamedOperation
from runtime.tf.keras import initializers
from runtime.tf.recording import Copy, operations_between
from runtime.tf.tensors import SymbolicTensor, convert, convert_array
from runtime.tf.traces import Trace, current, init_scope, tracing
from runtime.tf.variables import Variable
from runtime.types import ArrayType, ScalarType, is_subtype, type_of

#: the names of `tf.compat.v1`, two of which have other defaults there
zeros_initializer, ones_initializer = initializers.Zeros, initializers.Ones
constant_initializer, glorot_uniform_initializer = initializers.Constant, initializers.GlorotUniform


def random_normal_initializer(mean: float = 0.0, stddev: float = 1.0, seed: Any = None) -> Any:
    return initializers.RandomNormal(mean, stddev, seed)


def random_uniform_initializer(minval: float = 0.0, maxval: float = 1.0, seed: Any = None) -> Any:
    return initializers.RandomUniform(minval, maxval, seed)


class _GraphTrace(Trace):
    """In a graph of one's own an assignment is done when it is run, not where it stands."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        #: the variable that an operation assigns
        self.assigns: dict[Operation, Variable] = {}
        #: what has to run before an operation, by `tf.control_dependencies`
        self.before: dict[Operation, tuple[Operation, ...]] = {}

    def append(self, /, *args: Any, **kwargs: Any) -> tuple[Value, ...]:
        outputs = super().append(*args, **kwargs)
        if self.controls:
            self.before[self.block.operations[-1]] = tuple(self.controls)
        return outputs

    def assign(self, variable: Any, value: Value) -> Any:
        if self.block is not self.body:
            raise NotImplementedError(
                "an assignment in a branch or loop of a tf.Graph is not supported: assign what it gives"
            )
        (result,) = self.append("identity", (value,), (value.type,))
        self.assigns[self.block.operations[-1]] = variable
        return Assignment(result, self)

    def read(self, variable: Any) -> Value:
        """The value; behind an assignment on which this reading depends, that one's."""
        for op in reversed(self.controls):
            if self.assigns.get(op) is variable:
                return op.outputs[0]
        return super().read(variable)


class Assignment(SymbolicTensor):
    """The new value of a variable: running it stores it."""

    __slots__ = ()


class Initializer:
    """`global_variables_initializer()`."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph


class Graph(metaclass=ABCMeta):  # noqa: B024  # graphs of Functions are registered
    """A graph that is built step by step."""

    def __init__(self) -> None:
        self._trace = _GraphTrace("graph")
        self._trace.owner = self
        self._scopes: list[tuple[str, bool]] = []
        self._named_variables: dict[str, Variable] = {}

    @contextmanager
    def as_default(self) -> Iterator[Graph]:
        """What is computed inside becomes part of it."""
        with tracing(self._trace):
            yield self

    def _view(self) -> GraphView:
        trace = self._trace
        body = Block([*trace.body.params, *[v for _, v in trace.captured.values()]], trace.body.operations)
        body.params += trace.scopes[0].params.values()
        held = {value: tensor._held for tensor, value in trace.captured.values()}
        names = trace.names, trace.constants, trace.device_of
        return GraphView(trace.program(body), "graph", *names, owner=self, held=held)

    def as_graph_def(self, add_shapes: bool = False) -> Any:
        """The graph as a GraphDef. A variable is a placeholder in it."""
        return self._view().as_graph_def(add_shapes)

    def get_operations(self) -> list[NamedOperation]:
        return self._view().get_operations()

    def get_operation_by_name(self, name: str) -> NamedOperation:
        return self._view().get_operation_by_name(name)

    def get_tensor_by_name(self, name: str) -> SymbolicTensor:
        base, _, place = name.partition(":")
        for op in self._view().get_operations():
            if op.name == base and place.isdigit() and int(place) < len(op.outputs):
                return SymbolicTensor(op.outputs[int(place)]._value, self._trace)
        raise KeyError(f"The name {name!r} refers to a Tensor which does not exist.")


def default_graph() -> Graph:
    """The graph that is built in this thread."""
    trace = current()
    owner: Any = None if trace is None else trace.owner
    if owner is None:
        raise RuntimeError("there is no default graph: write `with tf.Graph().as_default():` around it")
    return owner


def placeholder(dtype: Any, shape: Any = None, name: str | None = None) -> SymbolicTensor:
    """A value that each `run` is given."""
    if shape is None:
        raise NotImplementedError(
            "placeholder: a shape is needed; None in it stands for a length that varies"
        )
    graph = default_graph()
    known = TensorShape(shape)
    wanted = numpy_dtype(dtype)
    type = ArrayType(wanted, tuple(known)) if known else ScalarType(wanted)
    value = Value(type, name or "Placeholder")
    graph._trace.body.params.append(value)
    return SymbolicTensor(value, graph._trace)


# -- variables ---------------------------------------------------------------------------------------------


@contextmanager
def variable_scope(name: str, reuse: bool | None = None) -> Iterator[None]:
    """A prefix for names of variables. reuse: those that are there are meant."""
    graph = default_graph()
    graph._scopes.append((name, bool(reuse)))
    try:
        yield
    finally:
        graph._scopes.pop()


def get_variable(
    name: str, shape: Any = None, dtype: Any = np.float32, initializer: Any = None, trainable: bool = True
) -> Variable:
    """The variable of that name: a new one, or with `reuse` the one that is there."""
    graph = default_graph()
    full = "/".join([*[scope for scope, _ in graph._scopes], name])
    reuse = any(reuse for _, reuse in graph._scopes)
    known = graph._named_variables.get(full)
    if known is not None and not reuse:
        raise ValueError(
            f"Variable {full} already exists, disallowed. Did you mean to set reuse=True in VarScope?"
        )
    if reuse:
        if known is None:
            raise ValueError(f"Variable {full} does not exist, or was not created with tf.get_variable().")
        return known
    make = glorot_uniform_initializer() if initializer is None else initializer
    with init_scope():
        first = make(tuple(shape), dtype) if callable(make) else convert(make, dtype)
    made = graph._named_variables[full] = Variable(first, trainable=trainable, name=full)
    return made


def global_variables() -> list[Variable]:
    return list(default_graph()._trace.created)


def global_variables_initializer() -> Initializer:
    return Initializer(default_graph())


def _needed(
    trace: _GraphTrace, values: list[Value], effects: list[Operation], stops: set[Value]
) -> tuple[list[Operation], list[Value]]:
    """The operations to run, in the order of the program, and the values that they take from outside."""
    wanted = dict.fromkeys(effects)
    while True:
        needed = [*values, *[v for op in wanted for v in (*op.outputs, *op.inputs, *free_values(op))]]
        found, leaves = operations_between(needed, stops)
        done = {*found, *wanted}
        more = {earlier for op in done for earlier in trace.before.get(op, ())} - done
        if not more:
            return [op for op in trace.body.operations if op in done], leaves
        wanted |= dict.fromkeys(more)


# -- running -----------------------------------------------------------------------------------------------


Graph.register(GraphView)


class Session:
    """Runs parts of a graph, with values of the variables of its own."""

    def __init__(self, target: str = "", graph: Graph | None = None, config: Any = None) -> None:
        only("tf.compat.v1.Session", target=(target, ""), config=(config, None))
        self.graph = default_graph() if graph is None else graph
        self._values: dict[Variable, Any] = {}
        self._inside: Any = None

    def __enter__(self) -> Session:
        self._inside = self.graph.as_default()
        self._inside.__enter__()
        return self

    def __exit__(self, *error: Any) -> None:
        self._inside.__exit__(*error)

    def close(self) -> None:
        self._values.clear()

    def run(self, fetches: Any, feed_dict: Any = None) -> Any:
        """The values of what is asked for; nothing else is computed."""
        leaves, structure = optree.tree_flatten(fetches)
        trace = self.graph._trace
        feeds = {self._tensor(key)._value: value for key, value in (feed_dict or {}).items()}
        asked = [self._asked(leaf) for leaf in leaves]
        values = [leaf._value for leaf in asked if isinstance(leaf, SymbolicTensor)]
        effects = [leaf for leaf in asked if isinstance(leaf, Operation)]
        found = iter(self._computed(trace, values, effects, feeds))
        results = [next(found) if isinstance(leaf, SymbolicTensor) else None for leaf in asked]
        return optree.tree_unflatten(structure, results)

    def _asked(self, fetch: Any) -> Any:
        if isinstance(fetch, Initializer):
            self._values |= {v: v._held for v in fetch.graph._trace.created}
            return None
        if isinstance(fetch, Variable):
            with tracing(self.graph._trace):
                return fetch._as_tensor()
        if isinstance(fetch, NamedOperation):
            return fetch._operation or SymbolicTensor(fetch.outputs[0]._value, self.graph._trace)
        return fetch if isinstance(fetch, Operation) else self._tensor(fetch)

    def _tensor(self, given: Any) -> SymbolicTensor:
        if isinstance(given, str):
            try:
                return self.graph.get_tensor_by_name(given)
            except KeyError as error:
                raise ValueError(f"{given!r} cannot be interpreted as a Tensor. ({error.args[0]})") from None
        if isinstance(given, NamedTensor):
            return SymbolicTensor(given._value, self.graph._trace)
        if isinstance(given, SymbolicTensor):
            return given
        raise TypeError(f"Fetch argument {given!r} is not a tensor, an operation or a name of the graph")

    def _computed(
        self, trace: _GraphTrace, values: list[Value], effects: list[Operation], feeds: dict[Value, Any]
    ) -> list[Any]:
        operations, leaves = _needed(trace, values, effects, set(feeds))
        held = [self._held(trace, leaf, feeds) for leaf in leaves]
        assigned = {op: trace.assigns[op] for op in operations if op in trace.assigns}
        results = (*values, *[op.outputs[0] for op in assigned])
        body = Copy({}).block(Block(leaves, operations, results))
        try:
            with np.errstate(all="ignore"):
                found = numpy_engine.compile(in_one(trace.program(body)))(held)
        except (ValueError, IndexError, np.linalg.LinAlgError) as error:
            raise InvalidArgumentError(message=str(error)) from error
        self._values |= zip(assigned.values(), found[len(values) :], strict=True)
        return found[: len(values)]

    def _held(self, trace: _GraphTrace, leaf: Value, feeds: dict[Value, Any]) -> Any:
        if leaf in feeds:
            array = convert_array(np.asarray(feeds[leaf]).astype(leaf.dtype), None)
            if not is_subtype(type_of(array), leaf.type):
                raise ValueError(f"Cannot feed value of shape {array.shape} for Tensor of type {leaf.type}")
            return array
        for tensor, value in trace.captured.values():
            if value is leaf:
                return tensor._held
        for variable, value in trace.scopes[0].params.items():
            if value is leaf:
                return self._variable(variable)
        raise InvalidArgumentError(message=f"You must feed a value for placeholder tensor '{leaf.hint}'")

    def _variable(self, variable: Variable) -> Any:
        if variable._hint == "random_state":
            self._values.setdefault(variable, variable._held)
            self._values[variable] = self._values[variable] + np.int64(1)
            return self._values[variable]
        if variable not in self._values:
            raise FailedPreconditionError(
                message=f"Could not find variable {variable._hint}: it is not initialized. Run"
                " tf.compat.v1.global_variables_initializer() first"
            )
        return self._values[variable]
