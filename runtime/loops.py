"""Staged `while` and `for`: the body is traced again until the specs of what it carries are stable."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any

from autograph.errors import StagingError
from autograph.operators import Undefined
from autograph.staging import State
from runtime.branches import require_trace
from runtime.builder import Staged
from runtime.choices import truth
from runtime.graph import Block, Operation, Value
from runtime.joins import containers, hint_of, holds_container, identities
from runtime.slots import Slot
from runtime.spec import (
    Choice,
    Const,
    Dict,
    Leaf,
    List,
    Spec,
    Variant,
    adapt,
    describe,
    generalise,
    join,
    leaf_types,
    rebuild,
    spec_of,
)
from runtime.trace import Outcome, Trace
from runtime.types import INT, STR, ArrayType, Type

#: how often a loop body is traced before its state is given up as unstable
MAX_LOOP_TRACES = 8


@dataclass
class _Carried:
    """One thing a loop may carry: a variable or a slot. ``spec`` None: it stays what it was."""

    name: str
    before: Any
    spec: Spec | None
    growth: int = 0  # how often a longer string turned up


def _containers_in(value: Any) -> list[Any]:
    if isinstance(value, tuple | Choice):
        parts = value if isinstance(value, tuple) else value.values
        return [found for part in parts for found in _containers_in(part)]
    return [value]


def _other_containers(c: _Carried, value: Any) -> bool:
    """Does ``value`` hold a list, dict or object that the loop did not begin with?"""
    known = _containers_in(c.before)
    return any(
        type(part) in (list, dict) or hasattr(part, "__dict__")
        for part in _containers_in(value)
        if not any(part is other for other in known) and not isinstance(part, Staged | type | Undefined)
    )


def _texts(spec: Spec | None) -> list[str]:
    kinds = spec.alternatives if isinstance(spec, Variant) else (spec,)
    return [kind.value for kind in kinds if isinstance(kind, Const) and type(kind.value) is str]


def longest_text(spec: Spec | None) -> int:
    """The length of the longest string among the constants of a spec; -1 where it holds none."""
    return max(map(len, _texts(spec)), default=-1)


def any_text(spec: Spec) -> Spec:
    """A spec that holds any string in place of particular ones."""
    if not _texts(spec):
        return spec
    kinds = spec.alternatives if isinstance(spec, Variant) else (spec,)
    others = [kind for kind in kinds if not (isinstance(kind, Const) and type(kind.value) is str)]
    text = Leaf(STR)
    return Variant((*[kind for kind in others if kind != text], text)) if others else text


class _Loop:
    """The fixpoint: which variables and slots a loop carries, and as what."""

    def __init__(self, trace: Trace, state: State, what: str) -> None:
        self.trace = trace
        self.state = state
        self.what = what
        self.before = state.get()
        self.carry = lambda value: spec_of(identities(trace, value))
        self.variables = [
            _Carried(name, value, self._initial(value))
            for name, value in zip(state.names, self.before, strict=True)
        ]
        self.slots: dict[Hashable, tuple[Slot, _Carried]] = {}
        self.settled = False

    def _initial(self, value: Any) -> Spec | None:
        """What is expected to change is carried from the start: numbers, and structures of numbers."""
        spec = self.carry(value)
        if isinstance(spec, Const) and not isinstance(generalise(spec), Leaf):
            return None
        if isinstance(spec, Leaf) and isinstance(spec.type, ArrayType):
            return None
        if type(value) in (list, dict):
            return None
        return generalise(spec)

    def carried(self) -> list[tuple[_Carried, Spec]]:
        everything = [*self.variables, *(c for _, c in self.slots.values())]
        return [(c, c.spec) for c in everything if c.spec is not None]

    def leaves(self) -> list[tuple[Type, str]]:
        """The type of each graph value that is carried, and a name for it."""
        return [(type, hint_of(c.name, spec)) for c, spec in self.carried() for type in leaf_types(spec)]

    def params(self) -> list[Value]:
        return [Value(type, hint) for type, hint in self.leaves()]

    def enter(self, params: list[Value]) -> list[Any]:
        """Give variables and slots their values at the head of the loop; those, in the order of carried()."""
        values = iter(params)
        heads = [
            rebuild(c.spec, values, self.trace) if c.spec is not None else c.before for c in self.variables
        ]
        self.state.set(tuple(heads))
        entered = [head for head, c in zip(heads, self.variables, strict=True) if c.spec is not None]
        for slot, c in self.slots.values():
            if c.spec is not None:
                head = rebuild(c.spec, values, self.trace)
                slot.set(head)
                entered.append(head)
        return entered

    def leave(self) -> None:
        """Variables and slots get their values from before the loop back."""
        self.state.set(self.before)
        for slot, c in self.slots.values():
            slot.set(c.before)

    def learn(self, heads: list[Any], outcome: Outcome) -> bool:
        """Compare what the body left with what it was given. True: stable."""
        stable = True
        if outcome.ended:
            return True
        after = outcome.result
        known = iter(heads)
        for c, value in zip(self.variables, after, strict=True):
            stable &= self._learn_one(c, next(known) if c.spec is not None else c.before, value)
        for slot, c in self.slots.values():
            head = next(known) if c.spec is not None else c.before
            value = outcome.slots[slot.key][2] if slot.key in outcome.slots else head
            stable &= self._learn_contents(c, head, value)
        for key, (slot, before, value) in outcome.slots.items():
            if key not in self.slots and value is not before:
                spec = join(generalise(spec_of(before)), generalise(spec_of(value)))
                self.slots[key] = (slot, _Carried(slot.name, before, spec))
                stable = False
        if stable and not self.settled:
            self.settled = True
            return self._drop_invariants(heads, outcome)
        return stable

    def _learn_contents(self, c: _Carried, head: Any, value: Any) -> bool:
        """What a slot holds: the contents of a list or dict are a fresh copy, but not so their items."""
        if c.spec is None or type(value) not in (list, dict) or type(value) is not type(head):
            return self._learn_one(c, head, value)
        items = [self.carry(item) for item in (value.values() if isinstance(value, dict) else value)]
        found = Dict(tuple(value), tuple(items)) if isinstance(value, dict) else List(tuple(items))
        new = join(c.spec, found)
        if new == c.spec:
            return True
        c.spec = new
        self.settled = False
        return False

    def _learn_one(self, c: _Carried, head: Any, value: Any) -> bool:
        if value is head:
            return True
        new = join(c.spec if c.spec is not None else self.carry(c.before), self.carry(value))
        if new == c.spec:
            return True
        new = self._widen_texts(c, new)
        if c.spec is None and new == self.carry(c.before) and isinstance(new, Const):
            return True
        if holds_container(self.trace, value) and _other_containers(c, value):
            for container in (*_containers_in(c.before), *_containers_in(value)):
                self.trace.containers.require(container)
            raise self.trace.refuse(
                f"`{c.name}` becomes another {type(value).__name__} object "
                "in each iteration of a staged loop",
                "keep its values in an array or a tuple",
                c.name,
            )
        c.spec = new
        self.settled = False
        return False

    def _widen_texts(self, c: _Carried, new: Spec) -> Spec:
        """A variable that holds longer and longer strings is built in the loop: any string, from now on."""
        longest = longest_text(new)
        if longest > longest_text(c.spec):
            c.growth += 1
        return any_text(new) if c.growth > 2 else new

    def _drop_invariants(self, heads: list[Any], outcome: Outcome) -> bool:
        """What came out as it went in is no state: the loop is traced once more without it."""
        dropped = False
        known = iter(heads)
        for c, value in zip(self.variables, outcome.result, strict=True):
            if c.spec is not None and value is next(known):
                c.spec = None
                dropped = True
        return not dropped

    def flat_initial(self) -> list[Value]:
        flat: list[Value] = []
        for c in self.variables:
            if c.spec is not None:
                flat += adapt(identities(self.trace, c.before), c.spec, self.trace)
        for _, c in self.slots.values():
            if c.spec is not None:
                flat += adapt(c.before, c.spec, self.trace)
        return flat

    def flat_after(self, outcome: Outcome) -> list[Value]:
        flat: list[Value] = []
        for c, value in zip(self.variables, outcome.result, strict=True):
            if c.spec is not None:
                flat += adapt(identities(self.trace, value), c.spec, self.trace)
        for key, (_slot, c) in self.slots.items():
            if c.spec is not None:
                value = outcome.slots[key][2] if key in outcome.slots else outcome.heads[key]
                flat += adapt(value, c.spec, self.trace)
        return flat

    def finish(self, operation: Operation) -> None:
        """Variables and slots get the loop's results."""
        values = iter(operation.outputs)
        self.state.set(
            tuple(
                rebuild(c.spec, values, self.trace) if c.spec is not None else c.before
                for c in self.variables
            )
        )
        for slot, c in self.slots.values():
            if c.spec is not None:
                self.trace.merge(slot, rebuild(c.spec, values, self.trace))

    def unstable(self) -> StagingError:
        kinds = {c.name: describe(spec) for c, spec in self.carried()}
        name = max(kinds, key=lambda name: len(kinds[name]))  # each round has added to its description
        text = kinds[name] if len(kinds[name]) <= 200 else f"{kinds[name][:200]} ..."
        return self.trace.refuse(
            f"`{name}` never settles on a type in this {self.what}: it is {text}",
            "give it its final type and shape before the loop, or collect the parts in a list",
            name,
        )


def trace_loop(
    name: str,
    what: str,
    state: State,
    inputs: list[Value],
    index: bool,
    test: Callable[..., Any] | None,
    body: Callable[..., Any],
) -> None:
    """Append a ``while`` or ``for`` operation. With ``index`` both callables get the staged loop index."""
    trace = require_trace()
    loop = _Loop(trace, state, what)
    for _ in range(MAX_LOOP_TRACES):
        blocks = []
        if test is not None:
            blocks.append(_trace_test(trace, loop, test, index))
        block, leading = _new_block(trace, loop, index)
        heads = loop.enter(block.params[len(leading) :])
        run: Callable[[], Any] = lambda: (body(*leading), state.get())[1]
        slot_heads = {key: slot.get() for key, (slot, _) in loop.slots.items()}
        outcome = trace.trace_block(block, run, containers(loop.before))
        loop.leave()
        if loop.learn(heads, outcome):
            break
    else:
        raise loop.unstable()
    if not outcome.ended:
        outcome.heads = slot_heads
        with trace.into(block):
            block.results = tuple(loop.flat_after(outcome))
    initial = loop.flat_initial()
    operation = Operation(name, (*inputs, *initial), (), {}, (*blocks, block))
    operation.outputs = tuple(Value(type, hint, operation) for type, hint in loop.leaves())
    trace.append(operation)
    loop.finish(operation)


def _new_block(trace: Trace, loop: _Loop, index: bool) -> tuple[Block, list[Any]]:
    block = Block(loop.params())
    leading = []
    if index:
        value = Value(INT, "i")
        block.params.insert(0, value)
        leading.append(trace.wrap(value))
    return block, leading


class TestChangesState(Exception):
    """The test of a loop assigns variables (a walrus, a call that changes an object)."""


def _trace_test(trace: Trace, loop: _Loop, test: Callable[..., Any], index: bool) -> Block:
    block, leading = _new_block(trace, loop, index)
    loop.enter(block.params[len(leading) :])
    entered = loop.state.get()

    def run() -> Any:
        result = truth(test(*leading))
        return trace.value_of(result), loop.state.get()

    outcome = trace.trace_block(block, run)
    loop.leave()
    if not outcome.ended:
        go_on, left = outcome.result
        block.results = (go_on,)
        changed = any(a is not b for a, b in zip(entered, left, strict=True))
        if changed or outcome.slots:
            raise TestChangesState
    return block


def while_loop(test: Callable[[], Any], body: Callable[[], Any], state: State) -> None:
    """A staged `while` from the current state."""
    try:
        trace_loop("while", "`while` loop", state, [], False, test, body)
    except TestChangesState:
        _rotated_while(test, body, state)


def _rotated_while(test: Callable[[], Any], body: Callable[[], Any], state: State) -> None:
    """The test changes state: evaluate it before the loop and at the end of each iteration, and carry
    its value."""
    go_on = [truth(test())]

    def advance() -> None:
        body()
        go_on[0] = truth(test())

    def set_all(values: tuple[Any, ...]) -> None:
        go_on[0] = values[0]
        state.set(tuple(values[1:]))

    wider = State(("go_on", *state.names), lambda: (go_on[0], *state.get()), set_all)
    trace_loop("while", "`while` loop", wider, [], False, lambda: go_on[0], advance)


def for_loop(
    bounds: tuple[Any, Any, Any],
    item: Callable[[Any], Any],
    test: Callable[[], Any] | None,
    body: Callable[[Any], Any],
    state: State,
) -> None:
    """A staged `for` over ``item(i) for i in range(*bounds)``."""
    trace = require_trace()
    inputs = [trace.value_of(bound) for bound in bounds]
    go_on = None if test is None else lambda i: test()
    trace_loop("for", "`for` loop", state, inputs, True, go_on, lambda i: body(item(i)))
