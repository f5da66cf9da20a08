"""References to objects of the run: what a trace makes of the user's classes, and loads from others.

    p = Point(x, 2.0)       p: Point = object.make({'x': x, 'y': 2.0})
    p.x += 1.0              object.setattr(p, 'x', x + 1.0); what is loaded is known
    return p.x              x + 1.0

Converted code holds a stand-in, an instance of the class without attributes; each store of an attribute is an
operation on the real object, and each read one where the shadow heap does not know what it gives. So aliases
are Python's with no analysis. Objects that nobody else sees are taken out of the graph again
(`passes/replace_aggregates.py`).

What the attributes of a class hold is known as for containers: the spec of each grows from one attempt to
the next until nothing new is stored (`Containers.admit`).
"""

from __future__ import annotations

import copy
import types
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from autograph.operators import Undefined, call
from autograph.records import record
from runtime import debug
from runtime.control_flow import branches, choices
from runtime.control_flow.joins import parts_of
from runtime.graph import Block, Operation, Value
from runtime.guards.paths import Argument, Guard, Path
from runtime.guards.questions import Fits, OfClass
from runtime.heap.places import StaticPlace
from runtime.heap.shadow import UNKNOWN, Change
from runtime.objects.containers import boxed_again
from runtime.objects.user_classes import (
    can_be_reference,
    computes,
    hashes_by_identity,
    is_its_attributes,
    is_slot,
    missing,
    read_descriptor,
    store_descriptor,
)
from runtime.ops.instances import (
    HEAP_TYPE,
    attributes,
    class_attribute,
    delete_attribute,
    is_user_instance,
    remake_exception,
    slot_members,
)
from runtime.ops.item_patterns import KINDS
from runtime.ops.template import is_more_than_items
from runtime.specs import readers
from runtime.specs.spec import Const, Spec, is_absent, without_absent
from runtime.staged import containers as staged_containers
from runtime.staged import objects as staged_objects
from runtime.tracer import known_items
from runtime.tracer.builder import WRAPPERS, Staged, current
from runtime.tracer.elements import (
    element_of,
    element_of_real,
    is_constant_item,
    is_opaque,
    of_run,
    opaque_in,
)
from runtime.tracer.spec import Choice, holds_choice, make_template, maybe_absent, spec_of
from runtime.types import InstanceType

if TYPE_CHECKING:
    from runtime.tracer.trace import Trace


#: of these kinds, what was stored is known, as it never changes
_CONSTANTS = {bool, int, float, complex, str, type(None), types.FunctionType, types.BuiltinFunctionType}

#: what Python itself sets on an exception: a run is asked for them (handlers/raised.py)
_LINKS = frozenset({"__cause__", "__context__", "__suppress_context__"})


@record(slots=False, frozen=False, eq=False)
class Unfinished:
    """An object whose constructor runs, and that nobody else has seen."""

    block: Block  # in which the constructor was called
    operation: Operation  # that makes it
    held: dict[str, Any]  # what is stored in it, until it is made
    is_made: bool = False  # where a block inside stores to it

    def store(self, owner: Any, name: str, value: Any) -> None:
        if not isinstance(value, Undefined):
            self.held[name] = value
        elif name in self.held:
            del self.held[name]
        else:
            raise missing(owner, name)


class References:
    """The instances of one trace that are objects of the run."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self._known: dict[int, tuple[Any, Value]] = {}  # id of a stand-in -> it, the object of the run
        self._stand_ins: dict[Value, Any] = {}
        self._made: set[type] = set()  # classes of which the trace has an instance

    # -- which ------------------------------------------------------------------------------------------

    def is_reference(self, item: Any) -> bool:
        return id(item) in self._known

    def value(self, item: Any) -> Value | None:
        known = self._known.get(id(item))
        return known[1] if known is not None else None

    def staged(self, item: Any) -> staged_objects.StagedObject | None:
        """The object of the run as a staged value, where ``item`` stands for one."""
        known = self._known.get(id(item))
        return staged_objects.StagedObject(known[1], self.trace) if known is not None else None

    def is_real(self, cls: type) -> bool:
        """Are all instances of this class references, those from outside as well?"""
        return ("instances", cls) in self.trace.containers.elements

    def require(self, instance: Any) -> None:
        """``instance`` as a reference: one that is being constructed, or from outside if possible."""
        if self.is_reference(instance):
            self.finish(self._known[id(instance)][1])
        else:
            self.require_class(instance)

    def can_be_reference(self, cls: type) -> bool:
        """May its instances be real objects of the run?"""
        return can_be_reference(cls)

    def _can_all_be_real(self, cls: type) -> bool:
        if self.is_real(cls) or not can_be_reference(cls):
            return False
        return not any(  # each attempt makes another one
            other.__qualname__ == cls.__qualname__ and other.__module__ == cls.__module__
            for other in self.classes()
        )

    def require_class(self, instance: Any) -> None:
        """Begin again with instances of this class as references; returns where that is not possible."""
        if is_user_instance(instance):
            self.require_class_of(type(instance))

    def require_class_of(self, cls: type) -> None:
        """Begin again with all instances of the class as references; returns where that is not possible."""
        if not self._can_all_be_real(cls):
            return
        containers = self.trace.containers
        held = {  # what was opaque is learned anew
            site: parts
            for site, parts in containers.elements.items()
            if all(opaque_in(one, True) is None for one in parts)
        }
        containers.restart(
            {**held, ("instances", cls): (None, None)},
            f"only a run knows which {cls.__name__} this is",
        )

    def refuse_hash(self, item: Any) -> None:
        """A set or dict of the trace cannot tell objects of the run apart: it is to be a real one."""
        raise self.trace.refuse(
            f"plain Python asks for the hash of a {type(item).__name__} that only a run knows",
            "use a list and compare, or a key of numbers or strings",
        )

    # -- making -----------------------------------------------------------------------------------------

    def begin(self, instance: Any) -> None:
        """A constructor begins to fill ``instance``, which is a reference from here on.

        The operation that makes it comes when somebody else may see it, or at the end of the constructor:
        then it is made with what it holds by now. Until then what the constructor stores is noted here.
        """
        trace, cls = self.trace, type(instance)
        is_known = self.is_reference(instance) or trace.outside.is_outside(instance)
        if is_known or not is_user_instance(instance):
            return
        self._require_attributes_only(cls)
        trace.outside.watch(cls)
        held = attributes(instance)
        for name in held:
            delete_attribute(instance, name)
        if isinstance(instance, AttributeError) and is_opaque(held.get("obj")):
            del held["obj"]  # which no run has
        operation = Operation("object.make", (), (InstanceType(cls.__name__, cls),), {"cls": cls})
        value = operation.output
        self._know(instance, value)
        trace.unfinished[value] = Unfinished(trace.block, operation, {})
        for name, item in held.items():
            self.store(instance, name, item)

    def born(self, made: Any) -> Any:
        """What was just constructed: a reference from here on."""
        self.begin(made)
        known = self._known.get(id(made))
        if known is not None:
            self.finish(known[1])
        return made

    def finish(self, value: Value) -> None:
        """Somebody else may see the object from here on: a load of an attribute may find that it has none."""
        unfinished = self.trace.unfinished.get(value)
        if unfinished is None:
            return
        self._make(value, unfinished)
        self.trace.unfinished.pop(value, None)
        cls = type(self._stand_ins[value])
        self._made.add(cls)
        there = self.trace.heap.names(value) or ()
        for name in sorted(self._names(cls)):
            if name not in there and not self._is_there(value, name):
                self._admit_spec(cls, name, Const(Undefined(name)))

    def _is_there(self, value: Value, name: str) -> bool:
        found = self.trace.heap.fact(value, name)
        return found is not UNKNOWN and not isinstance(found, Undefined) and not maybe_absent(found)

    def finish_all(self) -> None:
        """The same for all; one whose constructor did not end, and whose block is over, nobody has."""
        for value, unfinished in [*self.trace.unfinished.items()]:
            if unfinished.block in self.trace.blocks:
                self.finish(value)

    def finish_parts(self, item: Any) -> None:
        """The same for an object, and for those in a tuple or a choice."""
        for part in parts_of(item) if self.trace.unfinished else ():
            known = self._known.get(id(part))
            if known is not None:
                self.finish(known[1])

    def _make(self, value: Value, unfinished: Unfinished) -> None:
        """Append the operation that makes the object, in the block in which its constructor was called."""
        if unfinished.is_made:
            return
        unfinished.is_made = True
        trace, instance, held = self.trace, self._stand_ins[value], unfinished.held
        cls, heap = type(instance), trace.heap
        with trace.into(unfinished.block):
            later = {k: one for k, one in held.items() if holds_choice(one) or self._waits(one)}
            # What is stored later has its place here: `vars` tells a `__dict__` in its order.
            beside = {name for name in later if hasattr(class_attribute(cls, name), "__set__")}
            made_with = {k: None if k in later else one for k, one in held.items() if k not in beside}
            for name in held.keys() - later.keys():
                self._admit(cls, name, held[name])
            template, leaves = make_template(boxed_again(of_run(made_with)))
            operation = unfinished.operation
            operation.inputs = tuple([trace.value_of(leaf) for leaf in leaves])
            operation.attributes = {"cls": cls, "template": template}
            trace.append(operation)
            if not issubclass(cls, BaseException):
                heap.learn_names(value, tuple([name for name in made_with if name not in slot_members(cls)]))
            for name in held.keys() - later.keys():
                self._learn(value, name, held[name])
            for name in sorted(self._names(cls) - held.keys()):
                heap.learn(value, name, Undefined(name))
            for name, item in later.items():
                self._store_if_there(instance, name, item)
        heap.hand_inwards(unfinished.block, value)

    def _waits(self, item: Any) -> bool:
        """Is it an object, or does it hold one, that is not made yet, and may come to hold this one?"""
        known = [self._known.get(id(part)) for part in parts_of(item)]
        return any(one is not None and one[1] in self.trace.unfinished for one in known)

    def _require_attributes_only(self, cls: type) -> None:
        if is_its_attributes(cls):
            return
        kind = next((one for one in cls.__mro__[:-1] if not one.__flags__ & HEAP_TYPE), cls)
        if issubclass(cls, BaseExceptionGroup):
            raise self.trace.refuse(
                f"a {cls.__name__} is made here, which holds other exceptions",
                "raise single exceptions, no group",
            )
        if kind is cls or issubclass(cls, BaseException):
            raise self.trace.refuse(
                f"a {cls.__name__} is made here, whose class computes what its instances are",
                "make it outside the decorated function",
                cls.__name__,
            )
        raise self.trace.refuse(
            f"a {cls.__name__} is made here, whose class derives from {kind.__name__}",
            f"keep the {kind.__name__} in an attribute of a class of your own",
            cls.__name__,
        )

    def _list_of_factory(self, name: str, value: Any) -> Any:
        """An attribute; a list that a default factory made is one of the trace, which has not seen it yet."""
        containers = self.trace.containers
        return containers.born(value, (*containers.here(), name)) if type(value) in KINDS else value

    def _store_if_there(self, owner: Any, name: str, value: Any) -> None:
        """An attribute that the trace may have made on one path only."""
        if maybe_absent(value):
            self._admit_spec(type(owner), name, Const(Undefined(name)))
            gone = Undefined(name)
            branches.branch(
                choices.is_undefined(value),
                lambda: self.store(owner, name, gone),
                lambda: self.store(owner, name, choices.certain(value)),
            )
        else:
            self.store(owner, name, value)

    def wrap(self, value: Value) -> Any:
        """The stand-in for an object of the run."""
        known = self._stand_ins.get(value)
        if known is None:
            cls = value.expect(InstanceType).cls
            is_error = issubclass(cls, BaseException)
            known = remake_exception(cls, {}) if is_error else object.__new__(cls)
            self._know(known, value)
            self._made.add(cls)
            if not is_error:
                self.trace.outside.watch(cls)
        return known

    def _know(self, stand_in: Any, value: Value) -> None:
        self._known[id(stand_in)] = (stand_in, value)
        self.trace.heap.origins.meet(value)
        self._stand_ins[value] = stand_in

    def check_hash(self, item: Any) -> None:
        """Refuse ``hash(item)`` where only a run knows which object that is."""
        if self.is_reference(item) and hashes_by_identity(type(item)):
            self.refuse_hash(item)

    def copied(self, item: Any) -> Any:
        """A copy that a run makes."""
        value = self._known[id(item)][1]
        made = self.trace.append(Operation("object.copy", (value,), (value.type,), {"function": copy.copy}))
        return self.wrap(made.output)

    def known_attributes(self, item: Any) -> dict[str, Any] | None:
        """What an object of the run holds, where the trace knows under which names."""
        value = self._known[id(item)][1]
        self.finish(value)
        names = self.trace.heap.names(value)
        if names is None:
            return None
        held = {name: self.held(value, name) for name in (*names, *slot_members(type(item)))}
        unknown = any(one is UNKNOWN or maybe_absent(one) for one in held.values())
        return None if unknown else {k: one for k, one in held.items() if not isinstance(one, Undefined)}

    # -- from outside -----------------------------------------------------------------------------------

    def enter(self, value: Any, path: Path) -> Any:
        """An object from outside: an input, under a guard of what it and all that it refers to holds."""
        outside = self.trace.outside
        kind = f"a {type(value).__name__}"
        outside.add_guard(path, OfClass(type(value)), kind, isinstance(path, Argument))
        outside.aliases.know_of_run(value, path)
        self.learn(value)
        self.guard(path, kind)
        given = outside.typed_input(path, InstanceType(type(value).__name__, type(value)))
        self.trace.heap.origins.meet_outside(given)
        made = self.wrap(given)
        outside.known_as(path, made)
        return made

    def guard(self, path: Path, kind: str) -> None:
        """What lies at ``path`` and all that it refers to hold attributes of the kinds known by now."""
        accepts = readers.HoldsKnown(self.specs_of(self.classes()))
        self.trace.outside.guards.append(Guard(path, Fits(accepts), f"{kind}, attributes of known kinds"))

    def learn(self, value: Any) -> bool:
        """Admit what the attributes of an object hold, and of all that it refers to; are there any?"""
        waiting, seen = [value], {id(value)}
        found: dict[type, list[dict[str, Any]]] = {}
        while waiting:
            item = waiting.pop()
            if is_user_instance(item) and not isinstance(item, type):
                self.require_class(item)
                if self.is_real(type(item)):
                    found.setdefault(type(item), []).append(attributes(item))
            for part in readers.parts_of_object(item):
                if id(part) not in seen:
                    seen.add(id(part))
                    waiting.append(part)
        for cls, objects in found.items():
            names = self._names(cls).union(*objects)
            for held in objects:
                for name in names:
                    spec = (
                        element_of_real(held[name], ("attribute", cls, name))
                        if name in held
                        else Const(Undefined(name))
                    )
                    self._admit_spec(cls, name, spec)
            self._made.add(cls)
        for cls in found:
            for name in self._names(cls):
                self.trace.containers.used.add(("attribute", cls, name))
        return bool(found)

    def classes(self) -> list[type]:
        return [
            key[1]
            for key in self.trace.containers.elements
            if isinstance(key, tuple) and key[0] == "instances"
        ]

    def check_known(self, owner: Any) -> None:
        """Raises StagingError for an object of a class of references that came in by a way nobody watches."""
        if self.is_real(type(owner)):
            if not self.trace.outside.is_outside(owner):
                raise self.trace.refuse(
                    f"an attribute of a {type(owner).__name__} is read that the trace has not seen before",
                    "reach the object through an argument, a global or a closure",
                )

    # -- attributes -------------------------------------------------------------------------------------

    def _names(self, cls: type) -> set[str]:
        return {
            key[2]
            for key in self.trace.containers.elements
            if isinstance(key, tuple) and len(key) == 3 and key[0] == "attribute" and key[1] is cls
        }

    def specs_of(self, classes: Iterable[type]) -> dict[type, dict[str, Spec | None]]:
        """What the attributes of the instances of these classes hold."""
        return {cls: {name: self.spec(cls, name) for name in self._names(cls)} for cls in classes}

    def spec(self, cls: type, name: str) -> Spec | None:
        """What the attribute holds in all instances of a class; None where none has it."""
        containers = self.trace.containers
        site = ("attribute", cls, name)
        containers.used.add(site)
        return containers.current(containers.elements.get(site, (None, None))[1])

    def spec_of(self, value: Value, name: str) -> Spec | None:
        """What the attribute of this object may hold; None where it surely has none."""
        cls = value.expect(InstanceType).cls
        unfinished = self.trace.unfinished.get(value)
        if unfinished is not None and not unfinished.is_made:
            return spec_of(unfinished.held[name]) if name in unfinished.held else None
        spec, names = self.spec(cls, name), self.trace.heap.names(value)
        if names is None or name in slot_members(cls):
            return spec
        return None if name not in names or spec is None else without_absent(spec)

    def _admit(self, cls: type, name: str, value: Any) -> None:
        self._admit_spec(cls, name, element_of(value))

    def _admit_spec(self, cls: type, name: str, spec: Spec) -> None:
        site = ("attribute", cls, name)
        containers = self.trace.containers
        if cls in self._made and site not in containers.elements:
            containers.used.add(site)  # an instance that has no such attribute was made before
        containers.admit(frozenset({site}), spec)

    def read(self, owner: Any, name: str, original: Callable[[Any, str], Any]) -> Any:
        """An attribute of a reference, as converted code sees it."""
        cls = type(owner)
        static = _class_attribute(cls, name)
        if isinstance(static, property):
            return call(static.fget, owner)
        if computes(owner, name, static) and hasattr(type(static), "__set__"):
            return read_descriptor(self.trace.outside, owner, name, static)
        if static is not None and hasattr(type(static), "__set__") and not is_slot(static):
            return original(owner, name)
        found = self.held(self._known[id(owner)][1], name)
        if found is UNKNOWN or isinstance(found, Undefined):
            return self.trace.outside.attributes.inherited(owner, name)
        return self.trace.outside.attributes.present(owner, name, found)

    def held(self, value: Value, name: str) -> Any:
        """What an object of the run holds: a fact, or what a load gives; UNKNOWN where none holds any.

        Undefined where this one is known to have no such attribute.
        """
        unfinished = self.trace.unfinished.get(value)
        if unfinished is not None and not unfinished.is_made:
            return unfinished.held.get(name, Undefined(name))
        found = self.trace.heap.fact(value, name)
        if isinstance(found, Undefined):
            return found
        if found is not UNKNOWN:
            self.verify("object.verify", (staged_objects.StagedObject(value, self.trace), name), found)
            return found
        spec = self.spec_of(value, name)
        if spec is None or is_absent(spec):
            return UNKNOWN
        owner = staged_objects.StagedObject(value, self.trace)
        found = self.trace.containers.perform("object.getattr", (owner, name), spec)
        self.trace.heap.learn(value, name, found)
        return found

    def held_at(self, change: Change) -> Any:
        """What lies at this place now: an attribute of an object, an item of a list, or a static place."""
        if isinstance(change.place, StaticPlace):
            return self.trace.heap.held(change.place)
        if not isinstance(change.place, tuple):
            return self.held(change.place, change.name)
        found = self.trace.heap.at(change.field, change.place)
        items, index = change.place
        return self.trace.wrap(items)[index] if found is UNKNOWN else found

    def verify(self, operation: str, args: tuple[Any, ...], known: Any) -> None:
        """A run is to compare what is there with what the trace takes it for, if somebody asks for that."""
        if (
            debug.verifies_loads()
            and not maybe_absent(known)
            and not self.trace.containers.holds_opaque(known)
        ):
            perform = self.trace.containers.perform
            staged_containers.without_choices((known,), lambda value: perform(operation, (*args, value)))

    def _learn(self, owner: Value, name: str, value: Any) -> None:
        """An attribute holds what was just stored there; an exception makes a tuple of its arguments."""
        is_error = issubclass(owner.expect(InstanceType).cls, BaseException)
        if self.can_be_fact(value) and (not is_error or name != "args" or type(value) is tuple):
            self.trace.heap.learn(owner, name, value)

    def can_be_fact(self, value: Any) -> bool:
        """Is it for the trace what a load would give, or what is known of that and more?"""
        if isinstance(value, Choice):
            return all(map(self.can_be_fact, value.values))
        if isinstance(value, tuple):
            return not is_more_than_items(value) and all(map(self.can_be_fact, value))
        if isinstance(value, Staged) or type(value) in _CONSTANTS or self.is_reference(value):
            return True
        return is_opaque(value) or is_constant_item(value)

    def on_store(self, owner: Any, name: str, value: Any, original: Any) -> bool:
        """A store by converted code. False: let ``original`` do it, which raises."""
        static = _class_attribute(type(owner), name)
        if store_descriptor(self.trace.outside, owner, name, value, static):
            return True
        if isinstance(original, types.FunctionType):  # of a frozen dataclass
            return False
        if name in _LINKS and isinstance(owner, BaseException) and not isinstance(value, Undefined):
            store = lambda one: self.trace.containers.perform(
                "object.setattr", (self.staged(owner), name, one)
            )
            staged_containers.without_choices((value,), store)
            return True
        if static is not None and hasattr(type(static), "__set__") and not is_slot(static):
            return False
        if not (type(owner).__dictoffset__ or is_slot(static)):
            return False
        self.store(owner, name, value)
        return True

    def store(self, owner: Any, name: str, value: Any) -> None:
        """``owner.name = value``, or ``del owner.name`` where the value is Undefined."""
        stands_for, heap = self._known[id(owner)][1], self.trace.heap
        if name == "args" and isinstance(owner, BaseException) and not isinstance(value, Undefined):
            plain = known_items.as_plain(value)
            value = tuple(plain) if isinstance(plain, list) else value
        unfinished = self.trace.unfinished.get(stands_for)
        if unfinished is not None and not unfinished.is_made:
            if self.trace.block is unfinished.block:
                unfinished.store(owner, name, self._list_of_factory(name, value))
                return
            self._make(stands_for, unfinished)
        names = None if name in slot_members(type(owner)) else heap.names(stands_for)
        if isinstance(value, Undefined):
            self._admit_spec(type(owner), name, Const(Undefined(name)))
            self.trace.containers.perform("object.delattr", (self.staged(owner), name))
            names = None if names is None else tuple([one for one in names if one != name])
        else:
            staged_containers.without_choices((value,), lambda value: self._store(owner, name, value))
            self._learn(stands_for, name, value)
            names = names if names is None or name in names else (*names, name)
        if names is not None:
            heap.learn_names(stands_for, names)

    def _store(self, owner: Any, name: str, value: Any) -> None:
        self._admit(type(owner), name, value)
        self.trace.containers.perform("object.setattr", (self.staged(owner), name, value))


def _class_attribute(cls: type, name: str) -> Any:
    """As ``class_attribute``; the arguments of an exception are an attribute like any other."""
    if name == "args" and issubclass(cls, BaseException):
        return None
    return class_attribute(cls, name)


def claims_instance(value: Any) -> bool:
    """Does only a run know which object this is, or whether it counts as true?"""
    references = getattr(current(), "references", None)
    if references is None:
        return False
    if references.is_reference(value):
        return True
    cls, outside = type(value), references.trace.outside
    if outside.is_watched(cls) and choices.truth_method(cls) is not None:
        return True
    return outside.answers_unseen(value, "__bool__", "__len__")


WRAPPERS[InstanceType] = lambda value, builder: builder.references.wrap(value)  # type: ignore[attr-defined]
