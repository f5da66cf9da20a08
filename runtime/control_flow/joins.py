"""Values of the same variables from several blocks, brought to one: what a branch or an iteration leaves.

`spec.py` says how two values join; here it is decided what cannot be chosen at run time.
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
from runtime.ops.template import plain_items
from runtime.specs.spec import Const, Spec, Tuple, Variant, leaf_types
from runtime.tracer.cells import is_left_behind
from runtime.tracer.flattening import adapt, rebuild
from runtime.tracer.spec import Choice, join, spec_of
from runtime.tracer.trace import Trace

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
            first = views[0]
            same = all(view is first for view in views[1:])
            was_there = before is not None and first is before[position]
            if any(isinstance(part, Indexed) for part in parts_of_views(views)) and not (same and was_there):
                views, same = self._ranges(views, names[position]), False
            kept = same and (len(views) > 1 or not _has_staged(first) or was_there)
            self.kept.append(kept)
            spec = None
            for number, view in enumerate(views):
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
                self.trace.references.require_class(alternative.value)
                raise self.trace.refuse(
                    f"`{name}` is one of several {kind} objects, chosen by a staged condition",
                    hint_of_choice(self.trace, alternative.value),
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
        return [first if kept else rebuild(spec, values, self.trace) for first, spec, kept in parts]


def is_many_sets(spec: Spec) -> bool:
    """Is it one of more sets, deques and the like than a run should choose from?"""
    return sum(type(found) in KINDS for found in constants_in(spec)) > MAX_CHOSEN_SETS


def may_not_be_chosen(trace: Trace, value: Any) -> bool:
    """Is it an instance that one path alone made, which a run cannot choose by its identity?"""
    return trace.outside.is_local(value) and not trace.is_known(value)


def hint_of_choice(trace: Trace, instance: Any) -> str:
    """What to do about one of several instances that are no references."""
    if type(instance) in trace.outside.classes.inside:
        return "define the class outside the decorated function"
    return "make one object, and choose the values of its attributes"


def constants_in(spec: Spec) -> list[Any]:
    """The Python objects in a spec, those in its tuples too."""
    if isinstance(spec, Const):
        return [spec.value]
    if isinstance(spec, Tuple):
        return [found for item in spec.items for found in constants_in(item)]
    return (
        [found for item in spec.alternatives for found in constants_in(item)]
        if isinstance(spec, Variant)
        else []
    )


def hint_of(name: str, spec: Spec) -> str:
    return name if name.isidentifier() else ""


def _has_staged(value: Any) -> bool:
    return bool(leaf_types(spec_of(value)))


def adopt(trace: Trace, values: tuple[Any, ...]) -> list[Any]:
    """Instances of closed blocks that keep their identity after them: born where the statement stands.

    Raises StagingError where a closed block made functions or classes with attributes that it computed.
    """
    births, birth = trace.outside.births, (trace.frames[-1] if trace.frames else None, trace.block)
    under_way = {id(None), *map(id, trace.frames)}
    lost = {identity for identity, (frame, _) in births.items() if id(frame) not in under_way}
    adopted = []
    for value in _reached(trace, values) if lost else ():
        if id(value) in lost:
            births[id(value)] = birth
            adopted.append(value)
    for owner, frame in trace.outside.classes.inside.items():
        if id(frame) not in under_way:
            _require_visible_attributes(trace, owner)
    return adopted


def _reached(trace: Trace, values: tuple[Any, ...]) -> Iterator[Any]:
    """The values and what they hold, each once: of choices, tuples and instances of the trace."""
    waiting, seen = list(values), set[int]()
    for value in waiting:  # grows meanwhile
        if id(value) in seen:
            continue
        seen.add(id(value))
        yield value
        if isinstance(value, Choice):
            waiting += value.values
        elif trace.outside.is_local(value):
            waiting += attributes(value).values()
        elif isinstance(value, tuple):
            waiting += plain_items(value)


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
