"""Tables of programs, each compared with plain Python on both engines, call after call.

    PROGRAMS = Programs()

    @PROGRAMS.of((1,), (2,))
    def double(n):
        return [n, n]

    @PROGRAMS.scenario
    def a_class_of_its_own(function):
        ...

    test_program = PROGRAMS.test()

`of` takes the calls of a function; `scenario` a function of the decorator, which makes its own world, and
whose result is what is compared.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import pytest

from tests.differential import Call, check, check_converted, check_scenario


@dataclasses.dataclass
class Program:
    """A function and its calls, or a scenario, under a name."""

    name: str
    program: Any
    calls: tuple[Any, ...] = ()
    kind: str = "function"
    options: dict[str, Any] = dataclasses.field(default_factory=dict)

    def run(self, engine: str, may_refuse: bool = False) -> bool:
        """Compare with plain Python; True when the program is right, False when it was refused properly."""
        if engine == "convert":
            return self.run_converted()
        options = dict(self.options, engines=[engine], may_refuse=may_refuse)
        if self.kind == "scenario":
            return check_scenario(self.program, **options)
        return check(self.program, *self.calls, **options)

    def run_converted(self) -> bool:
        """Compare `autograph.convert` on plain values; nothing may be refused there."""
        if self.kind == "scenario":
            return check_scenario(self.program, engines=["convert"])
        check_converted(self.program, *self.calls)
        return True


class Programs(dict[str, Program]):
    """Programs by name: those of one test module, or of a folder of modules.

    >>> programs = Programs()
    >>> @programs.of((1,), 2)
    ... def double(n):
    ...     return [n, n]
    >>> programs["double"].calls
    (Call(1), Call(2))
    """

    def of(self, *calls: Any, **options: Any) -> Callable[[Any], Any]:
        """Register a function, with several calls of it: each one argument, a tuple of them, or a `Call`."""

        def register(function: Any) -> Any:
            return self.add(Program(function.__name__, function, tuple(map(as_call, calls)), options=options))

        return register

    def scenario(self, function: Any = None, /, **options: Any) -> Any:
        """Register a function of the decorator."""

        def register(function: Any) -> Any:
            return self.add(Program(function.__name__, function, kind="scenario", options=options))

        return register if function is None else register(function)

    def add(self, program: Program) -> Any:
        assert program.name not in self, f"two programs are called {program.name!r}"
        self[program.name] = program
        return program.program

    def test(self) -> Callable[..., None]:
        """A test of each program in machine code; the suite tries every fourth one with NumPy, too.

        The trace is what such a table is about. Both engines run the same one, and tests/runtime/engines,
        tests/features and tests/semantics compare them in full.
        """
        cases = [
            pytest.param(name, engine, id=f"{name}-{engine}", marks=marks)
            for number, name in enumerate(self)
            for engine, marks in (("native", ()), ("numpy", pytest.mark.long if number % 4 else ()))
        ]

        @pytest.mark.parametrize(("name", "engine"), cases)
        def test_program(name: str, engine: str) -> None:
            assert self[name].run(engine)

        return test_program


def as_call(call: Any) -> Call:
    """A `Call` of what a table gives: one argument, or a tuple of them.

    >>> as_call(1), as_call((1, 2))
    (Call(1), Call(1, 2))
    """
    return call if isinstance(call, Call) else Call(*call) if isinstance(call, tuple) else Call(call)
