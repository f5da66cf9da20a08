"""The lists, deques, sets and dicts of a trace: references to those of a run (`staged/containers.py`).

A *site* is a place in the program that makes containers (a code object and an instruction), or the path of
one from outside. What a site's containers hold is a spec, which grows from one attempt to the next, until
nothing new is put in (`Decisions.containers`).
"""

from __future__ import annotations

import sys
from collections import defaultdict, deque
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import replace
from functools import cached_property, reduce
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from autograph.errors import user_frame
from runtime import tensor
from runtime.graph import Operation, Value, walk
from runtime.guards.paths import Constant
from runtime.heap.places import is_outside
from runtime.heap.shadow import UNKNOWN, ShadowHeap
from runtime.objects import compared_by_runs
from runtime.objects.container_data import Look, is_long, parts_of
from runtime.ops.item_patterns import KINDS, SPECIAL_DICTS, same_again
from runtime.ops.methods import METHODS, is_literal
from runtime.ops.template import Hole, Make, Template, mapped
from runtime.specs import readers
from runtime.specs.spec import Const, Leaf, Opaque, Spec, Tuple, Variant, generalise
from runtime.staged import containers as staged_containers
from runtime.tracer import known_items
from runtime.tracer.builder import Staged
from runtime.tracer.decisions import MAX_COST_WITH_LISTS, Decisions, Kept, Restart
from runtime.tracer.elements import (
    NESTED,
    element_found,
    element_of,
    element_of_all,
    element_of_key,
    is_opaque,
    join_elements,
    nests_deeper,
    of_run,
    opaque_in,
    require_key,
    require_readable,
    with_containers_joined,
)
from runtime.tracer.flattening import rebuild
from runtime.tracer.spec import Choice, choice_in, is_boxed, is_run_time, make_template
from runtime.tracer.static_places import made_in_trace
from runtime.types import INT, ContainerType, InstanceType, Type

if TYPE_CHECKING:
    from runtime.guards.paths import Path
    from runtime.tracer.trace import Trace


#: the key's spec (of a dict) and the item's spec of what a site makes
Elements = tuple[Spec | None, Spec | None]
#: so many operations a trace may still make that is known to be void
MAX_OPERATIONS_IN_VAIN = 50
#: so deep may lists, dicts and tuples lie within each other in a container of the run
MAX_NESTING = 12


class Containers:
    """The containers of one trace."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self.elements: dict[Any, Elements] = dict(trace.decisions.containers)
        self.data: dict[Path, Any] = {}  # the long containers from outside that a run knows (data.py), ...
        self.item_by_item = set(trace.decisions.item_by_item)  # ... and those that the trace knows after all
        self.used: set[Any] = set()  # sites whose elements are part of a type already
        self.widened = False  # are elements wider than types in the graph say? Then the attempt is void
        self.factories: dict[Any, Any] = {}  # site -> what its defaultdicts make for a new key
        self.at_end: list[tuple[Operation, Callable[[], None]]] = []  # what all functions must be known for

    @cached_property
    def methods(self) -> compared_by_runs.RunTimeMethods:
        return compared_by_runs.RunTimeMethods(self.trace)

    # -- sites ----------------------------------------------------------------------------------------

    def here(self) -> Any:
        """The place in the user's code that runs now."""
        frame = user_frame(sys._getframe(1))
        return (frame.f_code, frame.f_lasti) if frame is not None else None

    def born(self, container: Any, site: Any = None) -> Any:
        """The reference for a container that was just made; anything else as it is."""
        if type(container) not in KINDS:
            return container
        site = self.here() if site is None else site
        if site not in self.elements:
            self.elements = {**self.elements, site: (None, None)}
        return self.make(container, site)

    def known_from_outside(self, container: Any, items: list[Any] | dict[Any, Any], path: Path) -> Any:
        """A list or dict from outside whose items the trace knows: ``items`` stand for them."""
        kinds = map(element_found, _items_of(container), _items_of(items))
        keys = map(element_of_key, items if isinstance(items, dict) else ())
        self.admit(frozenset({path}), joined_elements(kinds), joined_elements(keys))
        value = self.trace.outside.typed_input(path, self.type_at(type(container).__name__, path))
        self.trace.heap.origins.meet_outside(value)
        known_items.learn_entry(self.trace.heap, value, items, self.trace.references.can_be_fact)
        return self.trace.wrap(value)

    def begins_as_data(self, value: Any, path: Path) -> bool:
        """Is the container at ``path`` one of the run from the beginning of the trace on? (See data.py.)"""
        return (path in self.trace.decisions.data or is_long(value)) and self.take_as_data(value, path)

    def take_as_data(self, value: Any, path: Path) -> bool:
        """Make the container at ``path`` one of the run, where it can be one."""
        trace, look = self.trace, Look(self.trace.references.can_be_reference)
        is_required, is_known = path in trace.decisions.data, look.admits(value)
        if not is_required and (not is_known or path in self.item_by_item):
            self.item_by_item.add(path)
            return False
        self.data[path] = value
        new = [("instances", cls) for cls in look.classes if not trace.references.is_real(cls)]
        for member in look.members.values():  # whose attributes are guarded then
            trace.outside.import_value(member, Constant(member, f"{type(member).__name__}.{member._name_}"))
        are_met = any(("instances", type(one)) in new for one in trace.outside.known_objects())
        self.elements = {**dict.fromkeys(new, (None, None)), **self.elements}
        if are_met:
            self.restart(self.elements, f"`{path}` is a long {type(value).__name__}, whose items a run knows")
        self.outside_type(value, path)
        return True

    def require_items(self, sites: frozenset[Any]) -> None:
        """Begin again with these containers known item by item; returns where they are no data, or long."""
        if sites <= self.data.keys():
            known = self.trace.decisions.with_items_known({site: self.data[site] for site in sites})
            if known is not None:
                raise Restart(known, "the items of a list are needed one by one")

    def require_data(self, path: Path, reason: str) -> None:
        """Begin again with the container at ``path`` one whose items a run knows; returns where it is one."""
        decisions = self.trace.decisions
        if path not in decisions.data:
            data = decisions.data | {path}
            raise Restart(replace(decisions, data=data, containers=self.elements), reason)

    def prefer_unrolled(self) -> None:
        """Begin again with the loop unrolled in which the items of a list are known no more, if that is not
        too dear: they may be so only because the loop was staged."""
        decisions = self.trace.decisions
        for loop in reversed(list(self.trace.loops)):
            if decisions.dear.get(loop.site, MAX_COST_WITH_LISTS + 1) <= MAX_COST_WITH_LISTS:
                reason = "a list would have to be one of which only a run knows the items"
                raise Restart(decisions.with_unrolled(loop.site, Kept(reason), loop.inside), reason)

    def unite(self, a: Type, b: Type) -> None:
        """Two containers of a kind stand for the same variable: let both hold what either holds."""
        if isinstance(a, ContainerType) and isinstance(b, ContainerType) and a.name == b.name:
            if (a.element, a.key) != (b.element, b.key):
                sites = a.sites | b.sites
                self.admit(sites, join_elements(a.element, b.element), join_elements(a.key, b.key))

    def restart(self, elements: dict[Any, Elements], reason: str) -> NoReturn:
        raise Restart(replace(self.trace.decisions, containers=elements), reason)

    # -- elements -------------------------------------------------------------------------------------

    def type_at(self, kind: str, site: Any) -> ContainerType:
        """The type of what a site makes."""
        self.used.add(site)
        key, element = self.elements[site]
        return ContainerType(kind, self.current(element), frozenset({site}), self.current(key))

    def current(self, spec: Spec | None) -> Spec | None:
        """A spec in which containers hold what is known of their sites by now."""
        if isinstance(spec, Leaf) and isinstance(spec.type, ContainerType):
            key, element = spec.type.key, spec.type.element
            for site in spec.type.sites:
                self.used.add(site)
                known_key, known = self.elements.get(site, (None, None))
                key, element = join_elements(key, known_key), join_elements(element, known)
            return Leaf(replace(spec.type, element=self.current(element), key=self.current(key)))
        if isinstance(spec, Tuple):
            return Tuple(tuple([self.current(item) for item in spec.items]), spec.cls)  # type: ignore[misc]
        if isinstance(spec, Variant):
            return Variant(tuple([self.current(item) for item in spec.alternatives]))  # type: ignore[misc]
        return spec

    def admit(self, sites: frozenset[Any], element: Spec | None, key: Spec | None = None) -> None:
        """Items of this spec are put into containers of these sites; begin again where that is new."""
        if any(map(is_outside, sites)):
            self.check_stored_outside(element)
        wider = dict(self.elements)
        for site in sites:
            self._widen(wider, site, key, element)
        changed = {site for site in wider if wider[site] != self.elements.get(site)}
        if changed & self.used:
            self.widened = True
            self.trace.budget = min(self.trace.budget, MAX_OPERATIONS_IN_VAIN)
        self.elements = wider

    def check_valid(self) -> None:
        """Begins the trace again where more is known by now than it was made with."""
        if self.widened:
            raise Restart(self.trace.decisions, "an item of another kind is put into a container")
        if self.at_end:
            bodies = (self.trace.body, *(function.body for function in self.trace.calls.functions))
            there = {id(operation) for body in bodies for operation in walk(body)}
            for loop, check in self.at_end:
                if id(loop) in there:  # else it is of a body that was traced again
                    check()

    def learned(self) -> Decisions:
        """What a void attempt, which ended as it may, found out about containers: all of it that counts."""
        return replace(self.trace.decisions, containers=self.elements)

    def _widen(self, wider: dict[Any, Elements], site: Any, key: Spec | None, element: Spec | None) -> None:
        known_key, known = wider.get(site, (None, None))
        key, element = (
            NESTED if _holds(part, site) or nests_deeper(part, MAX_NESTING) else part
            for part in (join_elements(known_key, key), join_elements(known, element))
        )
        if (key, element) == (known_key, known) and site in wider:
            return
        wider[site] = key, element
        self._widen_inner(wider, key)
        self._widen_inner(wider, element)

    def _widen_inner(self, wider: dict[Any, Elements], spec: Spec | None) -> None:
        """Containers in a container: those that meet there hold the same."""
        if isinstance(spec, Leaf) and isinstance(spec.type, ContainerType):
            for site in spec.type.sites:
                self._widen(wider, site, spec.type.key, spec.type.element)
            return
        for part in parts_of(spec):
            self._widen_inner(wider, part)

    def _required_key(self, key: Any) -> Any:
        """What is a key is to be one of the run."""
        if self.trace.outside.is_outside(key):
            self.trace.references.require(key)
        require_key(key)
        return key

    # -- making ---------------------------------------------------------------------------------------

    def make(self, container: Any, site: Any) -> Any:
        """A reference to a real container with the items of ``container``."""
        if isinstance(container, list | dict) and choice_in(container) is not None:
            empty = container.copy()
            empty.clear()
            made = self.make(empty, site)  # each by itself: there are as many as combinations
            for key, item in container.items() if isinstance(container, dict) else enumerate(container):
                made.append(item) if type(container) is list else made.__setitem__(key, item)
            self.learn_items(made.value, container)
            return made
        element = joined_elements(element_of(value) for value in _items_of(container))
        keys = map(self._required_key, container if isinstance(container, dict) else ())
        self.admit(frozenset({site}), element, joined_elements(map(element_of, keys)))
        if isinstance(container, defaultdict):
            self.factories[site] = container.default_factory
        structure = container if type(container) in (list, dict) else _made_again(container)
        made = self.new("list.new", structure, type(container).__name__, site)
        again = same_again(container) if type(container) is set else None
        if again is not None:
            self.trace.heap.learn_members(made.value, again())
        return made

    def tuple_type(self, kinds: list[Tuple], site: Any) -> ContainerType:
        """The type of tuples of these kinds, of which a run knows the length."""
        items = (generalise(item) for kind in kinds for item in kind.items)
        self.admit(frozenset({site}), joined_elements(items))
        return self.type_at("tuple", site)

    def tuple_of_run(self, items: tuple[Any, ...], type: ContainerType) -> Any:
        """A tuple that the trace knows, as one of which a run knows the length."""
        for item in items:
            self.admit(type.sites, element_of(item))
        return self.new("list.new", items, "tuple", next(iter(type.sites)))

    def new(self, operation: str, structure: Any, kind: str, site: Any) -> Any:
        """Append an operation that makes a container; ``structure`` holds its arguments."""
        if choice_in(structure) is not None:
            return staged_containers.without_choices(
                (structure,), lambda one: self.new(operation, one, kind, site)
            )
        self._require_readable(operation, structure if type(structure) is tuple else (), structure)
        template, leaves = make_template(boxed_again(of_run(structure)))
        self.methods.check(operation, leaves)
        attributes: dict[str, Any] = {"type": self.type_at(kind, site)}
        if is_literal(operation) or not in_a_row(template):
            attributes["template"] = template
        trace = self.trace
        values = tuple([trace.value_of(leaf) for leaf in leaves])
        held = self._held_by(operation, structure)
        if held is not None and not is_literal(operation):
            attributes["certain"] = True
        made = trace.append(Operation(operation, values, (attributes["type"],), attributes)).output
        self.learn_items(made, held)
        return trace.wrap(made)

    def _held_by(self, operation: str, structure: Any) -> Any:
        """What a list or dict holds that an operation makes of these arguments, where that is known."""
        if is_literal(operation):
            return known_items.limited(structure) if type(structure) in (list, dict) else None
        effect = self.effect(operation, structure)
        return None if effect is None else effect.items

    def learn_items(self, items: Value, values: Any) -> None:
        known_items.learn_items(self.trace.heap, items, values, self.trace.references.can_be_fact)

    def perform(self, operation: str, args: tuple[Any, ...], element: Any = NotImplemented) -> Any:
        """Append an operation on containers; its result is an item, where ``element`` says of which spec."""
        if choice_in(args) is not None:
            return self._perform_each(operation, args, element)
        place = place_of_item(self.trace.heap, operation, args)
        stores = operation in ("list.setitem", "dict.setitem")
        known = UNKNOWN if place is None or stores else self.trace.heap.item(*place)
        if known is not UNKNOWN:
            self.trace.references.verify("list.verify", args, known)
            return known
        if operation in _OF_ONE_ITEM and not known_items.is_place(args[1]):
            if known_items.known_items(self.trace.heap, args[0]) is not None:
                self.prefer_unrolled()
        effect = self.effect(operation, args)
        leaves, attributes = self.operands(operation, args)
        self.methods.check(operation, leaves)
        if operation == "dict.setitem" and place is not None and self.trace.heap.has_key(*place):
            attributes["replaces"] = True
        if effect is not None and effect.items is not None and METHODS[operation].may_raise:
            attributes["certain"] = True
        reader = None
        taken = UNKNOWN if effect is None else effect.taken
        if element is not NotImplemented and (taken is UNKNOWN or self._is_read_plainly(element)):
            element = self.readable(element)
            reader = attributes["reader"] = readers.Reader(element)
        trace = self.trace
        values = tuple([trace.value_of(leaf) for leaf in leaves])
        types = () if reader is None else reader.types
        made = trace.append(Operation(operation, values, types, attributes))
        item = args[-1] if reader is None else None
        if element is None:  # nothing was ever put in: this raises
            trace.end_path()
        if reader is not None:
            item = rebuild(element, iter(made.outputs), trace, from_adapt=False)
        if place is not None and trace.references.can_be_fact(item):
            trace.heap.learn_item(*place, item)
        if effect is not None:
            self.learn_items(values[0], effect.items)
            if effect.taken is not UNKNOWN:
                return effect.taken
        return None if reader is None else item

    def _perform_each(self, operation: str, args: tuple[Any, ...], element: Any) -> Any:
        """``perform`` for each of the values that an argument may be; what a container holds then is known
        as well as where there is one."""
        effect = self.effect(operation, args)
        made = staged_containers.without_choices(
            args, lambda *values: self.perform(operation, values, element)
        )
        if effect is not None:
            self.learn_items(args[0].value, effect.items)
        return made

    def _is_read_plainly(self, element: Spec | None) -> bool:
        """Has a run no doubt what the item is, so that it may read one that the trace knows as well?"""
        return opaque_in(element, False) is None and with_containers_joined(element) == element

    def readable(self, element: Spec | None) -> Spec | None:
        """The spec of an item that a run reads. Lists that it may be come to hold the same from here on.

        Raises StagingError where a run cannot have it.
        """
        joined = with_containers_joined(element)
        if joined != element:
            for kind in joined.alternatives if isinstance(joined, Variant) else (joined,):
                if isinstance(kind, Leaf) and isinstance(kind.type, ContainerType):
                    self.admit(kind.type.sites, kind.type.element, kind.type.key)
        require_readable(joined)
        return joined

    def effect(self, operation: str, args: tuple[Any, ...]) -> known_items.Effect | None:
        """What a method does to a list whose items the trace knows."""
        try:
            return known_items.effect_of(self.trace.heap, operation, args)
        except (LookupError, TypeError, ValueError):  # which a run raises
            return None

    def operands(self, operation: str, args: tuple[Any, ...]) -> tuple[list[Any], dict[str, Any]]:
        """The inputs of an operation for these arguments, and its ``template`` where they are structures."""
        self._require_readable(operation, args, args)
        if operation.startswith("dict.") and len(args) > 1:
            self._required_key(args[1])
        args = boxed_again(of_run(args))
        if all(is_run_time(arg) or isinstance(arg, np.generic) or type(arg) in _PLAIN for arg in args):
            return list(args), {}
        template, leaves = make_template(args)
        return leaves, {} if in_a_row(template) else {"template": template}

    def _require_readable(self, operation: str, args: tuple[Any, ...], structure: Any) -> None:
        """Refuse an operation that looks at what no run has: at items, or at an argument that is none."""
        row = METHODS.get(operation)
        if not (operation.startswith("str.") if row is None else row.looks_at_items):
            return
        for arg in args:
            if isinstance(arg, Staged) and isinstance(arg.type, ContainerType):
                require_readable(self.current(Leaf(arg.type)), in_containers=True)
            elif is_opaque(arg) and not isinstance(arg, slice):
                require_readable(element_of(arg))

    def check_leaves(self, value: Staged) -> None:
        """Refuse what leaves the trace, a result say, and holds what no run can have."""
        self.check_stored_outside(Leaf(value.type))

    def check_stored_outside(self, spec: Spec | None) -> None:
        """Refuse what no run can have, in what is put into something that was there before the call."""
        opaque = self._not_in_run(spec)
        if opaque is not None:
            raise self.trace.refuse(
                f"{opaque.what} is kept outside the function, and belongs to the trace that made it",
                opaque.hint,
            )
        kinds = (one.type for one in self.reached(spec, set()) if isinstance(one, Leaf))
        sites = (site for kind in kinds if isinstance(kind, ContainerType) for site in kind.sites)
        if any(made_in_trace(self.factories.get(site)) for site in sites):
            raise self.trace.refuse(
                "a defaultdict is kept outside the function, and a function made inside makes its items",
                "define that function outside, or return dict(...) of it",
            )

    def _not_in_run(self, spec: Spec | None) -> Opaque | None:
        """What a run has None for, in all that a value of this spec refers to."""
        held = self.reached(spec, set())
        facts = (one.value for one in held if isinstance(one, Const) and isinstance(one.value, Opaque))
        return next((fact for fact in facts if not fact.is_in_run), None)

    def classes_in(self, kind: Type) -> set[type]:
        """The classes of the objects that are in a container of this type, however deep."""
        held = [*self.reached(Leaf(kind), set())]
        found = {one.type.cls for one in held if isinstance(one, Leaf) and isinstance(one.type, InstanceType)}
        opaque = [one.value.cls for one in held if isinstance(one, Const) and isinstance(one.value, Opaque)]
        return found.union(cls for cls in opaque if cls is not None)

    def holds_opaque(self, value: Any) -> bool:
        """Is it something that no run can have, or may it hold such a thing, however deep?"""
        if isinstance(value, Staged):
            return self._not_in_run(Leaf(value.type)) is not None
        if isinstance(value, tuple | Choice):
            return any(map(self.holds_opaque, value.values if isinstance(value, Choice) else value))
        return is_opaque(value)

    def reached(self, spec: Spec | None, seen: set[type]) -> Iterator[Spec]:
        """This spec, and those of all that a value of it refers to; ``seen``: classes to leave out."""
        parts: Iterable[Spec | None] = parts_of(self.current(spec))
        if isinstance(spec, Leaf) and isinstance(spec.type, InstanceType):
            if spec.type.cls in seen:
                return
            seen.add(spec.type.cls)
            parts = self.trace.references.specs_of([spec.type.cls])[spec.type.cls].values()
        if spec is not None:
            yield spec
        for part in parts:
            yield from self.reached(part, seen)

    def outside_type(self, container: Any, path: Any) -> ContainerType:
        """The type of a container from outside, from what it holds now."""
        key = element_of_all(container, path) if isinstance(container, dict) else None
        self.admit(frozenset({path}), element_of_all(_items_of(container), path), key)
        return self.type_at(type(container).__name__, path)


def place_of_item(heap: ShadowHeap, operation: str, args: tuple[Any, ...]) -> tuple[Value, Any] | None:
    """The list and the index, or the dict and the key, where an operation reads or stores one item."""
    if operation not in _OF_ONE_ITEM or not isinstance(args[0], Staged):
        return None
    items, index = args[0], args[1]
    if not isinstance(items.type, ContainerType) or items.type.name != operation.partition(".")[0]:
        return None
    if items.type.name == "dict":
        return (items.value, index) if known_items.is_place(index) else None
    if type(index) is int:
        length = heap.length(items.value) if index < 0 else None
        return items.value, index if length is None else index + length
    return (items.value, index.value) if isinstance(index, Staged) and index.type == INT else None


_OF_ONE_ITEM = frozenset({"list.getitem", "list.setitem", "dict.getitem", "dict.setitem"})


def _items_of(container: Any) -> Collection[Any]:
    return container.values() if isinstance(container, dict) else container


def joined_elements(kinds: Iterable[Spec | None]) -> Spec | None:
    """What holds all of these kinds of items."""
    return reduce(join_elements, kinds, None)


def _holds(element: Spec | None, site: Any) -> bool:
    """Is a container that this site makes an item, or an item of an item?"""
    if isinstance(element, Leaf) and isinstance(element.type, ContainerType) and site in element.type.sites:
        return True
    return any(_holds(part, site) for part in parts_of(element))


def boxed_again(structure: Any) -> Any:
    """A structure in which a run makes a Tensor where there is a staged one, and has its own exceptions."""
    if isinstance(structure, Staged):
        if not is_boxed(structure):
            return structure
        return Make(tensor.Tensor, (structure._array,))  # type: ignore[attr-defined]
    if type(structure) in (tuple, list, dict):
        return mapped(structure, boxed_again)
    if type(structure) in (set, deque, *SPECIAL_DICTS):  # as it is now: the program may change it later
        return _made_again(structure)
    if isinstance(structure, Make):
        return Make(structure.function, boxed_again(structure.args), structure.kwargs)
    return structure


def _made_again(container: Any) -> Make:
    """Makes a deque, a set or a special dict like this one, a set in the same order where that is found."""
    kind, items = type(container), list(container)
    again = same_again(container) if kind is set else None
    if again is not None and list(set(items)) != items:
        return Make(again)
    args: tuple[Any, ...] = (boxed_again(dict(container) if isinstance(container, dict) else items),)
    if isinstance(container, defaultdict):
        factory = container.default_factory
        args = (None if made_in_trace(factory) else factory, *args)
    elif isinstance(container, deque):
        args = (*args, container.maxlen)
    return Make(kind, args)


_PLAIN = frozenset({bool, int, float, complex, str, type(None)})


def in_a_row(template: Template) -> bool:
    """Does it stand for the tuple of its values?"""
    structure = template.structure
    return type(structure) is tuple and all(
        isinstance(part, Hole) and part.index == position for position, part in enumerate(structure)
    )
