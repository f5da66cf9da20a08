"""``save``: functions as graphs in text, what they read in safetensors, and a manifest.

A folder holds, as `folders.py` says,

    manifest.json         the format and its version, functions with their signatures, a word on each array
    predict.0.graph       the graph of the first signature of `predict`, as `print(graph)` shows it
    arrays.safetensors    variables, arrays from outside the functions, constants

What a trace found outside the function is frozen: numbers and strings are part of the graph, arrays and
variables are in the file, each once, whichever functions share it.
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from autograph.errors import StagingError
from runtime.arguments import as_path, wrong_argument
from runtime.engines.tracebacks import located
from runtime.formats.parse import ParseError, parse
from runtime.functions.concrete import unboxed
from runtime.graph import Graph, walk
from runtime.graph.effects import OUTSIDE, Memory
from runtime.graph.literals import Objects
from runtime.graph.rewrite import clone
from runtime.graph.verify import VerificationError, verify
from runtime.guards.paths import Argument, DistinctGuard, Guard, NumberGuard, SameGuard
from runtime.guards.paths import Path as GuardPath
from runtime.ops.template import Template
from runtime.saving.admissible import first_refused, is_data, is_plain_name, text_of
from runtime.saving.arrays import SavedArrays, write_arrays
from runtime.saving.folders import FUNCTIONS, MANIFEST, check_place, new_folder, write_json
from runtime.saving.loaded import Signature
from runtime.saving.results import plan_as_json
from runtime.saving.signatures import Unsaveable
from runtime.saving.sources import Source, at_definition, at_operation, is_frozen, root_of, sources_of
from runtime.state.variables import Module

VERSION = 2
ARRAYS = "arrays.safetensors"


def save(path: str | os.PathLike[str], target: Any, /, *specs: Any, **named_specs: Any) -> None:
    """Write a function, a dict of functions, or the functions of a module, to a folder.

    specs: what the arguments are, as for ``get_concrete_function``: TensorSpec, ``int``, arrays. Without
        them all signatures are saved for which the function has been called or traced.

    An older folder of the same name is replaced as a whole. Raises StagingError, at its line, for what needs
    Python to run, ArgumentError for what cannot be saved at all; then nothing is written.
    """
    place = as_path(path, "rt.save")
    check_place(place)
    kind, functions = sources_of(target, specs, named_specs)
    arrays = SavedArrays()
    if isinstance(target, Module):
        for name, variable in target.named_variables().items():
            arrays.add_variable(variable, name)
    texts: dict[str, bytes] = {}
    saved = {}
    for name, source in functions.items():
        signatures = []
        for signature in source.signatures:
            file = f"{name if is_plain_name(name) else 'function'}.{len(texts)}.graph"
            form, text = _SavedTrace(source, signature, arrays).form()
            texts[file] = text.encode("utf-8")
            signatures.append({**form, "graph": file, "crc32": zlib.crc32(texts[file])})
        saved[name] = {"parameters": source.parameters(), "signatures": signatures}
    _check_overlap(arrays, list(functions.values()))
    with new_folder(place) as folder:
        for file, content in texts.items():
            (folder / file).write_bytes(content)
        write_arrays(folder / ARRAYS, arrays.arrays)
        manifest = {
            "format": FUNCTIONS, "version": VERSION, "generation": folder.name, "kind": kind,
            "functions": saved, "arrays": arrays.entries,
        }  # fmt: skip
        write_json(folder / MANIFEST, manifest)


# -- one trace -----------------------------------------------------------------------------------------


class _SavedTrace:
    """One signature of a function, as data. Raises StagingError for what needs Python."""

    def __init__(self, source: Source, signature: Signature, arrays: SavedArrays) -> None:
        self.source = source
        self.signature = signature
        self.concrete = signature.concrete
        self.arrays = arrays
        self.fixed = source.fixed
        self.variables = self.concrete.variables(self.fixed)

    def form(self) -> tuple[dict[str, Any], str]:
        """What the manifest says of it, and the text of its graph."""
        concrete = self.concrete
        if concrete.created is not None:
            raise located(
                StagingError("a variable is made here", hint="call the function once before it is saved"),
                concrete.created.places[0],
            )
        refused = first_refused(concrete.optimized)
        if refused is not None:
            op, (reason, hint) = refused
            message = f"{self.source.name}() cannot be saved: {reason}"
            raise at_operation(concrete, op, message, hint)
        try:
            form = {
                "args": [spec.as_json() for spec in self.signature.args],
                "kwargs": {name: spec.as_json() for name, spec in self.signature.kwargs.items()},
                "positions": [self.position(i) for i in concrete.positions],
                "inputs": [self.input(k, path) for k, path in enumerate(concrete.paths)],
                "guards": [form for guard in concrete.guards if (form := self.guard(guard)) is not None],
                "result": plan_as_json(concrete.plan, self.position),
            }
            constants, text = self.graph()
        except Unsaveable as error:
            raise at_definition(self.concrete, f"{self.source.name}() cannot be saved: {error}") from None
        return {**form, "constants": constants}, text

    def position(self, index: int) -> int:
        """Where a flat argument is when those that are part of the function are left out."""
        if index < len(self.fixed):
            raise Unsaveable("it returns the object whose method it is")
        return index - len(self.fixed)

    def input(self, number: int, path: GuardPath) -> dict[str, Any]:
        """What the graph gets for a path: a flat argument, an array of the file, a number."""
        root = root_of(path)
        if isinstance(root, Argument) and root.index >= len(self.fixed):
            if path is not root:
                raise Unsaveable(f"it reads `{path}` of an argument")
            return {"argument": self.position(root.index)}
        variable = self.variables.get(len(self.concrete.positions) + number)
        if variable is not None:
            return {"array": self.arrays.add_variable(variable, str(path).removesuffix("._storage"))}
        value = unboxed(path.fetch(self.fixed))
        if isinstance(value, np.ndarray):
            return {"array": self.arrays.add(value, str(path))}
        if not is_data(value) or isinstance(value, list | dict | set):
            raise Unsaveable(f"it reads or changes `{path}`, a {type(value).__name__} outside of it")
        return {"value": text_of(value)}

    def guard(self, guard: Guard) -> dict[str, Any] | None:
        """What has to hold of the arguments; None where the guard is about what is frozen."""
        free = [p for p in (guard.path, *guard.others) if not is_frozen(p, self.fixed)]
        if not free:
            return None
        if not all(isinstance(path, Argument) for path in free):
            raise Unsaveable(f"it holds only where {guard}")
        places = [self.position(path.index) for path in free if isinstance(path, Argument)]
        if isinstance(guard, NumberGuard):
            return {"equals": [places[0], text_of(guard.value)]}
        if isinstance(guard, DistinctGuard):
            return {"distinct": places}
        if isinstance(guard, SameGuard) and len(places) == 2:
            return {"same": places}
        raise Unsaveable(f"it holds only where {guard}")

    def graph(self) -> tuple[dict[str, str], str]:
        """The names of the arrays among its constants, by number, and its text."""
        objects = Objects()
        graph = without_folders(self.concrete.optimized)
        text = graph.writer(objects).text()
        constants = {
            str(number): self.arrays.add(item, "constant") for number, item in objects.by_number.items()
        }
        try:
            again = parse(text, objects.by_number)
            verify(again)
        except (ParseError, VerificationError) as error:
            raise Unsaveable(f"its graph has no text form: {error}") from None
        if str(again) != text or attributes_in(again) != attributes_in(graph):
            raise Unsaveable("its graph is not the same when its text is read back")
        return constants, text


def attributes_in(graph: Graph) -> list[tuple[str, set[str]]]:
    """The names of the attributes that say something, operation by operation: text may leave some out.

    But for templates: a constant that is read back is part of one, where it was an operand.
    """
    empty = lambda item: item is None or isinstance(item, Template) or (isinstance(item, dict) and not item)
    return [
        (op.name, {name for name, item in op.attributes.items() if not empty(item)})
        for part in graph.whole()
        for op in part.operations()
        if not op.is_constant
    ]


def without_folders(graph: Graph) -> Graph:
    """A copy whose operations know the names of their files only."""
    copy = clone(graph)
    for part in copy.whole():
        for op in walk(part.body):
            if op.location is not None:
                op.location = replace(op.location, file=os.path.basename(op.location.file))
    return copy


def _check_overlap(arrays: SavedArrays, sources: Sequence[Source]) -> None:
    """Two arrays of one memory are two after loading: right where nobody writes them."""
    overlapping = arrays.overlapping()
    if overlapping is None:
        return
    for source in sources:
        for signature in source.signatures:
            if OUTSIDE in Memory(signature.concrete.optimized).written:
                one, other = overlapping
                raise wrong_argument(
                    f"`{one}` and `{other}` share memory, and {source.name}() may write into it",
                    "make one of them a copy, or make the view inside the function",
                    "target",
                )
