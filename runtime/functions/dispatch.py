"""The short way into a trace: generated code that checks the arguments of a call and runs.

A call first asks the *entries* of the traces that were used last. An entry is one generated function: it
compares classes, dtypes and shapes with those of its trace, evaluates the guards, collects the inputs and
runs. It answers ``MISS`` where it does not fit; then the call goes the long way, by key.

>>> from types import SimpleNamespace
>>> trace = SimpleNamespace(guards=[], paths=[], positions=[0], plan=lambda r, args: r[0])
>>> trace.compiled = SimpleNamespace(engine="numpy", run=lambda inputs: [inputs[0] + 1])
>>> enter = entry_of(trace, (2.5,))
>>> enter((3.5,)), enter((3,)) is MISS, enter((1.0, 2.0)) is MISS
(4.5, True, True)
"""

from __future__ import annotations

import os
import types
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from runtime.engines.native.objects import object_graphs, scanning
from runtime.functions.concrete import MISS
from runtime.functions.plans import source_of
from runtime.functions.signature import Open, is_data_argument
from runtime.guards.constants import is_constant
from runtime.guards.keys import mark
from runtime.guards.paths import Names, guard_lines, have_keys
from runtime.objects.known_kinds import HoldsKnown
from runtime.ops.item_patterns import decides
from runtime.specs.readers import Holds
from runtime.state.variables import Variable
from runtime.tensor import Tensor

if TYPE_CHECKING:
    from runtime.functions.concrete import ConcreteFunction

#: so many entries are tried one after another
MAX_ENTRIES = 4

Entry = Callable[[tuple[Any, ...]], Any]
#: the file that generated code is said to be in: one of ours, so that tracebacks do not show it
_FILE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "<entry>")
_IDENTITIES = type | types.FunctionType | types.BuiltinFunctionType | types.ModuleType | np.ufunc


class _NoEntry(Exception):
    """Calls with such arguments go the long way."""


class _Check:
    """Conditions under which arguments are like those of one call, and expressions for their leaves."""

    def __init__(self, names: Names, data: bool) -> None:
        self.names = names
        self.data = data  # a run knows what is in long lists and texts
        self.misses: list[str] = []  # in order, each true when the arguments differ
        self.leaves: list[str] = []
        self.inputs: dict[int, str] = {}  # leaves that run as something else

    def visit(self, value: Any, source: str) -> None:
        """Follows `signature.key_of`: the same distinctions, the same order of leaves."""
        kind: Any = type(value)
        if kind is np.ndarray:
            self._array(value, source, source)
        elif kind is Tensor and type(value._array) is np.ndarray:
            self._class(kind, source)
            self.inputs[len(self.leaves)] = f"{source}._array"
            self._array(value._array, f"{source}._array", source)
        elif (
            kind is float or kind is complex or isinstance(value, np.generic) and value.dtype.kind in "biufc"
        ):
            self._class(kind, source)
            self.leaves.append(source)
        elif kind is int and -(2**63) <= value < 2**63:
            self.misses.append(f"type({source}) is not int or not {-(2**63)} <= {source} < {2**63}")
            self.leaves.append(source)
        elif self.data and is_data_argument(value):
            self._class(kind, source)
            self.leaves.append(source)
        elif kind in (tuple, list) or hasattr(kind, "_make"):
            self._sequence(value, kind, source)
        elif kind is dict:
            self._class(kind, source)
            self.misses.append(f"not ({have_keys(value)(source, self.names)})")
            self.leaves.append(source)
            for key, item in value.items():
                self.visit(item, f"{source}[{self.names.of(key)}]")
        elif value is None or kind is bool or isinstance(value, _IDENTITIES):
            self.misses.append(f"{source} is not {self.names.of(value)}")
        elif kind in (str, bytes):
            self._class(kind, source)
            self.misses.append(f"{source} != {self.names.of(value)}")
        elif kind is Open:
            self._class(type(value.value), source)
            self.leaves.append(source)
        elif is_constant(value):
            self._class(kind, source)
            self.misses.append(f"{self.names.of(mark)}({source}) != {self.names.of(mark(value))}")
        elif kind is not Variable and (
            kind in (int, range, slice, Tensor) or kind.__module__.startswith("runtime.")
        ):
            raise _NoEntry
        else:
            self._class(kind, source)
            self.leaves.append(source)

    def _class(self, kind: type, source: str) -> None:
        self.misses.append(f"type({source}) is not {self.names.of(kind)}")

    def _array(self, value: np.ndarray[Any, Any], array: str, leaf: str) -> None:
        self.misses.append(
            f"type({array}) is not {self.names.of(np.ndarray)} or "
            f"{array}.dtype is not {self.names.of(value.dtype)} or {array}.shape != {value.shape!r}"
        )
        self.leaves.append(leaf)

    def _sequence(self, value: Any, kind: type, source: str) -> None:
        self._class(kind, source)
        self.misses.append(f"len({source}) != {len(value)}")
        if kind is list:
            self.leaves.append(source)
        for i, item in enumerate(value):
            self.visit(item, f"{source}[{i}]")


def in_machine_code(condition: Any) -> Any:
    """A condition on kinds of items or attributes as a built-in function, where machine code knows them."""
    if isinstance(condition, HoldsKnown):
        return object_graphs.checker(condition.kinds, condition) or condition
    if not isinstance(condition, Holds) or not decides(condition.pattern):
        return condition
    key = condition.key_pattern
    if key is not None and not decides(key):
        return condition
    return scanning.scanner(condition.cls, condition.pattern, key) or condition


def entry_of(trace: ConcreteFunction, args: tuple[Any, ...], data: bool = True) -> Entry | None:
    """The entry of a trace that was made for such arguments; None where they need the long way.

    ``data``: a run knows what is in long lists and texts among them; else the trace does.
    """
    names = Names(in_machine_code if trace.compiled.engine == "native" else None)
    check = _Check(names, data)
    variables = [f"a{i}" for i in range(len(args))]
    try:
        for arg, variable in zip(args, variables, strict=True):
            check.visit(arg, variable)
    except _NoEntry:
        return None
    inputs = [check.inputs.get(i, check.leaves[i]) for i in trace.positions]
    guards = guard_lines(trace.guards, names, "return MISS") if trace.guards else []
    inputs += [path.source(names) for path in trace.paths]
    result = source_of(trace.plan, names)
    run = f"{names.of(trace.compiled.run)}([{', '.join(inputs)}])"
    uses_leaves = "args" in result or trace.paths or trace.guards
    lines = [f"if len(call) != {len(args)}:", "    return MISS"]
    if variables:
        lines.append(f"{', '.join(variables)}, = call")
    for miss in check.misses:
        lines += [f"if {miss}:", "    return MISS"]
    if uses_leaves:
        lines.append("args = call" if check.leaves == variables else f"args = ({_tuple(check.leaves)})")
    lines += guards
    lines += [f"results = {run}", f"return {result}"]
    text = "def enter(call):\n    " + "\n    ".join(lines) + "\n"
    names.env["MISS"] = MISS
    exec(compile(text, _FILE, "exec"), names.env)
    return names.env["enter"]


def _tuple(items: list[str]) -> str:
    return "".join(f"{item}, " for item in items)
