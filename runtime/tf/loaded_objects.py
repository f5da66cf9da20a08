"""What `tf.saved_model.load` makes of a folder. What is read may come from anybody: see `saving/load.py`."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

from runtime.graph import Graph
from runtime.graph.functions import rename
from runtime.saving.arrays import read_arrays
from runtime.saving.folders import generation_of
from runtime.saving.load import parameter_of, read_graph, refusal_of
from runtime.saving.save import ARRAYS
from runtime.tf import random
from runtime.tf.functions import ConcreteFunction
from runtime.tf.names import function_of
from runtime.tf.restored import RestoredFunction, RestoredObject
from runtime.tf.saved_objects import structure_of, values_of, why_not_here
from runtime.tf.tensors import EagerTensor
from runtime.tf.traces import Trace, function_name
from runtime.tf.variables import Variable


class LoadedObjects:
    def __init__(self, folder: Path, manifest: dict[str, Any]) -> None:
        self.folder, self.manifest = generation_of(folder, manifest), manifest
        self.arrays = read_arrays(self.folder / ARRAYS, manifest["arrays"])
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
        return RestoredFunction(form["name"], [parameter_of(one) for one in form["parameters"]], traces)

    def trace(self, name: str, form: dict[str, Any]) -> ConcreteFunction:
        graph = self.graph(form)
        trace = Trace(name)
        args = tuple([structure_of(arg) for arg in form["args"]])
        kwargs = {key: structure_of(arg) for key, arg in form["kwargs"].items()}
        captured = [EagerTensor(self.arrays[name][()]) for name in form["captured"]]
        variables = [self.variables[name] for name in form["variables"]]
        count = len(graph.params) - len(captured) - len(variables)
        values = iter(graph.params[count:])
        trace.captured = {id(tensor): (tensor, next(values)) for tensor in captured}
        trace.scopes[0].params = {variable: next(values) for variable in variables}
        assigned = [self.variables[name] for name in form["assigned"]]
        if assigned:
            trace.assigned = dict(zip(assigned, graph.results[-len(assigned) :], strict=True))
        trace.names = {v: n for v, n in zip(values_of(graph), form["names"], strict=False) if n}
        made = ConcreteFunction.restored(name, trace, graph, args, kwargs, structure_of(form["result"]))
        made._single = bool(form["single"])
        return made

    def graph(self, form: dict[str, Any]) -> Graph:
        objects = {int(number): self.object_of_text(one) for number, one in form["objects"].items()}
        graph = read_graph(self.folder, form, objects, partial(refusal_of, why=why_not_here))
        rename(graph, function_name)
        return graph

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
