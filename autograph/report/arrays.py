"""What a function does with arrays that no stage has a form for: their memory, dtypes of no numbers.

What is an array is known when it runs; here it is what NumPy's functions gave, what is annotated as one, and
what is asked for a `dtype`. An attribute that hardly anything else has (`strides`) says so itself.

>>> text = "def f(x):\\n  y = np.zeros(3, 'u1,u1')\\n  y.shape = (3, 1)\\n  return y.base + x.strides"
>>> function = gast.parse(text).body[0]
>>> names = ImportedNames(gast.parse("import numpy as np"))
>>> for found in Arrays(function, names).findings():
...     print(found.code, found.message)
AG104 arrays of dtype `'u1,u1'` have no staged form
AG210 assigning to `shape` of an array has no staged form
AG209 `strides` of an array has no staged form
AG209 `base` of an array has no staged form
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import gast

from autograph.analysis.names import attribute_chain
from autograph.analysis.static import own_nodes
from autograph.refused import (
    ASSIGNMENTS,
    ATTRIBUTES,
    DTYPE_NAMES,
    OF_ARRAYS_ONLY,
    hint_of_dtype,
    kind_of_dtype,
)
from autograph.report.outside import ImportedNames
from autograph.template import unparse

#: where NumPy's functions take a dtype that is not named
_DTYPE_AT = {"zeros": 1, "ones": 1, "empty": 1, "array": 1, "asarray": 1, "full": 2, "fromiter": 1}
#: builtins that NumPy takes for a dtype
_BUILTIN_DTYPES = frozenset({"object", "str", "bytes"})
#: attributes that say that somebody is an array
_SIGNS = frozenset({"dtype", "ndim", "itemsize", "nbytes", "astype", "ravel", "reshape"})
#: of NumPy's functions, those that give something else
_NO_ARRAYS = frozenset({"dtype", "errstate", "nditer", "shape", "ndim", "random.default_rng", "vectorize"})


@dataclass(frozen=True, slots=True)
class ArrayFinding:
    """A place, the code of what is wrong there, and what to write instead."""

    node: Any
    code: str
    message: str
    hint: str


class Arrays:
    """The arrays of one function, as far as its text shows them."""

    def __init__(self, function: Any, imports: ImportedNames) -> None:
        self.imports = imports
        self.nodes = [node for part in function.body for node in own_nodes(part)]
        parameters = [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]
        self.arrays = {p.id for p in parameters if self._is_annotated(p)} | set(self._signs())
        self.others = {"self", "cls"}
        for node in self.nodes:
            self._learn(node)

    def findings(self) -> Iterator[ArrayFinding]:
        """What is refused wherever it stands."""
        for node in self.nodes:
            if isinstance(node, gast.Call):
                yield from self._dtype(node)
            elif isinstance(node, gast.Attribute):
                yield from self._attribute(node)

    # What is an array

    def _is_annotated(self, parameter: Any) -> bool:
        name = (
            self.imports.of_numpy(getattr(parameter.annotation, "value", None))
            if parameter.annotation
            else None
        )
        return "ndarray" in (name, self.imports.of_numpy(parameter.annotation)) or name == "typing.NDArray"

    def _signs(self) -> Iterator[str]:
        for node in self.nodes:
            if isinstance(node, gast.Attribute) and isinstance(node.ctx, gast.Load) and node.attr in _SIGNS:
                yield attribute_chain(node.value) or ""

    def _learn(self, node: Any) -> None:
        """`y = np.zeros(3)` makes `y` an array, `y = Box()` something else."""
        if isinstance(node, gast.Assign):
            for target in node.targets:
                chain = attribute_chain(target)
                if chain is not None and isinstance(node.value, gast.Call):
                    (self.arrays if self._gives_array(node.value) else self.others).add(chain)

    def _gives_array(self, value: Any) -> bool:
        name = self.imports.of_numpy(value.func) if isinstance(value, gast.Call) else None
        return name is not None and name not in _NO_ARRAYS

    def _is_array(self, node: Any, attribute: str) -> bool:
        chain = attribute_chain(node)
        if chain is None:
            return self._gives_array(node)
        if chain in self.arrays:
            return chain not in self.others
        return attribute in OF_ARRAYS_ONLY and chain not in self.others and chain not in self.imports.full

    # What is refused

    def _attribute(self, node: Any) -> Iterator[ArrayFinding]:
        name = node.attr
        if isinstance(node.ctx, gast.Store):
            known = name in ASSIGNMENTS and self._is_array(node.value, "strides")
            if known:
                message = f"assigning to `{name}` of an array has no staged form"
                yield ArrayFinding(node, "AG210", message, ASSIGNMENTS[name])
        elif name in ATTRIBUTES and self._is_array(node.value, name):
            yield ArrayFinding(node, "AG209", f"`{name}` of an array has no staged form", ATTRIBUTES[name])

    def _dtype(self, call: Any) -> Iterator[ArrayFinding]:
        for given in self._dtypes_given(call):
            kind = self._kind(given)
            if kind is not None:
                message = f"arrays of dtype `{unparse(given)}` have no staged form"
                yield ArrayFinding(given, "AG104", message, hint_of_dtype(kind))

    def _dtypes_given(self, call: Any) -> Iterator[Any]:
        name = self.imports.of_numpy(call.func)
        method = call.func.attr if isinstance(call.func, gast.Attribute) and name is None else None
        if name is not None or method in ("astype", "view"):
            yield from (keyword.value for keyword in call.keywords if keyword.arg == "dtype")
            at = 0 if name is None else _DTYPE_AT.get(name)
            if at is not None:
                yield from call.args[at : at + 1]

    def _kind(self, given: Any) -> str | None:
        """The kind of a dtype without a staged form, where the text shows one."""
        if isinstance(given, gast.Call) and self.imports.of_numpy(given.func) == "dtype":
            return self._kind(given.args[0]) if given.args else None
        if isinstance(given, gast.Constant):
            return kind_of_dtype(given.value) if isinstance(given.value, str) else None
        if isinstance(given, (gast.List, gast.Dict)):
            return "V"
        chain = attribute_chain(given)
        if chain in self.imports.constants:
            return self._kind(self.imports.constants[chain])
        if chain in _BUILTIN_DTYPES - self.imports.bound:
            return kind_of_dtype(chain)
        return DTYPE_NAMES.get(self.imports.of_numpy(given) or "")
