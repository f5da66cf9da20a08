"""Which variables of the functions on the stack may still be read: found from their bytecode.

>>> import sys
>>> def f(x, y):
...     z = x
...     (variables,) = variables_of([sys._getframe()])
...     return y, z, variables
>>> sorted(f(1, 2)[2].live)
['y', 'z']
"""

from __future__ import annotations

import dis
from collections.abc import Iterator
from dataclasses import dataclass
from types import CodeType, FrameType
from typing import Any

from autograph.by_code import once_per_code
from autograph.converted_code import is_body

Names = frozenset[str]


@dataclass(frozen=True, slots=True)
class Variables:
    """The variables of one function under way, with those of the blocks of it that are under way."""

    frames: list[FrameType]
    values: dict[str, Any]
    live: Names


def variables_of(frames: list[FrameType]) -> Iterator[Variables]:
    """The variables of the user's `frames`, which go from the outermost to the innermost."""
    chain: list[FrameType] = []
    live: Names = frozenset()
    for frame in frames:
        code = frame.f_code
        if chain and is_body(code) and _is_within(code, chain[-1].f_code):
            live = live_after(code, frame.f_lasti, live | _read_again(chain[-1].f_code, chain[-1].f_lasti))
            chain.append(frame)
            continue
        if chain:
            yield _variables(chain, live)
        chain = [frame]
        live = live_after(code, frame.f_lasti, frozenset())
    if chain:
        yield _variables(chain, live)


def _variables(chain: list[FrameType], live: Names) -> Variables:
    values: dict[str, Any] = {}
    for frame in chain:
        code = frame.f_code
        free = () if frame is chain[0] else code.co_freevars  # these belong to a frame further out
        values |= {name: value for name, value in frame.f_locals.items() if name not in free}
    captured = _captured(chain[0].f_code)
    return Variables(chain, values, live | captured)


def _is_within(code: CodeType, outer: CodeType) -> bool:
    return any(inner is code or _is_within(code, inner) for inner in _nested(outer))


def _nested(code: CodeType) -> list[CodeType]:
    return [constant for constant in code.co_consts if isinstance(constant, CodeType)]


def _captured(code: CodeType) -> Names:
    """The variables that functions of the user's in this one read, whenever these are called."""
    names: Names = frozenset()
    for inner in _nested(code):
        names |= _captured(inner) if is_body(inner) else reads(inner)
    return names


@once_per_code
def reads(code: CodeType) -> Names:
    """The variables of functions around that a function, or one in it, reads."""
    names: Names = frozenset()
    for instruction in dis.get_instructions(code):
        names |= _effect(instruction, code)[0]
    return names.union(*map(reads, _nested(code))) & frozenset(code.co_freevars)


@once_per_code
def _read_in_blocks(code: CodeType) -> Names:
    return frozenset().union(*(reads(inner) for inner in _nested(code) if is_body(inner)))


@once_per_code
def _read_again(code: CodeType, at: int) -> Names:
    """What the other blocks read of the statement at this offset: a loop runs its own again, too."""
    blocks = {inner.co_name: inner for inner in _nested(code)}
    names: Names = frozenset()
    before = [i for i in dis.get_instructions(code) if i.offset < at]
    for instruction in reversed(before):
        if instruction.opname.startswith(("STORE_", "POP_TOP", "DELETE_")):
            break
        if instruction.argval in _ONE_OF_THEM:
            return frozenset()
        if isinstance(instruction.argval, CodeType):
            names |= reads(instruction.argval)
        for name in _effect(instruction, code)[0]:
            if name in blocks:
                names |= reads(blocks[name])
    return names


_ONE_OF_THEM = ("if_stmt", "if_exp")  # of whose blocks one is run


@once_per_code
def live_after(code: CodeType, at: int, at_end: Names) -> Names:
    """The variables that may be read after the instruction at this offset, when those are that may be
    read after the end."""
    instructions = list(dis.get_instructions(code))
    number = {instruction.offset: k for k, instruction in enumerate(instructions)}
    effects = [_effect(instruction, code) for instruction in instructions]
    following = [_following(instruction, k, number) for k, instruction in enumerate(instructions)]
    for start, end, handler in _handlers(code):
        for offset, k in number.items():
            if start <= offset < end and handler in number:
                following[k].append(number[handler])
    live: list[Names] = [frozenset()] * (len(instructions) + 1)
    changed = True
    while changed:
        changed = False
        for k in range(len(instructions) - 1, -1, -1):
            after = at_end if not following[k] else frozenset().union(*(live[n] for n in following[k]))
            used, stored = effects[k]
            found = used | (after - stored)
            if found != live[k]:
                live[k], changed = found, True
    here = max(k for offset, k in number.items() if offset <= at)
    return frozenset().union(*(live[n] for n in following[here])) if following[here] else at_end


def _following(instruction: dis.Instruction, k: int, number: dict[int, int]) -> list[int]:
    name = instruction.opname
    if name.startswith(("RETURN_", "RAISE_VARARGS", "RERAISE")) and name != "RETURN_GENERATOR":
        return []
    if instruction.opcode not in dis.hasjrel and instruction.opcode not in dis.hasjabs:
        return [k + 1]
    target = number[instruction.argval]
    if name.startswith(("JUMP_FORWARD", "JUMP_BACKWARD", "JUMP_ABSOLUTE")):
        return [target]
    return [k + 1, target]


def _handlers(code: CodeType) -> list[tuple[int, int, int]]:
    return [(e.start, e.end, e.target) for e in dis._parse_exception_table(code)]  # type: ignore[attr-defined]


def _effect(instruction: dis.Instruction, code: CodeType) -> tuple[Names, Names]:
    """The variables that an instruction reads, and those that it gives another value."""
    name, argument = instruction.opname, instruction.argval
    if name == "STORE_FAST_LOAD_FAST":
        return frozenset(argument[1:]), frozenset(argument[:1])
    names = frozenset(argument if isinstance(argument, tuple) else (argument,))
    if name.startswith(("STORE_FAST", "STORE_DEREF", "DELETE_FAST", "DELETE_DEREF")):
        return frozenset(), names
    if name == "LOAD_CLOSURE" or name.startswith("LOAD_FAST") and argument in _cells(code):
        return names & _read_in_blocks(code), frozenset()  # for a function that is made here
    if name.startswith(("LOAD_FAST", "LOAD_DEREF", "LOAD_CLASSDEREF", "LOAD_FROM_DICT_OR_DEREF")):
        return names, frozenset()
    return frozenset(), frozenset()


def _cells(code: CodeType) -> tuple[str, ...]:
    return code.co_cellvars + code.co_freevars
