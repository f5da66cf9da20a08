"""Values of the same variables from several blocks, brought to one: what a branch or an iteration leaves.

`spec.py` says how two values join; here it is decided what is a structure, what an object known by identity,
and what cannot be chosen at run time.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from types import FunctionType
from typing import Any

from runtime.control_flow.carried_parts import own_values
from runtime.graph import Block, Operation, Value
from runtime.iteration.indexed import Indexed
from runtime.iteration.ranges import parts_of_views, range_parts
from runtime.ops.instances import attributes
from runtime.ops.item_patterns import KINDS
from runtime.ops.template import plain_items, tuple_of
from runtime.specs.spec import Const, Object, Spec, Tuple, Variant, leaf_types
from runtime.tracer import reached
from runtime.tracer.builder import Staged
from runtime.tracer.captures import UNSHARED, references
from runtime.tracer.cells import is_left_behind
from runtime.tracer.flattening import adapt, rebuild
from runtime.tracer.spec import Choice, Identity, Made, join, spec_of
from runtime.tracer.trace import Trace
from runtime.tracer.trace_globals import made_in_trace

#: where a variable holds one of more sets, deques or the like, as iterations make them, they are real ones
MAX_CHOSEN_SETS = 2


class Joined:
    """Values of the same variables from several blocks, and the specs that hold them all."""

    def __init__(
        self,
        trace: Trace,
        names: tuple[str, ...],
        alternatives: Sequence[Sequence[Any]],
        before: tuple[Any, ...] | None = None,
    ) -> None:
        """``before``: what the variables held before; None for slots, whose values are copies."""
        self.trace = trace
        self.names = names
        self.alternatives = [list(values) for values in alternatives]
        self.kept: list[bool] = []  # the same object on every path: nothing to join
        self.specs: list[Spec] = []
        for position in range(len(names)):
            views = [values[position] for values in alternatives]
            first = held(views[0])
            same = all(held(view) is first for view in views[1:])
            was_there = before is not None and first is before[position]
            if any(isinstance(part, Indexed) for part in parts_of_views(views)) and not (same and was_there):
                views, same = self._ranges(views, names[position]), False
            kept = same and (len(views) > 1 or not (_has_staged(first) or _has_view(views[0])) or was_there)
            self.kept.append(kept)
            spec = None
            for number, view in enumerate(views if kept else opened(views)):
                self.alternatives[number][position] = view
                spec = spec_of(view) if spec is None else join(spec, spec_of(view))
            assert spec is not None
            if isinstance(spec, Variant) and not kept:
                self._refuse_objects(spec, names[position])
            self.specs.append(spec)

    def _ranges(self, views: list[Any], name: str) -> list[Any]:
        """Ranges by their bounds. Others of a length that a run knows belong to the path that makes them."""
        views = range_parts(views)
        for view in parts_of_views(views):
            if isinstance(view, Indexed) and view.static is None:
                raise self.trace.refuse(
                    f"`{name}` is {view.what} of one path, and is used after it",
                    "make it where it is used, or make a list of it",
                    name,
                )
        return views

    def _refuse_objects(self, spec: Variant, name: str) -> None:
        """Objects of one path, of which others know: their attributes would have to be chosen one by one."""
        if is_many_sets(spec):
            for alternative in spec.alternatives:
                if isinstance(alternative, Const):
                    self.trace.containers.require(alternative.value)
        for alternative in spec.alternatives:
            if isinstance(alternative, Const) and may_not_be_chosen(self.trace, alternative.value):
                kind = type(alternative.value).__name__
                self.trace.containers.require(alternative.value)
                self.trace.references.require_class(alternative.value)
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


def is_many_sets(spec: Spec) -> bool:
    """Is it one of more sets, deques and the like than a run should choose from?"""
    return sum(type(found) in KINDS for found in constants_in(spec)) > MAX_CHOSEN_SETS


def held(value: Any) -> Any:
    return value.value if isinstance(value, Identity) else value


def may_not_be_chosen(trace: Trace, value: Any) -> bool:
    """What a run cannot choose by its identity: a list or dict, or an instance that one path alone made."""
    return type(value) in (list, dict) or (trace.outside.is_local(value) and not trace.is_known(value))


def opened(views: Sequence[Any]) -> list[Any]:
    """Views of one place: instances that nobody else holds are structures where on another path one is."""
    classes = {part.cls for view in views for part in _parts(view) if isinstance(part, Made)}
    return [_open(view, classes) for view in views]


def opened_for(view: Any, spec: Spec) -> Any:
    """A view for a place of this spec."""
    alternatives = spec.alternatives if isinstance(spec, Variant) else (spec,)
    return _open(view, {part.cls for part in alternatives if isinstance(part, Object)})


def constants_in(spec: Spec) -> list[Any]:
    """The Python objects in a spec, those in its tuples too."""
    if isinstance(spec, Const):
        return [spec.value]
    if isinstance(spec, Tuple | Object):
        return [found for item in spec.items for found in constants_in(item)]
    return (
        [found for item in spec.alternatives for found in constants_in(item)]
        if isinstance(spec, Variant)
        else []
    )


def _parts(view: Any) -> Sequence[Any]:
    if isinstance(view, Identity) and isinstance(view.made, Choice):
        return view.made.values
    return (view,)


def _open(view: Any, classes: set[type]) -> Any:
    if not isinstance(view, Identity):
        return view
    if isinstance(view.made, Made):
        return view.made if view.made.cls in classes else view
    if isinstance(view.made, Choice):
        return view.made.of(tuple([_open(part, classes) for part in view.made.values]))
    return view if view.made is None else view.made


def hint_of(name: str, spec: Spec) -> str:
    return name if name.isidentifier() else ""


def _has_staged(value: Any) -> bool:
    return bool(leaf_types(spec_of(value)))


def _has_view(value: Any) -> bool:
    """Does something in a value stand for an object? The object itself is to come out of the block."""
    if isinstance(value, Choice | tuple | list | dict):
        return any(map(_has_view, value.values if isinstance(value, Choice) else parts_of(value)))
    return isinstance(value, Identity | Made)


def containers(values: tuple[Any, ...]) -> list[Any]:
    """The lists and dicts among the values of variables: ``+=`` changes them under no hook's eyes."""
    return [value for value in values if type(value) in (list, dict)]


def is_container(trace: Trace, value: Any) -> bool:
    """A list, a dict or an instance made during the trace: what may change, and what others may hold."""
    return type(value) in (list, dict) or trace.outside.is_local(value)


def settle(trace: Trace, values: tuple[Any, ...], block: Block) -> tuple[Any, ...]:
    """The values that ``block`` leaves. A container that somebody else holds too is known by identity; one
    that was made there for this place alone is a structure, made anew wherever it goes."""
    counts = [references(value) for value in values]
    settled: list[Any] = []
    for value, count in zip(values, counts, strict=True):
        if isinstance(value, Identity | Made):
            settled.append(_checked(trace, value, block))
        elif isinstance(value, tuple | Choice) and holds_container(trace, value):
            shared = count > UNSHARED or sum(value is v for v in values) > 1
            settled.append(with_two_names(trace, value, block) if shared else _settled(trace, value, block))
        elif not is_container(trace, value):
            settled.append(value)
        elif trace.outside.is_local(value) or count > UNSHARED or sum(value is v for v in values) > 1:
            settled.append(identity_of(trace, value, block))
        elif any(holds_container(trace, item) for item in parts_of(value)):
            trace.containers.require(value)
            raise trace.refuse(
                f"a {type(value).__name__} of lists, dicts or objects is made under a staged condition",
                "make it before the statement, and change its items",
            )
        else:
            settled.append(value)
    return tuple(settled)


def _settled(trace: Trace, value: Any, block: Block) -> Any:
    if isinstance(value, Choice):
        return value.of(settle(trace, value.values, block))
    items = settle(trace, value, block)
    return tuple_of(value, items)


def with_two_names(trace: Trace, value: Any, block: Block) -> Any:
    """``value``, of which others know: so they do of each list and dict in its tuples and choices."""
    if isinstance(value, tuple | Choice) and holds_container(trace, value):
        parts = value.values if isinstance(value, Choice) else value
        known = tuple([with_two_names(trace, part, block) for part in parts])
        if isinstance(value, Choice):
            return value.of(known)
        return tuple_of(value, known)
    if isinstance(value, Identity | Made):
        return _checked(trace, value, block)
    return identity_of(trace, value, block) if is_container(trace, value) else value


def _checked(trace: Trace, view: Any, block: Block) -> Any:
    """An instance of the block that keeps its identity holds nothing that only the block knows."""
    if isinstance(view, Identity) and isinstance(view.made, tuple | Choice):
        made = view.made
        parts = settle(trace, made if isinstance(made, tuple) else made.values, block)
        if isinstance(made, Choice):
            return Identity(view.value, made.of(parts))
        return Identity(view.value, tuple_of(made, parts))
    if isinstance(view, Identity) and view.made is None and not trace.is_known(view.value):
        return identity_of(trace, view.value, block)
    return view


def parts_of(value: Any) -> list[Any]:
    is_container = isinstance(value, dict | list | tuple)
    return list(plain_items(value) if is_container else attributes(value).values())


def holds_container(trace: Trace, value: Any) -> bool:
    if isinstance(value, Identity | Made):
        return False
    if isinstance(value, tuple | Choice):
        return any(
            holds_container(trace, item)
            for item in (plain_items(value) if isinstance(value, tuple) else value.values)
        )
    return is_container(trace, value)


def _is_made_of(trace: Trace, item: Any, own: set[Value], seen: set[int]) -> bool:
    """Is it one of these values of the graph, or does it hold one, however deep?"""
    reference = item if isinstance(item, Staged) else trace.references.staged(item)
    if reference is not None:
        return reference.value in own
    if isinstance(item, Choice):
        return any(_is_made_of(trace, part, own, seen) for part in (item.tag, *item.values))
    if id(item) in seen or not (isinstance(item, list | dict | tuple) or trace.outside.is_local(item)):
        return False
    seen.add(id(item))
    return any(_is_made_of(trace, part, own, seen) for part in parts_of(item))


def identity_of(trace: Trace, value: Any, block: Block) -> Identity:
    """``value`` as the object that it is; refused where it holds what only the block knows."""
    require_known(trace, value, own_values(block))
    return Identity(value)


def adopt(trace: Trace, values: tuple[Any, ...]) -> list[Any]:
    """Instances of closed blocks that keep their identity after them: born where the statement stands.

    Raises StagingError where functions or classes do, with attributes that a closed block computed.
    """
    births, birth = trace.outside.births, (trace.frames[-1] if trace.frames else None, trace.block)
    under_way = {id(None), *map(id, trace.frames)}
    lost = {identity for identity, (frame, _) in births.items() if id(frame) not in under_way}
    classes = trace.outside.classes.inside
    adopted = []
    for value in _reached(trace, values) if lost or classes else ():
        if id(value) in lost:
            births[id(value)] = birth
            adopted.append(value)
        elif isinstance(value, type) and value in classes:
            _require_visible_attributes(trace, value)
    for function in reached.functions_reached(values, ()):
        if made_in_trace(function):
            _require_visible_attributes(trace, function)
    return adopted


def _reached(trace: Trace, values: tuple[Any, ...]) -> Iterator[Any]:
    """The values and what they hold, each once: of choices, of lists, dicts and instances of the trace."""
    waiting, seen = list(values), set[int]()
    for value in waiting:  # grows meanwhile
        if id(value) in seen:
            continue
        seen.add(id(value))
        yield value
        if isinstance(value, Choice):
            waiting += value.values
        elif trace.outside.is_local(value):
            waiting += [*parts_of(value), type(value)]
        elif isinstance(value, tuple) or (
            isinstance(value, list | dict) and trace.outside.original(value) is None
        ):
            waiting += parts_of(value)


def _require_visible_attributes(trace: Trace, owner: FunctionType | type) -> None:
    for name, held in trace.outside.classes.namespace(owner).items():
        if is_left_behind(trace, held):
            kind = "class" if isinstance(owner, type) else "function"
            raise trace.refuse(
                f"`{owner.__name__}.{name}` is computed under a staged condition, as the {kind} is made",
                f"make the {kind} before the statement, or set its attribute after it",
                name,
            )


def hand_out(trace: Trace, operation: Operation, block: Block, instances: Sequence[Any]) -> None:
    """The objects of these instances that a run makes in the only block that comes to its end are outputs."""
    real = trace.outside.real
    made = [instance for instance in instances if id(instance) in real]
    own = own_values(block) if made else set()
    for instance in made:
        inner = real[id(instance)]
        if inner in own:
            block.results += (inner,)
            real[id(instance)] = Value(inner.type, inner.hint, operation)
            operation.outputs += (real[id(instance)],)


def require_known(trace: Trace, value: Any, own: set[Value]) -> None:
    """A list, dict or instance lives on where these values of the graph are not visible."""
    seen = {id(value)}
    real = trace.outside.real.get(id(value)) if trace.outside.is_local(value) else None
    if real in own or any(_is_made_of(trace, item, own, seen) for item in parts_of(value)):
        trace.containers.require(value)
        trace.references.require_class(value)
        raise trace.refuse(
            f"a {type(value).__name__} that is made under a staged condition has two names",
            "make it before the statement, or copy it",
        )


def identities(trace: Trace, value: Any) -> Any:
    """A value in which containers are known by identity: what a loop may carry of them."""
    if isinstance(value, Identity):
        if isinstance(value.made, tuple | Choice):
            return Identity(value.value, identities(trace, value.made))
        return value
    if isinstance(value, tuple) and holds_container(trace, value):
        items = [identities(trace, item) for item in value]
        return tuple_of(value, items)
    if isinstance(value, Choice):
        return value.of(tuple([identities(trace, item) for item in value.values]))
    return Identity(value) if is_container(trace, value) else value
