"""What functions and classes are called, and their texts: guarded where the code under trace asks for it.

    type(shape).__name__    handler.__doc__

No trace sees such a read, and anybody may change what is read. So once some code mentions such a name, all
the functions and classes that the trace knows keep it. What leads to places that no guard watches is
refused.
"""

from __future__ import annotations

import dis
import types
from collections.abc import Iterable, Iterator

from autograph.code_objects import once_per_code
from autograph.config import is_excluded
from autograph.errors import StagingError, place
from runtime.guards.paths import Constant, Guard, Names

_SAID = frozenset({"__name__", "__qualname__", "__doc__", "__module__"})
_OUTSIDE = "read it outside the decorated function"
#: what leads to places that no guard watches
_UNWATCHED = {
    "__globals__": "write the name itself",
    "__closure__": "give the function a method or an attribute that tells it",
    "cell_contents": "give the function a method or an attribute that tells it",
    "__subclasses__": "keep the classes in a list",
    "__annotations__": _OUTSIDE,
    "__defaults__": "keep what is given in a variable",
    "__kwdefaults__": "keep what is given in a variable",
    "bit_generator": _OUTSIDE,
    **dict.fromkeys(("fget", "fset", "fdel"), "call a function in the property, and that function here"),
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
        self.mentioned |= names & _SAID
        if not names.isdisjoint(_UNWATCHED) and not is_excluded(function.__globals__.get("__name__") or ""):
            _check(function.__code__)

    def guards(self, held: Iterable[types.FunctionType | type]) -> Iterator[Guard]:
        """That what the code may have asked of these functions and classes is as it was."""
        for one in dict.fromkeys(held) if self.mentioned else ():
            yield _guard(one, sorted(self.mentioned))


def _guard(held: types.FunctionType | type, asked: list[str]) -> Guard:
    def condition(source: str, names: Names) -> str:
        return " and ".join(f"{source}.{name} is {names.of(getattr(held, name))}" for name in asked)

    said = f"described as {held.__qualname__} was"
    return Guard(Constant(held, held.__name__), condition, said, routine=True)


def _check(code: types.CodeType) -> None:
    """Raises StagingError where code reads such an attribute, or has its name as a text for `getattr`."""
    for instruction in dis.get_instructions(code):
        if instruction.opname in ("LOAD_ATTR", "LOAD_METHOD", "LOAD_CONST"):
            if isinstance(instruction.argval, str) and instruction.argval in _UNWATCHED:
                name, place_of = instruction.argval, instruction.positions
                error = StagingError(
                    f"what `{name}` gives would be read once, while tracing, and reused by every later call",
                    hint=_UNWATCHED[name],
                    line=None if place_of is None else place_of.lineno,
                )
                raise place(error, code.co_filename)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            _check(constant)
