"""The world outside a trace: what it read, under which guards, and the objects that it met or made.

`importing.py` says what becomes of a value from outside, `attributes.py` what reads and stores of attributes
mean, `watched_classes.py` has the hooks of special methods.
"""

from __future__ import annotations

import builtins
import types
from functools import cached_property
from typing import TYPE_CHECKING, Any

from autograph.config import is_excluded
from autograph.errors import StagingError
from autograph.records import record
from runtime.graph import Value
from runtime.guards.paths import Argument, Attribute, Constant, Guard, Item, Path
from runtime.guards.random_states import RandomStates
from runtime.objects import acting, descriptors
from runtime.objects import attributes as object_attributes
from runtime.objects.class_state import ClassState
from runtime.objects.watched_classes import (
    HEAP_TYPE,
    IMMUTABLE_TYPE,
    install_hooks,
    remove_hooks,
    unseen_of_metaclass,
)
from runtime.ops.instances import is_user_instance
from runtime.outside.aliases import Aliases
from runtime.outside.definitions import Definitions
from runtime.outside.importing import Importer
from runtime.outside.sealed import Sealed
from runtime.tracer.class_namespaces import namespace_of, program_attribute
from runtime.types import OBJECT, Type

if TYPE_CHECKING:
    from runtime.tracer.trace import Trace


@record(slots=False, frozen=False, eq=False)
class ImplicitInput:
    """A graph parameter that is not an argument: read along ``path`` at each call."""

    path: Path
    value: Value


class Outside:
    """What one trace knows of the world outside."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self.guards: list[Guard] = []
        self.inputs: list[ImplicitInput] = []
        self._inputs_by_path: dict[Path, Any] = {}
        #: the arrays that came in: where each was found, what stands for it, and the array itself
        self.arrays: list[tuple[Path, Any, Any]] = []
        self._object_values: dict[Path, Value] = {}
        self.objects: dict[int, tuple[Any, Path]] = {}  # outside objects by identity
        self.origins: dict[int, tuple[Any, Any]] = {}  # id(stand-in) -> stand-in, original
        self.stand_ins: dict[int, Any] = {}  # id(original) -> stand-in
        self._local: dict[int, Any] = {}  # instances made during the trace
        self.births: dict[int, tuple[Any, Any]] = {}  # of those: the frame and the block that made them
        self.made_by_libraries: dict[int, tuple[Any, Any]] = {}  # an object, and its block
        self.real: dict[int, Value] = {}  # of those: the object that a run has for one
        self.handled: dict[Value, tuple[Any, ...]] = {}  # exceptions of a run: who each is, or its wrapper
        self.being_made: set[int] = set()  # instances whose attributes are made real just now
        self.stored: set[int] = set()  # lists and dicts made during the trace that were stored outside
        self._kept: dict[int, Any] = {}  # containers whose id is a key somewhere
        self._watched: dict[type, None] = {}  # in their order
        self._is_watched: dict[type, bool] = {}  # a class, or one of those that it inherits from
        self.classes = ClassState(self)
        self.stands_in_the_way = False  # something that no guard speaks of: it could not be read
        self._known_guards: set[tuple[Path, str]] = set()
        self.definitions = Definitions(self)
        self.sealed = Sealed(self)
        self.aliases = Aliases(self)
        self.random_states = RandomStates()
        self._importer = Importer(self)

    def add_guard(self, path: Path, condition: Any, expected: str, routine: bool = False) -> None:
        if isinstance(path, Constant) or (path, expected) in self._known_guards:
            return
        self._known_guards.add((path, expected))
        self.guards.append(Guard(path, condition, expected, routine))

    def guards_of_refusal(self) -> list[Guard]:
        """Guards under which this attempt comes to nothing once more.

        None speaks of what stood in the way where the world is read: such a refusal is not to be kept.
        """
        if self.stands_in_the_way:
            never = lambda source, names: "False"
            return [Guard(Constant(self, "what was read"), never, "what stood in the way")]
        self.aliases.guard_refusal()
        self.definitions.finish()
        return self.guards

    @cached_property
    def attributes(self) -> object_attributes.Attributes:
        return object_attributes.Attributes(self)

    def import_value(self, value: Any, path: Path) -> Any:
        """What converted code sees in place of ``value``, found at ``path``."""
        try:
            return self._importer.import_value(value, path)
        except StagingError:
            self.stands_in_the_way = True
            raise

    def guard_decimal_context(self) -> None:
        """The program computes with Decimals, which ask for their context unseen."""
        self._importer.guard_decimal_context()

    # -- implicit inputs ------------------------------------------------------------------------------

    def input(self, path: Path, type: Type) -> Any:
        """A staged value that each call reads along ``path``."""
        known = self._inputs_by_path.get(path)
        if known is None:
            value = Value(type, str(path).replace(".", "_"))
            if isinstance(path, Argument):
                raise AssertionError("arguments are parameters already")
            self.trace.body.params.append(value)
            self.inputs.append(ImplicitInput(path, value))
            known = self._inputs_by_path[path] = self.trace.wrap(value)
        return known

    def known_input(self, path: Path) -> Any:
        """The staged value that is read along ``path``, or None."""
        return self._inputs_by_path.get(path)

    def bind_argument(self, path: Argument, staged: Any) -> None:
        self._inputs_by_path[path] = staged

    def object_value(self, item: Any) -> Value:
        """The graph value of an outside object: an implicit input of object type."""
        path = self.objects[id(item)][1]
        known = self._object_values.get(path)
        if known is None:
            known = self._object_values[path] = Value(OBJECT, str(path).replace(".", "_"))
            self.trace.body.params.append(known)
            self.inputs.append(ImplicitInput(path, known))
        return known

    def path_of(self, item: Any) -> Path | None:
        known = self.objects.get(id(item))
        return known[1] if known is not None else None

    def origin_of(self, container: Any) -> Value | None:
        known = self.origins.get(id(container))
        return self.object_value(known[1]) if known is not None else None

    def original(self, container: Any) -> Any:
        """The outside list or dict that ``container`` stands for, or None."""
        known = self.origins.get(id(container))
        return known[1] if known is not None else None

    def stand_in_of(self, original: Any) -> Any:
        """What stands for an outside container in this trace, or None."""
        return self.stand_ins.get(id(original))

    def stands_for(self, stand_in: Any, original: Any, path: Path) -> None:
        self.stand_ins[id(original)] = stand_in
        self.classes.as_it_is.stands_for(stand_in, original)
        self.origins[id(stand_in)] = (stand_in, original)
        self.objects[id(original)] = (original, path)

    def keep(self, container: Any) -> None:
        self._kept[id(container)] = container

    def is_kept(self, container: Any) -> bool:
        return id(container) in self._kept

    # -- objects --------------------------------------------------------------------------------------

    def is_outside(self, item: Any) -> bool:
        return id(item) in self.objects

    def is_local(self, item: Any) -> bool:
        return id(item) in self._local

    def local(self, identity: int) -> Any:
        return self._local[identity]

    def add_local(self, item: Any) -> None:
        """``item`` was constructed during the trace."""
        self.require_module(type(item))
        if id(item) in self.objects or id(item) in self._local or not is_user_instance(item):
            return
        frames = self.trace.frames
        self._local[id(item)] = item
        self.births[id(item)] = (frames[-1] if frames else None, self.trace.block)
        self.watch(type(item))

    def made_instances(self, types: Any) -> list[Any]:
        """The objects of these classes that the trace has made so far."""
        return [one for one in self._local.values() if isinstance(one, types)]

    def known_objects(self) -> list[Any]:
        """The objects that the trace has met or made so far."""
        return [*(one for one, _ in self.objects.values()), *self._local.values()]

    def made_objects(self) -> set[int]:
        """Which objects the trace has made so far."""
        return set(self._local)

    def forget_local(self, item: Any) -> None:
        """An instance of the trace stands for an object of the run by now: what was noted of it is void."""
        identity = id(item)
        del self._local[identity], self.births[identity]
        frames = self.trace.frames
        noted: list[dict[Any, Any]] = [
            self.trace.noted,
            *(slots for frame in frames for slots in (frame.written, frame.heads)),
        ]
        for slots in noted:
            for key in [k for k in slots if isinstance(k, tuple) and k[:2] == ("attribute", identity)]:
                del slots[key]

    def put_inputs_last(self) -> None:
        """Arguments come first among the parameters; parts of them that are read along a path come after."""
        implicit = [each.value for each in self.inputs]
        params = self.trace.body.params
        params[:] = [*(param for param in params if param not in implicit), *implicit]

    def typed_input(self, path: Path, type: Type) -> Value:
        """A parameter for an object that each call reads along ``path``, arguments among them."""
        value = Value(type, str(path).replace(".", "_"))
        self.trace.body.params.append(value)
        self.inputs.append(ImplicitInput(path, value))
        return value

    def known_as(self, path: Path, standing: Any) -> None:
        """``standing`` is what converted code sees of what lies at ``path``."""
        self._inputs_by_path[path] = standing

    def reference(self, item: Any) -> Any:
        """An object or container from outside as a staged value, or None."""
        staged = self.trace.references.staged(item)
        if staged is not None:
            return staged
        original = self.original(item)
        known = self.objects.get(id(item if original is None else original))
        if known is None or isinstance(known[1], Constant):
            return None
        return self.trace.wrap(self.object_value(known[0]))

    # -- watched classes ------------------------------------------------------------------------------

    def watch(self, cls: type) -> bool:
        """Put the hooks on a class. False for a class that Python does not let change."""
        if cls in self._watched:
            return True
        self.require_module(cls)
        if (
            not cls.__flags__ & HEAP_TYPE
            or cls.__flags__ & IMMUTABLE_TYPE
            or cls.__module__ in ("builtins", "typing")
        ):
            return False
        self.reach_class(cls)
        self._require_plain_reads(cls)
        install_hooks(cls)
        self._watched[cls] = None
        self._is_watched.clear()
        return True

    def is_watched(self, cls: type) -> bool:
        """Are the attributes of its instances read and stored under the eyes of the trace?"""
        known = self._is_watched.get(cls)
        if known is None:
            seen = self._watched.keys() & {*cls.__mro__}
            known = self._is_watched[cls] = not all(issubclass(base, (type, tuple)) for base in seen)
        return known

    def _require_plain_reads(self, cls: type) -> None:
        """Refuse a `__getattribute__` that acts: Python, and our own code, asks it unseen."""
        method = program_attribute(cls, "__getattribute__")
        if isinstance(method, types.FunctionType) and acting.acts(method, cls):
            raise self.trace.refuse(
                f"`{method.__qualname__}` does more than to read, and each attribute asks it unseen",
                "count or log where the attribute is read, or use a property for it",
                cls.__name__,
            )

    def reach_class(self, cls: type) -> None:
        """Guard what a class holds as plain values, and remember it: nothing sees stores to a class."""
        self.require_module(cls)
        if type(cls).__module__ == "_ctypes":
            raise self.trace.refuse(
                f"the class {cls.__name__} is one of ctypes, whose objects are memory that no trace sees",
                "use a class of your own or an array, and fill the ctypes object outside of this function",
                cls.__name__,
            )
        if issubclass(cls, tuple) and cls not in self.classes.held:
            acting.require_tuple_read_unseen(self.trace, cls)
        for base in cls.__mro__:
            if (
                base not in self.classes.held
                and base.__flags__ & HEAP_TYPE
                and not is_excluded(base.__module__)
            ):
                self.definitions.reach(base, namespace_of(base))
                self.classes.hold(base)
                self._import_descriptors(base)
                if issubclass(base, tuple) or "__class_getitem__" in vars(base):
                    self.watch(base)
                if type(base) is not type:
                    self._watch_metaclass(type(base))

    def require_module(self, cls: type) -> None:
        """Refuse a class of the user's that says it is one of Python's own: no hook would watch it."""
        changeable = cls.__flags__ & HEAP_TYPE and not cls.__flags__ & IMMUTABLE_TYPE
        if changeable and cls.__module__ == "builtins" and getattr(builtins, cls.__name__, None) is not cls:
            raise self.trace.refuse(
                f"the class {cls.__name__} was made by code whose globals have no `__name__`, and passes for "
                "one of Python's own",
                'put a "__name__" into the globals that exec gets: exec(code, {"__name__": "mine"})',
                cls.__name__,
            )

    def _import_descriptors(self, cls: type) -> None:
        """What `cls.name` calls, and may change: the user's own `__get__`."""
        for name, static in namespace_of(cls).items():
            if descriptors.method_of(static, "__get__") is not None:
                self.definitions.guard_descriptor(cls, name, static)
                self.import_value(static, Item(Attribute(Constant(cls, cls.__name__), "__dict__"), name))

    def _watch_metaclass(self, metaclass: type) -> None:
        for base in metaclass.__mro__:
            if base.__flags__ & HEAP_TYPE and not is_excluded(base.__module__):
                unseen = unseen_of_metaclass(base)
                if unseen is not None:
                    raise self.trace.refuse(
                        f"the metaclass {base.__name__} has `{unseen}`, which no hook sees for its classes",
                        "use a class without this metaclass here, or keep it out of the decorated function",
                        base.__name__,
                    )
                self.watch(base)

    def class_attribute(self, cls: type, name: str) -> Any:
        """What ``cls`` holds under a name, itself or inherited; hooks of a trace do not count."""
        return next((namespace_of(base)[name] for base in cls.__mro__ if name in namespace_of(base)), None)

    def release(self) -> None:
        while self._watched:
            remove_hooks(self._watched.popitem()[0])
        self.sealed.release()
