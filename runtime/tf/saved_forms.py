"""Arguments, results and parameters of a trace as JSON, and which graphs a file may hold."""

from __future__ import annotations

import inspect
from typing import Any

from runtime.graph import Graph, Operation, Value
from runtime.saving.admissible import why_not
from runtime.saving.data import is_data, read_data, text_of
from runtime.tf import debugging as debugging  # functions that a graph may call
from runtime.tf import random as random
from runtime.tf.call_names import name_of
from runtime.tf.functions import TensorSpec
from runtime.tf.structures import Result


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


def parameter_form(parameter: inspect.Parameter) -> dict[str, Any]:
    form: dict[str, Any] = {"name": parameter.name, "kind": parameter.kind.name}
    if parameter.default is not parameter.empty and is_data(parameter.default):
        form["default"] = text_of(parameter.default)
    return form


def as_parameter(form: dict[str, Any]) -> inspect.Parameter:
    """A parameter as it was saved."""
    kinds: dict[str, Any] = {kind.name: kind for kind in inspect._ParameterKind}
    default = read_data(form["default"]) if "default" in form else inspect.Parameter.empty
    return inspect.Parameter(form["name"], kinds[form["kind"]], default=default)


def values_of(graph: Graph) -> list[Value]:
    return [value for op in graph.body.operations for value in op.outputs]


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
