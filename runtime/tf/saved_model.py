"""`tf.saved_model`: an object with its functions and variables in a folder, without Python source or pickle.

A folder holds

    manifest.json         the objects with their attributes, the functions with their traces
    step.0.graph          a graph as text
    arrays.safetensors    variables, and tensors from outside the functions

`rt.save` writes folders of the same kind for functions over arrays; their parts do the work here.
"""

from __future__ import annotations

import inspect
import os
import zlib
from pathlib import Path
from typing import Any

import numpy as np

from autograph.errors import StagingError
from runtime.engines.tracebacks import located
from runtime.formats.literals import Objects
from runtime.formats.parse import ParseError, parse
from runtime.formats.text import to_text
from runtime.graph import Graph, Operation
from runtime.graph.verify import VerificationError, verify
from runtime.saving.admissible import is_plain_name, why_not
from runtime.saving.arrays import described, read_arrays, write_arrays
from runtime.saving.data import READ_ERRORS, is_data, read_data, text_of
from runtime.saving.errors import LoadError, damaged
from runtime.saving.folders import MANIFEST, OBJECTS, new_folder, read_manifest, write_json
from runtime.saving.save import ARRAYS, without_folders
from runtime.saving.saved_arrays import numbered
from runtime.tf import debugging as debugging  # their functions may be called by graphs
from runtime.tf import random
from runtime.tf.call_names import function_of, name_of
from runtime.tf.functions import ByIdentity, ConcreteFunction, Function, Result, TensorSpec, _Method
from runtime.tf.restored import RestoredFunction, RestoredObject, as_parameter
from runtime.tf.tensors import EagerTensor
from runtime.tf.traces import Trace
from runtime.tf.unknown_names import refusing
from runtime.tf.variables import Module, Variable, children

VERSION = 1


def save(obj: Any, export_dir: Any, signatures: Any = None, options: None = None) -> None:
    """Write an object, its functions that were traced, and its variables.

    signatures: a function with one signature, or a dict of such by name; a loaded object has them as
        `signatures[name]`, called by the names of their arguments, with a dict as result.

    A function is saved with the traces that it has; one with an `input_signature` is traced for it.
    """
    if options is not None:
        raise NotImplementedError("tf.saved_model.save: options= is not supported")
    saving = _Saving()
    root = saving.object(obj)
    given = {} if signatures is None else signatures if isinstance(signatures, dict) else None
    given = {"serving_default": signatures} if given is None else given
    named = {name: saving.signature(name, one) for name, one in given.items()}
    if not saving.functions:
        raise ValueError(
            f"no function of this {type(obj).__name__} has been traced, so that nothing of it could be"
            " called: call its tf.functions first, give them an input_signature, or give signatures="
        )
    manifest = {
        "format": OBJECTS, "version": VERSION, "root": root, "objects": saving.objects,
        "functions": saving.functions, "signatures": named, "arrays": saving.entries,
    }  # fmt: skip
    with new_folder(Path(os.fspath(export_dir))) as folder:
        for file, text in saving.texts.items():
            (folder / file).write_bytes(text)
        write_arrays(folder / ARRAYS, saving.arrays)
        write_json(folder / MANIFEST, manifest)


class _Saving:
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
                if isinstance(inspect.getattr_static(type(owner), name), Function):
                    found.setdefault(name, getattr(owner, name))
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
                    {"name": name, "parameters": list(map(_parameter, parameters)), "traces": forms}
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
        self.functions.append(
            {"name": name, "parameters": list(map(_parameter, parameters)), "traces": [form]}
        )
        return len(self.functions) - 1

    def trace(self, name: str, trace: ConcreteFunction, skipped: int) -> dict[str, Any]:
        """One trace: its graph, what its arguments are, what stands for its other parameters."""
        args, kwargs = trace._args
        objects = Objects()
        graph = without_folders(trace.graph_before)
        text = to_text(graph, objects)
        file = f"{name if is_plain_name(name) else 'function'}.{len(self.texts)}.graph"
        form = {
            "graph": file,
            "crc32": zlib.crc32(text.encode()),
            "args": [_form(arg, name) for arg in args[skipped:]],
            "kwargs": {key: _form(arg, name) for key, arg in kwargs.items()},
            "captured": [self._array("captured", tensor._held) for tensor in trace._captured],
            "variables": [self.variable(variable) for variable in trace._variables],
            "assigned": [self.variable(variable) for variable in trace._assigned],
            "result": _form(trace._result_with_places(), name),
            "single": trace._single,
            "names": [trace._names.get(value, "") for value in _values(trace.graph_before)],
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
        calls = [op for op in trace.graph_before.operations() if op.name == "call"]
        culprit = next((op for op in calls if not name_of(op.attributes["function"])), None)
        kind = getattr(item, "__name__", type(item).__name__)
        error = StagingError(
            f"{trace.name}() cannot be saved: it uses `{kind}`, which no file can hold",
            hint="save a function of tensors, and iterate over a dataset or write summaries outside of it",
        )
        raise located(error, (culprit or (calls[0] if calls else Operation("call"))).location)


def _values(graph: Graph) -> list[Any]:
    return [value for op in graph.body.operations for value in op.outputs]


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


def _parameter(parameter: inspect.Parameter) -> dict[str, Any]:
    form: dict[str, Any] = {"name": parameter.name, "kind": parameter.kind.name}
    if parameter.default is not parameter.empty and is_data(parameter.default):
        form["default"] = text_of(parameter.default)
    return form


def _form(item: Any, name: str) -> Any:
    """A structure of arguments or results as JSON."""
    if isinstance(item, TensorSpec):
        return {"tensor": str(item.type), "name": item.name or ""}
    if isinstance(item, Result):
        return {"result": item.place}
    if type(item) in (list, tuple):
        return {type(item).__name__: [_form(part, name) for part in item]}
    if type(item) is dict and all(isinstance(key, str) for key in item):
        return {"dict": [[key, _form(part, name)] for key, part in item.items()]}
    if is_data(item):
        return {"value": text_of(item)}
    raise ValueError(
        f"{name}() cannot be saved: a {type(item).__name__} is an argument or a result of it, which no file"
        " can hold; use tensors, numbers and strings, in tuples, lists and dicts"
    )


def _check(trace: ConcreteFunction) -> None:
    """Refuse at its line what no file may hold."""
    refused = first_refused(trace.graph_before)
    if refused is not None:
        op, reason, hint = refused
        raise located(StagingError(f"{trace.name}() cannot be saved: {reason}", hint=hint), op.location)


def first_refused(graph: Graph) -> tuple[Operation, str, str] | None:
    """The first operation that may not be in a file, why, and what to do. Calls of our own functions may."""
    for op in graph.operations():
        if op.name == "call" and name_of(op.attributes.get("function")):
            if not is_data(op.attributes.get("template")):
                return op, "it prints to a stream of this process", "print to stderr"
            continue
        refused = why_not(op)
        if refused is not None:
            return op, refused.reason, refused.hint
    return None


# -- loading -------------------------------------------------------------------------------------------


def load(export_dir: Any, tags: None = None, options: None = None) -> RestoredObject:
    """The object that was saved: its functions, variables and inner objects are attributes.

    Raises LoadError where a file is missing, damaged, of a newer version, or holds what no file may.
    """
    for name, given in (("tags", tags), ("options", options)):
        if given is not None:
            raise NotImplementedError(f"tf.saved_model.load: {name}= is not supported")
    folder = Path(os.fspath(export_dir))
    manifest = read_manifest(folder, OBJECTS, VERSION)
    try:
        return _Loading(folder, manifest).result()
    except LoadError:
        raise
    except (*READ_ERRORS, VerificationError) as error:
        raise damaged(str(folder / MANIFEST), f"{type(error).__name__}: {error}") from None


class _Loading:
    def __init__(self, folder: Path, manifest: dict[str, Any]) -> None:
        self.folder, self.manifest = folder, manifest
        self.arrays = read_arrays(folder / ARRAYS, manifest["arrays"])
        self.variables = {
            name: self.variable(name, entry["variable"])
            for name, entry in manifest["arrays"].items() if "variable" in entry
        }  # fmt: skip
        self.functions = [self.function(form) for form in manifest["functions"]]

    def result(self) -> RestoredObject:
        objects = [_EMPTY[form["kind"]]() for form in self.manifest["objects"]]
        for made, form in zip(objects, self.manifest["objects"], strict=True):
            for name, (kind, which) in form["parts"].items():
                _put(made, name, self.part(kind, which, objects))
        root = objects[self.manifest["root"]]
        root.signatures = {
            name: self.functions[which].as_signature() for name, which in self.manifest["signatures"].items()
        }
        return root

    def part(self, kind: str, which: Any, objects: list[Any]) -> Any:
        found: dict[str, Any] = {
            "variable": self.variables, "function": self.functions, "object": objects,
        }  # fmt: skip
        return found[kind][which]

    def variable(self, name: str, form: dict[str, Any]) -> Variable:
        if form["is_random_state"]:
            return random._state
        made = Variable(self.arrays[name][()], trainable=bool(form["trainable"]), name=form["name"])
        return made

    def function(self, form: dict[str, Any]) -> RestoredFunction:
        traces = [self.trace(form["name"], one) for one in form["traces"]]
        return RestoredFunction(form["name"], [as_parameter(one) for one in form["parameters"]], traces)

    def trace(self, name: str, form: dict[str, Any]) -> ConcreteFunction:
        graph = self.graph(form)
        trace = Trace(name)
        args = tuple([_structure(arg) for arg in form["args"]])
        kwargs = {key: _structure(arg) for key, arg in form["kwargs"].items()}
        captured = [EagerTensor(self.arrays[name][()]) for name in form["captured"]]
        variables = [self.variables[name] for name in form["variables"]]
        count = len(graph.params) - len(captured) - len(variables)
        values = iter(graph.params[count:])
        trace.captured = {id(tensor): (tensor, next(values)) for tensor in captured}
        trace.scopes[0].params = {variable: next(values) for variable in variables}
        assigned = [self.variables[name] for name in form["assigned"]]
        if assigned:
            trace.assigned = dict(zip(assigned, graph.results[-len(assigned) :], strict=True))
        trace.names = {v: n for v, n in zip(_values(graph), form["names"], strict=False) if n}
        made = ConcreteFunction.restored(name, trace, graph, args, kwargs, _structure(form["result"]))
        made._single = bool(form["single"])
        return made

    def graph(self, form: dict[str, Any]) -> Graph:
        if not is_plain_name(form["graph"]):
            raise ValueError(f"{form['graph']!r} is no name of a file in this folder")
        file = self.folder / form["graph"]
        try:
            content = file.read_bytes()
        except OSError as error:
            raise LoadError(f"this cannot be read: {error.strerror}", file=str(file)) from None
        if zlib.crc32(content) != form["crc32"]:
            raise damaged(str(file), "its contents are not those that were saved")
        objects = {int(number): self.object_of_text(one) for number, one in form["objects"].items()}
        try:
            graph = parse(content.decode("utf-8"), objects)
            refused = first_refused(graph)
            if refused is None:
                verify(graph)
                return graph
        except (ParseError, VerificationError, *READ_ERRORS) as error:
            raise damaged(str(file), str(error).partition("\n")[0]) from None
        raise damaged(str(file), f"{refused[1]} ({refused[0].name})")

    def object_of_text(self, form: dict[str, str]) -> Any:
        if "array" in form:
            return self.arrays[form["array"]]
        found = function_of(form["function"])
        if found is None:
            raise ValueError(f"there is no function {form['function']!r}")
        return found


_EMPTY: dict[str, Any] = {"object": RestoredObject, "list": list, "tuple": list, "dict": dict}


def _put(owner: Any, name: str, part: Any) -> None:
    if isinstance(owner, list):
        owner.append(part)
    elif isinstance(owner, dict):
        owner[name] = part
    elif name == "__call__":
        owner._called = part
    elif not name.isidentifier() or name.startswith("__"):
        raise ValueError(f"{name!r} is no name of an attribute")
    else:
        setattr(owner, name, part)


def _structure(form: dict[str, Any]) -> Any:
    """The structure that `_form` has made JSON of."""
    ((kind, inner),) = [(kind, inner) for kind, inner in form.items() if kind != "name"]
    if kind == "tensor":
        return TensorSpec.of_type(read_data(inner), form["name"] or None)
    if kind == "result":
        return Result(int(inner))
    if kind in ("list", "tuple"):
        return (list if kind == "list" else tuple)([_structure(part) for part in inner])
    if kind == "dict":
        return {str(key): _structure(part) for key, part in inner}
    if kind != "value":
        raise ValueError(f"{kind!r} is no kind of value")
    return read_data(inner)


__getattr__ = refusing(__name__, "tf.saved_model")
