"""The graph under construction while a `tf.function` runs on symbolic tensors.

A variable is no memory in the graph: its value comes in as a parameter, each assignment makes a
new value, and the last one is a result, which the call stores. So what a function does to variables is
part of its data flow, as are the branches and loops that do it, and gradients need no rule for it.
Tensors from outside are parameters as well.
"""

from __future__ import annotations

import itertools
import re
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from autograph.errors import StagingError, error_at_frame
from runtime.graph import Block, Graph, Operation, Value
from runtime.graph.functions import effects_of_call, with_functions
from runtime.graph.user_locations import user_location
from runtime.ops import REGISTRY
from runtime.ops.control_flow import CALL
from runtime.tf.graph_view import Names
from runtime.tf.node_kinds import source_of, usual_name
from runtime.tf.recording import active
from runtime.types import INT, ArrayType, ScalarType, Type, type_of


class Scope:
    """A block of its own state: the function, or the test or body of a loop. A variable that is read
    in it gets a parameter, through which the loop carries its value."""

    def __init__(self, block: Block) -> None:
        self.block = block
        self.params: dict[Any, Value] = {}

    def value(self, variable: Any) -> Value:
        if variable not in self.params:
            self.params[variable] = Value(type_of(variable._held), variable._hint)
        return self.params[variable]


class Trace:
    """What one tracing has made so far."""

    def __init__(self, name: str, *, may_create: bool = True) -> None:
        self.name = name
        self.body = Block()
        self.blocks = [self.body]
        self.scopes = [Scope(self.body)]
        #: the values that variables were assigned in the scope that is traced
        self.assigned: dict[Any, Value] = {}
        #: the tensors from outside: by identity, each with its parameter
        self.captured: dict[int, tuple[Any, Value]] = {}
        #: the arrays of parameters that are constants of the program
        self.constants: dict[Value, Any] = {}
        #: the tensors of the call for which the function is traced
        self.arguments: dict[Value, Any] = {}
        self.may_create = may_create
        #: is Python's `print` of a tensor an operation?
        self.prints = False
        self.created: list[Any] = []
        self.loop_options: dict[str, Any] = {}
        #: the loops whose bodies are traced, innermost last
        self.loops: list[Any] = []
        self.name_scopes: list[str] = []
        #: the `tf.Graph` that is built, where it is one
        self.owner: Any = None
        #: what values are called: by `name=` or by their operation, with the name scopes around them
        self.names: dict[Value, str] = {}
        self.taken = Names()
        #: the devices that the program wants, innermost last; and the operations for which it says one
        self.devices: list[str] = []
        #: the operations that have to run before those that follow, by `tf.control_dependencies`
        self.controls: list[Operation] = []
        self.device_of: dict[Operation, str] = {}
        #: the block in which a value can be used, and in those inside of it
        self.home: dict[Value, Block] = {}
        #: the functions that are called, by their names in graphs
        self.functions: dict[str, Graph] = {}

    def program(self, body: Block | None = None) -> Graph:
        """The graph of a body, else of all that was traced so far, with the functions that it calls."""
        return with_functions(self.name, self.body if body is None else body, self.functions)

    # -- operations ------------------------------------------------------------------------------------

    @property
    def block(self) -> Block:
        return self.blocks[-1]

    @contextmanager
    def into(self, block: Block) -> Iterator[Block]:
        self.blocks.append(block)
        try:
            yield block
        finally:
            self.blocks.pop()

    @contextmanager
    def scope(self, block: Block) -> Iterator[Scope]:
        """Into a block whose variables are parameters of its own."""
        before, self.assigned = self.assigned, {}
        self.scopes.append(Scope(block))
        try:
            with self.into(block):
                yield self.scopes[-1]
        finally:
            self.scopes.pop()
            self.assigned = before

    def append(
        self,
        name: str,
        inputs: Sequence[Value],
        types: tuple[Type, ...],
        attributes: dict[str, Any] | None = None,
        blocks: tuple[Block, ...] = (),
    ) -> tuple[Value, ...]:
        op = Operation(name, tuple(inputs), types, attributes, blocks, user_location())
        self.block.append(op)
        self.home.update(dict.fromkeys(op.outputs, self.block))
        if self.devices:
            self.device_of[op] = self.devices[-1]
        if op.outputs and source_of(op.outputs[0]) is op.outputs[0]:
            self.call(op.outputs[0], usual_name(op))
        return op.outputs

    def call(self, value: Value, name: str) -> None:
        """The value has this name, or this name with a number."""
        scoped = "/".join([*self.name_scopes, name]) if self.name_scopes else name
        self.names[source_of(value)] = self.taken.new(scoped)

    def name_of(self, value: Value) -> str:
        """The name of a value, as a graph shows it."""
        value = source_of(value)
        if value.owner is None or not value.owner.outputs:
            return (self.names.get(value) or value.hint or "Placeholder") + ":0"
        outputs = value.owner.outputs
        return f"{self.names.get(outputs[0], value.owner.name)}:{outputs.index(value)}"

    def emit(self, name: str, inputs: Sequence[Value], attributes: dict[str, Any]) -> tuple[Value, ...]:
        """An operation, typed by its rule. What has no axes is a scalar, never an array."""
        types = REGISTRY[name].output_types([value.type for value in inputs], attributes)
        return tuple([self.scalar(value) for value in self.append(name, inputs, types, attributes)])

    def call_function(self, graph: Graph, inputs: Sequence[Value]) -> tuple[Value, ...]:
        """A call of a function of the graph. Gives its results."""
        self.functions |= {graph.name: graph, **graph.functions}
        types = tuple([value.type for value in graph.results])
        return self.append(CALL, inputs, types, {"function": graph.name, "effects": effects_of_call(graph)})

    def scalar(self, value: Value) -> Value:
        """An array without axes as the scalar that is in it."""
        found = value.type
        if isinstance(found, ArrayType) and not found.shape:
            return self.append("getitem", (value,), (ScalarType(found.dtype),), {"index": ()})[0]
        return value

    def constant(self, item: Any) -> Value:
        return self.append("constant", (), (type_of(item),), {"value": item})[0]

    def int_of(self, value: Value) -> Value:
        """A number that counts, for lengths and loops."""
        return value if value.type == INT else self.append("cast", (value,), (INT,), {"to": INT})[0]

    # -- what is outside -------------------------------------------------------------------------------

    def capture(self, tensor: Any, type: Type) -> Value:
        """The parameter for a tensor that was made outside."""
        found = self.captured.get(id(tensor))
        if found is None:
            found = self.captured[id(tensor)] = (tensor, Value(type, "captured"))
        return found[1]

    def read(self, variable: Any) -> Value:
        found = self.assigned.get(variable)
        if found is None:
            found = self.scopes[-1].value(variable)
            is_of_program = found.hint != "random_state"
            if self.name_scopes and is_of_program and found not in self.names:
                self.names[found] = self.taken.new(_inside(self.name_scopes, found.hint))
            self.home[found] = self.scopes[-1].block
        return found

    def is_visible(self, value: Value) -> bool:
        """Can the block that is traced use it?"""
        home = self.home.get(value)
        return home is None or any(home is block for block in self.blocks)

    def assign(self, variable: Any, value: Value) -> Any:
        """The variable has this value from here on. Gives what the assignment returns.

        To a tape it is another value, as if it came from outside.
        """
        for tape in active():
            if tape.trace is self:
                tape.note_assigned(variable)
                (value,) = self.append("stop_gradient", (value,), (value.type,))
        self.assigned[variable] = value
        return variable

    def finish(self) -> None:
        """Add the parameters for what came from outside, and the results for what was assigned."""
        scope = self.scopes[0]
        for variable in self.assigned:
            scope.value(variable)
        self.body.params += [value for _, value in self.captured.values()]
        self.body.params += scope.params.values()
        self.body.results += tuple(self.assigned.values())


_numbers = itertools.count(1)


def function_name(name: str) -> str:
    """What a function is called in graphs: a name that no other function has."""
    base = re.sub(r"^__inference_|_\d+$", "", name)
    return f"__inference_{re.sub(r'[^a-zA-Z0-9]', '_', base)}_{next(_numbers)}"


def _inside(scopes: list[str], name: str) -> str:
    """The name of a variable in the scope that reads it; a layer's variable bears the layer's name already.

    >>> _inside(["model", "dense"], "dense/kernel"), _inside(["model"], "count")
    ('model/dense/kernel', 'model/count')
    """
    return "/".join([*scopes, name.removeprefix(scopes[-1] + "/")])


class _Traces(threading.local):
    def __init__(self) -> None:
        self.stack: list[Trace | None] = []
        self.devices: list[str] = []


_traces = _Traces()


def current() -> Trace | None:
    """The trace that is under way in this thread."""
    stack = _traces.stack
    return stack[-1] if stack else None


def eager_devices() -> list[str]:
    """The devices that the program wants for what runs at once, innermost last."""
    return _traces.devices


@contextmanager
def tracing(trace: Trace | None) -> Iterator[Trace | None]:
    """Operations go into this trace; None: they run at once."""
    _traces.stack.append(trace)
    try:
        yield trace
    finally:
        _traces.stack.pop()


@contextmanager
def name_scope(name: str) -> Iterator[str]:
    """The operations inside have this name in front of theirs."""
    trace = current()
    if trace is not None:
        trace.name_scopes.append(name)
    try:
        yield name + "/"
    finally:
        if trace is not None:
            trace.name_scopes.pop()


@contextmanager
def init_scope() -> Iterator[None]:
    """`tf.init_scope`: what stands inside runs now, whatever is traced."""
    with tracing(None):
        yield


def is_tracing(trace: Trace) -> bool:
    return trace in _traces.stack


class LeakedTensorError(StagingError, TypeError):
    """A symbolic tensor is used where its function is not traced any more."""


def leaked(what: str) -> StagingError:
    return error_at_frame(
        LeakedTensorError,
        f"{what} is out of scope: it is used outside the function or graph whose tracing made it",
        hint="return it from the function, or keep it in a tf.Variable",
    )
