"""The specs of trace-time values, how two specs join, and structures with a part that is one of several.

A branch or an iteration gives each variable some Python value made of staged leaves. `spec_of` says what is
known of it (specs/spec.py); `join` gives the spec that can hold a value of either of two; `adapt` turns a
value into the flat graph values of a spec (emitting constants, casts, tags); `rebuild` is its inverse
(flattening.py).

>>> from runtime.types import FLOAT, INT
>>> print(join(Leaf(INT), Leaf(FLOAT)))
int | float
>>> join(Const(None), Leaf(FLOAT))
Variant(alternatives=(Const(value=None), Leaf(type=NumberType(kind='float'), boxed=False)))

What a test has told of a choice: where it holds, the choice is one of fewer values.

`if best is not None:` asks `best` for its tag; in the block that runs then, `best` is a number. A test tells
so at second hand, too: as a flag that paths have set, as an operand of `and`, behind `not`. What is known is
used where something is done with the choice (`choices.dispatch`, `certain`); the choice itself stays.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

import runtime.types as types
from autograph.operators import Undefined
from autograph.plain_items import plain_items
from runtime.graph import Block, Value
from runtime.ops import objects
from runtime.ops.instances import is_user_instance
from runtime.ops.template import Make, Template, build, is_more_than_items, mapped, refused_tuple
from runtime.specs.spec import (
    MANY,
    MAX_TEXTS,
    Const,
    Leaf,
    Spec,
    Tuple,
    Variant,
    generalise,
    kinds_of,
    order_of_numbers,
)
from runtime.tracer.builder import Staged, StandIn, current, type_of_staged
from runtime.types import BOOL, STR, JoinError, ScalarType, Type


class Choice:
    """A value of a Variant spec: ``tag`` (a staged int) says which of ``values`` it is.

    ``promoted``: where it is one of several numbers, that number, with the type that all of them can be
    converted to (see ``widest``); else, or where nobody has computed it, None.
    """

    __slots__ = ("promoted", "tag", "values")
    __array_ufunc__ = None  # operators of NumPy's scalars leave it to the choice, whose values answer them

    def __init__(self, tag: Any, values: tuple[Any, ...], promoted: Any = None) -> None:
        self.tag = tag
        self.values = values
        self.promoted = promoted

    def of(self, values: tuple[Any, ...]) -> Choice:
        """A choice of what stands for the same values elsewhere; numbers stay themselves."""
        return Choice(self.tag, values, self.promoted)

    def __repr__(self) -> str:
        kinds = {str(type_of_staged(value) or type(value).__name__) for value in self.values}
        return f"<{' or '.join(sorted(kinds))}, chosen at run time>"


def maybe_absent(value: Any) -> bool:
    """May nothing be there at run time?"""
    return isinstance(value, Choice) and any(isinstance(one, Undefined) for one in value.values)


def reference_of(value: Any) -> Staged | None:
    """The object of the run that a trace-time instance stands for, as a staged value."""
    builder = current()
    return None if builder is None else builder.reference_of(value)


def is_run_time(value: Any) -> bool:
    """Is the value itself known only at run time?"""
    return isinstance(value, Staged | Choice) or reference_of(value) is not None


def has_run_time(key: Any) -> bool:
    """Is a key, or a bound of a slice, or an item of a tuple, known only at run time?"""
    parts = (key.start, key.stop, key.step) if isinstance(key, slice) else key
    return any(map(has_run_time, parts)) if isinstance(parts, tuple) else is_run_time(key)


def spec_of(value: Any) -> Spec:
    """The spec of a trace-time value."""
    if isinstance(value, Staged):
        return Leaf(value.type, is_boxed(value))
    if isinstance(value, Choice):
        return Variant(tuple(map(spec_of, value.values)))
    if isinstance(value, tuple):
        if is_more_than_items(value):
            raise refused_tuple(value)
        return Tuple(tuple(map(spec_of, value)), type(value))
    reference = reference_of(value)
    return Const(value) if reference is None else Leaf(reference.type)


def is_boxed(value: Any) -> bool:
    return bool(getattr(value, "boxed", False))


def join(a: Spec, b: Spec) -> Spec:
    """The spec that holds a value of either, each with the type that it has: nothing is promoted.

    >>> from runtime.types import parse_type
    >>> print(join(Leaf(parse_type("i64[3]")), Leaf(parse_type("f64[3]"))))
    i64[3] | f64[3]
    """
    if a == b:
        return a
    for one in (a, b):
        if isinstance(one, Const) and isinstance(one.value, StandIn):
            raise one.value.refusal()
    if len(kinds_of(b)) > max(MANY, len(kinds_of(a))):
        a, b = b, a  # which need no other numbers then
    return one_or_several(joined_kinds(a, b, unify))


def unify(a: Spec, b: Spec) -> Spec | None:
    """Join without a Variant at the top; None where only a Variant holds both."""
    return alike(a, b, join, _joined_types)


def _joined_types(a: Type, b: Type) -> Type | None:
    builder = current()
    if builder is not None:
        builder.unite_containers(a, b)
    try:
        return types.join(a, b)
    except JoinError:
        return None


def alike(
    a: Spec, b: Spec, join: Callable[[Spec, Spec], Any], join_types: Callable[[Type, Type], Type | None]
) -> Spec | None:
    """The spec of two kinds that need not be told apart; None where they must be."""
    if a == b:
        return a
    if isinstance(a, Tuple) and isinstance(b, Tuple) and a.cls is b.cls and len(a.items) == len(b.items):
        return Tuple(tuple(map(join, a.items, b.items)), a.cls)
    leaf_a, leaf_b = generalise(a), generalise(b)
    if Leaf(STR) in (leaf_a, leaf_b) and (is_known_text(a) or is_known_text(b)):
        return Leaf(STR)
    if isinstance(leaf_a, Leaf) and isinstance(leaf_b, Leaf) and leaf_a.boxed == leaf_b.boxed:
        joined = join_types(leaf_a.type, leaf_b.type)
        return None if joined is None else Leaf(joined, leaf_a.boxed)
    return None


def joined_kinds(a: Spec, b: Spec, unify: Callable[[Spec, Spec], Spec | None]) -> list[Spec]:
    """The kinds of both. Many known strings are one that only a run knows: `+` makes one for each path."""
    kinds = list(kinds_of(a))
    for new in kinds_of(b):
        for position, old in enumerate(kinds):
            both = unify(old, new)
            if both is not None:
                kinds[position] = both
                break
        else:
            kinds.append(new)
    known_by_run = Leaf(STR) in kinds
    if known_by_run or sum(map(is_known_text, kinds)) > MAX_TEXTS:
        kinds = [kind for kind in kinds if not is_known_text(kind)]
        kinds += [] if known_by_run else [Leaf(STR)]
    return kinds


def is_known_text(spec: Spec) -> bool:
    return isinstance(spec, Const) and type(spec.value) is str


def one_or_several(kinds: list[Spec]) -> Spec:
    kinds.sort(key=order_of_numbers)
    return kinds[0] if len(kinds) == 1 else Variant(tuple(kinds))


def is_instance(value: Any) -> bool:
    """Is it an instance of a user's class, as converted code holds it?"""
    return not isinstance(value, Staged | Choice | type) and is_user_instance(value)


def make_template(structure: Any) -> tuple[Template, list[Any]]:
    """The template of a structure with staged leaves, and these leaves in the order of the holes."""

    def is_of_run(item: Any) -> bool:
        if isinstance(item, Staged) or reference_of(item) is not None:
            return True
        if isinstance(item, StandIn):
            raise item.refusal()
        return False

    return build(structure, is_of_run)


def choice_in(structure: Any) -> Choice | None:
    """A part of a structure that is one of several things at run time."""
    if isinstance(structure, Choice):
        return structure
    if isinstance(structure, Make):
        structure = (structure.args, dict(structure.kwargs))
    if not isinstance(structure, tuple | list | dict):
        return None
    return next((found for found in map(choice_in, plain_items(structure)) if found is not None), None)


def choices_in(structure: Any) -> list[Choice]:
    """The items of nested lists that are one of several values, each once."""
    if isinstance(structure, Choice):
        return [structure]
    if not isinstance(structure, list | tuple):
        return []
    each = {id(found): found for item in plain_items(structure) for found in choices_in(item)}
    return list(each.values())


def holds_choice(structure: Any) -> bool:
    return choice_in(structure) is not None


def _mapped(structure: Any, change: Callable[[Any], Any]) -> Any:
    """A structure of the changed parts, a plain list or dict for one of a subclass."""
    if isinstance(structure, list | dict):
        structure = dict(structure) if isinstance(structure, dict) else list(plain_items(structure))
    return mapped(structure, change)


def with_part(structure: Any, part: Any, value: Any) -> Any:
    """A structure in which ``value`` stands for ``part``."""
    if structure is part:
        return value
    if choice_in(structure) is None:
        return structure
    return _mapped(structure, lambda one: with_part(one, part, value))


def taken_by_run(structure: Any) -> Any:
    """A structure in which a run takes the one of several values that it has by then."""
    if isinstance(structure, Choice):
        return Make(objects.one_of, (structure.tag, *map(taken_by_run, structure.values)))
    return _mapped(structure, taken_by_run)


if TYPE_CHECKING:
    from runtime.tracer.builder import Builder

#: by the tag of a choice: the positions that it may be at
Fact = dict[Value, frozenset[int]]


def both(a: Fact, b: Fact) -> Fact:
    """What is known where either fact holds, and the other too."""
    return {**a, **b} | {tag: a[tag] & b[tag] for tag in a.keys() & b.keys()}


def either(facts: Sequence[Fact]) -> Fact:
    """What is known where one of the facts holds, or another."""
    first, *others = facts or ({},)
    for other in others:
        first = {tag: positions | other[tag] for tag, positions in first.items() if tag in other}
    return first


class Implied:
    """What the tests of one trace imply, and what holds in the blocks that are open."""

    def __init__(self, trace: Builder) -> None:
        self.trace = trace
        self.known: dict[Block, Fact] = {}
        self.asked: set[Value] = set()  # the tags on which there are branches
        self._implied: dict[Value, tuple[Fact, Fact]] = {}  # where the test is true, and where it is false
        self._truths: dict[Value, Value] = {}  # what a test is the truth of

    # -- what is known ----------------------------------------------------------------------------------

    def positions(self, choice: Choice) -> Collection[int]:
        """Those of the values of ``choice`` that it may be, here; where no run comes by, all of them."""
        left: Collection[int] = range(len(choice.values))
        if self.known and isinstance(choice.tag, Staged):
            blocks = self.trace.blocks
            for block in blocks[: blocks.index(blocks[-1]) + 1]:  # an outer one may be filled just now
                fact = self.known.get(block)
                if fact is not None and choice.tag.value in fact:
                    left = [position for position in left if position in fact[choice.tag.value]]
        return left or range(len(choice.values))

    @contextmanager
    def within(self, block: Block, test: Value, holds: bool) -> Iterator[None]:
        """``block`` runs where the test came out so."""
        self.known[block] = self.where(test, holds)
        try:
            yield
        finally:
            del self.known[block]

    def learn(self, test: Value, holds: bool) -> None:
        """The rest of the block that is filled runs only where the test came out so."""
        block = self.trace.block
        self.known[block] = both(self.known.get(block, {}), self.where(test, holds))

    @contextmanager
    def nothing(self) -> Iterator[None]:
        """What is traced is called from elsewhere, too."""
        self.known, before = {}, self.known
        try:
            yield
        finally:
            self.known = before

    def where(self, test: Value, holds: bool) -> Fact:
        return self._implied.get(test, ({}, {}))[not holds]

    # -- what tests say ---------------------------------------------------------------------------------

    def note_position(self, test: Any, choice: Choice, position: int) -> None:
        """The test asks whether the choice is at this position."""
        self.asked.add(choice.tag.value)
        others = frozenset(range(len(choice.values))) - {position}
        self._implied[test.value] = ({choice.tag.value: frozenset({position})}, {choice.tag.value: others})

    def note_truth(self, test: Staged, of: Staged) -> None:
        """The test is the truth of another value."""
        self._truths[test.value] = of.value
        if of.value in self._implied:
            self._implied[test.value] = self._implied[of.value]

    def note_opposite(self, test: Staged, of: Staged) -> None:
        """The test is true where another one is false."""
        if of.value in self._implied:
            self._implied[test.value] = self._implied[of.value][::-1]

    def note_joined(self, test: Value, joined: Staged, ends: Sequence[tuple[Any] | None]) -> None:
        """``joined`` is what the paths left where ``test`` is true, and where not; None: that path ended."""
        if joined.type == BOOL or joined.type == ScalarType(np.dtype(np.bool_)):
            facts = tuple([either(self._ways(test, ends, wanted)) for wanted in (True, False)])
            if any(facts):
                self._implied[joined.value] = (facts[0], facts[1])

    def _ways(self, test: Value, ends: Sequence[tuple[Any] | None], wanted: bool) -> list[Fact]:
        """What is known on each path that may have left this truth."""
        found = []
        for holds, end in zip((True, False), ends, strict=True):
            if end is None:
                continue
            (value,) = end
            if isinstance(value, Staged):
                is_test = value.value in (test, self._truths.get(test))
                if not is_test or holds is wanted:
                    found.append(both(self.where(test, holds), self.where(value.value, wanted)))
            elif not isinstance(value, bool | np.bool_) or bool(value) is wanted:
                found.append(self.where(test, holds))
        return found


def narrowed(choice: Choice, fact: Fact | None = None) -> Any:
    """What the choice holds, where the tests around (and a fact) leave only one value; else itself."""
    builder: Any = current()
    left = list(builder.implied.positions(choice)) if hasattr(builder, "implied") else []
    if fact is not None and isinstance(choice.tag, Staged):
        left = [position for position in left if position in fact.get(choice.tag.value, left)]
    if len(left) == 1 and not isinstance(choice.values[left[0]], Undefined):
        return choice.values[left[0]]
    return choice
