"""The kinds of the arguments of a graph function, and what it reads and changes besides: attributes, globals,
variables around it.

A *parameter* is a static place that the function changes, or that was changed before it calls itself. Each
call takes what the place holds as an argument and, where the function changes it, gives the new value back.
All others hold for every call what they held when the function was traced: that is checked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from types import CellType
from typing import TYPE_CHECKING, Any

from autograph.records import record
from runtime.graph import Block
from runtime.heap.places import StaticPlace
from runtime.heap.shadow import Change, Moment
from runtime.specs.spec import Const, Leaf, Spec, Variant, generalise, leaf_types, same_constant
from runtime.tracer.cells import cells_of, contents_of
from runtime.tracer.spec import Choice, join, spec_of
from runtime.tracer.static_places import IteratorPlace, Variable
from runtime.types import STR, ArrayType

if TYPE_CHECKING:
    from runtime.tracer.trace import Trace


@record(slots=False, frozen=False, eq=False)
class Parameter:
    """One of them, with the spec of all that it may hold. ``written``: calls give it another value."""

    place: StaticPlace
    spec: Spec
    written: bool = False


class FunctionState:
    """The parameters of one graph function, and what all other places held when it was traced."""

    def __init__(self, trace: Trace, cells: list[tuple[str, CellType]]) -> None:
        self.trace = trace
        self.parameters: dict[StaticPlace, Parameter] = {}
        self.changed = False  # since the body's trace began
        self.cells = {id(cell): trace.shared.place_of(name, cell) for name, cell in cells}
        self.made: Moment = trace.heap.moment()
        self.known: dict[StaticPlace, Any] = {place: place.content() for place in self.cells.values()}
        self.known |= dict(trace.heap.static_facts())
        self.head = self.made  # of the body

    def holds_now(self) -> bool:
        """Does everything but the parameters still hold what it held?"""
        heap = self.trace.heap
        for cell in self.cells.values():
            self.trace.shared.learn(cell)
        for place in dict.fromkeys([*self.known, *heap.static_facts()]):
            if isinstance(place, Variable) and place.path is None and id(place.cell) not in self.cells:
                continue  # the function has no cell of that variable
            known = self.known[place] if place in self.known else heap.held_at_entry(place)
            if place not in self.parameters and not same_value(heap.held(place), known):
                return False
        return all(
            one.spec == join(one.spec, self.spec(heap.held(one.place))) for one in self.parameters.values()
        )

    def spec(self, value: Any) -> Spec:
        return staged_numbers(spec_of(value))

    def learn(self, place: StaticPlace, *values: Any, written: bool = False) -> None:
        """It is a parameter, which may hold these values; notes what is new."""
        if isinstance(place, IteratorPlace):
            raise self.trace.refuse(
                f"a recursive function changes {place.name}", "keep its values in an array", place.name
            )
        known = self.parameters.get(place)
        if known is None:
            known = self.parameters[place] = Parameter(place, self.spec(values[0]), written)
            self.changed = True
        spec = known.spec
        for value in values:
            spec = join(spec, self.spec(value))
        if spec != known.spec or (written and not known.written):
            known.spec, known.written = spec, written or known.written
            self.changed = True

    # -- the body ---------------------------------------------------------------------------------------

    def enter(self, heads: Iterator[Any]) -> None:
        """The body begins: the parameters hold what a call starts with."""
        self.changed = False
        for place in self.parameters:
            self.trace.heap.hold(place, next(heads))
        self.head = self.trace.heap.moment()

    def stored(self, block: Block) -> Iterator[Change]:
        """What a block of the body has stored to static places that are not its own."""
        return self.trace.heap.stored_on_paths(self.head, self.made.references, [block])


def same_value(a: Any, b: Any) -> bool:
    return a is b or same_constant(a, b)


# -- the kinds of its arguments ------------------------------------------------------------------------------


def has_staged(args: tuple[Any, ...], kwargs: dict[str, Any], function: Any) -> bool:
    """Does a call depend on anything that is known only at run time?"""
    cells = [contents_of(cell) for _, cell in cells_of((function,))]
    return any(map(_is_staged, (*args, *kwargs.values(), *cells)))


def _is_staged(value: Any) -> bool:
    return isinstance(value, Choice) or bool(leaf_types(spec_of(value)))


def any_number(spec: Spec) -> Spec:
    """The spec with any number or string in place of each one, and arrays of any lengths."""
    if isinstance(spec, Const):
        if type(spec.value) is str:
            return Leaf(STR)
        return spec if isinstance(spec.value, bool) else generalise(spec)
    if isinstance(spec, Leaf) and isinstance(spec.type, ArrayType):
        return replace(spec, type=ArrayType(spec.type.dtype, (None,) * spec.type.ndim))
    return _mapped(spec, any_number)


def staged_numbers(spec: Spec) -> Spec:
    """Numbers that are known on one path are staged: other paths, and other calls, give others."""
    return generalise(spec) if isinstance(spec, Const) else _mapped(spec, staged_numbers)


def _mapped(spec: Spec, change: Callable[[Spec], Spec]) -> Spec:
    if isinstance(spec, Leaf | Const):
        return spec
    if isinstance(spec, Variant):
        found = change(spec.alternatives[0])
        for alternative in spec.alternatives[1:]:
            found = join(found, change(alternative))
        return found
    return replace(spec, items=tuple(map(change, spec.items)))
