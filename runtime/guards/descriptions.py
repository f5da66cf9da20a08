"""What functions and classes tell about themselves: guarded where the code under trace asks for it.

    type(shape).__name__    handler.__doc__    step.__defaults__    Shape.__annotations__    Shape.size.fget

No hook sees such a read, and anybody may change what is read. So once some code mentions such a name, all the
functions and classes that the trace knows keep what they say. What would need more than that is refused.
"""

from __future__ import annotations

import dis
import types
from collections.abc import Iterable, Iterator
from typing import Any

from autograph.by_code import once_per_code
from autograph.config import is_excluded
from autograph.errors import StagingError, place
from runtime.guards.paths import Constant, Guard, Names

_SAID = ("__name__", "__qualname__", "__doc__", "__module__", "__annotations__")
_OF_FUNCTIONS = (*_SAID, "__defaults__", "__kwdefaults__", "__wrapped__")
_OF_PROPERTIES = ("fget", "fset", "fdel")
#: what leads to places that no guard watches
_UNWATCHED = {
    "__globals__": "write the name itself",
    "__closure__": "give the function a method or an attribute that tells it",
    "cell_contents": "give the function a method or an attribute that tells it",
    "__subclasses__": "keep the classes in a list",
}


@once_per_code
def names_in(code: types.CodeType) -> frozenset[str]:
    """What code mentions: globals, attributes, variables of functions around, also as texts for getattr."""
    inner = [names_in(constant) for constant in code.co_consts if isinstance(constant, types.CodeType)]
    texts = [text for text in code.co_consts if isinstance(text, str) and text.isidentifier()]
    return frozenset([*code.co_names, *code.co_freevars, *texts]).union(*inner)


class Descriptions:
    """Which of these names the code of one trace mentions."""

    def __init__(self) -> None:
        self.mentioned: set[str] = set()

    def enter(self, function: types.FunctionType) -> None:
        """Its code runs. Raises StagingError where it reads what no guard watches."""
        names = names_in(function.__code__)
        self.mentioned |= names.intersection((*_OF_FUNCTIONS, *_OF_PROPERTIES))
        if names.isdisjoint(_UNWATCHED) or is_excluded(function.__globals__.get("__name__") or ""):
            return
        for instruction, code in _instructions(function.__code__):
            if instruction.opname in ("LOAD_ATTR", "LOAD_METHOD") and instruction.argval in _UNWATCHED:
                raise _refuse(instruction, code)

    @property
    def asks_for_properties(self) -> bool:
        """Does the code ask for the functions behind properties?"""
        return not self.mentioned.isdisjoint(_OF_PROPERTIES)

    def guards(self, functions: Iterable[Any], classes: Iterable[type]) -> Iterator[Guard]:
        """That what the code may have asked is as it was."""
        for names, held in ((_OF_FUNCTIONS, functions), (_SAID, classes)):
            asked = tuple(sorted(self.mentioned.intersection(names)))
            for one in dict.fromkeys(held) if asked else ():
                yield _guard(one, asked)


#: attributes that are always there, and another object when they are set
_PLAIN = ("__name__", "__qualname__", "__doc__", "__module__", "__defaults__")


def _guard(held: Any, asked: tuple[str, ...]) -> Guard:
    others = [name for name in asked if name not in _PLAIN]

    def tell(one: Any) -> list[Any]:
        return [_shown(getattr(one, name, None)) for name in others]

    said = tell(held)

    def condition(source: str, names: Names) -> str:
        parts = [f"{source}.{name} is {names.of(getattr(held, name))}" for name in asked if name in _PLAIN]
        if others:
            parts.append(f"{names.of(tell)}({source}) == {names.of(said)}")
        return " and ".join(parts)

    return Guard(
        Constant(held, held.__name__), condition, f"described as {held.__qualname__} was", routine=True
    )


def _shown(said: Any) -> Any:
    """As something to compare: numbers of different types differ."""
    if isinstance(said, dict):
        return [(name, type(value), value) for name, value in said.items()]
    if isinstance(said, tuple):
        return [(type(value), value) for value in said]
    return said


def _instructions(code: types.CodeType) -> Iterator[tuple[dis.Instruction, types.CodeType]]:
    for instruction in dis.get_instructions(code):
        yield instruction, code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _instructions(constant)


def _refuse(instruction: dis.Instruction, code: types.CodeType) -> StagingError:
    name: str = instruction.argval
    error = StagingError(
        f"`{name}` leads to what no guard watches: a graph would keep what it says now", hint=_UNWATCHED[name]
    )
    position = instruction.positions
    if position is not None and position.lineno is not None and position.col_offset is not None:
        error.line, error.column = position.lineno, position.col_offset + 1
        if position.end_lineno == position.lineno and position.end_col_offset is not None:
            error.end_column = position.end_col_offset + 1
    return place(error, code.co_filename)
