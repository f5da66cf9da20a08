"""`tf.function`: a Python function that is traced once for each kind of arguments, and then runs as a graph.

Tensors count by element type and shape, Python values by value, other objects by identity.
"""

from __future__ import annotations

import collections
import functools
import inspect
import logging
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import optree

from autograph.api import is_converted
from autograph.errors import StagingError, error_at_frame
from autograph.operators.calls import call
from autograph.registry import active_stage
from runtime.engines import compile_graph
from runtime.gradients import expand as expansion
from runtime.gradients.expand import Fragment
from runtime.gradients.marks import has_derivatives
from runtime.graph import Graph, Value
from runtime.passes import optimize
from runtime.recording import note
from runtime.tf import exported, recording
from runtime.tf import stage as stage  # registers itself
from runtime.tf.arguments import features_of, only, prints_in_graphs
from runtime.tf.before_runs import engine_for, in_one, prune
from runtime.tf.block_values import NAMESPACE, Result, flatten, is_tensor_like
from runtime.tf.dtypes import DType, TensorShape, as_dtype
from runtime.tf.errors import FailedPreconditionError, InvalidArgumentError
from runtime.tf.graph_view import GraphView
from runtime.tf.math import constant
from runtime.tf.recording import Copy
from runtime.tf.tensors import EagerTensor, SymbolicTensor, Tensor, convert, convert_array, value_in
from runtime.tf.traces import Trace, current, function_name, tracing
from runtime.tf.variables import Variable, _note_read
from runtime.types import ArrayType, JoinError, ScalarType, Type, is_subtype, join, type_of

logger = logging.getLogger("tensorflow")

_eagerly = False


def run_functions_eagerly(run_eagerly: bool) -> None:
    """`tf.config.run_functions_eagerly`: call the Python function itself each time."""
    global _eagerly
    _eagerly = bool(run_eagerly)


def functions_run_eagerly() -> bool:
    return _eagerly


#: the traces that ran since `tf.summary.trace_on`, each once; None while nobody asks
_noted: list[ConcreteFunction] | None = None


def note_runs(into: list[ConcreteFunction] | None) -> None:
    """From now on a trace that runs is added to this list."""
    global _noted
    _noted = into


def noted_runs() -> list[ConcreteFunction] | None:
    return _noted


class TensorSpec:
    """The element type and shape of an argument.

    >>> TensorSpec([None, 2], "float32")
    TensorSpec(shape=(None, 2), dtype=tf.float32, name=None)
    """

    def __init__(self, shape: Any, dtype: Any = "float32", name: str | None = None) -> None:
        self.shape = TensorShape(shape)
        self.dtype: DType = as_dtype(dtype)
        self.name = name

    @classmethod
    def from_tensor(cls, tensor: Any, name: str | None = None) -> TensorSpec:
        return cls(tensor.shape, tensor.dtype, name)

    @classmethod
    def of_type(cls, type: Any, name: str | None = None) -> TensorSpec:
        return cls(type.shape, as_dtype(type.dtype), name)

    @property
    def type(self) -> Type:
        return (
            ArrayType(self.dtype._numpy, tuple(self.shape)) if self.shape else ScalarType(self.dtype._numpy)
        )

    def is_compatible_with(self, other: Any) -> bool:
        """Could it be a tensor of this kind?"""
        found = other if hasattr(other, "dtype") and hasattr(other, "shape") else convert(other)
        return self.dtype == found.dtype and self.shape.is_compatible_with(found.shape)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TensorSpec) and self.shape == other.shape and self.dtype == other.dtype

    def __hash__(self) -> int:
        return hash((self.shape, self.dtype))

    def __repr__(self) -> str:
        return f"TensorSpec(shape={self.shape}, dtype={self.dtype!r}, name={self.name!r})"


# -- arguments ---------------------------------------------------------------------------------------------


class ByIdentity:
    """An object as part of a signature: the same object has the same one."""

    __slots__ = ("_hash", "_reference")

    def __init__(self, value: Any) -> None:
        self._hash = id(value)
        try:
            self._reference: Any = weakref.ref(value)
        except TypeError:
            self._reference = lambda: value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ByIdentity) and self._reference() is other._reference() is not None

    def __hash__(self) -> int:
        return self._hash


def is_plain(value: Any) -> bool:
    """Does its value count, and not who it is?"""
    return value is None or type(value) in (bool, int, float, complex, str, bytes)


def key_of(value: Any) -> Any:
    """What counts of a leaf of the arguments."""
    kind = type(value)
    if kind is EagerTensor:
        return value._held.dtype, value._held.shape
    if kind is SymbolicTensor:
        found = value._value.numeric
        return found.dtype, found.shape
    if is_plain(value):
        return kind, value
    if kind is TensorSpec:
        return value.dtype._numpy, tuple(value.shape)
    return ByIdentity(value)


def type_of_tensor(value: Any) -> Type:
    if isinstance(value, TensorSpec):
        return value.type
    return value._value.type if isinstance(value, SymbolicTensor) else type_of(value._held)


class ConcreteFunction:
    """One trace: its graph, ready to run."""

    def __init__(
        self,
        name: str,
        trace: Trace,
        graph: Graph,
        structure: Any,
        leaves: list[Any],
        places: list[int],
        jit: bool,
    ) -> None:
        self.name = name
        self.graph_before = graph
        self._structure = structure
        self._leaves = leaves  # of the result: places of the graph's results, or Python values
        self._places = places  # of tensors among the leaves of the arguments
        self._jit = jit
        self._trace_names = trace.names, set(trace.constants), trace.device_of
        self._captured = [tensor for tensor, _ in trace.captured.values()]
        variables = trace.scopes[0].params
        self._references: list[Callable[[], Any]] = [lambda v=v: v for v in variables]  # type: ignore[misc]
        places_of = {id(v): k for k, v in enumerate(variables)}
        self._assigns = [places_of[id(v)] for v in trace.assigned]
        self._count = len(graph.results) - len(self._assigns)
        self._run: Any = None
        self._single = structure is None
        self._args: Any = ((), {})  # what it was traced for, with a TensorSpec for each tensor
        self.function: Any = None
        self._arguments: dict[str, str] = {}
        self._arguments_structure: Any = None

    @functools.cached_property
    def optimized(self) -> Graph:
        graph = in_one(self.graph_before)
        if has_derivatives(graph):
            expansion.expand(graph)
        return optimize(graph)

    def _compile(self) -> Any:
        self._run = compile_graph(self.optimized, engine_for(self.optimized, self._jit)).run
        return self._run

    def let_go(self, arguments: list[Any]) -> None:
        """Variables among the arguments live as long as the caller holds them."""
        given = set(map(id, arguments))
        self._references = [weakref.ref(v()) if id(v()) in given else v for v in self._references]

    @property
    def _variables(self) -> list[Variable]:
        found = [each() for each in self._references]
        if any(v is None for v in found):
            raise FailedPreconditionError(message=f"{self.name} was traced for a variable that is gone")
        return found

    @property
    def _assigned(self) -> list[Variable]:
        variables = self._variables
        return [variables[k] for k in self._assigns]

    @property
    def variables(self) -> tuple[Variable, ...]:
        return tuple([v for v in self._variables if not v._hint.startswith("random_state")])

    @property
    def trainable_variables(self) -> tuple[Variable, ...]:
        return tuple([v for v in self.variables if v.trainable])

    @property
    def captured_inputs(self) -> list[Any]:
        return [*self._captured, *self._variables]

    def _of_results(self, made: Callable[[Value], Any]) -> Any:
        results = self.graph_before.results
        values = [made(results[x.place]) if isinstance(x, Result) else x for x in self._leaves]
        return optree.tree_unflatten(self._structure, values)

    @classmethod
    def restored(
        cls, name: str, trace: Trace, graph: Graph, args: tuple[Any, ...], kwargs: dict[str, Any], result: Any
    ) -> ConcreteFunction:
        """A trace that was saved. args and kwargs have a TensorSpec for each tensor, result a `Result`."""
        leaves, _ = flatten((args, kwargs))
        results, structure = flatten(result)
        places = [k for k, leaf in enumerate(leaves) if isinstance(leaf, TensorSpec)]
        made = cls(name, trace, graph, structure, results, places, False)
        made._args = (args, kwargs)
        return made

    def _result_with_places(self) -> Any:
        """The result, with a `Result` for each tensor."""
        return optree.tree_unflatten(self._structure, self._leaves)

    def __runtime_export__(self, specs: tuple[Any, ...], named: dict[str, Any]) -> Any:
        """What `rt.export_onnx` and `rt.save` take: a function over arrays."""
        if specs or named:
            raise TypeError(f"{self.name} is one trace, and a signature is given for it")
        return exported.array_function(self)

    @property
    def output_dtypes(self) -> Any:
        return self._of_results(lambda v: as_dtype(v.dtype))

    @property
    def output_shapes(self) -> Any:
        return self._of_results(lambda v: TensorShape(v.shape))

    def signature_text(self) -> str:
        """What it takes, what it gives, and what it takes from outside."""
        lines = ["Input Parameters:"]
        for name, parameter in self.function._signature.parameters.items():
            if name in self._arguments:
                lines.append(f"  {name} ({parameter.kind.name}): {self._arguments[name]}")
        lines += ["Output Type:", f"  {_kind_text(self.structured_outputs)}", "Captures:"]
        names = [v.hint for v in self.graph_before.params[len(self._places) :]]
        lines += [f"  {name}" for name in names] or ["  None"]
        return "\n".join(lines)

    structured_outputs = property(lambda self: self._of_results(lambda v: TensorSpec(v.shape, v.dtype)))

    @functools.cached_property
    def graph(self) -> GraphView:
        captured = self.graph_before.params[len(self._places) :]
        held = {v: tensor._held for v, tensor in zip(captured, self._captured, strict=False)}
        names = self._trace_names
        return GraphView(self.graph_before, self.name, *names, results=self._count, held=held)

    @property
    def inputs(self) -> list[Any]:
        return self.graph.inputs

    @property
    def outputs(self) -> list[Any]:
        return self.graph.outputs

    # -- calls -----------------------------------------------------------------------------------------

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        owner = self.function._owner
        args = args if owner is None else (owner(), *args)
        leaves = self._arguments_structure.flatten_up_to(self.function._ordered(args, kwargs))
        params = self.graph_before.params
        return self._call([self._given(leaves[k], p) for k, p in zip(self._places, params, strict=False)])

    def _given(self, leaf: Any, param: Value) -> Tensor:
        """An argument as the tensor that was traced: plain values take its element type."""
        wanted = param.numeric
        is_tensor = isinstance(leaf, Tensor) or hasattr(leaf, "_as_tensor")
        tensor = convert(leaf) if is_tensor else constant(leaf, wanted.dtype)
        if not is_subtype(type_of_tensor(tensor), param.type):
            text = (
                f"{self.name} was traced for {wanted.dtype.name} of shape {TensorShape(wanted.shape)} as"
                f" `{param.hint}`, and is called with {tensor.dtype.name} of shape {tensor.shape}"
            )
            raise InvalidArgumentError(message=text) if tensor.dtype != wanted.dtype else TypeError(text)
        return tensor

    def _call(self, tensors: list[Any]) -> Any:
        trace = current()
        if trace is not None:
            return self._inline(trace, tensors)
        if _noted is not None and self not in _noted:
            _noted.append(self)
        run = self._run or self._compile()
        given = [x._held for x in tensors]
        if self._captured:
            given += [x._held for x in self._captured]
        if self._references:
            given += [v._held for v in self._variables]
        tapes = recording.active()
        params = self._recorded(tensors) if tapes else None
        try:
            with np.errstate(all="ignore"):
                found = run(given)
        except (ValueError, IndexError, ZeroDivisionError, np.linalg.LinAlgError) as error:
            raise InvalidArgumentError(message=str(error)) from error
        outputs = [EagerTensor(x) for x in found[: self._count]]
        if params is not None:
            self._note(params, outputs)
        if self._assigns:
            for variable, value in zip(self._assigned, found[self._count :], strict=True):
                variable._store(value)
        return self._built(outputs)

    def _built(self, outputs: list[Any]) -> Any:
        if self._single:
            return outputs[0]
        leaves = [outputs[x.place] if type(x) is Result else x for x in self._leaves]
        return optree.tree_unflatten(self._structure, leaves)

    def _inline(self, trace: Trace, tensors: list[Any]) -> Any:
        """Called while another function is traced: the call is an operation of its graph."""
        inputs = [value_in(trace, x) for x in (*tensors, *self._captured)]
        for variable in self._variables:
            inputs.append(trace.read(variable))
            _note_read(variable, inputs[-1], trace)
        results = trace.call_function(self._called, inputs)
        trace.names |= self._trace_names[0]
        trace.device_of |= self._trace_names[2]
        for variable, value in zip(self._assigned, results[self._count :], strict=True):
            trace.assign(variable, value)
        return self._built([SymbolicTensor(value, trace) for value in results[: self._count]])

    @functools.cached_property
    def _called(self) -> Graph:
        """The graph, by the name that it has where others call it."""
        graph = self.graph_before
        return Graph(function_name(self.name), graph.body, functions=graph.functions)

    def _recorded(self, tensors: list[Any]) -> list[Any]:
        """What goes in, as tapes know it."""
        return [*tensors, *self._captured, *[v._as_tensor() for v in self._variables]]

    @functools.cached_property
    def _fragment(self) -> Fragment:
        graph = Copy({}, effects=False).graph(in_one(self.graph_before))
        return Fragment(self.name, graph, range(len(graph.params)))

    def _note(self, given: list[Any], outputs: list[Any]) -> None:
        more = len(self.graph_before.results) - len(outputs)
        note(self._fragment, given, [*outputs, *[None] * more])

    def __str__(self) -> str:
        return f"ConcreteFunction {self.signature_text()}"

    def __repr__(self) -> str:
        return f"<ConcreteFunction {self.name} at 0x{id(self):X}>"


def _kind_text(value: Any) -> str:
    """An argument or result as a signature shows it."""
    if isinstance(value, list | tuple):
        return f"{type(value).__name__.capitalize()}[{', '.join(map(_kind_text, value))}]"
    if isinstance(value, dict):
        inside = ", ".join(f"({key!r}, {_kind_text(part)})" for key, part in value.items())
        return f"Dict[{inside}]"
    if isinstance(value, Tensor | TensorSpec):
        return repr(TensorSpec(value.shape, value.dtype))
    return "None" if value is None else f"Literal[{value!r}]"


def _refuse_inside_another(name: str) -> None:
    """Values of another stage, such as those of `rt.function`, mean nothing in a graph of tensors."""
    stage = active_stage()
    if stage is not None and stage.name != "tf":
        raise error_at_frame(
            StagingError,
            f"`{name}` is a tf.function, and is called inside a trace of stage {stage.name!r}",
            variable=name,
            hint="call it outside and pass its result, or decorate both functions with tf.function",
        )


# -- the decorated function --------------------------------------------------------------------------------


class _Calls:
    """How often functions with the same code are called, and traced of late."""

    def __init__(self) -> None:
        self.count = 0
        self.traced: collections.deque[int] = collections.deque()
        self.warnings = 0


_calls: dict[Any, _Calls] = collections.defaultdict(_Calls)
_AT_LEAST, _OF_LAST, _WARNINGS = 5, 10, 2


class Function:
    """What `tf.function` makes."""

    def __init__(
        self,
        python_function: Callable[..., Any],
        input_signature: Any = None,
        autograph: bool = True,
        jit_compile: bool | None = None,
        reduce_retracing: bool = False,
        name: str | None = None,
        prints: bool = False,
    ) -> None:
        self.python_function = python_function
        self.input_signature = None if input_signature is None else tuple(input_signature)
        self._autograph = autograph
        self._jit = bool(jit_compile)
        self._prints = prints
        self._reduce = reduce_retracing
        self._name = str(name or getattr(python_function, "__name__", type(python_function).__name__))
        self._signature = inspect.signature(python_function)
        self._plain = self._takes_positions()
        self._traces: dict[Any, ConcreteFunction] = {}
        self._general: list[tuple[Any, dict[int, Any], ConcreteFunction]] = []
        self._created = False
        self._called = False
        self._methods: Any = weakref.WeakKeyDictionary()
        self._calls = _calls[getattr(python_function, "__code__", type(python_function))]
        #: of a method: its object
        self._owner: Any = None
        functools.update_wrapper(self, python_function, updated=())

    def _takes_positions(self) -> int | None:
        """The number of arguments of a function without others than positional ones, and no defaults."""
        parameters = self._signature.parameters.values()
        simple = all(p.kind is p.POSITIONAL_OR_KEYWORD and p.default is p.empty for p in parameters)
        return len(parameters) if simple else None

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        if instance is None:
            return self
        try:
            own = self._methods.get(instance)
            if own is None:
                own = self._methods[instance] = self._again()
                own._owner = weakref.ref(instance)
        except TypeError:  # an object that cannot be a key
            own = self
        return _Method(own, instance)

    def _again(self) -> Function:
        """The same with traces of its own: each object makes its variables at its first call."""
        options = (self.input_signature, self._autograph, self._jit, self._reduce, self._name, self._prints)
        return Function(self.python_function, *options)

    # -- signatures ------------------------------------------------------------------------------------

    def _bind(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, list[Any], Any]:
        """The key, the leaves and the structure of the arguments; tensors made of NumPy arrays."""
        args, kwargs = self._ordered(args, kwargs)
        if self.input_signature is not None:
            args = self._checked(args)
        leaves, structure = flatten((args, kwargs))
        for k, leaf in enumerate(leaves):
            if type(leaf) is not EagerTensor and isinstance(leaf, np.ndarray | np.generic):
                leaves[k] = convert(leaf) if current() is None else EagerTensor(convert_array(leaf, None))
        return (structure, *map(key_of, leaves)), leaves, structure

    def _ordered(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, Any]:
        """The arguments in the order of the parameters, defaults among them."""
        if not kwargs and self._plain == len(args):
            return args, kwargs
        bound = self._signature.bind(*args, **kwargs)
        bound.apply_defaults()
        return bound.args, bound.kwargs

    def _checked(self, args: tuple[Any, ...]) -> tuple[Any, ...]:
        signature = self.input_signature or ()
        skipped = len(args) - len(signature)  # `self`
        if skipped < 0:
            raise TypeError(f"{self._name}() takes {len(signature)} arguments, as its input_signature says")
        made = list(args[:skipped])
        for arg, spec in zip(args[skipped:], signature, strict=True):
            made.append(optree.tree_map(_fitted, spec, arg, namespace=NAMESPACE))
        return tuple(made)

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        if _eagerly and current() is None:
            return self.python_function(*args, **kwargs)
        if (
            not kwargs
            and len(args) == self._plain == 1
            and type(args[0]) is EagerTensor
            and not self.input_signature
        ):
            found = self._traces.get((args[0]._held.dtype, args[0]._held.shape))
            if found is not None:
                self._calls.count += 1
                return found._call([args[0]])
        key, leaves, structure = self._bind(args, kwargs)
        found = self._traces.get(key)
        if found is None:
            count = self._count_of_traces()
            found = self._concrete(key, leaves, structure)
            self._note_call(self._count_of_traces() > count)
            if len(leaves) == 1 == len(args) and self._plain == 1 and type(args[0]) is EagerTensor:
                self._traces[args[0]._held.dtype, args[0]._held.shape] = found
        else:
            self._note_call(False)
        return found._call([leaves[k] for k in found._places])

    def get_concrete_function(self, /, *args: Any, **kwargs: Any) -> ConcreteFunction:
        """The trace for such arguments, which may be `TensorSpec`s."""
        if not args and not kwargs and self.input_signature is not None:
            args = self.input_signature
        key, leaves, structure = self._bind(args, kwargs)
        found = self._traces.get(key)
        return self._concrete(key, leaves, structure) if found is None else found

    def __runtime_export__(self, specs: tuple[Any, ...], named: dict[str, Any]) -> Any:
        return _exported(self, specs, named)

    def _concrete(self, key: Any, leaves: list[Any], structure: Any) -> ConcreteFunction:
        leaves = self._as_signature(leaves)
        found = self._known(key, leaves)
        if found is None:
            if self._reduce:
                leaves = self._generalised(key, leaves)
            found = self._traced(leaves, structure)
            types = {k: type_of_tensor(leaves[k]) for k in found._places}
            self._general.append((_without_shapes(key), types, found))
        self._traces[key] = found
        return found

    def _as_signature(self, leaves: list[Any]) -> list[Any]:
        if self.input_signature is None:
            return leaves
        signature: Any = self.input_signature
        specs: list[Any] = optree.tree_leaves(signature, namespace=NAMESPACE)
        skipped = len(leaves) - len(specs)
        return [*leaves[:skipped], *map(_of_rank, specs, leaves[skipped:])]

    def _known(self, key: Any, leaves: list[Any]) -> ConcreteFunction | None:
        """A trace that was made for lengths that need not be known."""
        if not (self._reduce or self.input_signature):
            return None
        for other, made_for, found in self._general:
            if other == _without_shapes(key) and all(
                is_subtype(type_of_tensor(leaves[k]), made_for[k]) for k in found._places
            ):
                return found
        return None

    def _generalised(self, key: Any, leaves: list[Any]) -> list[Any]:
        """Lengths that differ from those of an earlier trace are not known in the new one."""
        for other, made_for, found in self._general:
            if other != _without_shapes(key):
                continue
            try:
                joined: dict[int, Any] = {
                    k: join(type_of_tensor(leaves[k]), made_for[k]) for k in found._places
                }
            except JoinError:
                continue
            return [
                TensorSpec(joined[k].shape, joined[k].dtype) if k in joined else x
                for k, x in enumerate(leaves)
            ]
        return leaves

    # -- tracing ---------------------------------------------------------------------------------------

    def _traced(self, leaves: list[Any], structure: Any) -> ConcreteFunction:
        first = not self._created and not self._called
        self._called = True
        found, created = self._trace_once(leaves, structure, may_create=first)
        if created:
            self._created = True
            found, _ = self._trace_once(leaves, structure, may_create=False)
        return found

    def _trace_once(
        self, leaves: list[Any], structure: Any, may_create: bool
    ) -> tuple[ConcreteFunction, bool]:
        _refuse_inside_another(self._name)
        trace = Trace(self._name, may_create=may_create)
        trace.prints = self._prints
        places = [k for k, x in enumerate(leaves) if isinstance(x, Tensor | TensorSpec)]
        given = list(leaves)
        names = self._names(structure, leaves)
        for k in places:
            value = Value(type_of_tensor(leaves[k]), names[k])
            trace.body.params.append(value)
            if isinstance(leaves[k], EagerTensor):
                trace.arguments[value] = leaves[k]
            given[k] = SymbolicTensor(value, trace)
        args, kwargs = optree.tree_unflatten(structure, given)
        with tracing(trace):
            if self._autograph and not is_converted(self.python_function):
                result = call(self.python_function, *args, **kwargs)
            else:
                result = self.python_function(*args, **kwargs)
            results, out_structure = flatten(result)
            made: list[Any] = []
            for leaf in results:
                if is_tensor_like(leaf) and not isinstance(leaf, str):
                    trace.body.results += (value_in(trace, convert(leaf)),)
                    made.append(Result(len(trace.body.results) - 1))
                else:
                    made.append(leaf)
        trace.finish()
        prune(trace.body)
        graph = trace.program()
        single = len(made) == 1 and isinstance(made[0], Result) and isinstance(result, Tensor)
        found = ConcreteFunction(self._name, trace, graph, out_structure, made, places, self._jit)
        found._single = single
        found.let_go(leaves)
        specs = [leaf if is_plain(leaf) else ByIdentity(leaf) for leaf in leaves]
        for k, param in zip(places, graph.params, strict=False):
            specs[k] = TensorSpec.of_type(param.type, param.hint)
        found._args = optree.tree_unflatten(structure, specs)
        bound = self._signature.bind(*args, **kwargs).arguments
        skipped = 1 if self._owner is not None else 0  # `self`
        found._arguments = {name: _kind_text(value) for name, value in list(bound.items())[skipped:]}
        found._arguments_structure = structure
        found.function = self
        return found, bool(trace.created)

    def _names(self, structure: Any, leaves: list[Any]) -> list[str]:
        """What to call each leaf: the parameter that it is in."""
        arguments: Any = optree.tree_unflatten(structure, list(range(len(leaves))))
        indices, kwargs = arguments
        names = [""] * len(leaves)
        parameters = list(self._signature.parameters)
        named = [*zip(parameters, indices, strict=False), *kwargs.items()]
        for name, part in named:
            for k in optree.tree_leaves(part, none_is_leaf=True, namespace=NAMESPACE):
                names[k] = name
        return names

    # -- retracing -------------------------------------------------------------------------------------

    def _note_call(self, traced: bool) -> None:
        calls = self._calls
        calls.count += 1
        if not traced:
            return
        calls.traced.append(calls.count)
        while calls.count - calls.traced[0] >= _OF_LAST:
            calls.traced.popleft()
        if len(calls.traced) >= _AT_LEAST and calls.warnings < _WARNINGS:
            calls.warnings += 1
            logger.warning(
                "%d out of the last %d calls to %r triggered tf.function retracing. Tracing is expensive"
                " and the excessive number of tracings could be due to (1) creating @tf.function"
                " repeatedly in a loop, (2) passing tensors with different shapes, (3) passing Python"
                " objects instead of tensors. For (1), please define your @tf.function outside of the"
                " loop. For (2), @tf.function has reduce_retracing=True option that can avoid"
                " unnecessary retracing. For (3), pass a tensor.",
                len(calls.traced),
                calls.count,
                self.python_function,
            )

    def _count_of_traces(self) -> int:
        return len(self._general)

    def experimental_get_tracing_count(self) -> int:
        return self._count_of_traces()

    def pretty_printed_concrete_signatures(self) -> str:
        """The signatures that were traced, and what each gives."""
        return "\n\n".join([concrete.signature_text() for _, _, concrete in self._general])

    def __repr__(self) -> str:
        return f"<tf.function {self._name}>"


def _without_shapes(key: Any) -> Any:
    """A key in which of tensors only the element type and the number of dimensions count."""
    parts: list[Any] = []
    for part in key:
        is_tensor = type(part) is tuple and len(part) == 2 and isinstance(part[0], np.dtype)
        parts.append((part[0], len(part[1])) if is_tensor else part)
    return tuple(parts)


def _fitted(spec: TensorSpec, value: Any) -> Any:
    """An argument as the signature wants it."""
    if isinstance(value, TensorSpec):
        return value
    tensor = convert(value, None if isinstance(value, Tensor) else spec.dtype)
    if not is_subtype(type_of_tensor(tensor), _of_rank(spec, tensor).type):
        raise TypeError(
            f"the input_signature says {spec}, and the call gives a tensor of shape {tensor.shape} and dtype"
            f" {tensor.dtype.name}"
        )
    return tensor


def _of_rank(spec: Any, given: Any) -> Any:
    """A signature that leaves the number of dimensions open is traced once for each number."""
    if isinstance(spec, TensorSpec) and spec.shape.rank is None:
        return TensorSpec([None] * len(given.shape), spec.dtype, spec.name)
    return spec


class _Method:
    """A `tf.function` of an object."""

    def __init__(self, function: Function, instance: Any) -> None:
        self._function = function
        self._instance = instance

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        return self._function(self._instance, *args, **kwargs)

    def get_concrete_function(self, /, *args: Any, **kwargs: Any) -> ConcreteFunction:
        function = self._function
        if not args and not kwargs and function.input_signature is not None:
            args = function.input_signature
        return function.get_concrete_function(self._instance, *args, **kwargs)

    def __runtime_export__(self, specs: tuple[Any, ...], named: dict[str, Any]) -> Any:
        return _exported(self, specs, named)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._function, name)


def _exported(function: Function | _Method, specs: tuple[Any, ...], named: dict[str, Any]) -> Any:
    """A function over arrays of the trace for these arguments."""
    traces = {id(found): found for found in function._traces.values()}
    if not specs and not named and function.input_signature is None and len(traces) == 1:
        return next(iter(traces.values())).__runtime_export__((), {})
    args = [_as_spec(spec) for spec in specs]
    kwargs = {name: _as_spec(spec) for name, spec in named.items()}
    return function.get_concrete_function(*args, **kwargs).__runtime_export__((), {})


def _as_spec(given: Any) -> Any:
    """`rt.TensorSpec` is as good as ours."""
    is_spec = type(given).__name__ == "TensorSpec" and not isinstance(given, TensorSpec)
    return TensorSpec(given.shape, given.dtype) if is_spec else given


def function(
    func: Callable[..., Any] | None = None,
    input_signature: Any = None,
    autograph: bool = True,
    jit_compile: bool | None = None,
    reduce_retracing: bool = False,
    name: str | None = None,
    experimental_relax_shapes: bool | None = None,
    experimental_autograph_options: Any = None,
    experimental_compile: bool | None = None,
    experimental_follow_type_hints: bool | None = None,
    experimental_implements: str | None = None,
    experimental_attributes: Any = None,
) -> Any:
    """A decorator: the function is traced, once for each signature, and its graph runs.

    >>> @function
    ... def square(x):
    ...     return x * x
    >>> square(convert(3.0)).numpy()
    np.float32(9.0)
    """
    only(
        "tf.function",
        experimental_follow_type_hints=(experimental_follow_type_hints, None, False),
        experimental_implements=(experimental_implements, None),
        experimental_attributes=(experimental_attributes, None),
    )
    options: dict[str, Any] = {
        "input_signature": input_signature,
        "autograph": autograph,
        "jit_compile": jit_compile or experimental_compile,
        "reduce_retracing": reduce_retracing or bool(experimental_relax_shapes),
        "name": name,
        "prints": prints_in_graphs(features_of("tf.function", experimental_autograph_options)),
    }
    if func is None:
        return lambda f: Function(f, **options)
    return Function(func, **options)
