"""Where a value that a trace read comes from, as something that each call can evaluate again.

A path is rooted in a flat argument, a module's globals, a closure cell or a constant object, and goes on
through attributes and items. Guards and implicit inputs are paths, compiled into one Python function.

>>> import types
>>> place = Attribute(Argument(0, "self"), "scale")
>>> str(place), place.fetch([types.SimpleNamespace(scale=3)])
('self.scale', 3)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import CellType
from typing import Any, TypeAlias


class Names:
    """Constants that generated code refers to, by a fresh name each."""

    def __init__(self) -> None:
        self.env: dict[str, Any] = {}
        self._names: dict[int, str] = {}

    def of(self, value: Any) -> str:
        name = self._names.get(id(value))
        if name is None:
            name = self._names[id(value)] = f"c{len(self._names)}"
            self.env[name] = value  # keeps the object alive, so that its id stays its own
        return name


class PathBase:
    """What all paths can do."""

    def source(self, names: Names) -> str:
        """A Python expression over ``args`` (the flat arguments) and ``names``."""
        raise NotImplementedError

    def fetch(self, args: Sequence[Any]) -> Any:
        """The value there now. Raises what reading it raises."""
        raise NotImplementedError


@dataclass(frozen=True)
class Argument(PathBase):
    index: int
    name: str

    def source(self, names: Names) -> str:
        return f"args[{self.index}]"

    def fetch(self, args: Sequence[Any]) -> Any:
        return args[self.index]

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, eq=False)
class Global(PathBase):
    namespace: dict[str, Any]
    name: str

    def source(self, names: Names) -> str:
        return f"{names.of(self.namespace)}[{self.name!r}]"

    def fetch(self, args: Sequence[Any]) -> Any:
        return self.namespace[self.name]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Global) and (other.namespace is self.namespace and other.name == self.name)

    def __hash__(self) -> int:
        return hash((id(self.namespace), self.name))

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, eq=False)
class Cell(PathBase):
    cell: CellType
    name: str

    def source(self, names: Names) -> str:
        return f"{names.of(self.cell)}.cell_contents"

    def fetch(self, args: Sequence[Any]) -> Any:
        return self.cell.cell_contents

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Cell) and other.cell is self.cell

    def __hash__(self) -> int:
        return id(self.cell)

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, eq=False)
class Constant(PathBase):
    """An object that the trace holds on to, such as a class."""

    value: Any
    name: str

    def source(self, names: Names) -> str:
        return names.of(self.value)

    def fetch(self, args: Sequence[Any]) -> Any:
        return self.value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Constant) and other.value is self.value

    def __hash__(self) -> int:
        return id(self.value)

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class Attribute(PathBase):
    base: Path
    name: str

    def source(self, names: Names) -> str:
        return f"{self.base.source(names)}.{self.name}"

    def fetch(self, args: Sequence[Any]) -> Any:
        return getattr(self.base.fetch(args), self.name)

    def __str__(self) -> str:
        return f"{self.base}.{self.name}"


@dataclass(frozen=True, eq=False)
class Item(PathBase):
    base: Path
    key: Any

    def source(self, names: Names) -> str:
        key = repr(self.key) if type(self.key) in (int, str) else names.of(self.key)
        return f"{self.base.source(names)}[{key}]"

    def fetch(self, args: Sequence[Any]) -> Any:
        return self.base.fetch(args)[self.key]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Item) or self.base != other.base or type(self.key) is not type(other.key):
            return False
        return self.key is other.key or bool(self.key == other.key)

    def __hash__(self) -> int:
        return hash((self.base, self.key))

    def __str__(self) -> str:
        return f"{self.base}[{self.key!r}]"


Path: TypeAlias = Argument | Global | Cell | Constant | Attribute | Item


class Guard:
    """One condition on the world outside under which a trace is right.

    ``source`` is an expression; ``expected`` says for people what was expected, ``path`` where. ``routine``
    guards say that functions, classes and builtins are what they were; explain() does not list them.
    """

    def __init__(
        self, path: Path, condition: Callable[[str, Names], str], expected: str, routine: bool = False
    ) -> None:
        self.path = path
        self.condition = condition
        self.expected = expected
        self.routine = routine

    def source(self, names: Names) -> str:
        return self.condition(self.path.source(names), names)

    def holds(self, args: Sequence[Any]) -> bool:
        """Evaluate this guard alone (for explain(); a call evaluates all at once)."""
        return compile_guards([self])(args)

    def __str__(self) -> str:
        return f"{self.path} is {self.expected}"


def compile_guards(guards: Sequence[Guard]) -> Callable[[Sequence[Any]], bool]:
    """One function ``check(args) -> bool`` for all guards; what cannot be read any more does not hold."""
    if not guards:
        return lambda args: True
    names = Names()
    conditions = " and\n            ".join(f"({guard.source(names)})" for guard in guards)
    text = (
        "def check(args):\n    try:\n        return bool(\n            "
        + conditions
        + ")\n    except (AttributeError, LookupError, TypeError, ValueError):\n        return False\n"
    )
    exec(compile(text, "<guards>", "exec"), names.env)
    return names.env["check"]


def compile_fetch(paths: Sequence[Path]) -> Callable[[Sequence[Any]], list[Any]]:
    """One function ``fetch(args) -> list`` that reads all paths."""
    names = Names()
    text = "def fetch(args):\n    return [" + ", ".join(path.source(names) for path in paths) + "]\n"
    exec(compile(text, "<implicit inputs>", "exec"), names.env)
    return names.env["fetch"]


def is_identical(value: Any) -> Callable[[str, Names], str]:
    return lambda source, names: f"{source} is {names.of(value)}"


def equals_number(value: Any) -> Callable[[str, Names], str]:
    """Same type and same value, with 0.0 and -0.0 told apart and nan equal to itself."""

    def condition(source: str, names: Names) -> str:
        held, kind = names.of(value), names.of(type(value))
        if isinstance(value, bool):
            return f"{source} is {held}"
        if isinstance(value, int):
            return f"{source} is {held} or ({source}.__class__ is {kind} and {source} == {held})"
        return (
            f"{source} is {held} or ({source}.__class__ is {kind} and {source}.__repr__() == {repr(value)!r})"
        )

    return condition


def equals_value(value: Any) -> Callable[[str, Names], str]:
    return lambda source, names: (
        f"{source} is {names.of(value)} or "
        f"({source}.__class__ is {names.of(type(value))} and {source} == {names.of(value)})"
    )


def is_not(other: Path) -> Callable[[str, Names], str]:
    return lambda source, names: f"{source} is not {other.source(names)}"


def has_class(cls: type) -> Callable[[str, Names], str]:
    return lambda source, names: f"{source}.__class__ is {names.of(cls)}"


def is_array_of(dtype: Any, shape: tuple[int, ...], cls: type) -> Callable[[str, Names], str]:
    return lambda source, names: (
        f"{source}.__class__ is {names.of(cls)} and {source}.dtype == {names.of(dtype)}"
        f" and {source}.shape == {shape!r}"
    )
