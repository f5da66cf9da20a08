"""What a generated block may use: variables by kind, helpers, and what surrounds the block.

Kinds are exact types, so that most of what is written means something; the feature `mixed` gives a variable
on some paths a value of another kind (MIXED):

    int float bool    Python numbers          num idx    NumPy scalars, float64 and int64
    fa ia             arrays of four          list       a list of `num`        (more in kinds.py)
"""

from __future__ import annotations

import dataclasses

LENGTH = 4
NUMBERS = ("int", "float", "num", "idx")
ARRAYS = ("fa", "ia")
#: kinds whose variables may hold, in a program with `mixed`, a value of one of these
MIXED = {"num": ("int", "float", "idx", "bool"), "float": ("int", "num", "bool"), "fa": ("ia",)}
ITEM = {"fa": "num", "ia": "idx"}

#: What a program may or may not contain; each program has a random part of these, so that one that is
#: refused does not hide all the others.
FEATURES = (
    "while", "for_range", "for_array", "for_zip", "break", "continue", "early_return", "finally", "except",
    "raise", "assert", "print", "fstring", "write_item", "write_slice", "write_augmented", "alias", "view",
    "helper", "helper_writes", "nested", "lambda", "list", "dict", "object", "global", "unbound", "none",
    "tuple", "comprehension", "match", "walrus", "with", "else", "zero_d", "ternary", "logic", "division",
    "out_of_range", "recursion", "mask", "vec", "pt", "string", "optional", "small", "slices", "del", "star",
    "noisy", "nan", "deque", "set", "mapping", "closure", "property", "linked", "words", "grid", "lists",
    "iterator", "generator", "fold", "manager", "own_error", "pattern", "mixed",
)  # fmt: skip


@dataclasses.dataclass(frozen=True)
class Helper:
    """A function that the program may call: `name(parameters) -> result`."""

    name: str
    parameters: tuple[str, ...]
    result: str


@dataclasses.dataclass
class Scope:
    """The names bound at this point, and where the point is."""

    variables: dict[str, list[str]]
    helpers: list[Helper]
    returns: tuple[str, ...]
    fixed: set[str] = dataclasses.field(default_factory=set)
    readable: dict[str, list[str]] = dataclasses.field(default_factory=dict)
    also_returned: tuple[str, ...] = ()
    maybe: dict[str, list[str]] = dataclasses.field(default_factory=dict)
    in_loop: bool = False
    in_finally: bool = False
    loops: int = 0

    def of(self, kind: str) -> list[str]:
        return self.variables.get(kind, [])

    def assignable(self, kind: str) -> list[str]:
        return [name for name in self.of(kind) if name not in self.fixed]

    def add(self, kind: str, name: str) -> None:
        if name not in self.variables.setdefault(kind, []):
            self.variables[kind].append(name)

    def inner(self, **changes: object) -> Scope:
        """The scope of a block: what it binds is not surely bound after it."""
        copied = {kind: list(names) for kind, names in self.variables.items()}
        return dataclasses.replace(self, variables=copied, fixed=set(self.fixed), **changes)  # type: ignore
