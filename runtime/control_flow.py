"""Staged `if`, `while` and `for`: tracing blocks, joining what they leave behind.

A branch or an iteration is Python code that assigns variables (through a ``State``) and slots. Each is
traced into a block; `spec.py` says how the values of two blocks join. A loop is traced again until the
specs of what it carries are stable.
"""

from __future__ import annotations

import operator
import sys
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass
from typing import Any

from autograph.errors import StagingError
from autograph.operators import Undefined, call
from autograph.staging import NOTHING, State
from runtime.builder import Staged, emit
from runtime.graph import Block, Operation, Value, walk
from runtime.slots import Slot
from runtime.spec import (
    Choice,
    Const,
    Identity,
    Leaf,
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
from runtime.trace import Outcome, PathEnded, Restart, Trace, current_trace
from runtime.types import BOOL, INT, ArrayType, Type

NO_STATE = State((), lambda: (), lambda values: None)

#: how often a loop body is traced before its state is given up as unstable
MAX_LOOP_TRACES = 8


def require_trace() -> Trace:
    trace = current_trace()
    if trace is None:
        raise StagingError("a staged value is used outside the trace that made it")
    return trace


# -- truth -------------------------------------------------------------------------------------------


def truth(value: Any) -> Any:
    """``bool(value)``: a plain bool, or a staged Python bool."""
    if isinstance(value, Choice):
        return dispatch(certain(value), truth)
    if not isinstance(value, Staged):
        return bool(value)
    return value if value.type == BOOL else emit("py.bool", [value])


# -- branches ----------------------------------------------------------------------------------------


def branch(pred: Any, then: Callable[[], Any], orelse: Callable[[], Any], state: State = NO_STATE) -> Any:
    """``then() if pred else orelse()`` in the graph; ``state`` gets the joined values.

    Returns the joined result.
    """
    trace = require_trace()
    if not isinstance(pred, Staged):
        return then() if pred else orelse()
    before = state.get()
    outcomes = []
    for run in (then, orelse):
        outcomes.append(trace.trace_block(Block(), lambda: (run(), *state.get()), containers(before)))
        state.set(before)
    operation = Operation("if", (pred.value,), (), {}, tuple(o.block for o in outcomes))
    live = [outcome for outcome in outcomes if not outcome.ended]
    if not live:
        trace.append(operation)
        trace.end_path()
    left = [settle(trace, o.result, o.block) for o in live]
    joined = Joined(trace, ("the result", *state.names), left, (NOTHING, *before))
    slots = written_slots(live)
    after = [values_of_slots(o, slots) for o in live]
    slot_values = Joined(trace, tuple(s.name for s, _ in slots.values()), after)
    for index, outcome in enumerate(live):
        with trace.into(outcome.block):
            outcome.block.results = (*joined.flat(index), *slot_values.flat(index))
    operation.outputs = tuple(
        Value(type, hint, operation) for type, hint in [*joined.types(), *slot_values.types()]
    )
    trace.append(operation)
    values = iter(operation.outputs)
    result, *variables = joined.rebuild(values)
    state.set(tuple(variables))
    for (slot, _), value in zip(slots.values(), slot_values.rebuild(values), strict=True):
        trace.merge(slot, value)
    return result


def written_slots(outcomes: list[Outcome]) -> dict[Hashable, tuple[Slot, Any]]:
    """The slots that any of the blocks wrote, with their values before."""
    return {key: (slot, before) for o in outcomes for key, (slot, before, _) in o.slots.items()}


def values_of_slots(outcome: Outcome, slots: dict[Hashable, tuple[Slot, Any]]) -> tuple[Any, ...]:
    return tuple(
        outcome.slots[key][2] if key in outcome.slots else before for key, (_, before) in slots.items()
    )


class Joined:
    """Values of the same variables from several blocks, and the specs that hold them all."""

    def __init__(
        self,
        trace: Trace,
        names: tuple[str, ...],
        alternatives: list[tuple[Any, ...]],
        before: tuple[Any, ...] | None = None,
    ) -> None:
        """``before``: what the variables held before; None for slots, whose values are copies."""
        self.trace = trace
        self.names = names
        self.alternatives = alternatives
        self.kept: list[bool] = []  # the same object on every path: nothing to join
        self.specs: list[Spec] = []
        for position in range(len(names)):
            values = [held(values[position]) for values in alternatives]
            kept = all(value is values[0] for value in values[1:]) and (
                len(values) > 1
                or not _has_staged(values[0])
                or (before is not None and values[0] is before[position])
            )
            self.kept.append(kept)
            spec = spec_of(alternatives[0][position])
            for other in alternatives[1:]:
                spec = join(spec, spec_of(other[position]))
            if isinstance(spec, Variant):
                self._refuse_objects(spec, names[position])
            self.specs.append(spec)

    def _refuse_objects(self, spec: Variant, name: str) -> None:
        """Objects made on different paths: their attributes would have to be chosen one by one."""
        for alternative in spec.alternatives:
            if isinstance(alternative, Const) and is_container(self.trace, alternative.value):
                kind = type(alternative.value).__name__
                raise self.trace.refuse(
                    f"`{name}` is one of several {kind} objects, chosen by a staged condition",
                    "make one object, and choose the values of its attributes",
                    name,
                )

    def flat(self, index: int) -> list[Value]:
        parts = zip(self.alternatives[index], self.specs, self.kept, strict=True)
        return [v for value, spec, kept in parts if not kept for v in adapt(value, spec, self.trace)]

    def types(self) -> list[tuple[Any, str]]:
        parts = zip(self.names, self.specs, self.kept, strict=True)
        return [
            (type, hint_of(name, spec)) for name, spec, kept in parts if not kept for type in leaf_types(spec)
        ]

    def rebuild(self, values: Iterator[Value]) -> list[Any]:
        parts = zip(self.alternatives[0], self.specs, self.kept, strict=True)
        return [held(first) if kept else rebuild(spec, values, self.trace) for first, spec, kept in parts]


def held(value: Any) -> Any:
    return value.value if isinstance(value, Identity) else value


def hint_of(name: str, spec: Spec) -> str:
    return name if name.isidentifier() else ""


def _has_staged(value: Any) -> bool:
    return bool(leaf_types(spec_of(value)))


def containers(values: tuple[Any, ...]) -> list[Any]:
    """The lists and dicts among the values of variables: ``+=`` changes them under no hook's eyes."""
    return [value for value in values if type(value) in (list, dict)]


def is_container(trace: Trace, value: Any) -> bool:
    """A list, a dict or an instance made during the trace: what may change, and what others may hold."""
    return type(value) in (list, dict) or trace.outside.is_local(value)


def references(value: Any) -> int:
    return sys.getrefcount(value)


#: what `references` says, in the shape of the calls below, of a list that one tuple alone holds
_UNSHARED: int = [references(item) for item in (list[int](),)][0]


def settle(trace: Trace, values: tuple[Any, ...], block: Block) -> tuple[Any, ...]:
    """The values that ``block`` leaves. A container that somebody else holds too is known by identity; one
    that was made there for this place alone is a structure, made anew wherever it goes."""
    counts = [references(value) for value in values]
    settled = []
    for value, count in zip(values, counts, strict=True):
        if isinstance(value, tuple) and any(_holds_container(trace, item) for item in value):
            items = settle(trace, value, block)
            settled.append(value._make(items) if hasattr(value, "_make") else tuple(items))
        elif isinstance(value, Choice):
            settled.append(Choice(value.tag, settle(trace, value.values, block)))
        elif not is_container(trace, value):
            settled.append(value)
        elif trace.outside.is_local(value) or count > _UNSHARED or sum(value is v for v in values) > 1:
            settled.append(_identity(trace, value, block))
        elif any(_holds_container(trace, item) for item in parts_of(value)):
            raise trace.refuse(
                f"a {type(value).__name__} of lists, dicts or objects is made under a staged condition",
                "make it before the statement, and change its items",
            )
        else:
            settled.append(value)
    return tuple(settled)


def parts_of(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return list(value.values())
    return list(value) if isinstance(value, list | tuple) else list(vars(value).values())


def _holds_container(trace: Trace, value: Any) -> bool:
    if isinstance(value, tuple | Choice):
        return any(
            _holds_container(trace, item) for item in (value if isinstance(value, tuple) else value.values)
        )
    return is_container(trace, value)


def _identity(trace: Trace, value: Any, block: Block) -> Identity:
    own = {v for op in walk(block) for v in op.outputs} | set(block.params)
    if any(isinstance(item, Staged) and item.value in own for item in parts_of(value)):
        raise trace.refuse(
            f"a {type(value).__name__} that is made under a staged condition has two names",
            "make it before the statement, or copy it",
        )
    return Identity(value)


def identities(trace: Trace, value: Any) -> Any:
    """A value in which containers are known by identity: what a loop may carry of them."""
    if isinstance(value, tuple) and _holds_container(trace, value):
        items = [identities(trace, item) for item in value]
        return value._make(items) if hasattr(value, "_make") else tuple(items)
    if isinstance(value, Choice):
        return Choice(value.tag, tuple([identities(trace, item) for item in value.values]))
    return Identity(value) if is_container(trace, value) else value


# -- choices -----------------------------------------------------------------------------------------


def dispatch(choice: Choice, function: Callable[[Any], Any], state: State = NO_STATE) -> Any:
    """``function`` of whichever value the choice holds at run time."""
    if not isinstance(choice, Choice):
        return function(choice)

    def rest(position: int) -> Any:
        value = choice.values[position]
        if isinstance(value, Undefined):
            run: Callable[[], Any] = lambda: raise_unbound(value)
        else:
            run = lambda: function(value)
        if position == len(choice.values) - 1:
            return run()
        return branch(emit("py.eq", [choice.tag, position]), run, lambda: rest(position + 1), state)

    return rest(0)


def raise_unbound(value: Undefined) -> Any:
    raise UnboundLocalError(
        f"cannot access local variable '{value.name}' where it is not associated with a value",
        name=value.name,
    )


def resolve(value: Any) -> Any:
    """A choice that is read as a value: bound or an error, and one value where that is possible."""
    if not isinstance(value, Choice):
        return value
    if any(isinstance(v, Undefined) for v in value.values):
        return dispatch(value, lambda v: v)
    return value


def is_position(choice: Choice, constant: Any) -> Any:
    """``choice is constant``: a test of the tag."""
    for position, value in enumerate(choice.values):
        if value is constant:
            return emit("py.eq", [choice.tag, position])
    return False


def certain(value: Any) -> Any:
    """A choice that is read where the transpiler put no guard: it is bound there."""
    if not isinstance(value, Choice) or not any(isinstance(v, Undefined) for v in value.values):
        return value
    left = [(i, v) for i, v in enumerate(value.values) if not isinstance(v, Undefined)]
    if len(left) == 1:
        return left[0][1]
    tag: Any = len(left) - 1
    for position in range(len(left) - 2, -1, -1):
        tag = emit("py.select", [emit("py.eq", [value.tag, left[position][0]]), position, tag])
    return Choice(tag, tuple(v for _, v in left))


_BINARY = "add sub mul truediv floordiv mod pow matmul and or xor lshift rshift".split()
_COMPARISONS = "lt le gt ge eq ne".split()
_UNARY = "neg pos abs invert".split()


def _binary_on(function: Callable[[Any, Any], Any]) -> Callable[[Choice, Any], Any]:
    def method(self: Choice, other: Any) -> Any:
        return dispatch(certain(self), lambda a: dispatch(certain(other), lambda b: function(a, b)))

    return method


def _reflected(function: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    return lambda a, b: function(b, a)


def _unary_on(function: Callable[[Any], Any]) -> Callable[[Choice], Any]:
    return lambda self: dispatch(certain(self), function)


def _install_operators() -> None:
    """Whatever is done with a choice is done with the value that it holds at run time."""
    for name in _BINARY:
        function = getattr(operator, f"__{name}__")
        setattr(Choice, f"__{name}__", _binary_on(function))
        setattr(Choice, f"__r{name}__", _binary_on(_reflected(function)))
    for name in _COMPARISONS:
        setattr(Choice, f"__{name}__", _binary_on(getattr(operator, f"__{name}__")))
    for name in _UNARY:
        function = getattr(operator, f"__{name}__")
        setattr(Choice, f"__{name}__", _unary_on(function))

    def get_attribute(self: Choice, name: str) -> Any:
        if name.startswith("__"):  # Python's protocols ask for these; a choice has none of its own
            raise AttributeError(name)
        return dispatch(certain(self), lambda value: getattr(value, name))

    def set_attribute(self: Choice, name: str, value: Any) -> None:
        if name in Choice.__slots__:
            object.__setattr__(self, name, value)
        else:
            dispatch(certain(self), lambda owner: setattr(owner, name, value))

    def get_item(self: Choice, key: Any) -> Any:
        return dispatch(certain(self), lambda value: value[key])

    def call_choice(self: Choice, *args: Any, **kwargs: Any) -> Any:
        return dispatch(certain(self), lambda function: call(function, *args, **kwargs))

    def refuse_plain(self: Choice, *_: Any) -> Any:
        raise require_trace().refuse(
            f"plain Python looks at a value that is {describe(spec_of(self))}, "
            "which is known only at run time",
            "test it with `is None` or `==` first",
        )

    setattr(Choice, "__getattr__", get_attribute)  # noqa: B010
    setattr(Choice, "__setattr__", set_attribute)  # noqa: B010
    setattr(Choice, "__getitem__", get_item)  # noqa: B010
    setattr(Choice, "__call__", call_choice)  # noqa: B010
    for name in (
        "bool",
        "int",
        "float",
        "index",
        "iter",
        "len",
        "hash",
        "str",
        "format",
        "contains",
        "complex",
    ):
        setattr(Choice, f"__{name}__", refuse_plain)


_install_operators()


def is_undefined(value: Any) -> Any:
    """Is a slot's value absent: a bool, or a staged one."""
    if isinstance(value, Choice):
        for position, alternative in enumerate(value.values):
            if isinstance(alternative, Undefined):
                return emit("py.eq", [value.tag, position])
        return False
    return isinstance(value, Undefined)


# -- loops -------------------------------------------------------------------------------------------


@dataclass
class _Carried:
    """One thing a loop may carry: a variable or a slot. ``spec`` None: it stays what it was."""

    name: str
    before: Any
    spec: Spec | None


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
            stable &= self._learn_one(c, head, value)
        for key, (slot, before, value) in outcome.slots.items():
            if key not in self.slots and value is not before:
                spec = join(generalise(spec_of(before)), generalise(spec_of(value)))
                self.slots[key] = (slot, _Carried(slot.name, before, spec))
                stable = False
        if stable and not self.settled:
            self.settled = True
            return self._drop_invariants(heads, outcome)
        return stable

    def _learn_one(self, c: _Carried, head: Any, value: Any) -> bool:
        if value is head:
            return True
        new = join(c.spec if c.spec is not None else self.carry(c.before), self.carry(value))
        if new == c.spec:
            return True
        if c.spec is None and new == self.carry(c.before) and isinstance(new, Const):
            return True
        if _holds_container(self.trace, value) and _other_containers(c, value):
            raise self.trace.refuse(
                f"`{c.name}` becomes another {type(value).__name__} object "
                "in each iteration of a staged loop",
                "keep its values in an array or a tuple",
                c.name,
            )
        c.spec = new
        self.settled = False
        return False

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
        return [
            v for c, spec in self.carried() for v in adapt(identities(self.trace, c.before), spec, self.trace)
        ]

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
        kinds = "; ".join(f"`{c.name}` is {describe(spec)}" for c, spec in self.carried())
        return self.trace.refuse(
            f"the variables of this {self.what} never settle on a type: {kinds}",
            "give them their final type and shape before the loop",
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


__all__ = ["PathEnded", "Restart", "branch", "dispatch", "for_loop", "resolve", "truth", "while_loop"]
