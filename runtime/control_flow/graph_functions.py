"""A function of the graph under construction: the kinds of its arguments, what it reads and changes besides.

And a call of a user's function that is being traced.

A *parameter* is a static place that the function changes, or that was changed before it calls itself. Each
call takes what the place holds as an argument and, where the function changes it, gives the new value back.
All others hold for every call what they held when the function was traced: that is checked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import field, replace
from types import CellType, CodeType
from typing import TYPE_CHECKING, Any

from autograph.records import record
from runtime.control_flow.joins import hint_of
from runtime.graph import Block
from runtime.heap.places import StaticPlace
from runtime.heap.shadow import Change, Moment
from runtime.specs.spec import Const, Leaf, Spec, Tuple, Variant, generalise, leaf_types, same_constant
from runtime.tracer.cells import cells_of, contents_of
from runtime.tracer.spec import Choice, join, spec_of
from runtime.tracer.static_places import IteratorPlace, Variable, made_in_trace
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


def origin_of(function: Any) -> Any:
    """What tells functions of one code apart, as those that one decorator makes.

    One that was made outside is known by itself. One that was made inside is made anew in each call of the
    function around: what its closure holds tells.
    """
    return None if made_in_trace(function) else function


@record(slots=False, frozen=False, eq=False)
class Activation:
    """A call that is being traced: inlined, or the body of a graph function."""

    code: CodeType
    origin: Any  # `origin_of` the function
    frames: int  # how deep in staged control flow
    arguments: tuple[tuple[Any, ...], dict[str, Any]]


@record(slots=False, frozen=False, eq=False)
class GraphFunction:
    """One function of the graph under construction: a user's function for one kind of arguments."""

    name: str
    code: CodeType
    origin: Any  # `origin_of` it
    arguments: Spec  # of those without a name, and of those with one
    keywords: tuple[str, ...]  # the names
    state: FunctionState
    frames: int  # how deep in staged control flow its body begins
    result: Spec | None = None  # None: it never returns, as far as known
    used: bool = False  # called while in work
    in_work: bool = True
    body: Block = field(default_factory=Block)

    def params(self) -> list[tuple[Any, str]]:
        """Types and names of its parameters: those of the user's function, then those of its state."""
        params = _params(self.arguments, self.code.co_varnames, self.keywords)
        return params + _types(self.state.parameters.values())

    def outputs(self, result: Spec) -> list[tuple[Any, str]]:
        """Types and names of what a call gives: the result, then the places that it writes."""
        return [(t, "") for t in leaf_types(result)] + _types(self.written)

    @property
    def written(self) -> list[Parameter]:
        return [one for one in self.state.parameters.values() if one.written]


def _types(parameters: Iterable[Parameter]) -> list[tuple[Any, str]]:
    return [(t, hint_of(p.place.name, p.spec)) for p in parameters for t in leaf_types(p.spec)]


def _params(spec: Spec, names: tuple[str, ...], keywords: tuple[str, ...]) -> list[tuple[Any, str]]:
    """Types and names of a function's parameters."""
    assert isinstance(spec, Tuple)
    args, kwargs = spec.items
    assert isinstance(args, Tuple) and isinstance(kwargs, Tuple)
    named = [
        *zip((*names, *[""] * len(args.items)), args.items, strict=False),
        *zip(keywords, kwargs.items, strict=True),
    ]
    return [(t, hint_of(name, part)) for name, part in named for t in leaf_types(part)]
