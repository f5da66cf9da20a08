"""How often Python asks a value for its truth: what becomes of each operand's value, besides that question.

In a test (`if a and b:`) only the truth of each operand matters, and each is asked for it once. Of a value
(`x = a and b or c`) Python's compiler joins the question of the inner operator and that of the outer one
where it can: a false `a` goes to `c` at once. Python 3.12 and 3.13 did so only in later releases, and 3.11
only where both operators begin on one line. `not` asks again, and so does a comparison's chain.

In `a and (b or c) or d` it joins both, where a true `b` is the result of either: see `joined_truth.py`.
Not kept: that it joins values where an operand binds a variable, `x = (a and (y := b)) or c`.
"""

from __future__ import annotations

import sys
from typing import Any

import gast

from autograph.records import record


@record
class Wanted:
    """Is the value of an expression wanted, where it is true and where it is false?"""

    when_true: bool
    when_false: bool
    line: int | None = None
    """That of the operator that asks next, where the compiler may join two questions of values."""


VALUE = Wanted(True, True)
TEST = Wanted(False, False)


def _joins_questions() -> bool:
    class Asked:
        count = 0

        def __bool__(self) -> bool:
            Asked.count += 1
            return False

    eval("asked and 1 or 2", {"asked": Asked()})
    return Asked.count == 1


_JOINS = _joins_questions()
_ON_ONE_LINE = sys.version_info < (3, 12)


def wanted_here(node: Any, wanted: Wanted) -> Wanted:
    """What of the value of a `BoolOp` is wanted, after what the compiler makes of it."""
    if wanted == TEST or wanted == VALUE:
        return wanted
    if not _JOINS or (_ON_ONE_LINE and wanted.line != getattr(node, "lineno", None)):
        return VALUE
    return wanted


def wanted_of_parts(node: Any, wanted: Wanted) -> list[tuple[Any, Wanted]]:
    """The parts of a node of whose values not everything is wanted."""
    match node:
        case gast.If() | gast.While() | gast.Assert():
            return [(node.test, TEST)]
        case gast.IfExp():
            # 3.11's compiler does not look past the jump that ends the first branch.
            body = VALUE if _ON_ONE_LINE and wanted != TEST else wanted
            return [(node.test, TEST), (node.body, body), (node.orelse, wanted)]
        case gast.UnaryOp(op=gast.Not()) if wanted == TEST:
            return [(node.operand, TEST)]
        case gast.comprehension():
            return [(test, TEST) for test in node.ifs]
        case gast.BoolOp():
            first = wanted_of_first(node, wanted_here(node, wanted))
            return [*((value, first) for value in node.values[:-1]), (node.values[-1], wanted)]
    return []


def wanted_of_first(node: gast.BoolOp, here: Wanted) -> Wanted:
    """What is wanted of the operands of `and` or `or` that another one follows."""
    if here == TEST:
        return TEST
    if isinstance(node.op, gast.And):
        return Wanted(False, here.when_false, getattr(node, "lineno", None))
    return Wanted(here.when_true, False, getattr(node, "lineno", None))


def flatten(node: gast.BoolOp, wanted: Wanted) -> None:
    """`(a and b) and c` is `a and b and c` where the compiler joins the questions of both.

    Where only the truth of `(a and b)` matters, as in a test, it stays: it is asked for nothing then.
    """
    if not _JOINS or wanted == TEST:
        return
    first = Wanted(True, False, getattr(node, "lineno", None))
    parts = [part for value in node.values[:-1] for part in _parts(value, node, first)]
    node.values = [*parts, node.values[-1]]


def _parts(value: Any, outer: gast.BoolOp, wanted: Wanted) -> list[Any]:
    """The operands of `value` that are operands of `outer`, too; in `a and (b and c)` the last one's are."""
    if not isinstance(value, gast.BoolOp) or type(value.op) is not type(outer.op):
        return [value]
    if wanted_here(value, wanted) == VALUE:
        return [value]
    flatten(value, wanted)
    return [*value.values[:-1], *_parts(value.values[-1], outer, wanted)]
