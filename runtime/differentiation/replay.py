"""The graph of what a tape recorded outside of decorated functions.

Each step is traced by itself, once for each kind of its arguments, and its graph is put behind those of
the steps before: a value of the graph is a slot of the record, memory where it is an array. Marks of the
tape stand between, as in a decorated function, so that `gradients/expand.py` means the same by them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from autograph.errors import StagingError
from autograph.loading import without_collections
from autograph.operators import call
from runtime.arguments import wrong_argument
from runtime.differentiation.marks import by_mark, gradient_at
from runtime.engines import compile_graph
from runtime.functions.functions import Function
from runtime.functions.tensor_specs import TensorSpec
from runtime.functions.tracing import expand_derivatives
from runtime.gradients.expand import Fragment
from runtime.graph import Block, Graph, Operation, Value
from runtime.graph.rewrite import Rebuild
from runtime.ops.template import build
from runtime.passes import optimize
from runtime.recording import Mark, Record, Slot, Step, Switch, held, root_of
from runtime.tracer.known_items import with_known_items
from runtime.types import ArrayType, ScalarType, Type, type_of


class _Applied:
    """One call as a function of its arrays and numbers."""

    def __init__(self, function: Any, template: Any) -> None:
        self.function = function
        self.template = template
        self.__name__ = getattr(function, "__name__", "operation")

    def __call__(self, *leaves: Any) -> Any:
        args, kwargs = self.template.fill(leaves)
        return with_known_items(call(self.function, *args, **kwargs))

    def __runtime_traced__(self, *leaves: Any) -> Any:
        return self(*leaves)


#: what was called with which structure and types of arguments -> the graph of it
_fragments: dict[Any, Fragment] = {}
_MOST_FRAGMENTS = 4096


def fragment_of(step: Step, types: Mapping[Slot, Type], known: bool = False) -> tuple[Fragment, list[Any]]:
    """The graph of a step, and its leaves: slots and numbers. ``types``: of what other steps made.
    ``known``: numbers are no leaves, where the function is an opaque call without their values."""
    if isinstance(step.function, Fragment):
        return step.function, list(step.args)
    if isinstance(step.function, Named):
        return step.function.fragment(step.args, types), list(step.args)
    whole = isinstance(step.function, np.ufunc) or step.function.__name__ == "getitem"
    numbers = () if known else (float, complex, int) if whole else (float, complex)
    is_leaf = lambda one: type(one) is Slot or isinstance(one, np.generic) or type(one) in numbers
    template, leaves = None, list(step.args)
    if step.kwargs or not all(map(is_leaf, leaves)):
        template, leaves = build((step.args, step.kwargs), is_leaf)
    values = [_example(one, types) for one in leaves]
    key: Any = (step.function, template, tuple(map(_kind, values)))
    try:
        found = _fragments.get(key)
    except TypeError:  # the function has no hash
        key, found = None, None
    if found is None:
        template = template or build((step.args, {}), is_leaf)[0]
        function = Function(_Applied(step.function, template), engine="numpy", max_traces=None)
        function._retracing.silence()
        concrete = function.get_concrete_function(*values)
        if concrete.paths:
            raise StagingError(
                f"`{function.name}` reads arrays that are no arguments of it, which no tape follows",
                hint="do this in a decorated function that is called while the tape records",
            )
        if len(concrete.graph.results) != len(step.outputs):
            raise StagingError(
                f"what `{function.name}` gives has no derivative on a tape",
                hint="do this in a decorated function that is called while the tape records",
            )
        found = Fragment(function.name, concrete.marked, concrete.positions)
        if key is not None:
            keep(_fragments, key, found, _MOST_FRAGMENTS)
    if not known and found.is_opaque and any(type(one) in numbers for one in leaves):
        return fragment_of(step, types, known=True)
    noted = set(step.written)
    for k in found.written:
        if leaves[k] not in noted:
            raise wrong_argument(
                f"`{found.name}` writes into an array of which the tape wasn't told",
                "use its argument `out=`, or "
                "do this in a decorated function that is called while the tape records",
            )
    return found, leaves


def _example(leaf: Any, types: Mapping[Slot, Type]) -> Any:
    """A value to trace a step with; a spec where only a run knows the lengths."""
    if type(leaf) is not Slot:
        return leaf
    known = types.get(leaf)
    if isinstance(known, ArrayType) and None in known.shape:
        return TensorSpec(known.shape, known.dtype)
    return held(leaf.array)


class Named:
    """An operation of the registry that was done: of TensorFlow's spelling, whose functions name them."""

    def __init__(self, name: str, attributes: dict[str, Any], results: Sequence[Any]) -> None:
        self.name = name
        self.attributes = attributes
        self.results = results

    def fragment(self, leaves: Sequence[Any], types: Mapping[Slot, Type]) -> Fragment:
        given = tuple(
            [types.get(x) or type_of(held(x.array)) if type(x) is Slot else type_of(x) for x in leaves]
        )
        made = tuple([type_of(held(y)) for y in self.results])
        key: Any = (self.name, tuple(self.attributes.items()), given, made)
        try:
            found = _fragments.get(key)
        except TypeError:
            key, found = None, None
        if found is None:
            params = [Value(each) for each in given]
            op = Operation(self.name, tuple(params), made, self.attributes)
            found = Fragment(self.name, Graph(self.name, Block(params, [op], op.outputs)), range(len(params)))
            if key is not None:
                keep(_fragments, key, found, _MOST_FRAGMENTS)
        return found


def keep(cache: dict[Any, Any], key: Any, value: Any, most: int) -> None:
    """Remembers it; the oldest ones are forgotten where there are too many."""
    while len(cache) >= most and key not in cache:
        cache.pop(next(iter(cache)), None)
    cache[key] = value


def _kind(value: Any) -> Any:
    if type(value) is TensorSpec:
        return (TensorSpec, value.shape, value.dtype)
    return (type(value), value.dtype, value.shape) if hasattr(value, "dtype") else type(value)


# -- the graph of a record ---------------------------------------------------------------------------------


def needed(record: Record, targets: Sequence[Slot]) -> list[Any]:
    """The items of a record that targets may depend on, in order: by the memory that they read and write."""
    roots = {id(root_of(slot.array)) for slot in targets}
    found: list[Any] = []
    for item in reversed(record.items):
        if isinstance(item, Step):
            made = [slot for slot in (*item.outputs, *item.written) if slot is not None]
            if not any(id(root_of(slot.array)) in roots for slot in made):
                continue
            roots |= {id(root_of(slot.array)) for slot in item.inputs.values()}
        found.append(item)
    return found[::-1]


class Replay:
    """The steps as operations of one block. ``places`` are the numbers of what its parameters stand for."""

    def __init__(self, types: Mapping[Slot, Type]) -> None:
        self.types = types
        self.block = Block()
        self.places: list[int] = []
        self.values: dict[int, Value] = {}
        self.begin = object()
        self.block.append(Operation("watch", (), (), {"mark": self.begin}))

    def step(
        self, fragment: Fragment, leaves: Sequence[Any], places: Sequence[int], outputs: Sequence[Any]
    ) -> None:
        copy = Rebuild()
        for param, k in zip(fragment.graph.params, fragment.params, strict=True):
            copy.values[param] = self._as(self.value(places[k], leaves[k]), param.type)
        copy.fill(self.block, fragment.graph.body)
        results, self.block.results, self.block.ends = self.block.results, (), "yield"
        for place, value in zip(outputs, results, strict=True):
            if place is not None and place not in self.values:
                self.values[place] = value

    def value(self, place: int, leaf: Any) -> Value:
        if place not in self.values:
            value = held(leaf.kept) if type(leaf) is Slot else leaf
            assert value is not None or leaf in self.types, "a tape uses what it didn't see made"
            self.values[place] = Value(type_of(value) if value is not None else self.types[leaf])
            self.block.params.append(self.values[place])
            self.places.append(place)
        return self.values[place]

    def _as(self, value: Value, wanted: Any) -> Value:
        """NumPy gives a scalar where a graph gives an array of no dimensions, or the other way round."""
        is_scalar, wants_scalar = isinstance(value.type, ScalarType), isinstance(wanted, ScalarType)
        if is_scalar == wants_scalar or not isinstance(value.type, ArrayType | ScalarType):
            return value
        if wants_scalar:
            return self.block.append(Operation("getitem", (value,), (wanted,), {"index": ()})).output
        return self.block.append(Operation("asarray", (value,), (wanted,), {"dtype": None})).output


#: so many gradients of one structure make a graph of the whole worth its time, and so many runs its passes
OFTEN = 10


class Gradient(Fragment):
    """The graph of a gradient: from what its ``places`` number, and the adjoints of the targets, to the
    adjoints of the sources that are ``reached``, and the targets themselves."""

    def __init__(self, record: Record, plan: Plan) -> None:
        replay = Replay(plan.types)
        leaves = plan.leaves
        for place in plan.watched:
            replay.value(place, leaves[place])
        for item, fragment, places, outputs in plan.steps:
            if isinstance(item, Mark):
                replay.block.append(Operation("watch", (), (), {"mark": item}))
            elif isinstance(item, Switch):
                replay.block.append(Operation("record", (), (), {"tape": record, "on": item.on}))
            else:
                replay.step(fragment, [leaves[k] for k in places], places, outputs)
        block = replay.block
        ys = [replay.value(place, leaves[place]) for place in plan.targets]
        place_of = {replay.values[place]: place for place in plan.sources if place in replay.values}
        marks = {
            replay.values[place]: record.marks.get(leaves[place]) or replay.begin for place in plan.watched
        }
        connected = {x for x, place in place_of.items() if place in plan.used_by_gradients}
        groups = by_mark(block.operations, place_of, marks, ys, record, connected)
        self.places = list(replay.places)
        seeds = [Value(y.type, "g") for y in ys]
        block.params += seeds
        self.reached: dict[int, int] = {}
        found: list[Value] = []
        for since, wrt in groups.items():
            self.reached |= {place_of[x]: len(found) + k for k, x in enumerate(wrt)}
            found += block.append(gradient_at(since, ys, seeds, wrt, record)).outputs
        block.results = (*found, *ys)
        self.count = len(found)
        graph = Graph("gradient of a tape", block)
        expand_derivatives(graph)
        super().__init__("gradient", graph, range(len(graph.params)))
        self.engine = plan.engine
        self._times = 0
        self._is_optimized = False
        self._run: Callable[[Sequence[Any]], Any] | None = None

    def run(self, arguments: Sequence[Any]) -> Any:
        """Passes are for what runs often: they cost more than they save of a few runs."""
        self._times += 1
        is_often = self.engine != "numpy" or self._times >= OFTEN
        if self._run is None or is_often != self._is_optimized:
            self._is_optimized = is_often
            with without_collections():
                graph = optimize(self.graph) if is_often else self.graph
                self._run = compile_graph(graph, self.engine).run
        return self._run(arguments)

    def run_plainly(self, arguments: Sequence[Any]) -> Any:
        """As NumPy does it."""
        return compile_graph(self.graph, "numpy").run(arguments)


class Plan:
    """What a gradient of a record is made of: its steps with numbers in place of slots.

    The ``key`` is equal where the graph of the gradient is.
    """

    def __init__(self, record: Record, targets: Sequence[Slot], sources: Sequence[Slot]) -> None:
        self.leaves: list[Any] = []
        self._numbers: dict[Slot, int] = {}
        self.engine = "numpy"
        self.types: dict[Slot, Type] = {}
        self.watched = [self._place(slot) for slot in dict.fromkeys(sources) if slot in record.marks]
        self.steps = [self._step(item) for item in needed(record, targets)]
        self.targets = list(map(self._place, targets))
        self.sources = list(map(self._place, sources))
        kinds = [
            _kind(leaf) if type(leaf) is not Slot else leaf.kept is not None and _kind(held(leaf.kept))
            for leaf in self.leaves
        ]
        steps = [
            (_what(item), fragment, tuple(places), tuple(outputs))
            for item, fragment, places, outputs in self.steps
        ]
        #: a gradient depends on what it was taken of, though what's linear has a constant one
        self.used_by_gradients: set[int] = set()
        if any(isinstance(fragment, Gradient) for _, fragment, _, _ in self.steps):
            self.used_by_gradients = {place for _, _, places, _ in self.steps for place in places}
        self.key = (
            *steps,
            tuple(self.targets),
            tuple(self.sources),
            tuple(self.watched),
            tuple(kinds),
            self.engine,
        )

    def _place(self, leaf: Any) -> int:
        if type(leaf) is not Slot:
            self.leaves.append(leaf)
            return len(self.leaves) - 1
        if leaf not in self._numbers:
            self._numbers[leaf] = len(self.leaves)
            self.leaves.append(leaf)
        return self._numbers[leaf]

    def _step(self, item: Any) -> Any:
        if isinstance(item, Mark):
            return item, None, [self._place(item.slot)], ()
        if isinstance(item, Switch):
            return item, None, (), ()
        fragment, leaves = fragment_of(item, self.types)
        for slot, value in zip(item.outputs, fragment.graph.results, strict=True):
            if slot is not None:
                self.types.setdefault(slot, value.type)
        if fragment.engine != "numpy":
            self.engine = fragment.engine
        outputs = [None if slot is None else self._place(slot) for slot in item.outputs]
        return item, fragment, list(map(self._place, leaves)), outputs


def _what(item: Any) -> Any:
    return item.on if isinstance(item, Switch) else type(item)


_gradients: dict[Any, Gradient] = {}
_MOST_GRADIENTS = 256
#: how often a gradient was asked for of a structure, by its hash
_asked: dict[int, int] = {}


def is_rare(plan: Plan) -> bool:
    """Were few gradients asked for of such a record, as far as is remembered?"""
    code = hash(plan.key)
    count = _asked.get(code, 0)
    keep(_asked, code, count + 1, _MOST_FRAGMENTS)
    return count < OFTEN


def gradient_of(record: Record, plan: Plan) -> Gradient:
    found = _gradients.get(plan.key)
    if found is None:
        with without_collections():
            found = Gradient(record, plan)
        keep(_gradients, plan.key, found, _MOST_GRADIENTS)
    return found
