"""What `tf.saved_model.save` writes of an object: its parts, its functions, their traces.

Arguments, results and parameters of a trace are JSON; it is said which graphs a file may hold.
"""

from __future__ import annotations

import inspect
import zlib
from typing import Any

import numpy as np

from autograph.errors import StagingError
from runtime.engines.tracebacks import located
from runtime.graph import Graph, Operation, Value
from runtime.graph.literals import Objects
from runtime.saving.admissible import (
    Refusal,
    first_refused,
    is_data,
    is_plain_name,
    read_data,
    text_of,
    why_not,
)
from runtime.saving.arrays import described, numbered
from runtime.saving.save import without_folders
from runtime.saving.sources import parameter_forms
from runtime.tf import debugging as debugging
from runtime.tf import random as random
from runtime.tf.block_values import Result
from runtime.tf.functions import ByIdentity, ConcreteFunction, Function, TensorSpec, _Method
from runtime.tf.names import name_of
from runtime.tf.restored import RestoredFunction
from runtime.tf.variables import Module, Variable, children


def form_of(item: Any, name: str) -> Any:
    """A structure of arguments or results as JSON."""
    if isinstance(item, TensorSpec):
        return {"tensor": str(item.type), "name": item.name or ""}
    if isinstance(item, Result):
        return {"result": item.place}
    if type(item) in (list, tuple):
        return {type(item).__name__: [form_of(part, name) for part in item]}
    if type(item) is dict and all(isinstance(key, str) for key in item):
        return {"dict": [[key, form_of(part, name)] for key, part in item.items()]}
    if is_data(item):
        return {"value": text_of(item)}
    raise ValueError(
        f"{name}() cannot be saved: a {type(item).__name__} is an argument or a result of it, which no file"
        " can hold; use tensors, numbers and strings, in tuples, lists and dicts"
    )


def structure_of(form: dict[str, Any]) -> Any:
    """The structure that `form_of` has made JSON of."""
    ((kind, inner),) = [(kind, inner) for kind, inner in form.items() if kind != "name"]
    if kind == "tensor":
        return TensorSpec.of_type(read_data(inner), form["name"] or None)
    if kind == "result":
        return Result(int(inner))
    if kind in ("list", "tuple"):
        return (list if kind == "list" else tuple)([structure_of(part) for part in inner])
    if kind == "dict":
        return {str(key): structure_of(part) for key, part in inner}
    if kind != "value":
        raise ValueError(f"{kind!r} is no kind of value")
    return read_data(inner)


def values_of(graph: Graph) -> list[Value]:
    return [value for part in graph.whole() for op in part.body.operations for value in op.outputs]


def why_not_here(op: Operation) -> Refusal | None:
    """Why an operation may not be in a file. Calls of our own functions may."""
    if not op.calls_python or not name_of(op.attributes.get("function")):
        return why_not(op)
    if is_data(op.attributes.get("template")):
        return None
    return Refusal("it prints to a stream of this process", "print to stderr")


class SavedObjects:
    """What goes into the folder."""

    def __init__(self) -> None:
        self.objects: list[dict[str, Any]] = []
        self.functions: list[dict[str, Any]] = []
        self.texts: dict[str, bytes] = {}
        self.arrays: dict[str, Any] = {}
        self.entries: dict[str, dict[str, Any]] = {}
        self._known: dict[int, Any] = {}
        self._kept: list[Any] = []  # so that an id stays that of one object

    # -- objects ---------------------------------------------------------------------------------------

    def object(self, owner: Any) -> int:
        """The number of an object with its parts."""
        if id(owner) not in self._known:
            kind = "object" if isinstance(owner, Module) else type(owner).__name__
            form: dict[str, Any] = {"kind": kind, "parts": {}}
            self._remember(owner, len(self.objects))
            self.objects.append(form)
            for name, part in self._parts(owner):
                made = self.part(name, part)
                if made is not None:
                    form["parts"][name] = made
        return self._known[id(owner)]

    def _remember(self, owner: Any, made: Any) -> None:
        self._known[id(owner)] = made
        self._kept.append(owner)

    def _parts(self, owner: Any) -> list[tuple[str, Any]]:
        """What an object holds, and the functions of its class."""
        found = dict(children(owner))
        if hasattr(owner, "_functions_to_save"):
            found |= owner._functions_to_save()
        if isinstance(owner, Module):
            for name in dir(type(owner)):
                static = inspect.getattr_static(type(owner), name)
                function = getattr(static, "__func__", static)  # of a static or class method
                if isinstance(function, Function):
                    of_class = isinstance(static, classmethod)
                    method = function.__get__(type(owner)) if of_class else getattr(owner, name)
                    found.setdefault(name, method)
        return list(found.items())

    def part(self, name: str, part: Any) -> Any:
        """An attribute; None for what is Python's alone."""
        if isinstance(part, Variable):
            return ["variable", self.variable(part)]
        if isinstance(part, Function) and name.startswith("_") and name != "__call__":
            return None
        if isinstance(part, Function | _Method | RestoredFunction):
            number = self.function(name, part)
            return None if number is None else ["function", number]
        if isinstance(part, Module) or (type(part) in (list, tuple, dict) and _holds_state(part, set())):
            return ["object", self.object(part)]
        return None

    def variable(self, variable: Variable) -> str:
        if id(variable) not in self._known:
            name = self._array(variable.name.removesuffix(":0"), variable._held)
            self.entries[name]["variable"] = {
                "name": variable.name.removesuffix(":0"), "trainable": variable.trainable,
                "is_random_state": variable is random._state,
            }  # fmt: skip
            self._remember(variable, name)
        return self._known[id(variable)]

    def _array(self, base: str, value: Any) -> str:
        name = next(n for n in numbered(base) if n not in self.arrays)
        self.arrays[name] = np.asarray(value)
        self.entries[name] = described(self.arrays[name])
        return name

    # -- functions -------------------------------------------------------------------------------------

    def function(self, name: str, function: Any) -> int | None:
        """The number of a function with its traces; None for one that has none."""
        plain = function._function if isinstance(function, _Method) else function
        if id(plain) not in self._known:
            traces = _traces_of(function)
            made = None
            if traces:
                skipped = 1 if isinstance(function, _Method) else 0
                parameters = list(plain._signature.parameters.values())[skipped:]
                forms = [self.trace(name, trace, skipped) for trace in traces]
                made = len(self.functions)
                self.functions.append(
                    {"name": name, "parameters": parameter_forms(parameters), "traces": forms}
                )
            self._remember(plain, made)
        return self._known[id(plain)]

    def signature(self, name: str, function: Any) -> int:
        if not isinstance(function, ConcreteFunction):
            traces = _traces_of(function)
            if len(traces) != 1:
                raise ValueError(
                    f"signatures[{name!r}] has {len(traces)} traces, and a signature is one: give"
                    " f.get_concrete_function(tf.TensorSpec(...))"
                )
            function = traces[0]
        owner = function.function
        args, _ = function._args
        fixed = 1 if args and isinstance(args[0], ByIdentity) else 0  # `self`
        parameters = list(owner._signature.parameters.values())[fixed:] if owner is not None else []
        form = self.trace(name, function, fixed)
        self.functions.append({"name": name, "parameters": parameter_forms(parameters), "traces": [form]})
        return len(self.functions) - 1

    def trace(self, name: str, trace: ConcreteFunction, skipped: int) -> dict[str, Any]:
        """One trace: its graph, what its arguments are, what stands for its other parameters."""
        args, kwargs = trace._args
        objects = Objects()
        graph = without_folders(trace.graph_before)
        text = graph.writer(objects).text()
        file = f"{name if is_plain_name(name) else 'function'}.{len(self.texts)}.graph"
        form = {
            "graph": file,
            "crc32": zlib.crc32(text.encode()),
            "args": [form_of(arg, name) for arg in args[skipped:]],
            "kwargs": {key: form_of(arg, name) for key, arg in kwargs.items()},
            "captured": [self._array("captured", tensor._held) for tensor in trace._captured],
            "variables": [self.variable(variable) for variable in trace._variables],
            "assigned": [self.variable(variable) for variable in trace._assigned],
            "result": form_of(trace._result_with_places(), name),
            "single": trace._single,
            "names": [trace._trace_names[0].get(value, "") for value in values_of(trace.graph_before)],
            "objects": {
                str(number): self._object_of_text(trace, item) for number, item in objects.by_number.items()
            },
        }
        self.texts[file] = text.encode()
        _check(trace)
        return form

    def _object_of_text(self, trace: ConcreteFunction, item: Any) -> Any:
        """What has no text: an array, or a function of ours."""
        if isinstance(item, np.ndarray):
            return {"array": self._array("constant", item)}
        if name_of(item):
            return {"function": name_of(item)}
        calls = [op for op in trace.graph_before.operations() if op.calls_python]
        culprit = next((op for op in calls if not name_of(op.attributes["function"])), None)
        kind = getattr(item, "__name__", type(item).__name__)
        error = StagingError(
            f"{trace.name}() cannot be saved: it uses `{kind}`, which no file can hold",
            hint="save a function of tensors, and iterate over a dataset or write summaries outside of it",
        )
        raise located(error, (culprit or (calls[0] if calls else Operation("call"))).location)


def _holds_state(part: Any, seen: set[int]) -> bool:
    """Is there a variable, an object or a function somewhere in it?"""
    if isinstance(part, Module | Variable | Function | RestoredFunction):
        return True
    if id(part) in seen:
        return False
    seen.add(id(part))
    return any(_holds_state(child, seen) for _, child in children(part))


def _traces_of(function: Any) -> list[ConcreteFunction]:
    if not function._traces and function.input_signature is not None:
        function.get_concrete_function()
    return list({id(found): found for found in function._traces.values()}.values())


def _check(trace: ConcreteFunction) -> None:
    """Refuse at its line what no file may hold."""
    refused = first_refused(trace.graph_before, why_not_here)
    if refused is not None:
        op, (reason, hint) = refused
        raise located(StagingError(f"{trace.name}() cannot be saved: {reason}", hint=hint), op.location)
