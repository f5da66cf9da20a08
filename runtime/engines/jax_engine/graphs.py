"""A graph as a function of JAX: operations in order, blocks as `lax.cond` and `lax.while_loop`.

Writes make new versions (runtime/graph/versions.py). Where a run would raise, a flag is set, and who calls
the function has the reference engine make the call once more: it raises what Python raises, with the user's
line. Numbers that JAX's trace knows (constants, lengths of arrays) stay numbers of Python's.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

import runtime
from autograph.errors import StagingError, register_internal_directory
from runtime.engines.jax_engine.blocks import Loop, as_place, if_, limits, most_rounds, places_dtype
from runtime.engines.jax_engine.lists import Lists, is_list
from runtime.engines.jax_engine.operations import (
    Call,
    Masked,
    is_known,
    made,
    places,
    typed,
    unknown_length,
    zeros_of,
)
from runtime.engines.jax_engine.stores import Stores, is_store
from runtime.engines.tracebacks import located
from runtime.graph import item_places
from runtime.graph.core import Graph
from runtime.graph.effects import effects_of
from runtime.graph.liveness import free_in, free_values
from runtime.graph.operations import Block, Operation, Value, walk
from runtime.graph.user_locations import user_location
from runtime.graph.versions import NoForm, Versions, Writes, is_write
from runtime.ops.definition import REGISTRY
from runtime.ops.indexing import Dynamic, is_mask
from runtime.types import INT, ArrayType, ObjectType

FAILED = "failed"  # in the names of a graph: whether the call fails
#: what stands for a text or an exception: nobody computes with it
OPAQUE: Any = object()
#: loops of so many rounds are copied, so that their numbers are known
UNROLLED = 8
#: views that are the array itself
_ITSELF = frozenset({"identity", "asarray"})


def refusal(name: str, error: Exception, at: Any = None) -> StagingError:
    """What is raised for a `NoForm`, or for what JAX raises, at the user's line."""
    hint = error.hint if isinstance(error, NoForm) else None
    refused = StagingError(
        f"{name}() cannot run on JAX: {str(error).splitlines()[0]}",
        hint=hint or 'compute this outside of the function, or take engine="auto"',
    )
    return located(refused, at or user_location())


#: where code is that runs converted, as the user's does
_OURS = os.path.dirname(os.path.abspath(runtime.__file__))


register_internal_directory(os.path.dirname(jax.__file__))  # an error is the user's, who calls JAX


class JaxGraph(Versions):
    """Runs the operations of one graph on JAX's arrays, once, while JAX traces."""

    def __init__(self, graph: Graph, stores: Stores | None = None) -> None:
        super().__init__(Writes(graph, inputs=True))
        #: where objects from outside are stored to once the run has ended, if they are
        self.stores = stores
        if stores is not None:
            self.names.update(stores.begin())
        self.graph = graph
        self.name = graph.name
        self.names[FAILED] = False
        #: the user's line that is under way
        self.at: Any = None
        #: of arrays that may be an argument: its position, counted from 1; 0 is a new array, -1 a part of one
        self.origins: dict[Value, Any] = {param: k for k, param in enumerate(graph.params, 1)}
        self._before: dict[Operation, tuple[dict[Any, Any], set[Value]]] = {}
        #: each `if` that ends a loop: both of its branches are computed, once in vain
        self.exits: set[Operation] = set()
        #: of counters of loops: the least and the largest that they may be
        self.limits: dict[Value, tuple[float, float]] = {}
        inner = [result for op in graph.operations() for block in op.blocks for result in block.results]
        self.uses = Counter([*graph.results, *inner, *[v for op in graph.operations() for v in op.inputs]])
        self._keeps = any(op.is_derivative for op in graph.operations())

    def fails(self, condition: Any) -> None:
        """The reference engine is to make the call where this holds."""
        if condition is False or (is_known(condition) and not condition):
            return
        condition = jnp.any(condition) if np.ndim(condition) else condition
        self.failed = condition if self.failed is False else self.failed | condition

    def run(self, arguments: Sequence[Any]) -> None:
        for param, argument in zip(self.graph.params, arguments, strict=True):
            self.names[param] = (
                argument
                if isinstance(param.type, ObjectType) or is_known(argument)
                else typed(argument, param.type)
            )
        self.block(self.graph.body)

    def result(self, value: Value) -> Any:
        """A result: a list or dict is its `Cell`."""
        try:
            found = self.value(value)
            if found is OPAQUE:
                raise NoForm("a text or an object of the run is a result", "return its numbers")
            return found if isinstance(value.type, ObjectType) else typed(found, value.type)
        except NoForm as error:
            raise refusal(self.name, error, value.owner and value.owner.location) from None

    # -- operations ----------------------------------------------------------------------------------------

    def block(
        self, block: Block, first: int = 0, last: int | None = None, wanted: Sequence[Value] = ()
    ) -> None:
        """Some operations of a block. ``wanted``: values that are asked for, where not all are run."""
        idle = self.idle(block, first, last, wanted or block.results) if self._keeps else ()
        for k, op in enumerate(block.operations[first:last], first):
            if op in idle:
                continue
            if op.location is not None and not op.location.file.startswith(_OURS):
                self.at = op.location
            try:
                self.operation(op, block, k)
            except NoForm as error:
                raise refusal(self.name, error, self.at or op.location) from None
            except (TypeError, ValueError, NotImplementedError, IndexError, AttributeError) as error:
                if isinstance(error, StagingError):
                    raise
                raise refusal(self.name, error, self.at or op.location) from error

    def operation(self, op: Operation, block: Block, k: int) -> None:
        if op.is_constant:
            value = op.attributes["value"]
            self.names[op.output] = (
                value if is_known(value) or not isinstance(value, np.ndarray) else jnp.asarray(value)
            )
        elif op.is_derivative:
            self.derivative(op, block, k)
        elif (form := _FORMS.get(op.name)) is not None:
            form(self, op)
        elif op.outputs and all(map(self.writes.is_view, op.outputs)):
            pass  # made anew where it is used
        elif any(is_list(value.type) for value in (*op.inputs[:1], *op.outputs)) and not op.is_call:
            if not op.outputs or any(self.uses[value] for value in op.outputs) or effects_of(op).writes:
                Lists(self, op).run()
        elif is_write(op):
            self.write(op)
        elif self.stores is not None and is_store(op):
            self.stores.note(self, op)
        else:
            found = self.call(op, [self.value(value) for value in op.inputs])
            self.names.update(zip(op.outputs, found, strict=True))
        if self._keeps and op.name in ("identity", "watch"):
            self._before[op] = dict(self.names), set(self.stale)

    def may_be_argument(self, value: Value) -> bool:
        return isinstance(value.type, ArrayType) and not self.writes.memory.roots(value).isdisjoint(
            self.graph.params
        )

    def is_own(self, value: Value) -> bool:
        """Is it a new array, which one operation uses and nobody else sees?"""
        maker = value.owner
        if maker is None or maker.blocks or effects_of(maker).view_of is not None or self.uses[value] > 1:
            return False
        return REGISTRY[maker.name].family not in ("constant", "container", "object", "effect")

    def origin(self, value: Value) -> Any:
        if value in self.origins or not self.may_be_argument(value):
            return self.origins.get(value, 0)
        maker = value.owner
        if maker is None or maker.blocks or (view_of := effects_of(maker).view_of) is None:
            return 0
        found = self.origin(maker.inputs[view_of])
        if maker.name in _ITSELF or (is_known(found) and found == 0):
            return found
        return jnp.where(jnp.asarray(found) == 0, 0, -1)

    def call(self, op: Operation, names: Sequence[Any]) -> Sequence[Any]:
        definition = REGISTRY[op.name]
        effects = definition.effects_of(tuple([value.type for value in op.inputs]), op.attributes)
        if (
            op.outputs
            and all(isinstance(value.type, ObjectType) for value in op.outputs)
            and not effects.writes
        ):
            if definition.family not in ("container", "object") and not op.calls_python:
                return [OPAQUE] * len(op.outputs)  # a text, an exception: of what is raised
        if effects.ordered:
            raise NoForm(f"{op.name} acts on the world outside, and JAX may run it never, or more than once")
        for x in names:
            if x is OPAQUE:
                raise NoForm(f"{op.name} is about a text or an object of Python's")
        sign, largest = item_places.SIGNS.get(op.name), np.iinfo(places_dtype()).max
        if sign and not all(map(is_known, names)) and max(map(abs, limits(self, op.output))) <= largest:
            x, y = [typed(name, INT) for name in names]  # it does not leave its bits
            return [x + y if sign > 0 else x - y]
        return made(self.made_by(op), list(names))

    def made_by(self, op: Operation) -> Call:
        return Call(op, self.fails, partial(limits, self))

    def all_positions(self, whole: Any) -> Any:
        return jnp.arange(np.size(whole), dtype=places_dtype()).reshape(np.shape(whole))

    # -- writes --------------------------------------------------------------------------------------------

    def write(self, op: Operation) -> None:
        target = view = op.inputs[0]
        holder = self.writes.holder(target)
        others = [self.value(value) for value in op.inputs[1:]]
        new = self.written(op, self.value(target), others)
        while self.writes.is_view(view):
            maker, base = view.owner, self.writes.base(view)
            assert maker is not None
            new = self.put_back(maker, self.value(base), base, new)
            view = base
        self.new_version(holder, new)

    def put_back(self, maker: Operation, whole: Any, base: Value, new: Any) -> Any:
        """The new version of what an operation shows a part of."""
        if maker.is_load:
            dynamic = [self.value(value) for value in maker.inputs[1:]]
            types = [value.type for value in maker.inputs[1:]]
            index = places(self.made_by(maker), whole.shape, maker.attributes["index"], dynamic, types)
            return whole.at[index].set(new)
        shown = self.shown(maker, base, self.all_positions(whole))
        return whole.ravel().at[shown].set(new).reshape(whole.shape)

    def written(self, op: Operation, now: Any, others: list[Any]) -> Any:
        """What the target of a write holds after it."""
        kind = op.name
        if isinstance(now, Masked) and kind != "inplace":
            raise unknown_length()
        dtype = now.whole.dtype if isinstance(now, Masked) else now.dtype
        if kind in ("setitem", "additem"):
            return self.set_items(op, now, others)
        if kind in ("copyto", "fill"):
            found = others[0]
        elif kind == "sort_inplace":
            found = jnp.sort(now, axis=op.attributes.get("axis", -1))
        elif kind in ("inplace", "ufunc_out", "ufunc_masked"):
            skipped = {"inplace": 0, "ufunc_out": 1, "ufunc_masked": 2}[kind]
            inputs = op.inputs[skipped:]
            given = [now, *others][skipped:]
            name = op.attributes["ufunc"]
            (found,) = self.call(Operation.typed(name, inputs, {}), given)
            if kind == "ufunc_masked":
                found = jnp.where(others[0], found, now)
        else:
            raise NoForm(f"{kind} has no form in JAX")
        if isinstance(found, Masked):
            if kind != "inplace" or not isinstance(now, Masked):
                raise unknown_length()
            return Masked(found.whole.astype(dtype), found.places, found.mask)
        return jnp.broadcast_to(jnp.asarray(found).astype(dtype), now.shape)

    def set_items(self, op: Operation, now: Any, others: list[Any]) -> Any:
        value, *dynamic = others
        index, types = op.attributes["index"], [v.type for v in op.inputs[2:]]
        masks = [i for i in index if isinstance(i, Dynamic) and is_mask(types[i.index])]
        if masks:
            mask = dynamic[masks[0].index]
            if len(index) > 1 or (not isinstance(value, Masked) and np.ndim(value)):
                raise NoForm("items are assigned where a mask holds", "use np.where(mask, new, old)")
            chosen = jnp.reshape(mask, np.shape(mask) + (1,) * (now.ndim - np.ndim(mask)))
            new = jnp.asarray(value.of_places(mask) if isinstance(value, Masked) else value).astype(now.dtype)
            return jnp.where(chosen, new if op.is_store else now + new, now)
        new = jnp.asarray(value).astype(now.dtype)
        at = now.at[places(self.made_by(op), now.shape, index, dynamic, types)]
        return at.set(new) if op.is_store else at.add(new)

    # -- control flow --------------------------------------------------------------------------------------

    def apart(
        self, work: Callable[[], Any], names: dict[Any, Any] | None = None, stale: set[Value] | None = None
    ) -> Any:
        """What some work gives that is done on other values; those of here are as they were."""
        kept = self.names, self.stale
        self.names = {**self.names, **(names or {})}
        self.stale = set(self.stale if stale is None else stale)
        try:
            return work()
        finally:
            self.names, self.stale = kept

    @property
    def failed(self) -> Any:
        """Where the reference engine is to make the call; False as long as nothing may fail."""
        return self.names[FAILED]

    @failed.setter
    def failed(self, where: Any) -> None:
        self.names[FAILED] = where

    def hand_on(self, op: Operation, results: Sequence[Value] | None) -> None:
        """The results of a block are its operation's; None: of one that never ends, which nobody reads."""
        if results is not None:
            self.names.update(zip(op.outputs, map(self.value, results), strict=True))
            return
        for value in op.outputs:
            self.names[value] = OPAQUE if isinstance(value.type, ObjectType) else zeros_of(value.type)

    def try_(self, op: Operation) -> None:
        """Where the body raises, the reference engine makes the call, and runs the handler."""
        body = op.blocks[0]
        self.block(body)
        self.hand_on(op, None if body.ends == "never" else body.results)

    def for_(self, op: Operation) -> None:
        *tests, body = op.blocks
        bounds = [self.value(value) for value in op.inputs[:3]]
        if all(map(is_known, bounds)):
            count: Any = len(range(*map(int, bounds))) if bounds[2] else 0
            self.fails(bounds[2] == 0)
            if count <= UNROLLED and not tests:
                self.unrolled(op, body, range(*map(int, bounds)) if bounds[2] else range(0))
                return
        else:
            start, stop, step = [x if is_known(x) else as_place(x) for x in bounds]
            self.fails(step == 0)
            step = jnp.where(step == 0, 1, step) if not is_known(step) else step or 1
            count = stop - start if is_known(step) and step == 1 else -((start - stop) // step)
            count = jnp.maximum(0, count)
        Loop(self, op, count, bounds[0], bounds[2], most_rounds(self, op)).run()

    def unrolled(self, op: Operation, body: Block, numbers: range) -> None:
        state = [self.value(value) for value in op.inputs[3:]]
        for number in numbers:
            self.names.update(zip(body.params, [number, *state], strict=True))
            self.block(body)
            if body.ends == "never":
                self.hand_on(op, None)
                return
            state = [self.value(value) for value in body.results]
        self.names.update(zip(op.outputs, state, strict=True))

    # -- derivatives ---------------------------------------------------------------------------------------

    def since(self, op: Operation, block: Block, k: int) -> int:
        """Where the operations begin that a derivative asks about."""
        mark, makers = op.attributes.get("since"), {x.owner for x in _parts(op)[1]}
        return 1 + max(
            [
                n
                for n, each in enumerate(block.operations[:k])
                if each in makers or (mark is not None and each.attributes.get("mark") is mark)
            ],
            default=k - 1,
        )

    def idle(self, block: Block, first: int, last: int | None, wanted: Iterable[Value]) -> set[Operation]:
        """The operations that only derivatives ask for, which run them themselves."""
        asked, found = set(wanted), set[Operation]()
        begins = len(block.operations)
        for k in range(len(block.operations if last is None else block.operations[:last]) - 1, first - 1, -1):
            op = block.operations[k]
            if k >= begins and asked.isdisjoint(op.outputs) and _only_computes(op):
                found.add(op)
            elif op.is_derivative:
                start = self.since(op, block, k)
                begins = min(begins, start)
                results, _, given = _parts(op)
                asked |= {*given, *free_in(Block([], block.operations[start:k], tuple(results)))}
            else:
                asked |= {*op.inputs, *free_values(op)}
        return found

    def derivative(self, op: Operation, block: Block, k: int) -> None:
        """JAX differentiates what stands between the values with respect to which, and the results."""
        results, wrt, given = _parts(op)
        first = self.since(op, block, k)
        names, stale = self._before[block.operations[first - 1]]
        inputs = tuple([typed(names.get(x, self.names.get(x)), x.type) for x in wrt])

        def segment(*xs: Any) -> Any:
            def work() -> Any:
                self.block(block, first, k, results)
                fails = None if self.failed is names[FAILED] else self.failed
                return tuple([typed(self.value(y), y.type) for y in results]), fails

            return self.apart(work, {**names, **dict(zip(wrt, xs, strict=True))}, stale)

        seeds = [typed(self.value(g), g.type) for g in given]
        if op.name == "gradient":
            ys, pulled, fails = jax.vjp(segment, *inputs, has_aux=True)
            gs = tuple([jnp.broadcast_to(g.astype(y.dtype), y.shape) for g, y in zip(seeds, ys, strict=True)])
            found = pulled(gs)
        else:
            tangents = tuple(
                [jnp.broadcast_to(t.astype(x.dtype), x.shape) for t, x in zip(seeds, inputs, strict=True)]
            )
            _, found, fails = jax.jvp(segment, inputs, tangents, has_aux=True)
        self.failed = self.failed if fails is None else fails
        self.names.update(zip(op.outputs, found, strict=True))

    def custom_gradient(self, op: Operation) -> None:
        """The values of the results, whose derivative the block gives."""
        count = len(op.outputs)
        (rule,) = op.blocks
        ys = tuple([typed(self.value(y), y.type) for y in op.inputs[:count]])
        xs = tuple([typed(self.value(x), x.type) for x in op.inputs[count:]])
        names, stale = dict(self.names), set(self.stale)

        @jax.custom_vjp
        def marked(ys: Any, xs: Any) -> Any:
            return ys

        def backward(shapes: Any, gs: Any) -> Any:
            def work() -> Any:
                self.block(rule)
                pairs = zip(rule.results, op.inputs[count:], strict=True)
                return tuple([typed(self.value(g), x.type) for g, x in pairs])

            found = self.apart(work, {**names, **dict(zip(rule.params, gs, strict=True))}, stale)
            return tuple([jnp.zeros(y.shape, y.dtype) for y in ys]), found

        marked.defvjp(lambda ys, xs: (ys, None), backward)
        self.names.update(zip(op.outputs, marked(tuple(map(lax.stop_gradient, ys)), xs), strict=True))


def _parts(op: Operation) -> tuple[Sequence[Value], Sequence[Value], Sequence[Value]]:
    """Of a derivative: the results, with respect to what, and the values that are sent back or forward."""
    count = op.attributes["results"]
    results, several = op.inputs[:count], op.inputs[count:]
    if op.name == "gradient":
        return results, several[count:], several[:count]
    return results, several[: len(several) // 2], several[len(several) // 2 :]


def _only_computes(op: Operation) -> bool:
    """Does it nothing but compute values? The body of an `if` or a loop, too."""
    inner = [op, *[inner for block in op.blocks for inner in walk(block)]]
    return all(each.outputs and not each.is_call and not effects_of(each).writes for each in inner)


def _remat(graph: JaxGraph, op: Operation) -> None:
    graph.names.update(zip(op.outputs, map(graph.value, op.inputs), strict=False))


def _call(graph: JaxGraph, op: Operation) -> None:
    raise NoForm("a function that calls itself", "write the recursion as a loop")


def _assert(graph: JaxGraph, op: Operation) -> None:
    graph.fails(jnp.logical_not(typed(graph.value(op.inputs[0]), op.inputs[0].type)))


_FORMS: dict[str, Callable[[JaxGraph, Operation], None]] = {
    "if": if_,
    "while": lambda graph, op: Loop(graph, op, None, None, None, None).run(),
    "for": JaxGraph.for_,
    "try": JaxGraph.try_,
    "custom_gradient": JaxGraph.custom_gradient,
    "remat": _remat,
    "call_function": _call,
    "raise": lambda graph, op: graph.fails(True),
    "assert": _assert,
    **dict.fromkeys(("check_writable", "errstate", "watch", "record", "landing"), lambda graph, op: None),
}
