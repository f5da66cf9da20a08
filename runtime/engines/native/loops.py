"""The loop-nest form: a graph after it was decided what shares a loop, and what dies where.

Between graph and LLVM. Fusion is visible: all operations inside one ``for each`` run element by element,
and only the arrays marked ``->`` are ever stored. ``free`` says after which statement memory is given back.

    f(x: f64[1000], w: f64)
      for each [1000]:                                      # example.py:3
        %1 = multiply x w
        %2 = tanh %1
        -> %2
        %s = sum %2
      free x ...
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field
from typing import TypeAlias

from autograph.records import record
from runtime.engines.native.members import is_reduction, operands_of
from runtime.graph import Graph, Location, Operation, Value
from runtime.types import ArrayType, Shape

#: a program of more (see `_weight`) is compiled in parts: about 200 operations on numbers, or ten nests
MOST_IN_ONE_PART = 800


@record(frozen=False, eq=False)
class Body:
    """A block: statements in order, and what flows out."""

    params: list[Value]
    statements: list[Statement] = field(default_factory=list)
    results: tuple[Value, ...] = ()
    ends: str = "yield"
    unused: tuple[Value, ...] = ()  # parameters that die at once


@record(frozen=False, eq=False)
class Single:
    """One operation. ``how`` it runs:

    register  machine code on registers            load, store   one element of an array
    view      part of an array, no Python object   length        a dimension
    constant  known while compiling                call          the NumPy kernel is called
    function  a function of the graph is called      product, join  a small product, concatenated arrays
    list, fold, heap, sorting, extreme, dict, text, instance, stack, buffer, complex, creation, histogram
    see the files of these names
    format    a text of values
    landing   what a handler would get is kept            exception   one is raised, or its class is asked
    builtin   a function of Python's own is called
    """

    operation: Operation
    how: str
    dies: tuple[Value, ...] = ()
    #: which of the operands nobody uses afterwards; those of outer bodies, too, which die there
    last_use: tuple[Value, ...] = ()
    #: nests that come before it, and are written behind it: where it raises, these may have raised first
    before: tuple[Nest, ...] = ()

    @property
    def location(self) -> Location | None:
        return self.operation.location

    def made(self) -> tuple[Value, ...]:
        return self.operation.outputs

    def used(self) -> dict[Value, None]:
        return dict.fromkeys(self.operation.inputs)


@record(frozen=False, eq=False)
class Nest:
    """Loops over ``shape``; ``members`` are elementwise operations and reductions, in program order."""

    shape: Shape
    members: list[Operation]
    stored: tuple[Value, ...] = ()  # intermediate arrays that somebody needs afterwards
    dies: tuple[Value, ...] = ()
    may_raise: bool = False
    #: the graph's own operations, where the members are others that do the same
    kernels: list[Operation] | None = None

    @property
    def location(self) -> Location | None:
        return self.members[-1].location

    def made(self) -> tuple[Value, ...]:
        """What is there afterwards: stored arrays and the results of reductions, in program order."""
        stored = set(self.stored)
        return tuple([v for op in self.members for v in op.outputs if v in stored or is_reduction(op)])

    def used(self) -> dict[Value, None]:
        inside = {v for op in self.members for v in op.outputs}
        return {v: None for op in self.members for v in op.inputs if v not in inside}

    def leaves(self) -> list[Value]:
        """The arrays that are read."""
        inside = {v for op in self.members for v in op.outputs}
        read = dict.fromkeys([v for op in self.members for v, _ in operands_of(op)])
        return [v for v in read if v not in inside and isinstance(v.type, ArrayType)]


@record(frozen=False, eq=False)
class Control:
    """An ``if``, ``while``, ``for`` or ``try`` with its blocks."""

    operation: Operation
    bodies: tuple[Body, ...]
    dies: tuple[Value, ...] = ()

    @property
    def location(self) -> Location | None:
        return self.operation.location

    def made(self) -> tuple[Value, ...]:
        return self.operation.outputs

    def used(self) -> dict[Value, None]:
        used = dict.fromkeys(self.operation.inputs)
        for body in self.bodies:
            used |= used_from_outside(body)
        return used


Statement: TypeAlias = Single | Nest | Control


@record(frozen=False, eq=False)
class Program:
    """A whole function in loop-nest form."""

    graph: Graph
    body: Body
    functions: dict[str, Body] = field(default_factory=dict)

    def statements(self) -> Iterator[Statement]:
        """All statements, those of functions and of blocks included."""
        for body in (self.body, *self.functions.values()):
            yield from walk(body)

    def is_long(self) -> bool:
        """Does LLVM take long for it, so that it is compiled in parts?"""
        return sum(map(_weight, self.statements())) > MOST_IN_ONE_PART

    def calls_often(self) -> bool:
        """Does a loop, or a function of the graph, call Python where no machine code exists?"""
        repeated = [*self.functions.values()]
        for statement in walk(self.body):
            if isinstance(statement, Control) and statement.operation.is_loop:
                repeated += statement.bodies
        return any(
            isinstance(statement, Single) and statement.how == "call"
            for body in repeated
            for statement in walk(body)
        )

    def __str__(self) -> str:
        return to_text(self)


def _weight(statement: Statement) -> int:
    """About how many lines of LLVM's text form it becomes."""
    if isinstance(statement, Nest):
        return 60 + 20 * len(statement.members)
    if isinstance(statement, Single):
        own = {"register": 4, "constant": 0, "length": 0, "call": 40, "product": 60}.get(statement.how, 15)
        return own + 30 * len(statement.before)
    return 10


def used_from_outside(body: Body) -> dict[Value, None]:
    made = set(body.params)
    used: dict[Value, None] = {}
    for statement in body.statements:
        used |= {v: None for v in statement.used() if v not in made}
        made.update(statement.made())
    return used | {v: None for v in body.results if v not in made}


def walk(body: Body) -> Iterator[Statement]:
    for statement in body.statements:
        yield statement
        if isinstance(statement, Control):
            for inner in statement.bodies:
                yield from walk(inner)


def note_deaths(body: Body) -> dict[Value, None]:
    """Fill in ``dies`` and ``unused``, backwards. Returns what the body uses from outside."""
    seen = dict.fromkeys(body.results)
    own = set(body.params).union(*[s.made() for s in body.statements])
    for statement in reversed(body.statements):
        if isinstance(statement, Control):
            used = dict.fromkeys(statement.operation.inputs)
            for inner in statement.bodies:
                used |= note_deaths(inner)
        else:
            used = statement.used()
        candidates = used | dict.fromkeys(statement.made())
        statement.dies = tuple([v for v in candidates if v in own and v not in seen])
        seen |= used
    body.unused = tuple([v for v in body.params if v not in seen])
    return {v: None for v in seen if v not in own}


def note_last_uses(body: Body, dying: frozenset[Value] = frozenset()) -> None:
    """Fill in ``last_use``, after ``dies``. ``dying``: values of outer bodies that die with it."""
    later = set(body.results)
    for statement in reversed(body.statements):
        free = (dying - later).union(statement.dies)
        if isinstance(statement, Single):
            statement.last_use = tuple([v for v in statement.used() if v in free])
        elif isinstance(statement, Control):
            for inner in statement.bodies:
                note_last_uses(inner, free if statement.operation.is_branch else frozenset())
        later.update(statement.used())


# -- text ----------------------------------------------------------------------------------------------


def to_text(program: Program) -> str:
    """The form in which ``explain()`` and ``AUTOGRAPH_DEBUG=3`` show it."""
    lines = _function_lines(program.graph.name, program.body)
    for name, body in program.functions.items():
        lines += _function_lines(f"@{name}", body)
    return "\n".join(lines) + "\n"


def _function_lines(name: str, body: Body) -> list[str]:
    printer = _Printer()
    params = ", ".join(f"{printer.name(v)}: {v.type}" for v in body.params)
    lines = [f"{name}({params})", *printer.body(body, "  ")]
    if body.ends == "yield":
        lines.append(f"  return {printer.names(body.results)}".rstrip())
    return lines


class _Printer:
    def __init__(self) -> None:
        self._names: dict[Value, str] = {}
        self._taken: set[str] = set()

    def name(self, value: Value) -> str:
        if value not in self._names:
            owner = value.owner
            if owner is not None and owner.is_constant:
                text = repr(owner.attributes["value"])
                if len(text) < 20:
                    self._names[value] = text
                    return text
            base = value.hint or "%"
            name, k = (base, 1) if value.hint else (f"%{len(self._names)}", 1)
            while name in self._taken:
                k += 1
                name = f"{base}.{k}"
            self._taken.add(name)
            self._names[value] = name
        return self._names[value]

    def names(self, values: tuple[Value, ...]) -> str:
        return ", ".join(map(self.name, values))

    def body(self, body: Body, indent: str) -> list[str]:
        return [line for statement in body.statements for line in self.statement(statement, indent)]

    def statement(self, statement: Statement, indent: str) -> list[str]:
        if isinstance(statement, Single):
            lines = [] if statement.how == "constant" else [self.single(statement, indent)]
        elif isinstance(statement, Nest):
            lines = self.nest(statement, indent)
        else:
            lines = self.control(statement, indent)
        freed = [v for v in statement.dies if isinstance(v.type, ArrayType)]
        if freed:
            lines.append(f"{indent}free {self.names(tuple(freed))}")
        return lines

    def operation(self, op: Operation) -> str:
        attributes = "".join(f" {key}={value!r}" for key, value in op.attributes.items())
        left = f"{self.names(op.outputs)} = " if op.outputs else ""
        if op.is_call:
            return f"{left}@{op.attributes['function']} {self.names(op.inputs)}"
        return f"{left}{op.name} {self.names(op.inputs)}{attributes}"

    def single(self, statement: Single, indent: str) -> str:
        op = statement.operation
        types = "".join(f" : {v.type}" for v in op.outputs)
        mark = {"register": "", "call": "call ", "load": "load ", "store": "store ", "view": "view "}
        return f"{indent}{mark.get(statement.how, '')}{self.operation(op)}{types}{_place(op.location)}"

    def nest(self, nest: Nest, indent: str) -> list[str]:
        lengths = ",".join(str(n) for n in nest.shape)
        lines = [f"{indent}for each [{lengths}]:{_place(nest.location)}"]
        for op in nest.members:
            lines.append(f"{indent}  {self.operation(op)}")
            lines += [f"{indent}  -> {self.name(v)} : {v.type}" for v in op.outputs if v in nest.stored]
        return lines

    def control(self, statement: Control, indent: str) -> list[str]:
        op = statement.operation
        left = f"{self.names(op.outputs)} = " if op.outputs else ""
        lines = [f"{indent}{left}{op.name} {self.names(op.inputs)}{_place(op.location)}"]
        labels = {
            "if": ("then", "else"),
            "while": ("test", "body"),
            "try": ("body", "handler"),
            "for": ("test", "body")[-len(op.blocks) :],
        }
        for label, body in zip(labels.get(op.name, ("",) * len(op.blocks)), statement.bodies, strict=False):
            params = f" {self.names(tuple(body.params))}" if body.params else ""
            lines.append(f"{indent}  {label}{params}:")
            lines += self.body(body, indent + "    ")
            lines.append(
                f"{indent}    {'yield ' + self.names(body.results) if body.ends == 'yield' else 'never'}"
            )
        return lines


def _place(location: Location | None) -> str:
    return "" if location is None else f"    # {location}"
