"""What a staged loop carries from one iteration to the next: specs, which grow until they are stable."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import reduce
from typing import Any

from autograph.errors import StagingError
from autograph.records import record
from autograph.staging import State
from runtime.control_flow.blocks import Outcome
from runtime.control_flow.joins import hint_of, with_fields
from runtime.graph import Operation, Value
from runtime.heap.shadow import STATIC, UNKNOWN, Change
from runtime.specs.spec import Const, Leaf, Spec, Tuple, Variant, describe, generalise, kinds_of, leaf_types
from runtime.tracer.cells import shared_by
from runtime.tracer.flattening import adapt, rebuild
from runtime.tracer.spec import Choice, join, spec_of
from runtime.tracer.trace import Trace
from runtime.types import STR, ArrayType, ContainerType, InstanceType, Type

#: a variable that still gets other kinds of values after so many rounds, and has so many, will not settle
MANY_ROUNDS = 4
MANY_KINDS = 12
#: so many lengths may the tuples in one variable have
MANY_LENGTHS = 4


@record(slots=False, frozen=False)
class _Carried:
    """One thing a loop may carry. ``spec`` None: it stays what it was."""

    name: str
    before: Any
    spec: Spec | None
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
    """The fixpoint: which variables a loop carries, and as what.

    ``fields``: attributes, items and static places that its body stores to, which are variables, too.
    """

    def __init__(self, trace: Trace, state: State, what: str, fields: Sequence[Change] = ()) -> None:
        self.trace = trace
        self.state = state
        self.what = what
        self.variables = [
            _Carried(name, value, self._initial(value))
            for name, value in zip(state.names, state.get(), strict=True)
        ]
        self.settled = False
        self.fields: list[Change] = []
        self.add(fields or [*self._shared_numbers(state)])

    def _shared_numbers(self, state: State) -> Iterator[Change]:
        """Variables of the statement that functions share: numbers among them are expected to change, too."""
        for place in shared_by(state):
            value = self.trace.heap.held(place)
            spec = self._initial(value)
            if spec is not None and all(isinstance(kind, Leaf) for kind in kinds_of(spec)):
                yield Change(STATIC, place, [value], value)

    def add(self, fields: Sequence[Change]) -> None:
        """Carry these as well, which hold now, or may hold at the end of the body, what they say."""
        if fields:
            held = self.trace.references.held_at
            self.state = with_fields(self.trace.heap, self.state, fields, held)
            self.settled = False
        for field in fields:
            is_item = isinstance(field.place, tuple)  # of which the body may have made the fact go
            value = field.before if is_item and field.before is not UNKNOWN else held(field)
            spec = reduce(join, [generalise(spec_of(each)) for each in (value, *field.values)])
            self.variables.append(_Carried(field.name, value, spec))
        self.fields += fields
        self.before = tuple([c.before for c in self.variables])

    def _initial(self, value: Any) -> Spec | None:
        """What is expected to change is carried from the start: numbers, and structures of numbers."""
        spec = spec_of(value)
        if isinstance(spec, Const) and not isinstance(generalise(spec), Leaf):
            return None
        if isinstance(spec, Leaf) and isinstance(spec.type, ArrayType | ContainerType | InstanceType):
            return None
        return generalise(spec)

    def carried(self) -> list[tuple[_Carried, Spec]]:
        return [(c, c.spec) for c in self.variables if c.spec is not None]

    def leaves(self) -> list[tuple[Type, str]]:
        """The type of each graph value that is carried, and a name for it."""
        return [(type, hint_of(c.name, spec)) for c, spec in self.carried() for type in leaf_types(spec)]

    def params(self) -> list[Value]:
        return [Value(type, hint) for type, hint in self.leaves()]

    def enter(self, params: list[Value]) -> list[Any]:
        """Give the variables their values at the head of the loop; those."""
        heads = self._rebuilt(iter(params))
        self.state.set(tuple(heads))
        return heads

    def _rebuilt(self, values: Iterator[Value]) -> list[Any]:
        return [c.before if c.spec is None else rebuild(c.spec, values, self.trace) for c in self.variables]

    def leave(self) -> None:
        """The variables get their values from before the loop back."""
        self.state.set(self.before)

    def learn(self, heads: list[Any], outcome: Outcome) -> bool:
        """Compare what the body left with what it was given. True: stable."""
        stable = True
        if outcome.ended:
            return True
        for c, head, left in zip(self.variables, heads, outcome.result, strict=True):
            stable &= self._learn_one(c, head, left)
        if stable and not self.settled:
            self.settled = True
            return not self._drop_variables(heads, outcome)
        return stable

    def settles_at_once(self, heads: list[Any], outcome: Outcome) -> bool:
        """Has a variable its final type after the first iteration, and does the body ask for the type?

        Then the first iteration stands before the loop, whose body is what it is for that type alone.
        """
        for c, head, left in zip(self.variables, heads, outcome.result, strict=True):
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

    def flat(self, values: Sequence[Any]) -> list[Value]:
        """The graph values of what is carried, of what the variables hold."""
        return [
            flat
            for c, value in zip(self.variables, values, strict=True)
            if c.spec is not None
            for flat in adapt(value, c.spec, self.trace)
        ]

    def flat_initial(self) -> list[Value]:
        return self.flat(self.before)

    def finish(self, operation: Operation) -> None:
        """The variables get the loop's results."""
        self.state.set(tuple(self._rebuilt(iter(operation.outputs))))

    def unstable(self) -> StagingError:
        kinds = {c.name: describe(spec) for c, spec in self.carried()}
        name = max(kinds, key=lambda name: len(kinds[name]))  # each round has added to its description
        text = kinds[name] if len(kinds[name]) <= 200 else f"{kinds[name][:200]} ..."
        return self.trace.refuse(
            f"`{name}` never settles on a type in this {self.what}: it is {text}",
            "give it its final type and shape before the loop, or collect the parts in a list",
            name,
        )
