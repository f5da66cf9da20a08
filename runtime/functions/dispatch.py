"""The short way into a trace: generated code that checks the arguments of a call and runs.

A call first asks the *entries* of the traces that were used last. An entry is one generated function: it
compares classes, dtypes and shapes with those of its trace, evaluates the guards, collects the inputs and
runs. It answers ``MISS`` where it does not fit; then the call goes the long way, by key.

>>> from types import SimpleNamespace
>>> trace = SimpleNamespace(guards=[], paths=[], positions=[0], plan=lambda r, args: r[0])
>>> trace.compiled = SimpleNamespace(engine="numpy", run=lambda inputs: [inputs[0] + 1])
>>> enter = entry_of(trace, (2.5,)).enter
>>> enter((3.5,)), enter((3,)) is MISS, enter((1.0, 2.0)) is MISS
(4.5, True, True)
"""

from __future__ import annotations

import itertools
import os
import types
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from autograph.records import record
from runtime.engines.native.objects import object_graphs, scanning
from runtime.functions.concrete import MISS
from runtime.functions.plans import source_of
from runtime.functions.signature import Open, is_data_argument
from runtime.guards.keys import is_constant
from runtime.guards.paths import Attribute, Guard, Item, KeysGuard, Names, Parameter, Path, guard_lines
from runtime.guards.questions import (
    Condition,
    EqualsValue,
    HasMark,
    IsArrayOf,
    IsSequence,
    IsSmallInt,
    IsThis,
    OfClass,
)
from runtime.ops.item_patterns import decides
from runtime.specs.readers import Holds, HoldsKnown
from runtime.state.variables import Variable
from runtime.tensor import Tensor

if TYPE_CHECKING:
    from runtime.functions.concrete import ConcreteFunction

#: so many entries are tried one after another
MAX_ENTRIES = 4
#: after so many calls by an entry, it is worth the time to give them to machine code
OFTEN = 300
#: ends a call of which the last arguments were given by name
KEYWORDS: Any = object()

Entry = Callable[[tuple[Any, ...]], Any]
#: the file that generated code is said to be in: one of ours, so that tracebacks do not show it
_FILE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "<entry>")
_IDENTITIES = type | types.FunctionType | types.BuiltinFunctionType | types.ModuleType | np.ufunc


class NoEntry(Exception):
    """Calls with such arguments go the long way."""


class Check:
    """Conditions under which arguments are like those of one call, in order, and where their leaves are."""

    def __init__(self, args: Sequence[Any], data: bool = True) -> None:
        self.count = len(args)
        self.guards: list[Guard] = []
        self.leaves: list[Path] = []
        self.inputs: dict[int, Path] = {}  # leaves that run as something else
        self._data = data  # a run knows what is in long lists and texts
        for i, arg in enumerate(args):
            self._visit(arg, Parameter(i, f"a{i}"))

    def _visit(self, value: Any, path: Path) -> None:
        """Follows `signature.key_of`: the same distinctions, the same order of leaves."""
        kind: Any = type(value)
        if kind is np.ndarray:
            self._ask(path, IsArrayOf(value.dtype, value.shape, is_exactly=True))
            self.leaves.append(path)
        elif kind is Tensor and type(value._array) is np.ndarray:
            self._ask(path, OfClass(kind))
            inner = self.inputs[len(self.leaves)] = Attribute(path, "_array")
            self._ask(inner, IsArrayOf(value._array.dtype, value._array.shape, is_exactly=True))
            self.leaves.append(path)
        elif kind is int and -(2**63) <= value < 2**63:
            self._ask(path, IsSmallInt())
            self.leaves.append(path)
        elif (
            kind in (float, complex)
            or isinstance(value, np.generic)
            and value.dtype.kind in "biufc"
            or self._data
            and is_data_argument(value)
        ):
            self._ask(path, OfClass(kind))
            self.leaves.append(path)
        elif kind in (tuple, list) or hasattr(kind, "_make"):
            self._ask(path, IsSequence(kind, len(value)))
            if kind is list:
                self.leaves.append(path)
            for i, item in enumerate(value):
                self._visit(item, Item(path, i))
        elif kind is dict:
            self.guards.append(KeysGuard(path, kind, value))
            self.leaves.append(path)
            for key, item in value.items():
                self._visit(item, Item(path, key))
        elif value is None or kind is bool or isinstance(value, _IDENTITIES):
            self._ask(path, IsThis(value))
        elif kind in (str, bytes):
            self._ask(path, EqualsValue(value))
        elif kind is Open:
            self._ask(path, OfClass(type(value.value)))
            self.leaves.append(path)
        elif is_constant(value):
            self._ask(path, HasMark(value))
        elif kind is not Variable and (
            kind in (int, range, slice, Tensor) or kind.__module__.startswith("runtime.")
        ):
            raise NoEntry
        else:
            self._ask(path, OfClass(kind))
            self.leaves.append(path)

    def _ask(self, path: Path, condition: Condition) -> None:
        self.guards.append(Guard(path, condition, ""))


def in_machine_code(condition: Any) -> Any:
    """A condition on kinds of items or attributes as a built-in function, where machine code knows them."""
    if isinstance(condition, HoldsKnown):
        return object_graphs.checker(condition.kinds, condition) or condition
    if not isinstance(condition, Holds) or not decides(condition.pattern):
        return condition
    key = condition.key_pattern
    if key is not None and not decides(key):
        return condition
    scan = scanning.scanner(condition.cls, condition.pattern, key)
    if scan is None or condition.inside is None:
        return scan or condition
    inside, values = in_machine_code(condition.inside), dict.values if condition.kind.is_mapping else iter
    return lambda container: scan(container) and all(map(inside, values(container)))


@record(frozen=False, eq=False)
class Made:
    """An entry, and what it was made of."""

    enter: Entry
    trace: ConcreteFunction
    check: Check
    names: Names
    keywords: tuple[str, ...]  # the last arguments are given by these names only
    table: Any = None  # see `native_entries`
    is_asked: bool = False  # whether there is one


def entry_of(
    trace: ConcreteFunction,
    args: tuple[Any, ...],
    data: bool = True,
    keywords: tuple[str, ...] = (),
    often: Callable[[], None] | None = None,
) -> Made | None:
    """The entry of a trace that was made for such arguments; None where they need the long way.

    ``data``: a run knows what is in long lists and texts among them; else the trace does. ``keywords``: the
    names of the last of them, which can be given by name only; then a call ends with KEYWORDS. ``often`` is
    called at each OFTEN-th call of machine code.
    """
    names = Names(in_machine_code if trace.compiled.engine == "native" else None)
    try:
        check = Check(args, data)
    except NoEntry:
        return None
    variables = [f"a{i}" for i in range(check.count)]
    given = [*variables, "keywords"] if keywords else variables
    lines = [f"if len(call) != {len(given)}:", "    return MISS"]
    if variables:
        lines.append(f"{', '.join(given)}, = call")
    if keywords:
        lines += [f"if keywords is not {names.of(KEYWORDS)}:", "    return MISS"]
    lines += guard_lines(check.guards, names, "return MISS") if check.guards else []
    leaves = [leaf.source(names) for leaf in check.leaves]
    inputs = [check.inputs.get(i, check.leaves[i]).source(names) for i in trace.positions]
    guards = guard_lines(trace.guards, names, "return MISS") if trace.guards else []
    inputs += [path.source(names) for path in trace.paths]
    result = source_of(trace.plan, names)
    if "args" in result or trace.paths or trace.guards:
        lines.append("args = call" if leaves == given else f"args = ({_tuple(leaves)})")
    lines += guards
    if often is not None and trace.compiled.engine == "native":
        count = names.of(itertools.count().__next__)
        lines += [f"if {count}() % {OFTEN} == {OFTEN - 1}:", f"    {names.of(often)}()"]
    lines += [f"results = {names.of(trace.compiled.run)}([{', '.join(inputs)}])", f"return {result}"]
    text = "def enter(call):\n    " + "\n    ".join(lines) + "\n"
    names.env["MISS"] = MISS
    exec(compile(text, _FILE, "exec"), names.env)
    return Made(names.env["enter"], trace, check, names, keywords)


def _tuple(items: list[str]) -> str:
    return "".join(f"{item}, " for item in items)
