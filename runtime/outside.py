"""The world outside a trace: what it read, under which guards, and the hooks that see reads and stores.

*Import*: a value read from outside becomes what converted code may see. A number, a string or a function
stays itself, under a guard; an ndarray becomes an implicit input, read where it lives at each call; a list
or dict is copied, the copy standing for it; any other object stays itself, and its class is watched.

*Watched classes*: for the time of a trace the class of such an object has `__getattribute__`, `__setattr__`
and `__delattr__` hooks, which act only in the tracing thread. Reads of attributes are imports, stores are
slots.
"""

from __future__ import annotations

import functools
import sys
import threading
import types
from collections.abc import Hashable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from autograph import is_converted_code
from autograph.config import is_excluded
from autograph.operators import Undefined
from runtime.aliases import Aliases
from runtime.builder import Staged, current, leaked
from runtime.class_state import ClassState
from runtime.definitions import Definitions, keeps_its_code
from runtime.elements import holds
from runtime.graph import Value
from runtime.instances import attribute, is_user_instance
from runtime.opaque import guard_contents
from runtime.paths import (
    Argument,
    Attribute,
    Constant,
    Guard,
    Item,
    Path,
    equals_number,
    equals_value,
    has_class,
    is_array_of,
    is_identical,
)
from runtime.sealed import Sealed, is_sealed
from runtime.slots import LocalAttribute, OutsideAttribute
from runtime.spec import Choice
from runtime.types import OBJECT, ArrayType, Type, is_supported_dtype, type_of
from runtime.watched_modules import WatchedModules, is_fixed

if TYPE_CHECKING:
    from runtime.trace import Trace

#: longer lists and dicts from outside are refused: each item is a guard or an input
MAX_CAPTURED_ITEMS = 1000

#: objects that are known by identity and never change in a way that matters
IDENTITIES = (
    type, types.FunctionType, types.BuiltinFunctionType, types.MethodDescriptorType,
    types.WrapperDescriptorType, types.ModuleType, np.ufunc, types.ClassMethodDescriptorType,
    types.MethodWrapperType, types.GetSetDescriptorType, property, classmethod, staticmethod,
    type(NotImplemented), types.GenericAlias,
)  # fmt: skip
VALUES = (str, bytes, range, slice, np.dtype, type(Ellipsis), type(None), frozenset)


@dataclass(eq=False)
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
        self._object_values: dict[Path, Value] = {}
        self._objects: dict[int, tuple[Any, Path]] = {}  # outside objects by identity
        self._origins: dict[int, tuple[Any, Any]] = {}  # id(stand-in) -> stand-in, original
        self._stand_ins: dict[int, Any] = {}  # id(original) -> stand-in
        self._local: dict[int, Any] = {}  # instances made during the trace
        self.births: dict[int, tuple[Any, Any]] = {}  # of those: the frame and the block that made them
        self.real: dict[int, Value] = {}  # of those: the object that a run has for one
        self.stored: set[int] = set()  # lists and dicts made during the trace that were stored outside
        self._kept: dict[int, Any] = {}  # containers whose id is a key somewhere
        self._watched: list[type] = []
        self.classes = ClassState(self)
        self._guarded: set[tuple[int, str]] = set()
        self._known_guards: set[tuple[Path, str]] = set()
        self.modules = WatchedModules()
        self.definitions = Definitions(self)
        self.sealed = Sealed(self)
        self.aliases = Aliases(self)

    # -- import -------------------------------------------------------------------------------------

    def add_guard(self, path: Path, condition: Any, expected: str, routine: bool = False) -> None:
        if isinstance(path, Constant) or (path, expected) in self._known_guards:
            return
        self._known_guards.add((path, expected))
        self.guards.append(Guard(path, condition, expected, routine))

    def import_value(self, value: Any, path: Path) -> Any:
        """What converted code sees in place of ``value``, found at ``path``."""
        known = self._inputs_by_path.get(path)
        if known is not None:
            return known
        if isinstance(value, Staged):
            raise leaked(value)
        if isinstance(value, np.ndarray):
            return self._import_array(value, path)
        if isinstance(value, (bool, int, float, complex, np.generic)) and not hasattr(value, "__dict__"):
            return self._import_number(value, path)
        if isinstance(value, tuple):
            return self._import_tuple(value, path)
        if type(value) in (list, dict):
            return self._import_container(value, path)
        if isinstance(value, VALUES):
            self.add_guard(path, equals_value(value), repr(value))
            return value
        boxed = getattr(type(value), "__runtime_import__", None)
        if boxed is not None:  # rt.Tensor
            return boxed(value, self, path)
        if isinstance(value, types.MethodType):
            self.import_value(value.__func__, Attribute(path, "__func__"))
            self.import_value(value.__self__, Attribute(path, "__self__"))
            return value
        if type(value) is functools.partial:
            function = self.import_value(value.func, Attribute(path, "func"))
            args = self.import_value(value.args, Attribute(path, "args"))
            base = Attribute(path, "keywords")
            keywords = {k: self.import_value(v, Item(base, k)) for k, v in value.keywords.items()}
            return functools.partial(function, *args, **keywords)
        if type(value) is types.SimpleNamespace:
            return self._import_namespace(value, path)
        if isinstance(value, IDENTITIES):
            if isinstance(value, type):
                self.reach_class(value)
                if type(value) is not type:
                    self.reach_class(type(value))
            elif type(value) is types.FunctionType and not is_excluded(value.__module__ or ""):
                self.add_guard(path, runs_as_it_did(value), value.__name__, routine=True)
                if not isinstance(path, Constant):
                    self.definitions.know(value)
                if value not in self.classes.held:
                    self.classes.hold(value)
                return value
            elif isinstance(value, types.ModuleType):
                self._objects[id(value)] = (value, path)
                self.modules.watch(value)
            name = getattr(value, "__name__", repr(value))
            self.add_guard(path, is_identical(value), name, routine=True)
            return value
        if is_sealed(value):
            return self.sealed.enter(value, path)
        return self._import_object(value, path)

    def _import_number(self, value: Any, path: Path) -> Any:
        stageable = not isinstance(value, np.generic) or is_supported_dtype(value.dtype)
        if stageable and not isinstance(path, Argument) and path in self.trace.decisions.staged_paths:
            kind = type_of(value)
            self.add_guard(path, has_class(type(value)), f"a {type(value).__name__}")
            return self.input(path, kind)
        self.add_guard(path, equals_number(value), repr(value))
        return value

    def _import_array(self, value: np.ndarray, path: Path) -> Any:
        check_array(value, str(path), self.trace)
        self.add_guard(path, is_array_of(value.dtype, value.shape, type(value)), f"{type_of(value)}")
        return self.input(path, ArrayType(value.dtype, value.shape))

    def _import_tuple(self, value: tuple[Any, ...], path: Path) -> Any:
        self.add_guard(
            path,
            lambda s, n, v=value: (
                f"{s} is {n.of(v)} or (type({s}) is {n.of(type(v))} and {s}.__len__() == {len(v)})"
            ),
            f"a {type(value).__name__} of {len(value)}",
        )
        items = [self.import_value(item, Item(path, i)) for i, item in enumerate(value)]
        if all(map(lambda a, b: a is b, items, value)):
            return value
        return type(value)._make(items) if hasattr(value, "_make") else tuple(items)

    def _import_container(self, value: Any, path: Path) -> Any:
        if id(value) in self._stand_ins:
            self.aliases.same(value, path)
            return self._stand_ins[id(value)]
        self.aliases.know(value, path)
        if len(value) > MAX_CAPTURED_ITEMS:
            raise self.trace.refuse(
                f"`{path}` is a {type(value).__name__} of {len(value)} items, "
                "which is too long to trace item by item",
                "make it an array (np.array)",
                str(path),
            )
        if path in self.trace.containers.elements:
            return self._import_real_container(value, path)
        stand_in: Any = type(value)()
        self.trace.containers.enter(stand_in, path)
        self._stand_ins[id(value)] = stand_in
        self._origins[id(stand_in)] = (stand_in, value)
        self._objects[id(value)] = (value, path)
        self._guard_container(value, path)
        if isinstance(value, list):
            stand_in.extend(self.import_value(item, Item(path, i)) for i, item in enumerate(value))
        else:
            stand_in.update({key: self.import_value(item, Item(path, key)) for key, item in value.items()})
        return stand_in

    def _import_real_container(self, value: Any, path: Path) -> Any:
        """A container that a run changes: an input, whatever its length, under a guard of what it holds."""
        kind = self.trace.containers.outside_type(value, path)
        accepts = holds(kind)
        self.guards.append(Guard(path, lambda s, n: f"{n.of(accepts)}({s})", f"a {kind}"))
        staged = self._stand_ins[id(value)] = self.input(path, kind)
        return staged

    def _import_namespace(self, value: Any, path: Path) -> Any:
        """A copy of a class that can be watched stands for a SimpleNamespace, whose own class cannot."""
        if id(value) in self._stand_ins:
            self.aliases.same(value, path)
        else:
            self.aliases.know(value, path)
            stand_in = _Namespace(**vars(value))
            self._stand_ins[id(value)] = stand_in
            self._origins[id(stand_in)] = (stand_in, value)
            self._objects[id(value)] = (value, path)
            self._import_object(stand_in, path)
        return self._stand_ins[id(value)]

    def _guard_container(self, value: Any, path: Path) -> None:
        if isinstance(value, list):
            length = len(value)
            self.guards.append(
                Guard(
                    path,
                    lambda s, n: f"type({s}) is list and {s}.__len__() == {length}",
                    f"a list of {length}",
                )
            )
        else:
            keys = list(value)
            self.guards.append(
                Guard(
                    path,
                    lambda s, n: f"type({s}) is dict and [*{s}] == {n.of(keys)}",
                    f"a dict with keys {keys}",
                )
            )

    def _import_object(self, value: Any, path: Path) -> Any:
        if id(value) in self._objects:
            other = self._objects[id(value)][1]
            if other != path:
                self.guards.append(
                    Guard(path, lambda s, n: f"{s} is {other.source(n)}", f"the same object as {other}")
                )
            return value
        self.aliases.know_object(value, path)
        self._objects[id(value)] = (value, path)
        if not isinstance(path, Argument):  # the signature knows the classes of arguments
            cls = types.SimpleNamespace if type(value) is _Namespace else type(value)
            self.add_guard(path, has_class(cls), f"a {cls.__name__}")
        guard_contents(self, value, path)
        if not self.watch(type(value)):
            # A class that cannot be watched: known by identity, and its methods are refused unless pure.
            self.guards.append(Guard(path, is_identical(value), f"this {type(value).__name__}"))
        return value

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

    def bind_argument(self, path: Argument, staged: Any) -> None:
        self._inputs_by_path[path] = staged

    def object_value(self, item: Any) -> Value:
        """The graph value of an outside object: an implicit input of object type."""
        path = self._objects[id(item)][1]
        known = self._object_values.get(path)
        if known is None:
            known = self._object_values[path] = Value(OBJECT, str(path).replace(".", "_"))
            self.trace.body.params.append(known)
            self.inputs.append(ImplicitInput(path, known))
        return known

    def path_of(self, item: Any) -> Path | None:
        known = self._objects.get(id(item))
        return known[1] if known is not None else None

    def origin_of(self, container: Any) -> Value | None:
        known = self._origins.get(id(container))
        return self.object_value(known[1]) if known is not None else None

    def original(self, container: Any) -> Any:
        """The outside list or dict that ``container`` stands for, or None."""
        known = self._origins.get(id(container))
        return known[1] if known is not None else None

    def stand_in_of(self, original: Any) -> Any:
        """What stands for an outside container in this trace, or None."""
        return self._stand_ins.get(id(original))

    def stands_for(self, stand_in: Any, original: Any, path: Path) -> None:
        self._stand_ins[id(original)] = stand_in
        self._origins[id(stand_in)] = (stand_in, original)
        self._objects[id(original)] = (original, path)

    def keep(self, container: Any) -> None:
        self._kept[id(container)] = container

    # -- objects --------------------------------------------------------------------------------------

    def is_outside(self, item: Any) -> bool:
        return id(item) in self._objects

    def held(self, owner: Any, name: str) -> Any:
        """The value of an attribute that the trace stored, which may be unbound; None: it stored none."""
        if self.key(owner, name) in self.trace.overlay:
            return self.trace.overlay[self.key(owner, name)]
        value = attribute(owner, name, None) if self.is_local(owner) else None
        if isinstance(owner, types.ModuleType) and self.is_outside(owner):
            namespace = types.ModuleType.__getattribute__(owner, "__dict__")
            value = self.trace.environment.globals(namespace).peek(name)
        return value if isinstance(value, Choice) else None

    def is_local(self, item: Any) -> bool:
        return id(item) in self._local

    def local(self, identity: int) -> Any:
        return self._local[identity]

    def add_local(self, item: Any) -> None:
        """``item`` was constructed during the trace."""
        if id(item) in self._objects or id(item) in self._local or not is_user_instance(item):
            return
        frames = self.trace.frames
        self._local[id(item)] = item
        self.births[id(item)] = (frames[-1] if frames else None, self.trace.block)
        self.watch(type(item))

    def reference(self, item: Any) -> Any:
        """An object or container from outside as a staged value, or None."""
        original = self.original(item)
        known = self._objects.get(id(item if original is None else original))
        if known is None or isinstance(known[1], Constant):
            return None
        return self.trace.wrap(self.object_value(known[0]))

    def key(self, owner: Any, name: str) -> Hashable:
        return ("attribute", id(owner), name)

    def read_attribute(self, owner: Any, name: str) -> Any:
        """An attribute of an outside object, as converted code sees it."""
        if isinstance(class_attribute(type(owner), name), functools.cached_property):
            if name not in object.__getattribute__(owner, "__dict__"):
                return Undefined(name)  # to read it would compute it; a guard says so already
        try:
            value = object.__getattribute__(owner, name)
        except AttributeError:
            self._guard_missing(owner, name)
            return Undefined(name)
        return self.import_value(value, Attribute(self._objects[id(owner)][1], name))

    def on_read(self, owner: Any, name: str, original: Any) -> Any:
        if name.startswith("__") and name.endswith("__"):
            if name == "__dict__" and self.is_outside(owner) and is_converted_code(sys._getframe(2).f_code):
                raise self.refuse_namespace(owner)
            return original(owner, name)
        static = class_attribute(type(owner), name)
        if isinstance(owner, types.ModuleType) and static is None:
            found = self._global_of(owner, name)
            if found is not _MISSING:
                return found
        if id(owner) not in self._objects:
            if isinstance(static, property):
                return self._computed(owner, static)
            if isinstance(static, functools.cached_property) and name not in vars(owner):
                return self._computed_once(owner, name, static)
            value = original(owner, name)
            return self._present(owner, name, value) if isinstance(value, Choice) else value
        key = self.key(owner, name)
        if key in self.trace.overlay:
            value = self.trace.overlay[key]
            if isinstance(static, functools.cached_property):
                return self._maybe_computed(owner, name, static, value)
            if isinstance(value, Undefined):
                raise missing(owner, name)
            return self._present(owner, name, value)
        if isinstance(static, property):
            self._guard_class(owner, name, static)
            return self._computed(owner, static)
        if isinstance(static, functools.cached_property):
            path = self._objects[id(owner)][1]
            computed = object.__getattribute__(owner, "__dict__")
            if name not in computed:
                self._guard_class(owner, name, static)
                return self._computed_once(owner, name, static)
            self.guards.append(Guard(path, lambda s, n: f"{name!r} in {s}.__dict__", f"`{name}` computed"))
            return self.import_value(computed[name], Item(Attribute(path, "__dict__"), name))
        try:
            value = original(owner, name)
        except AttributeError:
            self._guard_missing(owner, name)
            raise
        if static is not None and isinstance(value, types.MethodType) and value.__self__ is owner:
            self._guard_class(owner, name, static)
            return value
        return self.import_value(value, Attribute(self._objects[id(owner)][1], name))

    def _global_of(self, module: types.ModuleType, name: str) -> Any:
        """An attribute of a module is a global of its functions: known by the same path, whoever reads it."""
        namespace = types.ModuleType.__getattribute__(module, "__dict__")
        value = namespace.get(name, _MISSING)
        if value is not _MISSING and is_fixed(module, value):
            return value
        found = self.trace.environment.globals(namespace).peek(name)
        return _MISSING if isinstance(found, Undefined) else self._present(module, name, found)

    def refuse_namespace(self, owner: Any) -> Exception:
        """The error (not raised) for reading all attributes of an object at once."""
        return self.trace.refuse(
            f"the namespace of `{self._objects[id(owner)][1]}` is read as a whole, so that no change is seen",
            "read the attributes by their names",
            str(self._objects[id(owner)][1]),
        )

    def _computed(self, owner: Any, static: property) -> Any:
        from autograph.operators import call

        return call(static.fget, owner)

    def _computed_once(self, owner: Any, name: str, static: functools.cached_property[Any]) -> Any:
        """A `cached_property` that was not read before: computed, and stored as an attribute."""
        from autograph.operators import call

        value = call(static.func, owner)
        setattr(owner, name, value)
        return value

    def _maybe_computed(
        self, owner: Any, name: str, static: functools.cached_property[Any], value: Any
    ) -> Any:
        """A `cached_property` that was stored or deleted in the trace before."""
        from runtime.choices import is_undefined

        absent = is_undefined(value)
        if absent is False:
            return value
        if absent is True:
            return self._computed_once(owner, name, static)
        raise self.trace.refuse(
            f"the cached property `{name}` was computed under a staged condition only",
            "read it once before the condition",
            name,
        )

    def _present(self, owner: Any, name: str, value: Any) -> Any:
        """An attribute that a staged branch made or deleted: AttributeError at run time where it is
        not there."""
        from runtime.branches import branch
        from runtime.choices import certain, is_undefined

        absent = is_undefined(value)
        if absent is False:
            return value

        def fail() -> Any:
            raise missing(owner, name)

        left = certain(value)
        assert not isinstance(left, Undefined)
        return branch(absent, fail, lambda: left)

    def _guard_missing(self, owner: Any, name: str) -> None:
        path = self._objects[id(owner)][1]
        self.guards.append(Guard(path, lambda s, n: f"not hasattr({s}, {name!r})", f"without `{name}`"))

    def _guard_class(self, owner: Any, name: str, static: Any) -> None:
        """A method or property is what it was when it was traced, and no attribute of the object hides it."""
        path = self._objects[id(owner)][1]
        self.definitions.guard(type(owner), name, static)
        key = (id(owner), name)
        if key not in self._guarded:
            self._guarded.add(key)
            if type(owner).__dictoffset__:
                own = f"without its own `{name}`"
                self.guards.append(
                    Guard(path, lambda s, n: f"{name!r} not in {s}.__dict__", own, routine=True)
                )

    def on_store(self, owner: Any, name: str, value: Any, original: Any) -> bool:
        """Record a store. False: let ``original`` do it."""
        if id(owner) in self._objects:
            slot: Any = OutsideAttribute(
                self.trace, self.key(owner, name), f"{self._objects[id(owner)][1]}.{name}", owner, name
            )
        elif id(owner) in self._local:
            slot = LocalAttribute(self.trace, self.key(owner, name), f"{type(owner).__name__}.{name}", name)
        else:
            raise self.trace.refuse(
                f"the attribute `{name}` of a {type(owner).__name__} is changed "
                "that the trace has not seen before",
                "reach the object through an argument, a global or a closure",
                name,
            )
        static = class_attribute(type(owner), name)
        if isinstance(static, property):
            from autograph.operators import call

            if isinstance(value, Undefined):  # `del`
                if static.fdel is None:
                    return False
                call(static.fdel, owner)
                return True
            if static.fset is None:
                return False
            call(static.fset, owner, value)
            return True
        if isinstance(owner, types.ModuleType) and static is None:
            namespace = types.ModuleType.__getattribute__(owner, "__dict__")
            self.trace.poll()
            self.trace.write(self.trace.environment.global_slot(namespace, name), value)
            return True
        if original not in PLAIN_STORES:
            if id(owner) in self._objects:
                raise self.trace.refuse(
                    f"{type(owner).__name__} has a `__setattr__` of its own, which cannot be staged",
                    "change the object outside the decorated function, or return the new value",
                    name,
                )
            self.trace.note(slot, slot.get())
            return False
        self.trace.write(slot, value)
        return True

    # -- watched classes ------------------------------------------------------------------------------

    def watch(self, cls: type) -> bool:
        """Put the hooks on a class. False for a class that Python does not let change."""
        if cls in self._watched:
            return True
        if (
            not cls.__flags__ & HEAP_TYPE
            or cls.__flags__ & IMMUTABLE_TYPE
            or cls.__module__ in ("builtins", "typing")
        ):
            return False
        self.reach_class(cls)
        install_hooks(cls)
        self._watched.append(cls)
        return True

    def reach_class(self, cls: type) -> None:
        """Guard what a class holds as plain values, and remember it: nothing sees stores to a class."""
        for base in cls.__mro__:
            if (
                base not in self.classes.held
                and base.__flags__ & HEAP_TYPE
                and not is_excluded(base.__module__)
            ):
                self.definitions.reach(base, namespace_of(base))
                self.classes.hold(base)

    def class_attribute(self, cls: type, name: str) -> Any:
        """What ``cls`` holds under a name, itself or inherited; hooks of a trace do not count."""
        return next((namespace_of(base)[name] for base in cls.__mro__ if name in namespace_of(base)), None)

    def release(self) -> None:
        self.classes.release()
        while self._watched:
            remove_hooks(self._watched.pop())
        self.modules.release()


#: what stores an attribute with no code of the user's
PLAIN_STORES = (
    object.__setattr__, object.__delattr__, types.ModuleType.__setattr__, types.ModuleType.__delattr__,
    types.SimpleNamespace.__setattr__, types.SimpleNamespace.__delattr__,
)  # fmt: skip


class _Namespace(types.SimpleNamespace):
    """Stands for a SimpleNamespace from outside."""

    __eq__ = types.SimpleNamespace.__eq__


def runs_as_it_did(function: types.FunctionType) -> Any:
    """The condition that a function is the same one, with the code and the defaults that it had."""
    code = keeps_its_code(function)
    return lambda source, names: f"{source} is {names.of(function)} and {code(names.of(function), names)}"


HEAP_TYPE = 1 << 9
IMMUTABLE_TYPE = 1 << 8

_lock = threading.Lock()
_hooked: dict[type, int] = {}
_originals: dict[type, dict[str, Any]] = {}


def install_hooks(cls: type) -> None:
    with _lock:
        _hooked[cls] = _hooked.get(cls, 0) + 1
        if _hooked[cls] > 1:
            return
        hooks = make_hooks(cls)
        _originals[cls] = {name: cls.__dict__.get(name, _MISSING) for name in hooks}
        for name, hook in hooks.items():
            type.__setattr__(cls, name, hook)


def remove_hooks(cls: type) -> None:
    with _lock:
        _hooked[cls] -= 1
        if _hooked[cls]:
            return
        del _hooked[cls]
        for name, original in _originals.pop(cls).items():
            if original is _MISSING:
                type.__delattr__(cls, name)
            else:
                type.__setattr__(cls, name, original)


_MISSING = object()


def namespace_of(cls: type) -> dict[str, Any]:
    """What a class holds, without the hooks of a trace."""
    found = dict(vars(cls))
    for name, original in _originals.get(cls, {}).items():
        if original is _MISSING:
            found.pop(name, None)
        else:
            found[name] = original
    return found


#: special methods that Python calls behind the user's back, and that converted code should run converted
SPECIAL_METHODS = tuple(
    f"__{name}__"
    for name in (
        "add sub mul truediv floordiv mod divmod pow matmul and or xor lshift rshift "
        "radd rsub rmul rtruediv rfloordiv rmod rdivmod rpow rmatmul rand ror rxor rlshift rrshift "
        "iadd isub imul itruediv ifloordiv imod ipow imatmul iand ior ixor ilshift irshift "
        "neg pos abs invert lt le gt ge eq ne getitem setitem delitem enter exit"
    ).split()
)


def make_hooks(cls: type) -> dict[str, Any]:
    """Hooks that defer to what the class did before, unless this thread is tracing."""
    get: Any = cls.__getattribute__
    store: Any = cls.__setattr__
    delete: Any = cls.__delattr__

    def __getattribute__(self: Any, name: str) -> Any:
        outside = getattr(current(), "outside", None)
        return get(self, name) if outside is None else outside.on_read(self, name, get)

    def __setattr__(self: Any, name: str, value: Any) -> None:
        outside = getattr(current(), "outside", None)
        if outside is None or not outside.on_store(self, name, value, store):
            store(self, name, value)

    def __delattr__(self: Any, name: str) -> None:
        outside = getattr(current(), "outside", None)
        if outside is None or not outside.on_store(self, name, Undefined(name), delete):
            delete(self, name)

    hooks = {"__getattribute__": __getattribute__, "__setattr__": __setattr__, "__delattr__": __delattr__}
    if class_attribute(cls, "__ne__") is object.__ne__ and isinstance(
        class_attribute(cls, "__eq__"), types.FunctionType
    ):
        hooks["__ne__"] = _unequal
    initialize = class_attribute(cls, "__init__")
    if isinstance(initialize, types.FunctionType):
        hooks["__init__"] = _initializing(initialize)
    for name in SPECIAL_METHODS:
        method = class_attribute(cls, name)
        if isinstance(method, types.FunctionType) and not hasattr(method, "__runtime_inline__"):
            hooks[name] = _converting(method)
    return hooks


def _initializing(initialize: types.FunctionType) -> Any:
    @functools.wraps(initialize)
    def __init__(self: Any, *args: Any, **kwargs: Any) -> Any:
        outside = getattr(current(), "outside", None)
        if outside is not None:
            outside.add_local(self)
        return initialize(self, *args, **kwargs)

    __init__.__runtime_inline__ = initialize  # type: ignore[attr-defined]
    return __init__


def _unequal(self: Any, other: Any) -> Any:
    """What a class without ``__ne__`` does: ``not self == other``."""
    if getattr(current(), "outside", None) is None:
        return object.__ne__(self, other)
    from autograph.operators import call, not_

    equal = call(type(self).__eq__, self, other)
    return equal if equal is NotImplemented else not_(equal)


def _converting(method: types.FunctionType) -> Any:
    @functools.wraps(method)
    def special(*args: Any, **kwargs: Any) -> Any:
        if getattr(current(), "outside", None) is None:
            return method(*args, **kwargs)
        from autograph.operators import call

        return call(method, *args, **kwargs)

    special.__runtime_inline__ = method  # type: ignore[attr-defined]
    return special


def missing(owner: Any, name: str) -> AttributeError:
    return AttributeError(f"{type(owner).__name__!r} object has no attribute {name!r}", name=name, obj=owner)


def class_attribute(cls: type, name: str) -> Any:
    for base in cls.__mro__:
        if name in base.__dict__:
            return base.__dict__[name]
    return None


def subclass_hint(value: np.ndarray[Any, Any], name: str) -> str:
    """What to pass in place of an array of a class of its own."""
    if isinstance(value, np.ma.MaskedArray):
        return f"pass {name}.filled(0.0), or {name}.data and {name}.mask as two arrays"
    if value.dtype.names:
        return f"pass its fields, each as an array: {name}[{value.dtype.names[0]!r}]"
    return f"pass np.asarray({name})"


def dtype_hint(dtype: np.dtype[Any], name: str) -> str:
    """What to pass in place of an array of a dtype that cannot be staged."""
    if not dtype.isnative:
        return f"pass {name}.astype({name}.dtype.newbyteorder('='))"
    if dtype.names:
        return f"pass its fields, each as an array: {name}[{dtype.names[0]!r}]"
    if dtype.kind in "mM":
        return f"pass {name}.astype(np.int64), which counts {np.datetime_data(dtype)[0]}"
    if dtype.kind in "SU":
        return f"number the strings outside: names, codes = np.unique({name}, return_inverse=True)"
    return f"pass {name}.astype({'np.complex128' if dtype.kind == 'c' else 'np.float64'}) if it holds numbers"


def check_array(value: np.ndarray, name: str, trace: Any) -> None:
    """Refuse arrays that cannot be staged, by name."""
    if type(value) is not np.ndarray:
        raise trace.refuse(
            f"`{name}` is a {type(value).__name__}, a subclass of ndarray with a meaning of its own",
            subclass_hint(value, name),
            name,
        )
    if not is_supported_dtype(value.dtype):
        raise trace.refuse(
            f"`{name}` has dtype {value.dtype}, which cannot be staged",
            dtype_hint(value.dtype, name),
            name,
        )
