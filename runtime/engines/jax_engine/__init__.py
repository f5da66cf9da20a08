"""The engine of JAX: a graph runs on JAX's default device, as one function that XLA compiles.

`operations.py` says what an operation is in JAX, `elements.py` reads formulas, `graphs.py` runs blocks and
differentiates. A run that fails (Python would raise, or an int leaves 64 bits) is made once more by the
reference engine, from the same arguments: nothing was written yet. It raises what Python raises.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from autograph.errors import StagingError
from autograph.optional_packages import needing

with needing("jax", 'engine="jax"'):
    import jax

from runtime.engines.jax_engine.graphs import OPAQUE, JaxGraph, refusal
from runtime.engines.jax_engine.lists import Cell, listed
from runtime.engines.jax_engine.stores import Stores
from runtime.engines.tracebacks import located
from runtime.graph.core import Graph
from runtime.graph.effects import effects_of
from runtime.graph.operations import Operation, Value
from runtime.graph.user_locations import user_location
from runtime.graph.versions import NoForm
from runtime.ops.definition import REGISTRY
from runtime.types import INT, PYTHON_TYPES, ArrayType, NumberType, ObjectType, ScalarType

Run = Callable[[Sequence[Any]], Sequence[Any]]


class Executable:
    """A graph on JAX. ``reference`` makes the calls that fail here."""

    def __init__(self, graph: Graph, reference: Run) -> None:
        self.graph = graph
        self.reference = reference
        writes = JaxGraph(graph).writes
        self.written = [
            k for k, p in enumerate(graph.params) if isinstance(p.type, ArrayType) and writes.is_written(p)
        ]
        self.stores = Stores(graph)
        self.results = [_Result(graph, value) for value in graph.results]
        self._check_aliases(writes.memory)
        held = [value for result in self.results for value in (result.base, *result.places)]
        self.needed = list(dict.fromkeys([value for value in held if value not in graph.params]))
        self.numeric = [k for k, p in enumerate(graph.params) if not isinstance(p.type, ObjectType)]
        #: ints among these, which lengths may hang on
        self.numbers = tuple([n for n, k in enumerate(self.numeric) if graph.params[k].type == INT])
        self.jitted: Any = jax.jit(self._traced)
        self.is_static = False

    def _check_aliases(self, memory: Any) -> None:
        for result in self.results:
            value = result.value
            if not isinstance(value.type, ArrayType):
                continue
            roots = memory.roots(result.base) - set(self.graph.params)
            for other in self.results:
                if other.base is not result.base and not roots.isdisjoint(memory.roots(other.base)):
                    error = NoForm("two results may be one array", "return copies of them")
                    raise refusal(self.graph.name, error, value.owner and value.owner.location)

    def _traced(self, *arguments: Any) -> Any:
        made = JaxGraph(self.graph, stores=self.stores)
        given = dict(zip(self.numeric, arguments, strict=True))
        made.run([given.get(k, OPAQUE) for k in range(len(self.graph.params))])
        newest = [made.names[self.graph.params[k]] for k in self.written]
        results = [made.result(value) for value in self.needed]
        self.plain = {
            v: x for v, x in zip(self.needed, results, strict=True) if isinstance(v.type, ObjectType)
        }
        self.keys = {x: list(made.names[x]) for x in self.plain.values() if isinstance(x, Cell) and x.is_dict}
        found = [self._numbers(made, value, x) for value, x in zip(self.needed, results, strict=True)]
        origins = [made.origin(value) for value in self.needed]
        stored = [made.names[cell] for cell in self.stores.stores]
        return found, newest, jax.numpy.asarray(made.failed), origins, stored

    def _numbers(self, made: JaxGraph, value: Value, x: Any) -> Any:
        """What JAX gives of a result: of a list or dict its numbers."""
        if not isinstance(x, Cell):
            return () if value in self.plain else x
        if x.is_shared:
            what = "a list, dict or object that is a result holds an array that may be seen elsewhere"
            error = NoForm(what, "put in a copy")
            raise refusal(self.graph.name, error, value.owner and value.owner.location)
        rows = made.names[x]
        return list(rows.values()) if x.is_dict else rows

    def run(self, arguments: Sequence[Any]) -> Sequence[Any]:
        try:
            return self._run(arguments)
        except NoForm as error:
            raise refusal(self.graph.name, error) from None
        except StagingError as error:
            raise error if error.line is not None else located(error, user_location())  # noqa: B904

    def _run(self, arguments: Sequence[Any]) -> Sequence[Any]:
        on_device = any(isinstance(x, jax.Array) for x in arguments)
        if self._overlaps(arguments):
            return self._on_host(arguments)
        with jax.enable_x64(True):
            given = [_given(arguments[k], self.graph.params[k]) for k in self.numeric]
            found, newest, failed, origins, stored = self._call(given)
            if failed or any(origin < 0 for origin in origins):
                return self._on_host(arguments)
        for k, version in zip(self.written, newest, strict=True):
            arguments[k][...] = np.asarray(version)
        self.stores.make(stored, arguments, _host)
        values: dict[Value, Any] = dict(zip(self.graph.params, arguments, strict=True))
        cells: dict[Cell, Any] = {}
        values.update(
            {v: self._given_back(v, x, on_device, cells) for v, x in zip(self.needed, found, strict=True)}
        )
        values.update({v: arguments[k - 1] for v, k in zip(self.needed, map(int, origins), strict=True) if k})
        return [result.of(values) for result in self.results]

    def _on_host(self, arguments: Sequence[Any]) -> Sequence[Any]:
        """What the reference engine gives, which raises what Python raises."""
        return self.reference([np.asarray(x) if isinstance(x, jax.Array) else x for x in arguments])

    def _given_back(self, value: Value, x: Any, on_device: bool, cells: dict[Cell, Any]) -> Any:
        """A result as the caller gets it: an array of JAX's where one came in."""
        if on_device and isinstance(value.type, ArrayType):
            return x
        plain = self.plain.get(value)
        if isinstance(plain, Cell):
            if plain not in cells:
                x = jax.tree.map(lambda leaf: np.asarray(leaf)[()], x)
                x = dict(zip(self.keys[plain], x, strict=True)) if plain.is_dict else x
                cells[plain] = listed(plain, x, _host)
            return cells[plain]
        return plain if value in self.plain else _host(x, value.type)

    def _call(self, given: list[Any]) -> Any:
        if not self.is_static:
            try:
                return self.jitted(*given)
            except StagingError:
                if not self.numbers:
                    raise
                self.is_static = True  # a length may hang on an int of the arguments
                self.jitted = jax.jit(self._traced, static_argnums=self.numbers)
        return self.jitted(*[int(x) if k in self.numbers else x for k, x in enumerate(given)])

    def _overlaps(self, arguments: Sequence[Any]) -> bool:
        """May a write into one argument be seen in another, or not be made?"""
        arrays = [(k, x) for k, x in enumerate(arguments) if isinstance(x, np.ndarray)]
        return any(
            not isinstance(arguments[k], np.ndarray)
            or not arguments[k].flags.writeable
            or any(n != k and np.may_share_memory(arguments[k], x) for n, x in arrays)
            for k in self.written
        )


class _Result:
    """A result: what holds its memory, and the views that lead from there to it."""

    def __init__(self, graph: Graph, value: Value) -> None:
        self.value = value
        self.steps: list[Operation] = []
        while (
            (maker := value.owner) is not None
            and not maker.blocks
            and isinstance(value.type, ArrayType)
            and (view_of := effects_of(maker).view_of) is not None
        ):
            self.steps.insert(0, maker)
            value = maker.inputs[view_of]
        self.base = value
        #: what says where the views are
        self.places = [v for step in self.steps for v in step.inputs if not isinstance(v.type, ArrayType)]

    def of(self, values: dict[Value, Any]) -> Any:
        for maker in self.steps:
            kernel = REGISTRY[maker.name].kernel
            assert kernel is not None
            inputs = [values[v] for v in maker.inputs]
            values[maker.output] = kernel(*inputs, **maker.attributes)
        return values[self.value]


def _given(x: Any, param: Value) -> Any:
    """An argument as JAX takes it: of a plain number the dtype that stores it."""
    if isinstance(param.type, NumberType | ScalarType):
        return param.type.dtype.type(x)
    return x


def _host(x: Any, kind: Any) -> Any:
    if isinstance(kind, NumberType):
        return PYTHON_TYPES[kind.kind](x)
    if isinstance(kind, ScalarType):
        return kind.dtype.type(x)
    return np.array(x)
