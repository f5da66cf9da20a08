"""What a trace knows of the world outside: its inputs, its guards, and the objects that it met or made.

Keys of dicts from outside are known to a trace, so that what it reads of them is guarded.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Any

from autograph.records import record
from runtime.graph import Value
from runtime.graph.liveness import walk_blocks
from runtime.guards.keys import PLAIN, is_known_by_identity, text_of_key
from runtime.guards.paths import Argument, Constant, Guard, Path
from runtime.objects.class_state import ClassState
from runtime.objects.compared_by_runs import hashes_itself
from runtime.ops.instances import class_attribute
from runtime.types import OBJECT, ContainerType, Type

if TYPE_CHECKING:
    from runtime.tracer.trace import Trace


@record(slots=False, frozen=False, eq=False)
class ImplicitInput:
    """A graph parameter that is not an argument: read along ``path`` at each call."""

    path: Path
    value: Value


class Known:
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
        self.made_by_libraries: dict[int, tuple[Any, Any]] = {}  # an object, and its block
        self.handled: dict[Value, tuple[Any, ...]] = {}  # exceptions of a run: who each is, or its wrapper
        self.classes = ClassState(self)
        self.stands_in_the_way = False  # something that no guard speaks of: it could not be read
        self._known_guards: set[tuple[Path, str]] = set()

    def import_value(self, value: Any, path: Path) -> Any:
        """What converted code sees in place of ``value``, found at ``path``: see `importing.py`."""
        raise NotImplementedError

    def add_guard(self, path: Path, condition: Any, expected: str, routine: bool = False) -> None:
        if isinstance(path, Constant) or (path, expected) in self._known_guards:
            return
        self._known_guards.add((path, expected))
        self.guards.append(Guard(path, condition, expected, routine))

    def class_attribute(self, cls: type, name: str) -> Any:
        """What ``cls`` holds under a name, itself or inherited."""
        return class_attribute(cls, name)

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

    def original(self, container: Any) -> Any:
        """The outside list or dict that ``container`` stands for, or None."""
        known = self.origins.get(id(container))
        return known[1] if known is not None else None

    def stand_in_of(self, original: Any) -> Any:
        """What stands for an outside container in this trace, or None."""
        return self.stand_ins.get(id(original))

    def stands_for(self, stand_in: Any, original: Any, path: Path) -> None:
        self.stand_ins[id(original)] = stand_in
        self.origins[id(stand_in)] = (stand_in, original)
        self.objects[id(original)] = (original, path)

    # -- objects --------------------------------------------------------------------------------------

    def is_outside(self, item: Any) -> bool:
        return id(item) in self.objects

    def known_objects(self) -> list[Any]:
        """The objects that the trace has met so far."""
        return [one for one, _ in self.objects.values()]

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

    def drop_unused(self) -> None:
        """Forget inputs that are lists and dicts of which the program only needed what the trace knew."""
        body = self.trace.body
        used: set[Value] = set()
        for whole in (body, *(function.body for function in self.trace.calls.functions)):
            for block in walk_blocks(whole):
                used.update(block.results, *(operation.inputs for operation in block.operations))
        unused = {
            one.value
            for one in self.inputs
            if isinstance(one.value.type, ContainerType) and one.value not in used
        }
        self.inputs = [one for one in self.inputs if one.value not in unused]
        body.params[:] = [param for param in body.params if param not in unused]

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


def know_keys(outside: Known, keys: Collection[Any], path: Path) -> None:
    """The objects among the keys are known from now on, so that what a trace reads of them is guarded.

    The guard of the container says which they are. A dict is looked up by each run. Of all else a trace has
    a copy: raises StagingError where a class of the user's says which of its instances are equal.
    """
    objects = [key for key in keys if type(key) not in PLAIN]
    for key in objects:
        _know(outside, key, path)
    odd = next((key for key in objects if hashes_itself(key)), None)
    if odd is not None and type(keys) is not dict:
        raise outside.trace.refuse(
            f"`{path}` holds a {type(odd).__name__}, whose class says which of them are equal",
            "keep such objects in a dict, or in a list",
            str(path),
        )


def _know(outside: Known, key: Any, path: Path) -> None:
    if type(key) in (tuple, frozenset) or hasattr(type(key), "_make"):
        for item in key:
            _know(outside, item, path)
    elif type(key) not in PLAIN and is_known_by_identity(key):
        outside.import_value(key, Constant(key, f"{text_of_key(key)} among the keys of {path}"))
