"""Import: a value read from outside becomes what converted code may see.

A number, a string or a function stays itself, under a guard; an ndarray becomes an implicit input, read
where it lives at each call; a list or dict is copied, the copy standing for it; any other object stays
itself, and its class is watched.
"""

from __future__ import annotations

import contextlib
import functools
import types
from collections import defaultdict
from typing import Any

import numpy as np

from autograph.config import is_excluded
from autograph.loading import loaded_classes
from runtime import messages
from runtime.control_flow.iterators import is_python_iterator
from runtime.guards import keys as key_texts
from runtime.guards.keys import is_constant
from runtime.guards.paths import (
    Argument,
    AsArray,
    Attribute,
    Constant,
    Guard,
    Item,
    KeysGuard,
    Path,
    SameGuard,
    shared_array,
)
from runtime.guards.questions import (
    EqualsNumber,
    EqualsValue,
    Fits,
    HasMark,
    IsArrayOf,
    IsFunction,
    IsSequence,
    IsThis,
    KeepsItsCode,
    OfClass,
)
from runtime.handlers import generator_contexts
from runtime.numpy_calls import concatenators
from runtime.objects.function_objects import LikeAFunction, is_single_dispatch
from runtime.ops.instances import is_user_instance
from runtime.ops.item_patterns import KINDS
from runtime.ops.template import reads_itself
from runtime.outside import opaque
from runtime.outside.known import know_keys
from runtime.outside.watched import WatchedClasses
from runtime.specs import readers
from runtime.staged import records
from runtime.tracer.builder import Staged, leaked, refuse
from runtime.tracer.decisions import MAX_ONE_BY_ONE
from runtime.types import ArrayType, is_supported_dtype, type_of

#: objects that are known by identity and never change in a way that matters
IDENTITIES = (
    type, types.FunctionType, types.BuiltinFunctionType, types.MethodDescriptorType,
    types.WrapperDescriptorType, types.ModuleType, np.ufunc, types.ClassMethodDescriptorType,
    types.MethodWrapperType, types.GetSetDescriptorType, property, classmethod, staticmethod,
    type(NotImplemented), types.GenericAlias,
)  # fmt: skip
_BOUND = (types.BuiltinMethodType, types.MethodWrapperType)
_MADE_IN_PYTHON = 1 << 9  # Py_TPFLAGS_HEAPTYPE: `class Pair(tuple)`, no tuple of C's as os.stat_result
VALUES = (str, bytes, range, slice, np.dtype, type(Ellipsis), type(None), frozenset)


#: objects of one class within each other are followed one by one to this depth; deeper ones are data
MOST_NESTED = 16


class Importer:
    """Imports what one trace reads from outside."""

    def __init__(self, outside: WatchedClasses) -> None:
        self.outside = outside
        self.trace = outside.trace
        #: the containers whose items are imported, the innermost last
        self._around: list[Any] = []

    def import_value(self, value: Any, path: Path) -> Any:
        """What converted code sees in place of ``value``, found at ``path``."""
        known = self.outside.known_input(path)
        if known is not None:
            return known
        if isinstance(value, Staged):
            raise leaked(value)
        if isinstance(value, np.ndarray) and type(value) is not np.memmap:
            return self._import_array(value, path)
        if isinstance(value, np.void):
            raise messages.record_refused(value, str(path), self.trace)
        if isinstance(value, (bool, int, float, complex, np.generic)) and not hasattr(value, "__dict__"):
            return self._import_number(value, path)
        if isinstance(value, tuple):
            return self._import_tuple(value, path)
        if type(value) in KINDS:
            return self._import_container(value, path)
        if isinstance(value, VALUES) and not hasattr(value, "__dict__"):
            return self._import_plain(value, path)
        if is_constant(value):
            return self._import_constant(value, path)
        if value is np.r_ or value is np.c_ or value is np.mgrid:
            return concatenators.stand_in(value, path, self.outside.add_guard)
        boxed = getattr(type(value), "__runtime_import__", None)
        if boxed is not None:  # rt.Tensor
            return boxed(value, self.outside, path)
        if isinstance(value, types.MethodType):
            function = self.import_value(value.__func__, Attribute(path, "__func__"))
            owner = self.import_value(value.__self__, Attribute(path, "__self__"))
            same = owner is value.__self__ and function is value.__func__
            return value if same else types.MethodType(function, owner)
        if type(value) is functools.partial:
            return self._import_partial(value, path)
        if type(value) is types.SimpleNamespace:
            return self._import_namespace(value, path)
        if isinstance(value, _BOUND) and type(value.__self__) in KINDS:
            raise self.trace.refuse(
                f"`{path}` is a method of a {type(value.__self__).__name__} from outside",
                "keep the container, and call its method",
                str(path),
            )
        if isinstance(value, IDENTITIES) or hasattr(type(value), "__runtime_call__"):
            return self._import_identity(value, path)
        if isinstance(value, LikeAFunction) and isinstance(value.python_function, types.FunctionType):
            self.outside.add_guard(path, IsThis(value), value.__name__, routine=True)
            self.import_value(value.python_function, Attribute(path, "python_function"))
            return value  # its attributes are that function's
        if type(value) is contextlib._GeneratorContextManager:
            raise generator_contexts.refuse_manager(self.trace, value.func)
        if is_python_iterator(value):
            raise self.trace.refuse(
                f"`{path}` is an iterator ({type(value).__name__}), "
                "which a trace would advance once and for all",
                "iterate over a list or an array, or make the iterator in the decorated function",
                str(path),
            )
        array = self._shared_array(value)
        if array is not None:
            if not isinstance(path, Argument):  # the signature knows the classes of arguments
                self.outside.add_guard(path, OfClass(type(value)), f"a {type(value).__name__}")
            return self._import_array(array, AsArray(path))
        return self._import_object(value, path)

    def _shared_array(self, value: Any) -> Any:
        """An array over the memory of what another library calls an array; None for anything else."""
        is_users = is_user_instance(value) and not is_excluded(type(value).__module__)
        return None if is_users else shared_array(value)

    def _import_plain(self, value: Any, path: Path) -> Any:
        """A text, a range, a frozenset or another value that never changes."""
        if isinstance(value, frozenset):
            know_keys(self.outside, value, path)
        marked = type(value) in (frozenset, range, slice)
        condition = HasMark(value) if marked else EqualsValue(value)
        self.outside.add_guard(path, condition, key_texts.text_of_key(value) if marked else repr(value))
        return value

    def _import_partial(self, value: functools.partial[Any], path: Path) -> functools.partial[Any]:
        function = self.import_value(value.func, Attribute(path, "func"))
        args = self.import_value(value.args, Attribute(path, "args"))
        base = Attribute(path, "keywords")
        keywords = {k: self.import_value(v, Item(base, k)) for k, v in value.keywords.items()}
        made = functools.partial(function, *args, **keywords)
        names = list(vars(value))
        said = f"a partial with {', '.join(names)}"
        self.outside.guards.append(Guard(path, lambda s, n: f"[*{s}.__dict__] == {names!r}", said))
        for name in names:
            vars(made)[name] = self.import_value(vars(value)[name], Attribute(path, name))
        return made

    def _import_identity(self, value: Any, path: Path) -> Any:
        """A class, function, module or another object that is known by being this one."""
        if isinstance(value, type):
            self.outside.reach_class(value)
        elif type(value) is types.FunctionType and not is_excluded(value.__module__ or ""):
            self.outside.add_guard(path, IsFunction(KeepsItsCode.of(value)), value.__name__, routine=True)
            if not isinstance(path, Constant):
                self.outside.definitions.know(value)
            if value not in self.outside.classes.held and not is_single_dispatch(value):
                self.outside.classes.hold(value)
            return value
        elif isinstance(value, types.ModuleType):
            self.outside.objects[id(value)] = (value, path)
        name = getattr(value, "__name__", repr(value))
        # `xs.index` is another object each time it is read.
        bound = isinstance(value, types.BuiltinFunctionType | types.MethodWrapperType)
        condition = EqualsValue(value) if bound else IsThis(value)
        self.outside.add_guard(path, condition, name, routine=True)
        return value

    def _import_number(self, value: Any, path: Path) -> Any:
        stageable = not isinstance(value, np.generic) or is_supported_dtype(value.dtype)
        if stageable and self._is_staged(value, path):
            kind = type_of(value)
            self.outside.add_guard(path, OfClass(type(value)), f"a {type(value).__name__}")
            return self.outside.input(path, kind)
        self.outside.add_guard(path, EqualsNumber(value), repr(value))
        return value

    def _is_staged(self, value: Any, path: Path) -> bool:
        """Is the number an input, not a constant: it kept changing, or is an item of an argument?"""
        decisions = self.trace.decisions
        if isinstance(path, Argument):
            return False
        if path in decisions.staged_paths:
            return True
        if decisions.static_numbers or isinstance(value, bool):
            return False
        fits = not isinstance(value, int) or -readers.LIMIT <= value < readers.LIMIT
        return fits and is_item_of_argument(path, self.trace.containers.item_by_item)

    def _import_array(self, value: np.ndarray, path: Path) -> Any:
        if value.dtype.names and type(value) in (np.ndarray, np.recarray):
            return self._import_records(value, path)
        messages.check_array(value, str(path), self.trace)
        self.outside.add_guard(path, IsArrayOf(value.dtype, value.shape, type(value)), f"{type_of(value)}")
        staged = self.outside.input(path, ArrayType(value.dtype, value.shape))
        self.outside.arrays.append((path, staged, value))
        return staged

    def _import_records(self, value: np.ndarray, path: Path) -> Any:
        """A structured array: each field that the program names is an input."""
        standing = self._known_stand_in(value, path)
        if standing is None:
            self.outside.add_guard(
                path, IsArrayOf(value.dtype, value.shape, type(value)), "a structured array"
            )
            standing = self._records(value, path)
            self.outside.stands_for(standing, value, path)
        return standing

    def _records(self, value: np.ndarray, path: Path) -> records.Records:
        def field(name: str) -> Any:
            """NumPy makes another array each time."""
            array, place = value[name], Item(path, name)
            return self._records(array, place) if array.dtype.names else self._import_array(array, place)

        return records.of_outside(value, field)

    def _import_tuple(self, value: tuple[Any, ...], path: Path) -> Any:
        if reads_itself(type(value)) or getattr(value, "__dict__", None):
            raise self.trace.refuse(
                f"`{path}` is a {type(value).__name__}, a tuple with methods of its own to read its items, "
                "or with attributes",
                "pass its items one by one",
            )
        said = f"a {type(value).__name__} of {len(value)}"
        self.outside.add_guard(path, IsSequence(type(value), len(value)), said)
        if type(value) is not tuple:
            self.outside.reach_class(type(value))
        items = [self.import_value(item, Item(path, i)) for i, item in enumerate(value)]
        if all(map(lambda a, b: a is b, items, value)):
            return value
        is_of_c = not type(value).__flags__ & _MADE_IN_PYTHON
        return tuple(items) if is_of_c else tuple.__new__(type(value), items)

    def _known_stand_in(self, value: Any, path: Path) -> Any:
        """What stands for a container that was found at another place before; None: it is new."""
        standing = self.outside.stand_ins.get(id(value))
        if standing is None:
            self.outside.aliases.know(value, path)
        else:
            self.outside.aliases.same(value, path)
        return standing

    def _import_container(self, value: Any, path: Path) -> Any:
        standing = self._known_stand_in(value, path)
        if standing is not None:
            return standing
        kind, length, containers = type(value).__name__, len(value), self.trace.containers
        if type(value) in (list, dict):
            is_real = containers.begins_as_data(value, path)
        elif not containers.take_as_data(value, path):
            raise self.trace.refuse(
                f"`{path}` is a {kind}, and holds what no run tells apart",
                "use a list, a tuple or a dict",
                str(path),
            )
        else:
            is_real = True
        if is_real:
            return self._import_real_container(value, path)
        if length > MAX_ONE_BY_ONE and not isinstance(path, Argument):
            hint = "pass it as an argument" if isinstance(value, dict) else "make it a tuple"
            raise self.trace.refuse(
                f"`{path}` is a {kind} of {length} items, which is too long to trace item by item",
                hint,
                str(path),
            )
        if any(one is value for one in self._around):
            raise self.trace.refuse(
                f"`{path}` is a {kind} that holds itself",
                "make it of objects of a class of your own, which may refer to each other",
                str(path),
            )
        items: list[Any] | dict[Any, Any]
        self._around.append(value)
        try:
            if isinstance(value, dict):
                self.outside.guards.append(KeysGuard(path, dict, value))
                know_keys(self.outside, value, path)
                items = {key: self.import_value(item, Item(path, key)) for key, item in value.items()}
            else:
                self.outside.guards.append(Guard(path, IsSequence(list, length), f"a list of {length}"))
                items = [self.import_value(item, Item(path, i)) for i, item in enumerate(value)]
        finally:
            self._around.pop()
        made = containers.known_from_outside(value, items, path)
        self.outside.stand_ins[id(value)] = made
        self.outside.known_as(path, made)
        return made

    def _import_real_container(self, value: Any, path: Path) -> Any:
        """A container that a run changes: an input, whatever its length, under a guard of what it holds."""
        kind = self.trace.containers.outside_type(value, path)
        self.outside.aliases.know_of_run(value, path, kind)
        if isinstance(value, defaultdict):
            factory = self.import_value(value.default_factory, Attribute(path, "default_factory"))
            self.trace.containers.factories[path] = factory
        accepts = readers.Holds(kind)
        self.outside.guards.append(Guard(path, Fits(accepts), f"a {kind}"))
        if self.trace.references.learn(value):
            self.trace.references.guard(path, f"a {kind}")
        if isinstance(path, Argument):  # of a kind that the signature takes for an object
            staged = self.trace.wrap(self.outside.typed_input(path, kind))
            self.outside.known_as(path, staged)
        else:
            staged = self.outside.input(path, kind)
        self.outside.stand_ins[id(value)] = staged
        return staged

    def _import_constant(self, value: Any, path: Path) -> Any:
        """An object of the standard library that never changes."""
        if isinstance(value, loaded_classes("decimal.Decimal")):
            self.outside.definitions.guard_decimal_context()
        self.outside.add_guard(path, HasMark(value), f"the {type(value).__name__} {value!r}")
        return value

    def _import_namespace(self, value: Any, path: Path) -> Any:
        """A copy of a class that can be watched stands for a SimpleNamespace, whose own class cannot."""
        standing = self._known_stand_in(value, path)
        if standing is None:
            standing = _Namespace(**vars(value))
            self.outside.stands_for(standing, value, path)
            self._import_object(standing, path)
        return standing

    def _is_nested(self, value: Any, path: Path) -> bool:
        """Does the way to an object lead through many of its class, as to the last node of a linked list?"""
        bases: list[Path] = []
        while isinstance(path, Attribute | Item):
            path = path.base
            bases.append(path)
        if len(bases) <= MOST_NESTED:
            return False
        alike = {known for item, known in self.outside.objects.values() if type(item) is type(value)}
        return sum(base in alike for base in bases) > MOST_NESTED

    def _import_object(self, value: Any, path: Path) -> Any:
        if self._is_nested(value, path):
            self.trace.references.require_class(value)
        if self.trace.references.is_real(type(value)):
            return self.trace.references.enter(value, path)
        if id(value) in self.outside.objects:
            other = self.outside.objects[id(value)][1]
            if other != path:
                self.outside.guards.append(SameGuard(path, other, "object"))
            return value
        self.outside.aliases.know_object(value, path)
        self.outside.objects[id(value)] = (value, path)
        if not isinstance(path, Argument):  # the signature knows the classes of arguments
            cls = types.SimpleNamespace if type(value) is _Namespace else type(value)
            self.outside.add_guard(path, OfClass(cls), f"a {cls.__name__}")
        opaque.guard_contents(self.outside, value, path)
        if not self.outside.watch(type(value)):
            # A class that cannot be watched: known by identity, and its methods are refused unless pure.
            self.outside.guards.append(Guard(path, IsThis(value), f"this {type(value).__name__}"))
        return value


def is_item_of_argument(path: Path, arguments: set[Path]) -> bool:
    """Does the path lead to an item, or to an item of an item, of one of these arguments?"""
    while isinstance(path, Item):
        path = path.base
        if isinstance(path, Argument):
            return path in arguments
    return False


class _Namespace(types.SimpleNamespace):
    """Stands for a SimpleNamespace from outside."""

    def __eq__(self, other: Any) -> Any:
        if isinstance(other, types.SimpleNamespace):
            raise refuse(
                "a SimpleNamespace is compared as a whole, so that no change is seen", "compare attributes"
            )
        return NotImplemented

    __ne__ = __eq__
    __hash__ = None


_Namespace.__name__ = "SimpleNamespace"
_Namespace.__eq__.__runtime_inline__ = None  # type: ignore[attr-defined]  # runs as it is in a trace
