"""Where a value that a trace read comes from, as something that each call can evaluate again.

A path is rooted in a flat argument, a module's globals, a closure cell or a constant object, and goes on
through attributes and items. Guards and implicit inputs are paths, compiled into one Python function.

>>> import types
>>> place = Attribute(Argument(0, "self"), "scale")
>>> str(place), place.fetch([types.SimpleNamespace(scale=3)])
('self.scale', 3)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from types import CellType
from typing import Any, TypeAlias

import numpy as np

from autograph.records import record
from runtime.guards import keys as key_texts
from runtime.guards.questions import Condition, Constants, EqualsNumber, HasKeys
from runtime.messages import shortened


class Names(Constants):
    """What generated code refers to by a fresh name each: constants, and what it has read along paths."""

    def __init__(self, made_faster: Callable[[Any], Any] | None = None) -> None:
        super().__init__(made_faster)
        self.locals: dict[PathBase, str] = {}
        self._count = 0

    def read(self, path: Path) -> list[str]:
        """The lines that read along a path, each step once; from then on its source is a local variable."""
        if path in self.locals or isinstance(path, Argument | Parameter | Constant):
            return []
        lines = self.read(path.base) if isinstance(path, Attribute | Item | AsArray) else []
        name = self.fresh()
        lines.append(f"{name} = {path.source(self)}")
        self.locals[path] = name
        return lines

    def fresh(self) -> str:
        """A new local variable."""
        self._count += 1
        return f"v{self._count}"


class PathBase:
    """What all paths can do."""

    name: str

    def source(self, names: Names) -> str:
        """A Python expression over ``args`` (the flat arguments) and ``names``."""
        known = names.locals.get(self)
        return known or self.expression(names)

    def expression(self, names: Names) -> str:
        """The same where nothing has been read yet."""
        raise NotImplementedError

    @cached_property
    def _fetch(self) -> Callable[[Sequence[Any]], list[Any]]:
        return compile_fetch([self])

    def fetch(self, args: Sequence[Any]) -> Any:
        """The value there now. Raises what reading it raises."""
        return self._fetch(args)[0]

    def __str__(self) -> str:
        return self.name


@record(slots=False)
class Argument(PathBase):
    index: int
    name: str

    def expression(self, names: Names) -> str:
        return f"args[{self.index}]"


@record(slots=False)
class Parameter(PathBase):
    """An argument of a call as it is given, before it is taken apart."""

    index: int
    name: str  # of the variable

    def expression(self, names: Names) -> str:
        return self.name


@record(slots=False, eq=False)
class Global(PathBase):
    namespace: dict[str, Any]
    name: str

    def expression(self, names: Names) -> str:
        return f"{names.of(self.namespace)}[{self.name!r}]"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Global) and (other.namespace is self.namespace and other.name == self.name)

    def __hash__(self) -> int:
        return hash((id(self.namespace), self.name))


@record(slots=False, eq=False)
class Cell(PathBase):
    cell: CellType
    name: str

    def expression(self, names: Names) -> str:
        return f"{names.of(self.cell)}.cell_contents"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Cell) and other.cell is self.cell

    def __hash__(self) -> int:
        return id(self.cell)


@record(slots=False, eq=False)
class Constant(PathBase):
    """An object that the trace holds on to, such as a class."""

    value: Any
    name: str

    def expression(self, names: Names) -> str:
        return names.of(self.value)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Constant) and other.value is self.value

    def __hash__(self) -> int:
        return id(self.value)


@record(slots=False)
class Attribute(PathBase):
    base: Path
    name: str

    def expression(self, names: Names) -> str:
        return f"{self.base.source(names)}.{self.name}"

    def __str__(self) -> str:
        return f"{self.base}.{self.name}"


@record(slots=False, eq=False)
class Item(PathBase):
    base: Path
    key: Any

    def expression(self, names: Names) -> str:
        key = repr(self.key) if type(self.key) in (int, str) else names.of(self.key)
        return f"{self.base.source(names)}[{key}]"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Item) or self.base != other.base or type(self.key) is not type(other.key):
            return False
        return self.key is other.key or key_texts.mark(self.key) == key_texts.mark(other.key)

    def __hash__(self) -> int:
        return hash((self.base, key_texts.mark(self.key)))

    def __str__(self) -> str:
        return f"{self.base}[{key_texts.text_of_key(self.key)}]"


@record(slots=False)
class AsArray(PathBase):
    """The memory of an object of another library, as an array of NumPy's: nothing is copied."""

    base: Path

    def expression(self, names: Names) -> str:
        return f"{names.of(shared_array)}({self.base.source(names)})"

    def __str__(self) -> str:
        return str(self.base)


def shared_array(value: Any) -> np.ndarray | None:
    """The array that shares its memory with an array of another library; None for other objects.

    What lies in the memory of a device is none: to read it would copy.

    >>> shared_array(memoryview(b"abc")) is None
    True
    """
    cls = type(value)
    if cls is np.memmap:
        return np.asarray(value)
    if hasattr(cls, "__dlpack__") and hasattr(cls, "__dlpack_device__"):
        return np.from_dlpack(value) if value.__dlpack_device__()[0] == _CPU else None
    return np.asarray(value) if hasattr(cls, "__array_interface__") else None


_CPU = 1  # kDLCPU


Path: TypeAlias = Argument | Parameter | Global | Cell | Constant | Attribute | Item | AsArray


@record(slots=False, eq=False)
class Guard:
    """One condition on the world outside under which a trace is right.

    ``source`` is an expression; ``expected`` says for people what was expected, ``path`` where. ``routine``
    guards say that functions, classes and builtins are what they were; explain() does not list them.
    """

    path: Path
    condition: Condition
    expected: str
    routine: bool = False
    others: Sequence[Path] = ()  # that the condition reads, too

    def source(self, names: Names) -> str:
        return self.condition(self.path.source(names), names)

    def lines(self, names: Names, otherwise: str) -> list[str]:
        """Lines that do ``otherwise`` where it does not hold. What they raise counts as not holding, too."""
        read = [line for path in (self.path, *self.others) for line in names.read(path)]
        return [*read, f"if not ({self.source(names)}):", f"    {otherwise}"]

    def holds(self, args: Sequence[Any]) -> bool:
        """Evaluate this guard alone (for explain(); a call evaluates all at once)."""
        return compile_guards([self])(args)

    def __str__(self) -> str:
        return f"{self.path} is {shortened(self.expected)}"


class NumberGuard(Guard):
    """That a number is this one: a constant of the trace."""

    def __init__(self, path: Path, value: Any) -> None:
        self.value = value
        super().__init__(path, EqualsNumber(value), repr(value))


class SameGuard(Guard):
    """That two paths lead to the same object."""

    def __init__(self, path: Path, first: Path, kind: str) -> None:
        condition = lambda source, names: f"{source} is {first.source(names)}"
        super().__init__(path, condition, f"the same {kind} as {first}", others=(first,))


class DistinctGuard(Guard):
    """That no two of these paths lead to the same object."""

    def __init__(self, paths: Sequence[Path], kind: str) -> None:
        said = f"another {kind} than {', '.join(map(str, paths[1:]))}"
        super().__init__(paths[0], _are_distinct(paths), said, routine=True, others=paths[1:])


class KeysGuard(Guard):
    """That a dict has these keys, in this order.

    The keys are mostly the very same objects, which is cheaper to ask than what equal ones are. All values
    are read at once, for the guards of the items: to look each of them up takes twice as long.
    """

    def __init__(self, path: Path, kind: type, keys: Iterable[Any]) -> None:
        self.kind, self.keys = kind, list(keys)
        texts = ", ".join(map(key_texts.text_of_key, self.keys))
        super().__init__(path, HasKeys(self.keys), f"a {kind.__name__} with keys [{texts}]")

    def lines(self, names: Names, otherwise: str) -> list[str]:
        lines, held = names.read(self.path), self.path.source(names)
        lines += [f"if type({held}) is not {names.of(self.kind)}:", f"    {otherwise}"]
        same = self.source(names)
        if self.keys and key_texts.are_plain(self.keys):
            keys = [names.fresh() for _ in self.keys]
            lines += [f"{', '.join(keys)}, = [*{held}]"]
            same = " and ".join(f"{k} is {names.of(key)}" for k, key in zip(keys, self.keys, strict=True))
            same += f" or {self.source(names)}"
        lines += [f"if not ({same}):", f"    {otherwise}"]
        for key in self.keys:
            names.locals[Item(self.path, key)] = names.fresh()
        values = [names.locals[Item(self.path, key)] for key in self.keys]
        return [*lines, f"{', '.join(values)}, = [*{held}.values()]"] if values else lines


def guard_lines(guards: Sequence[Guard], names: Names, otherwise: str) -> list[str]:
    """Lines that do ``otherwise`` (a statement that leaves the function) where a guard does not hold."""
    lines = ["try:"]
    for guard in guards:
        lines += [f"    {line}" for line in guard.lines(names, otherwise)]
    return [*lines, "except (AttributeError, LookupError, TypeError, ValueError):", f"    {otherwise}"]


def compile_guards(guards: Sequence[Guard]) -> Callable[[Sequence[Any]], bool]:
    """One function ``check(args) -> bool`` for all guards; what cannot be read any more does not hold."""
    if not guards:
        return lambda args: True
    names = Names()
    lines = ["def check(args):", *guard_lines(guards, names, "return False"), "return True"]
    exec(compile("\n    ".join(lines), "<guards>", "exec"), names.env)
    return names.env["check"]


def compile_fetch(paths: Sequence[PathBase]) -> Callable[[Sequence[Any]], list[Any]]:
    """One function ``fetch(args) -> list`` that reads all paths."""
    if not paths:
        return lambda args: []
    names = Names()
    text = "def fetch(args):\n    return [" + ", ".join(path.source(names) for path in paths) + "]\n"
    exec(compile(text, "<implicit inputs>", "exec"), names.env)
    return names.env["fetch"]


def _are_distinct(paths: Sequence[Path]) -> Condition:
    """No two of the paths lead to the same object."""

    def condition(source: str, names: Names) -> str:
        if len(paths) == 2:
            return f"{paths[0].source(names)} is not {paths[1].source(names)}"
        identities = ", ".join(f"id({path.source(names)})" for path in paths)
        return f"len({{{identities}}}) == {len(paths)}"

    return condition
