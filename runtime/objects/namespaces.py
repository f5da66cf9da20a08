"""The ``__dict__`` of an object in a trace: a dict whose items are the attributes.

It holds nothing itself. An item that is read, stored or deleted is an attribute, past all descriptors and
`__setattr__`; which items there are is known of an object whose names the trace knows. What leaves the trace
is the real dict of the object of the run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, NoReturn

from autograph import operators
from autograph.operators import Undefined
from runtime.control_flow.branches import branch
from runtime.control_flow.choices import certain, is_undefined
from runtime.heap.shadow import UNKNOWN
from runtime.objects.anew import MAKERS
from runtime.ops.instances import instance_dict, is_hidden, slot_members
from runtime.staged.value_classes import STANDING_FOR
from runtime.tracer.slots import LocalAttribute
from runtime.tracer.spec import is_run_time, maybe_absent

if TYPE_CHECKING:
    from runtime.tracer.trace import Trace


class InstanceDict(dict[str, Any]):
    """``vars(o)``. A dict by its class, so that Python's own code takes it for one, and asks its methods."""

    __slots__ = ("instance", "staged", "trace")
    stands_for_more = True
    __runtime_traced_methods__ = True

    def __init__(self, trace: Trace, owner: Any) -> None:
        super().__init__()
        self.trace = trace
        self.instance = owner
        #: the object of the run: in another block it may be another value (`control_flow/carried_parts.py`)
        self.staged = trace.references.staged(owner)

    def __runtime_owner__(self) -> Any:
        """What of the trace it holds."""
        return self.instance if self.staged is None else self.staged

    @property
    def owner(self) -> Any:
        return self.instance if self.staged is None else self.trace.wrap(self.staged.value)

    # -- one item ---------------------------------------------------------------------------------------

    def _held(self, name: Any) -> Any:
        """What is there, perhaps on some paths only; Undefined where there is nothing."""
        owner = self.owner
        if is_run_time(name):
            raise self.trace.refuse(
                f"a name in the namespace of a {type(owner).__name__} is known only at run time",
                "compare it with each of the names in an `if`, or keep the values in a dict",
            )
        if type(name) is not str or name in slot_members(type(owner)):
            return Undefined(str(name))
        value = self.trace.references.value(owner)
        if value is None:
            return instance_dict(owner).get(name, Undefined(name))
        found = self.trace.references.held(value, name)
        return Undefined(name) if found is UNKNOWN else found

    def _item(self, name: Any, otherwise: Callable[[], Any]) -> Any:
        found = self._held(name)
        absent = is_undefined(found)
        if absent is False:
            return found
        if absent is True:
            return otherwise()
        left = certain(found)
        return branch(absent, otherwise, lambda: left)

    def __getitem__(self, name: Any) -> Any:
        return self._item(name, lambda: _raise_missing(name))

    def get(self, name: Any, default: Any = None, /) -> Any:
        return self._item(name, lambda: default)

    def holds(self, name: Any) -> Any:
        """A bool, or a staged one."""
        absent = is_undefined(self._held(name))
        return operators.not_(absent)

    def __contains__(self, name: object) -> bool:
        return self.holds(name)  # Python's own code asks: the truth of a staged one is refused

    def __setitem__(self, name: Any, value: Any) -> None:
        owner, trace = self.owner, self.trace
        kind = type(owner).__name__
        if type(name) is not str or name in slot_members(type(owner)):
            raise trace.refuse(
                f"the namespace of a {kind} gets a key that is no name", "keep it in a dict of its own"
            )
        if trace.references.is_reference(owner):
            trace.references.store(owner, name, value)
            return
        if is_hidden(type(owner), name) and id(owner) in trace.outside.real:
            raise trace.refuse(
                f"`{name}` is changed in the namespace of a {kind} that was stored outside, "
                "past the descriptor of that name",
                "change it before the object is stored",
                name,
            )
        trace.write(LocalAttribute(trace, ("attribute", id(owner), name), f"{kind}.{name}", name), value)

    # -- all of them ------------------------------------------------------------------------------------

    def names(self) -> tuple[str, ...]:
        """The keys. Raises StagingError where only a run knows them."""
        owner = self.owner
        value = self.trace.references.value(owner)
        names = self.trace.heap.names(value) if value is not None else _names_of_local(owner)
        if names is None:
            raise self.trace.outside.attributes.refuse_namespace(owner)
        return names

    def plain(self) -> dict[str, Any]:
        """A new dict of what it holds now."""
        return {name: self[name] for name in self.names()}

    def copy(self) -> dict[str, Any]:
        made: dict[str, Any] = self.trace.containers.born(self.plain())
        return made

    __copy__ = copy

    def each(self, item: Callable[[str], Any]) -> Iterator[Any]:
        """An item for each name, made when its turn comes."""
        names = self.names()

        def turn(name: str) -> Any:
            if len(self.names()) != len(names):
                raise RuntimeError("dictionary changed size during iteration")
            return item(name)

        return map(turn, names)

    def __iter__(self) -> Iterator[Any]:
        return self.each(str)

    def __len__(self) -> int:
        return len(self.names())

    def keys(self) -> Any:
        return dict.fromkeys(self.names()).keys()

    def values(self) -> Any:
        return InstanceValues(self)

    def items(self) -> Any:
        return InstanceItems(self)

    def __eq__(self, other: Any) -> Any:
        return operators.equal(self.plain(), as_dict(other))

    def __ne__(self, other: Any) -> Any:
        return operators.not_equal(self.plain(), as_dict(other))

    __hash__ = None

    def update(self, other: Any = (), /, **more: Any) -> None:
        given = operators.call(dict, other)
        for name in [*given]:
            self[name] = given[name]
        for name, value in more.items():
            self[name] = value

    def __repr__(self) -> str:
        return repr(self.plain())


class _Items:
    """The values or items of a namespace: each is read when its turn comes."""

    __slots__ = ("namespace",)
    stands_for_more = True

    def __init__(self, namespace: InstanceDict) -> None:
        self.namespace = namespace

    def __runtime_owner__(self) -> Any:
        return self.namespace

    def __len__(self) -> int:
        return len(self.namespace)

    __hash__ = None  # type: ignore[assignment]


class InstanceValues(_Items):
    __slots__ = ()

    def __iter__(self) -> Iterator[Any]:
        return self.namespace.each(self.namespace.__getitem__)


class InstanceItems(_Items):
    __slots__ = ()

    def __iter__(self) -> Iterator[Any]:
        return self.namespace.each(lambda name: (name, self.namespace[name]))


def _refused(self: Any, *_: Any) -> NoReturn:
    namespace = self if isinstance(self, InstanceDict) else self.namespace
    raise namespace.trace.refuse(
        "the namespace of an object is used in a way that no trace follows",
        "make a dict of it, `dict(vars(o))`, or use getattr, setattr and delattr",
    )


for _name in ("delitem", "or", "ror", "ior", "reversed", "reduce_ex"):
    setattr(InstanceDict, f"__{_name}__", _refused)
for _name in ("pop", "popitem", "setdefault", "clear"):
    setattr(InstanceDict, _name, _refused)
for _name in ("eq", "ne", "and", "rand", "or", "ror", "sub", "rsub", "xor", "rxor", "contains", "reversed"):
    setattr(_Items, f"__{_name}__", _refused)


def namespace_of(trace: Trace, owner: Any) -> InstanceDict:
    """``owner.__dict__``, of an object that the trace made, or that only a run knows."""
    value = trace.references.value(owner)
    if value is None:
        return InstanceDict(trace, owner)
    if value not in trace.namespaces:
        trace.namespaces[value] = InstanceDict(trace, owner)
    return trace.namespaces[value]


def as_dicts(args: tuple[Any, ...]) -> tuple[Any, ...]:
    """The arguments of code that only reads them, namespaces as plain dicts."""
    return tuple([_plain_view(as_dict(arg)) for arg in args])


def as_dict(value: Any) -> Any:
    """A namespace as a plain dict, anything else as it is."""
    return value.plain() if type(value) is InstanceDict else value


def _plain_view(value: Any) -> Any:
    if type(value) is InstanceValues:
        return value.namespace.plain().values()
    return value.namespace.plain().items() if type(value) is InstanceItems else value


def _names_of_local(owner: Any) -> tuple[str, ...] | None:
    held = instance_dict(owner)
    return None if any(map(maybe_absent, held.values())) else tuple(held)


def _raise_missing(name: Any) -> NoReturn:
    raise KeyError(name)


InstanceDict.__name__ = "dict"
InstanceDict.__module__ = "builtins"
STANDING_FOR[InstanceDict] = dict
STANDING_FOR[InstanceValues], STANDING_FOR[InstanceItems] = type({}.values()), type({}.items())
MAKERS[InstanceDict] = lambda namespace: (instance_dict, (namespace.owner,))
