"""What becomes of the value of an operand of `and` and `or`, besides the question for its truth.

In a test (`if a and b:`) only the truth of each operand matters, and each is asked for it once. Of a value
(`x = a and b or c`) a false `a` goes to `c` at once.
"""

from __future__ import annotations

from typing import Any

import gast

from autograph.records import record


@record
class Wanted:
    """Is the value of an expression wanted, where it is true and where it is false?"""

    when_true: bool
    when_false: bool


VALUE = Wanted(True, True)
TEST = Wanted(False, False)


def wanted_of_parts(node: Any, wanted: Wanted) -> list[tuple[Any, Wanted]]:
    """The parts of a node of whose values not everything is wanted."""
    match node:
        case gast.If() | gast.While() | gast.Assert():
            return [(node.test, TEST)]
        case gast.IfExp():
            return [(node.test, TEST), (node.body, wanted), (node.orelse, wanted)]
        case gast.UnaryOp(op=gast.Not()) if wanted == TEST:
            return [(node.operand, TEST)]
        case gast.comprehension():
            return [(test, TEST) for test in node.ifs]
        case gast.BoolOp():
            first = _of_first(node, wanted)
            return [*((value, first) for value in node.values[:-1]), (node.values[-1], wanted)]
    return []


def _of_first(node: gast.BoolOp, wanted: Wanted) -> Wanted:
    """What is wanted of the operands of `and` or `or` that another one follows."""
    if isinstance(node.op, gast.And):
        return Wanted(False, wanted.when_false)
    return Wanted(wanted.when_true, False)
