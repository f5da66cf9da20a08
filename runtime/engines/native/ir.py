"""A small writer of LLVM's text form: one function, its blocks, its values.

Plain text, because it is several times faster to make than an object per instruction, and LLVM's own
parser checks it.

>>> f = FunctionWriter("twice", "i64", [("i64", "x")])
>>> f.ret(f.binary("add", f.params[0], f.params[0]))
>>> print(f.text())
define i64 @twice(i64 %x) {
entry:
  br label %start
start:
  %v1 = add i64 %x, %x
  ret i64 %v1
}
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

#: how names of functions begin that touch no object of Python's
WITHOUT_GIL = ("llvm.", "product.", "within.", "count.", '"region.', "rt_look", "hypot")


class V(NamedTuple):
    """An LLVM value: its type and how it is written."""

    type: str
    ref: str

    def __str__(self) -> str:
        return f"{self.type} {self.ref}"


NULL = V("ptr", "null")
TRUE = V("i1", "true")
FALSE = V("i1", "false")


def i64(number: int) -> V:
    return V("i64", str(number))


def i32(number: int) -> V:
    return V("i32", str(number))


def integer(type: str, number: int) -> V:
    return V(type, str(int(number)))


def floating(type: str, number: float) -> V:
    """A float constant, as the bits of a double (LLVM's own way for both float and double)."""
    if type == "float":
        number = struct.unpack("f", struct.pack("f", number))[0]
    (bits,) = struct.unpack("<Q", struct.pack("<d", number))
    return V(type, f"0x{bits:016X}")


#: instructions that only compute
_PURE = frozenset(
    "add sub mul and or xor shl lshr ashr fadd fsub fmul fdiv fneg icmp fcmp select getelementptr ptrtoint "
    "inttoptr zext sext trunc sitofp uitofp fptosi fptoui fpext fptrunc extractvalue insertvalue "
    "extractelement insertelement shufflevector".split()
)
#: what is known of them where one operand, the first here, is a constant
_FOLDED: dict[str, Callable[[V, V], V | None]] = {
    "and": lambda known, other: other if known == TRUE else FALSE,
    "or": lambda known, other: TRUE if known == TRUE else other,
    "xor": lambda known, other: other if known == FALSE else FALSE if other == TRUE else None,
}

#: what LLVM takes for a basic block without optimising grows faster than the block
MOST_IN_BLOCK = 200


class Label:
    """A basic block under construction."""

    __slots__ = ("known", "lines", "name", "terminated")

    def __init__(self, name: str) -> None:
        self.name = name
        self.known: dict[str, V] = {}  # what was computed in it, by its text
        self.lines: list[str] = []
        self.terminated = False


class FunctionWriter:
    """Writes one function. Instructions go to the current block, ``alloca`` to the entry."""

    def __init__(
        self,
        name: str,
        result: str,
        params: Sequence[tuple[str, str]],
        attributes: str = "",
        linkage: str = "",
    ) -> None:
        self.name = name
        self.result = result
        self.attributes = attributes
        self.linkage = linkage
        self.params = [V(type, f"%{param}") for type, param in params]
        self.entry = Label("entry")
        self.blocks: list[Label] = []
        self.types = dict(((name, type) for type, name in params), frame="ptr", cells="ptr")  # of values
        self.saved: V | None = None  # where the GIL may have been given up: see looks.py
        self.turns: V | None = None  # where it is held, and others get turns
        self.in_parts = False  # see parts.py
        self.parts: list[tuple[list[Label], Label]] = []  # the blocks of each, and what follows
        self.count = 0  # of named values
        self.pairs: dict[str, tuple[V, V]] = {}  # the parts of values that were made of two
        self._labels = 0
        self.block = self.label("start")
        self.at(self.block)

    # -- blocks ----------------------------------------------------------------------------------------

    def label(self, name: str) -> Label:
        """A new block; it is placed in the text by ``at``."""
        self._labels += 1
        return Label(name if name == "start" else f"{name}.{self._labels}")

    def at(self, label: Label) -> None:
        """Continue in ``label``, which stands after all blocks so far."""
        self.blocks.append(label)
        self.block = label

    @contextmanager
    def aside(self, label: Label) -> Iterator[None]:
        """Write a block off the main path (an error path), then come back to the current one."""
        here = self.block
        self.at(label)
        try:
            yield
        finally:
            self.block = here

    @contextmanager
    def part(self, of_parts: bool = False) -> Iterator[None]:
        """What is written in here begins and ends at blocks of its own (`parts.py`).

        ``of_parts``: there may be parts in it.
        """
        if not self.in_parts:
            yield
            return
        start, after, before = self.label("part"), self.label("after"), len(self.blocks)
        self.jump(start)
        self.at(start)
        self.in_parts = of_parts
        yield
        self.in_parts = True
        if not self.block.terminated:
            self.jump(after)
            self.parts.append((self.blocks[before:], after))
            self.at(after)

    # -- instructions ----------------------------------------------------------------------------------

    def line(self, text: str) -> None:
        if self.block.terminated:  # what follows a terminator can never run
            return
        if self.in_parts and len(self.block.lines) >= MOST_IN_BLOCK:
            following = self.label("on")
            self.jump(following)
            self.at(following)
        self.block.lines.append(text)

    def value(self, type: str, text: str) -> V:
        """What an instruction gives; of two that are alike in a block the first one serves."""
        is_pure = text.partition(" ")[0] in _PURE
        if is_pure and (known := self.block.known.get(text)) is not None:
            return known
        self.count += 1
        ref = f"%v{self.count}"
        self.line(f"{ref} = {text}")
        self.types[ref[1:]] = type
        made = V(type, ref)
        if is_pure:
            self.block.known[text] = made
        return made

    def binary(self, operation: str, a: V, b: V) -> V:
        if a.type == "i1" and operation in _FOLDED:
            for known, other in ((a, b), (b, a)):
                if known in (TRUE, FALSE) and (found := _FOLDED[operation](known, other)) is not None:
                    return found
        return self.value(a.type, f"{operation} {a.type} {a.ref}, {b.ref}")

    def compare(self, operation: str, a: V, b: V) -> V:
        """``operation`` is for example "icmp slt" or "fcmp olt"."""
        if a == b and operation.startswith("icmp"):
            return TRUE if operation[-2:] in ("eq", "le", "ge") else FALSE
        return self.value("i1", f"{operation} {a.type} {a.ref}, {b.ref}")

    def convert(self, operation: str, a: V, type: str) -> V:
        return self.value(type, f"{operation} {a} to {type}")

    def select(self, condition: V, a: V, b: V) -> V:
        return a if a == b else self.value(a.type, f"select {condition}, {a}, {b}")

    def call(self, type: str, name: str, arguments: Iterable[V], signature: str = "", suffix: str = "") -> V:
        """``signature`` is needed for functions with a variable number of arguments."""
        if self.saved is not None and not name.startswith(WITHOUT_GIL):
            self.line(f"call void @rt_hold({self.saved})")
        text = f"call {signature or type} @{name}({', '.join(map(str, arguments))}){suffix}"
        if type == "void":
            self.line(text)
            return V("void", "")
        return self.value(type, text)

    def load(self, type: str, pointer: V, suffix: str = "", align: int = 0) -> V:
        aligned = f", align {align}" if align else ""
        return self.value(type, f"load {type}, {pointer}{aligned}{suffix}")

    def store(self, value: V, pointer: V, suffix: str = "", align: int = 0) -> None:
        aligned = f", align {align}" if align else ""
        self.line(f"store {value}, {pointer}{aligned}{suffix}")

    def offset(self, pointer: V, count: V, element: str = "i8") -> V:
        """``pointer + count`` elements of type ``element``."""
        if count.ref == "0":
            return pointer
        return self.value("ptr", f"getelementptr {element}, {pointer}, {count}")

    def alloca(self, type: str, count: int = 1) -> V:
        """Storage for the whole call."""
        self.count += 1
        ref = f"%s{self.count}"
        self.entry.lines.append(f"{ref} = alloca {type}, i64 {count}, align 8")
        self.types[ref[1:]] = "ptr"
        return V("ptr", ref)

    def phi(self, type: str) -> V:
        """A phi to be completed by ``complete``; must be the first thing in its block."""
        self.count += 1
        ref = f"%v{self.count}"
        self.block.lines.append(f"{ref} = phi {type} ?{ref}?")
        self.types[ref[1:]] = type
        return V(type, ref)

    def complete(self, block: Label, phi: V, incoming: Sequence[tuple[V, Label]]) -> None:
        edges = ", ".join(f"[ {value.ref}, %{label.name} ]" for value, label in incoming)
        marker = f"?{phi.ref}?"
        for k, line in enumerate(block.lines):
            if line.endswith(marker):
                block.lines[k] = line.replace(marker, edges)
                return
        raise AssertionError(f"no phi {phi.ref} in {block.name}")

    def merge(self, join: Label, type: str, choices: Sequence[tuple[V, Label]]) -> V:
        """The value that comes from one of several blocks to ``join``, where the writer is."""
        if not choices:
            return V(type, "poison")
        if all(v == choices[0][0] for v, _ in choices):
            return choices[0][0]
        phi = self.phi(type)
        self.complete(join, phi, choices)
        return phi

    # -- terminators -----------------------------------------------------------------------------------

    def _terminate(self, text: str) -> None:
        if not self.block.terminated:
            self.block.lines.append(text)
        self.block.terminated = True

    def jump(self, label: Label, metadata: str = "") -> None:
        self._terminate(f"br label %{label.name}{metadata}")

    def branch(self, condition: V, then: Label, otherwise: Label, likely: bool | None = None) -> None:
        """``likely`` says which way it nearly always goes."""
        if condition.ref in ("true", "false"):
            return self.jump(then if condition.ref == "true" else otherwise)
        hint = "" if likely is None else (", !prof !0" if likely else ", !prof !1")
        self._terminate(f"br {condition}, label %{then.name}, label %{otherwise.name}{hint}")
        return None

    def ret(self, value: V | None = None) -> None:
        self._terminate(f"ret {value}" if value is not None else "ret void")

    def unreachable(self) -> None:
        self._terminate("unreachable")

    # -- text ------------------------------------------------------------------------------------------

    def declaration(self) -> str:
        return f"declare {self.result} @{self.name}({', '.join(param.type for param in self.params)})"

    def text(self) -> str:
        params = ", ".join(map(str, self.params))
        attributes = f" {self.attributes}" if self.attributes else ""
        linkage = f"{self.linkage} " if self.linkage else ""
        out = [f"define {linkage}{self.result} @{self.name}({params}){attributes} {{", "entry:"]
        out += [f"  {line}" for line in self.entry.lines]
        out.append("  br label %start")
        for block in self.blocks:
            out.append(f"{block.name}:")
            out += [f"  {line}" for line in block.lines]
            if not block.terminated:
                out.append("  unreachable")
        out.append("}")
        return "\n".join(out)


def counted_loop(
    f: FunctionWriter, first: V, end: V, step: V, body: Callable[[V], None], metadata: str = ""
) -> None:
    """``for i in range(first, end, step)``"""
    with f.part():
        _counted_loop(f, first, end, step, body, metadata)


def _counted_loop(
    f: FunctionWriter, first: V, end: V, step: V, body: Callable[[V], None], metadata: str
) -> None:
    before, head, inside, done = f.block, f.label("for"), f.label("do"), f.label("done")
    f.jump(head)
    f.at(head)
    i = f.phi("i64")
    f.branch(f.compare("icmp slt", i, end), inside, done)
    f.at(inside)
    body(i)
    following = f.binary("add nsw", i, step)
    latch = f.block
    f.jump(head, metadata)
    f.complete(head, i, [(first, before), (following, latch)])
    f.at(done)


#: metadata that ``branch(likely=...)`` refers to
BRANCH_WEIGHTS = (
    '!0 = !{!"branch_weights", i32 1000000, i32 1}\n!1 = !{!"branch_weights", i32 1, i32 1000000}\n'
)
