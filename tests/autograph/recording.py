"""A tiny stage: its values are expressions as text, and staged control flow writes a program down.

>>> n = Symbol("n")
>>> n * 2 + 1 > 0
n * 2 + 1 > 0
"""

from __future__ import annotations

from typing import Any

from autograph.operators import Undefined
from autograph.staging import Stage, State, Thunk


class Symbol:
    """An expression that stands for a value known later."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return self.text

    def __bool__(self) -> bool:
        raise AssertionError(f"the truth of {self.text} was asked as Python")


def _operator(sign: str) -> Any:
    return lambda self, other: Symbol(f"{self!r} {sign} {other!r}")


for _name, _sign in {
    "add": "+",
    "sub": "-",
    "mul": "*",
    "lt": "<",
    "gt": ">",
    "eq": "==",
    "mod": "%",
}.items():
    setattr(Symbol, f"__{_name}__", _operator(_sign))
    setattr(Symbol, f"__r{_name}__", lambda self, other, sign=_sign: Symbol(f"{other!r} {sign} {self!r}"))


class Recorder(Stage):
    """Writes staged statements to `lines`, and names to variables as they were in the user's program."""

    name = "recorder"

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.indent = ""

    def program(self) -> str:
        return "\n".join(self.lines)

    def active(self) -> bool:
        return True

    def claims(self, value: Any) -> bool:
        return isinstance(value, Symbol)

    def write(self, line: str) -> None:
        self.lines.append(self.indent + line)

    def block(self, header: str, run: Thunk, state: State, before: tuple[Any, ...]) -> set[str]:
        """Record a block; the names that it changed."""
        self.write(header)
        self.indent += "  "
        begin = len(self.lines)
        state.set(before)
        run()
        changed = set()
        for name, old, new in zip(state.names, before, state.get(), strict=True):
            if new is not old:
                self.write(f"{name} = {new!r}")
                changed.add(name)
        if len(self.lines) == begin:
            self.write("pass")
        self.indent = self.indent[:-2]
        return changed

    def as_symbols(self, state: State) -> tuple[Any, ...]:
        """Write down what the variables hold; from here on they are symbols."""
        for name, value in zip(state.names, state.get(), strict=True):
            if not isinstance(value, Undefined):
                self.write(f"{name} = {value!r}")
        symbols = tuple(map(Symbol, state.names))
        state.set(symbols)
        return symbols

    def if_stmt(self, cond: Any, body: Thunk, orelse: Thunk, state: State) -> None:
        before = state.get()
        changed = self.block(f"if {cond!r}:", body, state, before)
        changed |= self.block("else:", orelse, state, before)
        after = zip(state.names, before, strict=True)
        state.set(tuple(Symbol(name) if name in changed else old for name, old in after))

    def while_stmt(self, test: Thunk, body: Thunk, state: State) -> None:
        symbols = self.as_symbols(state)
        self.block(f"while {test()!r}:", body, state, symbols)
        state.set(symbols)

    def for_stmt(self, iterable: Any, test: Thunk | None, body: Any, state: State) -> Any:
        if not self.claims(iterable):
            return NotImplemented
        symbols = self.as_symbols(state)
        until = "" if test is None else f" and {test()!r}"
        self.block(f"for item in {iterable!r}{until}:", lambda: body(Symbol("item")), state, symbols)
        state.set(symbols)
        return None

    def for_rest(self, iterator: Any, test: Thunk, body: Any, state: State) -> None:
        symbols = self.as_symbols(state)
        self.block(f"for item in rest and {test()!r}:", lambda: body(Symbol("item")), state, symbols)
        state.set(symbols)

    def not_(self, a: Any) -> Any:
        return Symbol(f"not {a!r}")

    def and_(self, a: Any, thunks: Any) -> Any:
        return Symbol(" and ".join([repr(a), *(repr(thunk()) for thunk in thunks)]))

    def or_(self, a: Any, thunks: Any) -> Any:
        return Symbol(" or ".join([repr(a), *(repr(thunk()) for thunk in thunks)]))

    def if_exp(self, cond: Any, then: Thunk, orelse: Thunk) -> Any:
        return Symbol(f"({then()!r} if {cond!r} else {orelse()!r})")

    def in_(self, item: Any, container: Any) -> Any:
        return Symbol(f"{item!r} in {container!r}")

    def assert_stmt(self, test: Any, message: Thunk | None) -> Any:
        self.write(f"assert {test!r}")
