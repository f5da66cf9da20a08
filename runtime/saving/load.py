"""``load``: functions from a folder that ``save`` has written. Nothing of it is run until one is called.

What is read may come from anybody: names in it lead nowhere outside the folder, a graph is parsed, verified
and asked for operations that no file may hold, and arrays are of the types that the graph says.
"""

from __future__ import annotations

import inspect
import os
import zlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from runtime.arguments import check_engine, is_of_type
from runtime.formats.parse import parse
from runtime.formats.shown import ShownGraph
from runtime.functions.concrete import ConcreteFunction
from runtime.functions.modes import guard_float_errors
from runtime.graph import Graph, Operation
from runtime.graph.verify import VerificationError, verify
from runtime.guards.paths import Argument, Attribute, Constant, DistinctGuard, Guard, NumberGuard, SameGuard
from runtime.guards.paths import Path as GuardPath
from runtime.ops.item_patterns import base_of
from runtime.saving.admissible import (
    READ_ERRORS,
    first_refused,
    is_plain_name,
    may_be_typed,
    read_data,
    why_not,
)
from runtime.saving.arrays import read_arrays
from runtime.saving.folders import (
    FUNCTIONS,
    MANIFEST,
    LoadError,
    damaged,
    generation_of,
    read_manifest,
    read_text,
    read_while_written,
)
from runtime.saving.loaded import LoadedFunction, Signature
from runtime.saving.loaded_module import LoadedModule
from runtime.saving.results import read_plan
from runtime.saving.save import ARRAYS, VERSION
from runtime.saving.signatures import Exactly, Items, Numeric, Spec, read_spec
from runtime.saving.signatures import Mapping as MappingSpec
from runtime.state.variables import Variable
from runtime.tracer.decisions import Decisions
from runtime.types import ObjectType


def read_graph(
    folder: Path,
    form: Mapping[str, Any],
    constants: dict[int, Any],
    refusal: Callable[[Graph], str | None],
) -> Graph:
    """The graph that a manifest names by ``graph`` and ``crc32``.

    ``refusal`` says what the graph may not hold, if it does. Raises LoadError that names the file, and
    ValueError where the manifest names no file of this folder.
    """
    if not is_plain_name(form["graph"]):
        raise ValueError(f"{form['graph']!r} is no name of a file in this folder")
    file = folder / form["graph"]
    try:
        content = read_text(file)
    except OSError as error:
        raise LoadError(f"this cannot be read: {error.strerror}", file=str(file)) from None
    if zlib.crc32(content) != form["crc32"]:
        raise damaged(str(file), "its contents are not those that were saved")
    try:
        graph = parse(content.decode("utf-8"), constants)
    except READ_ERRORS as error:
        raise damaged(str(file), error) from None
    refused = refusal(graph)
    if refused is not None:
        raise damaged(str(file), refused)
    try:
        verify(graph)
    except (VerificationError, *READ_ERRORS) as error:
        raise damaged(str(file), str(error).partition("\n")[0]) from None
    return graph


def load(path: str | os.PathLike[str], *, engine: str = "auto") -> Any:
    """What ``save`` has written to a folder: a function, a dict of functions, or a module.

    A module that is loaded has the functions as attributes, and ``variables`` and the like of rt.Module.
    Raises LoadError where a file is missing, damaged, of a newer version, or holds what no file may.
    """
    check_engine(engine)
    folder = Path(path)
    return read_while_written(
        lambda: read_manifest(folder, FUNCTIONS, VERSION),
        lambda manifest: _Loading(folder, manifest, engine).result(),
    )


class _Loading:
    def __init__(self, folder: Path, manifest: dict[str, Any], engine: str) -> None:
        self.folder = folder
        self.manifest = manifest
        self.engine = engine
        self.arrays: dict[str, np.ndarray] = {}
        self.variables: dict[str, Variable] = {}

    def result(self) -> Any:
        try:
            entries = self.manifest["arrays"]
            self.generation = generation_of(self.folder, self.manifest)
            self.arrays = read_arrays(self.generation / ARRAYS, entries)
            self.variables = {
                name: self.variable(name, entry["variable"])
                for name, entry in entries.items() if "variable" in entry
            }  # fmt: skip
            functions = {name: self.function(name, form) for name, form in self.manifest["functions"].items()}
            kind = self.manifest["kind"]
            if kind == "function":
                (only,) = functions.values()
                return only
            if kind not in ("dict", "module"):
                raise ValueError(f"{kind!r} is no kind of thing that is saved")
            return functions if kind == "dict" else LoadedModule(functions, self.variables)
        except LoadError:
            raise
        except READ_ERRORS as error:
            raise damaged(str(self.folder / MANIFEST), f"{type(error).__name__}: {error}") from None

    def variable(self, name: str, form: Mapping[str, Any]) -> Variable:
        made = Variable.__new__(Variable)
        made._storage = self.arrays[name]
        made._name, made._trainable = form["name"], bool(form["trainable"])
        return made

    def function(self, name: str, form: Mapping[str, Any]) -> LoadedFunction:
        parameters = [parameter_of(one) for one in form["parameters"]]
        signatures = [self.signature(name, one) for one in form["signatures"]]
        used = {
            one["array"]: self.variables[one["array"]]
            for signature in form["signatures"] for one in signature["inputs"]
            if one.get("array") in self.variables
        }  # fmt: skip
        return LoadedFunction(name, parameters, signatures, used)

    def signature(self, name: str, form: Mapping[str, Any]) -> Signature:
        args = tuple(map(read_spec, form["args"]))
        kwargs = {key: read_spec(one) for key, one in form["kwargs"].items()}
        leaves = [leaf for spec in (*args, *kwargs.values()) for leaf in leaf_types(spec)]
        graph = ShownGraph.of(self.graph(form))
        paths = [self.path(one, len(leaves)) for one in form["inputs"]]
        positions = [range(len(leaves))[i] for i in form["positions"]]
        self.check_inputs(graph, [leaves[i] for i in positions], paths, leaves)
        guards = [self.guard(one, len(leaves)) for one in form["guards"]]
        errors = guard_float_errors(graph)
        concrete = ConcreteFunction(
            name=name,
            graph=graph,
            signature=f"{name}({', '.join(map(str, [*args, *kwargs.values()]))})",
            reason="it was loaded",
            positions=positions,
            guards=guards if errors is None else [*guards, errors],
            paths=paths,
            plan=read_plan(form["result"], len(graph.results), len(leaves)),
            engine=self.engine,
            notes=[],
            decisions=Decisions(),
        )
        concrete.__dict__["optimized"] = graph  # it was saved so
        return Signature(args, kwargs, concrete)

    # -- the graph ---------------------------------------------------------------------------------------

    def graph(self, form: Mapping[str, Any]) -> Graph:
        constants = {int(number): self.arrays[name] for number, name in form["constants"].items()}
        return read_graph(self.generation, form, constants, refusal_of)

    def check_inputs(self, graph: Graph, given: list[Any], paths: list[GuardPath], leaves: list[Any]) -> None:
        """Machine code believes the types of the parameters."""
        if len(graph.params) != len(given) + len(paths):
            raise ValueError(
                f"the graph takes {len(graph.params)} values, and gets {len(given) + len(paths)}"
            )
        for param, found in zip(graph.params, given, strict=False):
            if param.type != found:
                raise ValueError(f"`{param.hint}` is {param.type} in the graph, and {found} in the signature")
        for param, path in zip(graph.params[len(given) :], paths, strict=True):
            if not may_be_typed(param.type):
                raise ValueError(f"`{param.hint}` is {param.type}, which no call can give")
            if isinstance(path, Argument):
                kind = leaves[path.index]
                fits = param.type == kind
                if isinstance(kind, str) and isinstance(param.type, ObjectType):
                    fits = param.type.name in ("object", kind)
            else:
                value = path.fetch(())
                fits = is_of_type(value, param.type) and isinstance(value, base_of(param.type) or object)
            if not fits:
                raise ValueError(
                    f"`{param.hint}` is {param.type} in the graph, and another thing in the file"
                )

    def path(self, form: Mapping[str, Any], leaves: int) -> GuardPath:
        ((kind, inner),) = form.items()
        if kind == "argument":
            return Argument(range(leaves)[inner], f"argument {inner}")
        if kind == "value":
            return Constant(read_data(inner), "a number that was read outside")
        if kind != "array":
            raise ValueError(f"{kind!r} is no kind of input")
        if inner in self.variables:
            return Attribute(Constant(self.variables[inner], inner), "_storage")
        return Constant(self.arrays[inner], inner)

    def guard(self, form: Mapping[str, Any], leaves: int) -> Guard:
        ((kind, inner),) = form.items()
        if kind == "equals":
            return NumberGuard(self._argument(inner[0], leaves), read_data(inner[1]))
        paths = [self._argument(index, leaves) for index in inner]
        if kind == "distinct":
            return DistinctGuard(paths, "object")
        if kind != "same":
            raise ValueError(f"{kind!r} is no kind of guard")
        return SameGuard(paths[0], paths[1], "object")

    def _argument(self, index: int, leaves: int) -> Argument:
        return Argument(range(leaves)[index], f"argument {index}")


_KINDS: dict[str, Any] = {
    kind: getattr(inspect.Parameter, kind)
    for kind in ("POSITIONAL_ONLY", "POSITIONAL_OR_KEYWORD", "VAR_POSITIONAL", "KEYWORD_ONLY", "VAR_KEYWORD")
}


def refusal_of(graph: Graph, why: Callable[[Operation], Any] = why_not) -> str | None:
    """What a saved graph may not hold."""
    refused = first_refused(graph, why)
    if refused is None:
        return None
    op, (reason, _) = refused
    return f"{reason} ({op.name})"


def parameter_of(form: Mapping[str, Any]) -> inspect.Parameter:
    default = read_data(form["default"]) if "default" in form else inspect.Parameter.empty
    return inspect.Parameter(form["name"], _KINDS[form["kind"]], default=default)


def leaf_types(spec: Spec) -> list[Any]:
    """The types of the leaves of an argument; of a list or dict itself ``list`` or ``dict`` as text.

    >>> leaf_types(read_spec({"list": ["f64", "int"]}))
    ['list', ScalarType(dtype=dtype('float64')), NumberType(kind='int')]
    """
    match spec:
        case Numeric():
            return [spec.type]
        case Exactly():
            return []
        case Items():
            inner = [leaf for item in spec.items for leaf in leaf_types(item)]
            return ["list", *inner] if spec.kind == "list" else inner
        case MappingSpec():
            return ["dict", *[leaf for item in spec.items for leaf in leaf_types(item)]]
    raise AssertionError(spec)
