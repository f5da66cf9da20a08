"""A long function in parts: each of its loops becomes a function of its own.

What LLVM's optimiser takes for a function grows faster than the function. What is straight runs once a call
and is not worth optimising where there is much of it; what loops is, and two loops with the same text are
one function. Results leave a part in a structure, whose first number says at which block of the function to
go on; what that block gets by a phi is among them.

    ...                                    %r = call { i64 } @part.0(ptr %v3, i64 %v5)
    part.1:               ; a loop    ->   %v40 = extractvalue { i64 } %r, 0
    ...                                    br label %after.2
    after.2:
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from autograph.records import record
from runtime.engines.native.ir import FunctionWriter, Label, V

_VALUE = re.compile(r"(?<!label )%([\w.]+)")
_MADE = re.compile(r"^%([\w.]+) = ", re.MULTILINE)
_LABEL = re.compile(r"label %([\w.]+)")
_EDGE = re.compile(r"\[ (\S+), %([\w.]+) \]")
_PART = re.compile(r" @(part\.\d+)\(")
_NAME = re.compile(r"(%[\w.]+|^[\w.]+:|!\d+)", re.MULTILINE)


#: a loop of so many lines, of which few are for each loop inside it, is straight for the most part
MOST_AROUND_LOOPS, MOST_FOR_EACH = 3000, 200


def between_loops(functions: Sequence[FunctionWriter]) -> set[str]:
    """The names of the loops, inner ones first, that are not worth optimising: what they do is in the loops
    that were cut out of them. And of those that call them, for these are in one module."""
    found = set[str]()
    for function in functions:
        text = function.text()
        called = _PART.findall(text)
        lines = text.count("\n")
        if MOST_AROUND_LOOPS < lines < MOST_FOR_EACH * len(called) or not found.isdisjoint(called):
            found.add(function.name)
    return found


class Parts:
    """Cuts the loops out of functions. ``meaning`` tells what a node of metadata says."""

    def __init__(self, meaning: Callable[[str], str]) -> None:
        self.functions: list[FunctionWriter] = []
        self._names: dict[tuple[str | int, ...], str] = {}  # of a part's text: the name of its function
        self._meaning = meaning

    def cut(self, f: FunctionWriter) -> None:
        """Replace the loops among the parts of ``f`` by calls; inner ones first."""
        uses = _Uses(f)
        for part, after in f.parts:
            blocks = [block for block in part if block in uses.made]
            if _loop(blocks):
                self._cut(f, blocks, after, uses)
        f.blocks = [block for block in f.blocks if block in uses.made]
        f.entry.lines = [line for line in f.entry.lines if line not in uses.moved]

    def _cut(self, f: FunctionWriter, blocks: list[Label], after: Label, uses: _Uses) -> None:
        inside = {block.name for block in blocks}
        made = dict.fromkeys(ref for block in blocks for ref in uses.made[block])
        used: Counter[str] = Counter()
        for block in blocks:
            used.update(uses.used[block].keys())
        own = [ref for ref in used if ref in uses.storage and uses.users[ref] == used[ref]]
        given = [V(f.types[ref], f"%{ref}") for ref in used if ref not in made and ref not in own]
        results = [V(f.types[ref], f"%{ref}") for ref in made if uses.users[ref] != used[ref]]
        targets = dict.fromkeys(target for block in blocks for target in uses.targets(block))
        exits = [after.name, *[name for name in targets if name not in inside and name != after.name]]
        kinds = ["i32", *[result.type for result in results]]
        handed: list[_Handed] = []
        for name in exits:
            for place, line in enumerate(uses.named[name].lines):
                if " = phi " not in line:
                    break
                edges = [edge for edge in _EDGE.findall(line) if edge[1] in inside]
                values = {value for value, _ in edges}
                if len(values) == 1 and not edges[0][0].startswith("%"):  # the line of an error, mostly
                    _redirect(uses.named[name], place, edges, (edges[0][0], blocks[0].name))
                elif edges:
                    handed.append(_Handed(uses.named[name], place, edges, len(kinds)))
                    kinds.append(line.split(" = phi ")[1].split(" ")[0])
        struct = "{ " + ", ".join(kinds) + " }"

        part = FunctionWriter("", struct, [(v.type, v.ref[1:]) for v in given], "noinline")
        part.count = f.count  # so that new names are new
        part.entry.lines = [uses.storage[ref] for ref in own]
        head, first = blocks[0], Label("first")  # what is left where the part was, and how the part begins
        first.lines, first.terminated = head.lines, head.terminated
        part.jump(first)
        ends = {name: Label(f"leave.{number}") for number, name in enumerate(exits)}
        part.blocks += [first, *blocks[1:], *ends.values()]
        renamed = {name: end.name for name, end in ends.items()} | {head.name: first.name}
        for block in (first, *blocks[1:]):
            block.lines = [_renamed(line, renamed) if _has_label(line) else line for line in block.lines]
        for number, (name, end) in enumerate(ends.items()):
            part.block = end
            filled = [V("i32", str(number)), *[v if not number else V(v.type, "poison") for v in results]]
            filled += [V(kind, "poison") for kind in kinds[len(filled) :]]
            for one in handed:
                if one.block.name == name:
                    filled[one.position] = part.phi(kinds[one.position])
                    came = [(V("", value), Label(renamed.get(label, label))) for value, label in one.edges]
                    part.complete(end, filled[one.position], came)
            returned = V(struct, "poison")
            for k, value in enumerate(filled):
                returned = part.value(struct, f"insertvalue {returned}, {value}, {k}")
            part.ret(returned)

        found = f"%{head.name}.found"
        head.lines = [f"{found} = call {struct} @{self._name_of(part)}({', '.join(map(str, given))})"]
        head.lines += [f"{v.ref} = extractvalue {struct} {found}, {k}" for k, v in enumerate(results, 1)]
        for one in handed:
            ref = f"{found}.{one.position}"
            head.lines.append(f"{ref} = extractvalue {struct} {found}, {one.position}")
            _redirect(one.block, one.place, one.edges, (ref, head.name))
        ways = " ".join(f"i32 {number}, label %{name}" for number, name in enumerate(exits) if number)
        head.lines.append(f"{found}.exit = extractvalue {struct} {found}, 0")
        head.lines.append(f"switch i32 {found}.exit, label %{after.name} [ {ways} ]")
        head.terminated = True
        uses.moved.update(part.entry.lines)
        uses.replace(blocks)

    def _name_of(self, part: FunctionWriter) -> str:
        """The name of the function, which may be there already."""
        between = _NAME.split(part.text())
        names = [name.strip("%:") for name in between[1::2]]
        numbers = {name: number for number, name in enumerate(dict.fromkeys(names))}
        meanings = [self._meaning(name) for name in numbers if name[0] == "!"]
        text = (*between[::2], *map(numbers.__getitem__, names), *meanings)
        if text not in self._names:
            self._names[text] = part.name = f"part.{len(self.functions)}"
            self.functions.append(part)
        return self._names[text]


@record
class _Handed:
    """What a block outside gets from a part by a phi."""

    block: Label
    place: int  # of the phi in the block
    edges: list[tuple[str, str]]  # from the part: values and labels
    position: int  # in the structure that the part returns


class _Uses:
    """Which blocks of a function make and use its values. A phi uses what it gets where that comes from."""

    def __init__(self, f: FunctionWriter) -> None:
        self.named = {block.name: block for block in f.blocks}
        self.made: dict[Label, list[str]] = {}
        self.used: dict[Label, dict[str, None]] = {block: {} for block in f.blocks}
        self.users: Counter[str] = Counter()  # how many blocks use a value
        for block in f.blocks:
            self._read(block)
        entry = {line: " = alloca " in line for line in f.entry.lines}
        others = set(_VALUE.findall("\n".join(line for line, makes_room in entry.items() if not makes_room)))
        room = {line.split(" ", 1)[0][1:]: line for line, makes_room in entry.items() if makes_room}
        #: memory of the function that a part may have for itself
        self.storage = {ref: line for ref, line in room.items() if ref not in others}
        self.moved = set[str]()  # of that, what parts have

    def _read(self, block: Label) -> None:
        made, phis = list[str](), 0
        for line in block.lines:
            left, is_phi, edges = line.partition(" = phi ")
            if not is_phi:
                break
            phis += 1
            made.append(left[1:])
            for value, label in _EDGE.findall(edges):
                if value[0] == "%":
                    self._use(self.named[label], (value[1:],))
        text = "\n".join(block.lines[phis:])
        self.made[block] = made + _MADE.findall(text)
        self._use(block, _VALUE.findall(text))  # what it makes itself is among them, and does no harm

    def _use(self, block: Label, refs: Iterable[str]) -> None:
        used = self.used[block]
        new = dict.fromkeys(refs)
        if used:
            new = {ref: None for ref in new if ref not in used}
        used.update(new)
        self.users.update(new.keys())

    def targets(self, block: Label) -> list[str]:
        return _LABEL.findall(block.lines[-1]) if block.lines else []

    def replace(self, blocks: list[Label]) -> None:
        """The first of them has other lines, and the others are gone."""
        for block in blocks:
            for ref in self.used.pop(block):
                self.users[ref] -= 1
            del self.made[block]
        self.used[blocks[0]] = {}
        self._read(blocks[0])


def _loop(blocks: list[Label]) -> bool:
    """Does one of the blocks jump back?"""
    seen: set[str] = set()
    for block in blocks:
        seen.add(block.name)
        if block.lines and not seen.isdisjoint(_LABEL.findall(block.lines[-1])):
            return True
    return False


def _redirect(block: Label, place: int, edges: list[tuple[str, str]], edge: tuple[str, str]) -> None:
    """Let a phi have one edge in place of others."""
    line, gone = block.lines[place], set(edges)
    kept = [*[one for one in _EDGE.findall(line) if one not in gone], edge]
    shown = ", ".join(f"[ {value}, %{label} ]" for value, label in kept)
    block.lines[place] = f"{line.split(' [ ')[0]} {shown}"


def _has_label(line: str) -> bool:
    return " = phi " in line or "label %" in line


def _renamed(line: str, names: dict[str, str]) -> str:
    """The line with other labels."""
    if " = phi " in line:
        return _EDGE.sub(lambda found: f"[ {found[1]}, %{names.get(found[2], found[2])} ]", line)
    return _LABEL.sub(lambda found: f"label %{names.get(found[1], found[1])}", line)
