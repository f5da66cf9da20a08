"""What a staged loop carries from one iteration to the next: specs, which grow until they are stable."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import Any

from autograph.errors import StagingError
from autograph.records import record
from autograph.staging import State
from runtime.control_flow.blocks import Outcome, values_of_slots
from runtime.control_flow.joins import hint_of
from runtime.graph import Operation, Value
from runtime.specs.spec import Const, Leaf, Spec, Tuple, Variant, describe, generalise, kinds_of, leaf_types
from runtime.tracer.cells import shared_by
from runtime.tracer.flattening import adapt, rebuild
from runtime.tracer.slots import IteratorPlace, SharedSlot
from runtime.tracer.spec import Choice, join, spec_of
from runtime.tracer.trace import Trace
from runtime.tracer.trace_base import Slot
from runtime.types import STR, ArrayType, ContainerType, InstanceType, Type

#: a variable that still gets other kinds of values after so many rounds, and has so many, will not settle
MANY_ROUNDS = 4
MANY_KINDS = 12
#: so many lengths may the tuples in one variable have
MANY_LENGTHS = 4


@record(slots=False, frozen=False)
class _Carried:
    """One thing a loop may carry: a variable or a slot. ``spec`` None: it stays what it was."""

    name: str
    before: Any
    spec: Spec | None
    slot: Any = None  # None: a variable
    growth: int = 0  # how often a longer string turned up
    rounds: int = 0  # how often another kind of value turned up


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


class LoopState:
    """The fixpoint: which variables and slots a loop carries, and as what."""

    def __init__(self, trace: Trace, state: State, what: str) -> None:
        self.trace = trace
        self.state = state
        self.what = what
        self.before = state.get()
        self.places = len(trace.places)  # of iterators that were made before
        self.variables = [
            _Carried(name, value, self._initial(value))
            for name, value in zip(state.names, self.before, strict=True)
        ]
        self.slots: dict[Hashable, _Carried] = dict(self._shared_numbers(state))
        self.settled = False

    def _shared_numbers(self, state: State) -> Iterator[tuple[Hashable, _Carried]]:
        """Variables of the statement that functions share: numbers among them are expected to change, too."""
        for slot in shared_by(state):
            value = slot.get()
            spec = self._initial(value)
            if spec is not None and all(isinstance(kind, Leaf) for kind in kinds_of(spec)):
                yield slot.key, _Carried(slot.name, value, spec, slot)

    def _initial(self, value: Any) -> Spec | None:
        """What is expected to change is carried from the start: numbers, and structures of numbers."""
        spec = spec_of(value)
        if isinstance(spec, Const) and not isinstance(generalise(spec), Leaf):
            return None
        if isinstance(spec, Leaf) and isinstance(spec.type, ArrayType | ContainerType | InstanceType):
            return None
        return generalise(spec)

    def all(self) -> list[_Carried]:
        """The variables, then the slots."""
        return [*self.variables, *self.slots.values()]

    def carried(self) -> list[tuple[_Carried, Spec]]:
        return [(c, c.spec) for c in self.all() if c.spec is not None]

    def carried_slots(self) -> list[Slot]:
        return [c.slot for c, _ in self.carried() if c.slot is not None]

    def leaves(self) -> list[tuple[Type, str]]:
        """The type of each graph value that is carried, and a name for it."""
        return [(type, hint_of(c.name, spec)) for c, spec in self.carried() for type in leaf_types(spec)]

    def params(self) -> list[Value]:
        return [Value(type, hint) for type, hint in self.leaves()]

    def enter(self, params: list[Value]) -> list[Any]:
        """Give variables and slots their values at the head of the loop; those, in the order of all()."""
        heads = self._rebuilt(iter(params))
        self.state.set(tuple(heads[: len(self.variables)]))
        for c, head in zip(self.all(), heads, strict=True):
            if c.slot is not None:
                c.slot.set(head)
        return heads

    def _rebuilt(self, values: Iterator[Value]) -> list[Any]:
        return [c.before if c.spec is None else rebuild(c.spec, values, self.trace) for c in self.all()]

    def leave(self) -> None:
        """Variables and slots get their values from before the loop back."""
        self.state.set(self.before)
        for c in self.slots.values():
            c.slot.set(c.before)

    def after(self, heads: list[Any], outcome: Outcome) -> list[Any]:
        """What the body left in the variables and slots, in the order of all()."""
        slots = {
            key: (c.slot, head)
            for (key, c), head in zip(self.slots.items(), heads[len(self.variables) :], strict=True)
        }
        return [*outcome.result, *values_of_slots([outcome], slots)[0]]

    def learn(self, heads: list[Any], outcome: Outcome) -> bool:
        """Compare what the body left with what it was given. True: stable."""
        stable = True
        if outcome.ended:
            return True
        for c, head, left in zip(self.all(), heads, self.after(heads, outcome), strict=True):
            stable &= self._learn_one(c, head, left)
        for key, (slot, before, value) in outcome.slots.items():
            if key in self.slots or value is before:
                continue
            if isinstance(slot, IteratorPlace) and self._is_new_place(slot):
                continue  # the body made that iterator
            spec = join(generalise(spec_of(before)), generalise(spec_of(value)))
            self.slots[key] = _Carried(slot.name, before, spec, slot)
            stable = False
        if stable and not self.settled:
            self.settled = True
            dropped = self._drop_variables(heads, outcome)
            return not (self._drop_slots(outcome) or dropped)
        return stable

    def settles_at_once(self, heads: list[Any], outcome: Outcome) -> bool:
        """Has a variable its final type after the first iteration, and does the body ask for the type?

        Then the first iteration stands before the loop, whose body is what it is for that type alone.
        """
        for c, head, left in zip(self.all(), heads, self.after(heads, outcome), strict=True):
            if (
                c.spec is None
                or not isinstance(head, Choice)
                or head.tag.value not in self.trace.implied.asked
            ):
                continue
            kinds = kinds_of(c.spec)
            if len(kinds_of(spec_of(left))) < len(kinds) and all(isinstance(kind, Leaf) for kind in kinds):
                return True
        return False

    def _is_new_place(self, slot: Slot) -> bool:
        """Is it the place of an iterator that the body makes?"""
        return any(slot is place for place in self.trace.places[self.places :])

    def _learn_one(self, c: _Carried, head: Any, left: Any) -> bool:
        if left is head:
            return True
        if c.spec is None:
            before = spec_of(c.before)
            new = join(generalise(before), spec_of(left))
            if new == before and isinstance(new, Const):
                return True
        else:
            new = join(c.spec, spec_of(left))
        if new == c.spec:
            return True
        new = self._widen_tuples(c, self._widen_texts(c, new))
        self._give_up_early(c, new)
        c.spec = new
        self.settled = False
        return False

    def _give_up_early(self, c: _Carried, new: Spec) -> None:
        """Values that double with each round, as `s | {1}` of a frozenset does, take time that squares."""
        c.rounds += len(kinds_of(new)) > len(kinds_of(c.spec))
        if c.rounds >= MANY_ROUNDS and len(kinds_of(new)) > MANY_KINDS:
            c.spec = new
            raise self.unstable()

    def _widen_texts(self, c: _Carried, new: Spec) -> Spec:
        """A variable that holds longer and longer strings is built in the loop: any string, from now on."""
        longest = longest_text(new)
        if longest > longest_text(c.spec):
            c.growth += 1
        return any_text(new) if c.growth > 2 else new

    def _widen_tuples(self, c: _Carried, new: Spec) -> Spec:
        """A variable that holds longer and longer tuples is built in the loop: of the run, from now on."""
        kinds = [kind for kind in kinds_of(new) if isinstance(kind, Tuple) and kind.cls is tuple]
        if len({len(kind.items) for kind in kinds}) < MANY_LENGTHS or len(kinds) < len(kinds_of(new)):
            return new
        return Leaf(self.trace.containers.tuple_type(kinds, (self.trace.containers.here(), c.name)))

    def _drop_variables(self, heads: list[Any], outcome: Outcome) -> bool:
        """What came out as it went in is no state: the loop is traced once more without it."""
        same = [
            c
            for c, head, left in zip(self.variables, heads, outcome.result, strict=False)
            if c.spec is not None and head is left
        ]
        for c in same:
            c.spec = None
        return bool(same)

    def _drop_slots(self, outcome: Outcome) -> bool:
        """Nor are variables that functions share, and that the body did not store to."""
        unwritten = [
            key
            for key, c in self.slots.items()
            if isinstance(c.slot, SharedSlot) and key not in outcome.slots
        ]
        for key in unwritten:
            del self.slots[key]
        return bool(unwritten)

    def flat(self, values: list[Any]) -> list[Value]:
        """The graph values of what is carried, of values in the order of all()."""
        return [
            flat
            for c, value in zip(self.all(), values, strict=True)
            if c.spec is not None
            for flat in adapt(value, c.spec, self.trace)
        ]

    def flat_initial(self) -> list[Value]:
        return self.flat([c.before for c in self.all()])

    def finish(self, operation: Operation) -> None:
        """Variables and slots get the loop's results."""
        values = self._rebuilt(iter(operation.outputs))
        self.state.set(tuple(values[: len(self.variables)]))
        for c, value in zip(self.all(), values, strict=True):
            if c.slot is not None and c.spec is not None:
                self.trace.merge(c.slot, value)

    def unstable(self) -> StagingError:
        kinds = {c.name: describe(spec) for c, spec in self.carried()}
        name = max(kinds, key=lambda name: len(kinds[name]))  # each round has added to its description
        text = kinds[name] if len(kinds[name]) <= 200 else f"{kinds[name][:200]} ..."
        return self.trace.refuse(
            f"`{name}` never settles on a type in this {self.what}: it is {text}",
            "give it its final type and shape before the loop, or collect the parts in a list",
            name,
        )
