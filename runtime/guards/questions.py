"""What is asked about a value from outside, as data: Python's text of it, and rows of a table.

Of one question two things are written: an expression of a generated function (`paths.compile_guards`), and
*rows* that machine code walks (`functions/native_entries.py`). What no row asks, the expression says alone.

>>> names = Constants()
>>> IsThis(2.5)("x", names), names.env, IsThis(2.5).rows()
('x is c0', {'c0': 2.5}, [Row(what='IS', a=2.5, b=None, c=0, decides=True)])
"""

from __future__ import annotations

import contextvars
import types
from collections.abc import Callable
from typing import Any, ClassVar, NamedTuple

import numpy as np

from autograph.records import record
from runtime.guards import keys as key_texts

#: takes an expression and `paths.Names`, and gives the text of a condition
Condition = Callable[[str, Any], str]


class Constants:
    """The objects that generated code refers to, by a fresh name each."""

    def __init__(self, made_faster: Callable[[Any], Any] | None = None) -> None:
        self.env: dict[str, Any] = {}
        self._made_faster = made_faster  # gives another function that answers as a condition does
        self._names: dict[int, str] = {}
        self._held: list[Any] = []

    def of(self, value: Any) -> str:
        name = self._names.get(id(value))
        if name is None:
            name = self._names[id(value)] = f"c{len(self._names)}"
            self._held.append(value)  # so that its id stays its own
            self.env[name] = value if self._made_faster is None else self._made_faster(value)
        return name


class Row(NamedTuple):
    """One question of a table: ``what``, and the objects or the number that it needs.

    ``decides``: where it says no, that is the answer; else the text decides.
    """

    what: str
    a: Any = None
    b: Any = None
    c: int = 0
    decides: bool = True


class Question:
    """A condition as data. Called as any condition is, it gives its text."""

    __slots__ = ()
    #: of a class: does nothing but what it and its bases hold decide?
    is_of_class: ClassVar[bool] = False

    def __call__(self, source: str, names: Constants) -> str:
        raise NotImplementedError

    def rows(self) -> list[Row] | None:
        """All of them must hold; None where the text is all there is."""
        return None


@record(eq=False)
class IsThis(Question):
    """It is this very object."""

    value: Any

    def __call__(self, source: str, names: Constants) -> str:
        return f"{source} is {names.of(self.value)}"

    def rows(self) -> list[Row]:
        return [Row("IS", self.value)]


@record(eq=False)
class OfClass(Question):
    """It is of exactly this class."""

    cls: type

    def __call__(self, source: str, names: Constants) -> str:
        return f"type({source}) is {names.of(self.cls)}"

    def rows(self) -> list[Row]:
        return [Row("CLASS", self.cls)]


@record(eq=False)
class IsSmallInt(Question):
    """It is an int of 64 bits."""

    def __call__(self, source: str, names: Constants) -> str:
        return f"type({source}) is int and {-(2**63)} <= {source} < {2**63}"

    def rows(self) -> list[Row]:
        return [Row("INT")]


@record(eq=False)
class EqualsNumber(Question):
    """The same type and the same value, with 0.0 and -0.0 told apart and nan equal to itself."""

    value: Any

    def __call__(self, source: str, names: Constants) -> str:
        return (
            f"{source} is {names.of(self.value)} or "
            f"(type({source}) is {names.of(type(self.value))} and "
            f"{source}.__repr__() == {repr(self.value)!r})"
        )

    def rows(self) -> list[Row]:
        what = {int: "EQUAL", float: "FLOAT"}.get(type(self.value), "IS")
        is_nan = self.value != self.value
        return [Row(what, self.value, decides=type(self.value) in (bool, int, float) and not is_nan)]


@record(eq=False)
class EqualsValue(Question):
    """The same type and an equal value."""

    value: Any

    def __call__(self, source: str, names: Constants) -> str:
        value = names.of(self.value)
        cls = names.of(type(self.value))
        return f"{source} is {value} or (type({source}) is {cls} and {source} == {value})"

    def rows(self) -> list[Row]:
        what = "EQUAL" if type(self.value) in (str, int, bytes) else "IS"
        return [Row(what, self.value, decides=type(self.value) in key_texts.PLAIN)]


@record(eq=False)
class HasMark(Question):
    """It is this value, or one that no program can tell from it."""

    value: Any

    def __call__(self, source: str, names: Constants) -> str:
        mark, held = names.of(key_texts.mark), names.of(key_texts.mark(self.value))
        return f"{source} is {names.of(self.value)} or {mark}({source}) == {held}"

    def rows(self) -> list[Row]:
        return [Row("IS", self.value, decides=False)]


@record(eq=False)
class IsArrayOf(Question):
    """It is an array of this class, shape and dtype. ``is_exactly``: of that very dtype object."""

    dtype: Any
    shape: tuple[int, ...]
    cls: type = np.ndarray
    is_exactly: bool = False

    def __call__(self, source: str, names: Constants) -> str:
        dtype = names.of(self.dtype)
        same = f"{source}.dtype is {dtype}"
        if not self.is_exactly:
            same = f"({same} or {source}.dtype == {dtype})"
        return f"type({source}) is {names.of(self.cls)} and {source}.shape == {self.shape!r} and {same}"

    def rows(self) -> list[Row] | None:
        if self.cls is not np.ndarray:
            return None
        return [Row("ARRAY", self.dtype, self.shape, decides=self.is_exactly)]


@record(eq=False)
class IsSequence(Question):
    """It is a tuple or a list of exactly this class, and of this length."""

    cls: type
    length: int

    def __call__(self, source: str, names: Constants) -> str:
        return f"type({source}) is {names.of(self.cls)} and {source}.__len__() == {self.length}"

    def rows(self) -> list[Row] | None:
        if not issubclass(self.cls, tuple | list):  # of the user's, with a `_make`
            return None
        return [Row("CLASS", self.cls), Row("LENGTH", c=self.length)]


@record(eq=False)
class HasKeys(Question):
    """What it gives one by one are these keys, in this order."""

    keys: list[Any]

    def __call__(self, source: str, names: Constants) -> str:
        if key_texts.are_plain(self.keys):
            kinds = names.of(list(map(type, self.keys)))
            return f"[*{source}] == {names.of(self.keys)} and [*map({names.of(type)}, {source})] == {kinds}"
        marks = list(map(key_texts.mark, self.keys))
        return f"[*map({names.of(key_texts.mark)}, {source})] == {names.of(marks)}"


@record(eq=False)
class Fits(Question):
    """A function says yes to it."""

    accepts: Callable[[Any], bool]

    def __call__(self, source: str, names: Constants) -> str:
        return f"{names.of(self.accepts)}({source})"


@record(eq=False)
class KeepsItsCode(Question):
    """A function, wherever it is found, has the code that it had, and its defaults, where there are any."""

    function: types.FunctionType
    held: tuple[tuple[str, Any], ...]

    @staticmethod
    def of(function: types.FunctionType) -> KeepsItsCode:
        held = [(name, getattr(function, name)) for name in ("__code__", "__defaults__", "__kwdefaults__")]
        return KeepsItsCode(function, tuple([(name, value) for name, value in held if value]))

    def __call__(self, source: str, names: Constants) -> str:
        function = names.of(self.function)
        return " and ".join([f"{function}.{name} is {names.of(value)}" for name, value in self.held])

    def rows(self) -> list[Row]:
        return [Row(name.strip("_").upper(), self.function, value) for name, value in self.held]


@record(eq=False)
class IsFunction(Question):
    """It is this function, which keeps its code."""

    code: KeepsItsCode

    def __call__(self, source: str, names: Constants) -> str:
        return f"{source} is {names.of(self.code.function)} and {self.code(source, names)}"

    def rows(self) -> list[Row]:
        return [Row("IS", self.code.function), *self.code.rows()]


@record(eq=False)
class LacksName(Question):
    """Globals have no such name, which hides no builtin; and among the builtins it is this one."""

    namespace: dict[str, Any]
    name: str
    builtins: dict[str, Any] | None  # None: whatever it is there
    held: Any = None

    def __call__(self, source: str, names: Constants) -> str:
        absent = f"{self.name!r} not in {names.of(self.namespace)}"
        if self.builtins is None:
            return absent
        return f"{absent} and {names.of(self.builtins)}[{self.name!r}] is {names.of(self.held)}"

    def rows(self) -> list[Row]:
        found = [] if self.builtins is None else [Row("HOLDS", self.builtins, self.name, id(self.held))]
        return [Row("ABSENT", self.namespace, self.name), *found]


@record(eq=False)
class LacksOwn(Question):
    """An object of this class holds nothing of its own under the name."""

    cls: type
    name: str

    def __call__(self, source: str, names: Constants) -> str:
        return f"{self.name!r} not in {source}.__dict__"

    def rows(self) -> list[Row]:
        return [Row("LACKS", self.cls, self.name)]


@record(eq=False)
class HasNoOther(Question):
    """A class got no special method: what it lacks, no other guard speaks of."""

    is_of_class = True
    mro: tuple[type, ...]
    count: int
    differs: Callable[[type], bool]

    def __call__(self, source: str, names: Constants) -> str:
        return (
            f"{source}.__mro__ is {names.of(self.mro)} and "
            f"(len({source}.__dict__) == {self.count} or not {names.of(self.differs)}({source}))"
        )


@record(eq=False)
class HasState(Question):
    """A context holds this object, or another one that does not act."""

    variable: contextvars.ContextVar[Any]
    held: Any
    acts: Callable[[], Any]

    def __call__(self, source: str, names: Constants) -> str:
        return f"{names.of(self.variable.get)}(None) is {names.of(self.held)} or not {names.of(self.acts)}()"

    def rows(self) -> list[Row]:
        return [Row("CONTEXT", self.variable, self.held, decides=False)]
