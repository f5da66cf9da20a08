"""`a and (b or c) or d`: a true `b` is the result of both operators, and Python asks it for its truth once.

Converted, this is

    (lambda first, rest: ag__.if_exp(first, lambda: ag__.or_(b, lambda: c, rest), rest))(a, lambda: d)

for `ag__.or_(ag__.all_true(a, lambda: ag__.or_(b, lambda: c)), lambda: d)` would ask `b` twice: the inner
`or` has nothing to give but its value. So the operands of the outer one that are left become a function,
which each place that leads there calls. `truth.py` says which Pythons join two questions, and where.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gast

from autograph.analysis.static import is_static
from autograph.passes.context import Context
from autograph.passes.thunks import can_be_thunks, make_thunk
from autograph.passes.truth import VALUE, wanted_here, wanted_of_first, wanted_of_parts
from autograph.template import locate, name, operator_call

Visit = Callable[[Any], Any]
Rest = Any
"""The name of what gives the operands that follow, or None."""


def convert_joined(node: gast.BoolOp, context: Context, visit: Visit) -> Any:
    """The converted expression; None where no inner operator decides the outer one."""
    wanted = wanted_here(node, context.wanted_of(node))
    joined = _Joined(node, context, visit)
    if wanted != VALUE or is_static(node) or not any(map(joined.is_decided_within, node.values[:-1])):
        return None
    holder, place = _leftmost(node.values, 0)
    first, holder[place] = holder[place], gast.Constant(None, None)
    may_move = can_be_thunks(*node.values, held=context.held)
    holder[place] = first
    return joined.operands(node.values, None) if may_move else None


class _Joined:
    """The operands of one operator, and of those within it whose questions Python joins with its own."""

    def __init__(self, outer: gast.BoolOp, context: Context, visit: Visit) -> None:
        self.kind = type(outer.op)
        self.wanted = wanted_of_first(outer, VALUE)
        self.context, self.visit = context, visit
        self.count = 0

    def is_decided_within(self, node: Any) -> bool:
        """Does an operator within this operand, but not in its first places, decide the outer one?"""
        if isinstance(node, gast.IfExp):
            return any(self.has_kind(each) or self.is_decided_within(each) for each in self.branches(node))
        if self.has_kind(node):
            return any(map(self.is_decided_within, node.values))
        last = node.values[-1] if self.is_joined(node) else None
        return last is not None and (self.has_kind(last) or self.is_decided_within(last))

    def is_joined(self, node: Any) -> bool:
        return isinstance(node, gast.BoolOp) and wanted_here(node, self.wanted) != VALUE

    def has_kind(self, node: Any) -> bool:
        return self.is_joined(node) and isinstance(node.op, self.kind)

    def branches(self, node: gast.IfExp) -> list[Any]:
        """Those of whose values not everything is wanted."""
        return [part for part, wanted in wanted_of_parts(node, self.wanted) if wanted == self.wanted]

    def operands(self, values: list[Any], rest: Rest) -> Any:
        """`values[0] or values[1] or ... or rest()`."""
        if rest is not None:
            values = [each for value in values for each in self.flat(value)]
        ends = values if rest is not None else values[:-1]
        place = next((at for at, value in enumerate(ends) if self.is_decided_within(value)), None)
        if place is None:
            return self.plain(values, rest)
        before, value, after = values[:place], values[place], values[place + 1 :]
        made = self.decided(value, after, rest)
        if not before:
            return made
        converted = [self.first_operand(each) for each in before]
        return self.operator([converted[0], *self.thunks([*converted[1:], made])], value)

    def flat(self, value: Any) -> list[Any]:
        """The operands of an `or` within this one, whose questions are the same."""
        return (
            [each for part in value.values for each in self.flat(part)] if self.has_kind(value) else [value]
        )

    def plain(self, values: list[Any], rest: Rest) -> Any:
        """The same, where no operator within the values decides this one."""
        converted = [self.first_operand(value) for value in values[:-1]]
        last = self.visit(values[-1]) if rest is None else self.first_operand(values[-1])
        ends: list[Any] = [] if rest is None else [name(rest.id, last)]
        arguments = [*converted, last]
        if len(arguments) == 1 and not ends:
            return last
        return self.operator([arguments[0], *self.thunks(arguments[1:]), *ends], arguments[0])

    def decided(self, value: Any, after: list[Any], rest: Rest) -> Any:
        """`value or after or rest()`; what `value` evaluates first stays where it stands."""
        if rest is not None and not after:
            return self.then(value, rest)
        self.count += 1
        names = [self.context.fresh(each, self.count) for each in ("first", "rest")]
        held = [value]
        holder, place = _leftmost(held, 0)
        leaf, holder[place] = holder[place], name(names[0], holder[place])
        given = [self.visit(leaf), *self.thunks([self.operands(after, rest)])]
        body = self.then(held[0], name(names[1], leaf))
        parameters = [name(each, leaf, gast.Param()) for each in names]
        arguments = gast.arguments(parameters, [], None, [], [], None, [])
        return locate(gast.Call(locate(gast.Lambda(arguments, body), leaf), given, []), leaf)

    def then(self, value: Any, rest: gast.Name) -> Any:
        """`value or rest()`."""
        if isinstance(value, gast.IfExp):
            return self.then_choice(value, rest)
        if self.has_kind(value):
            return self.operands(value.values, rest)
        if not self.is_joined(value):
            return self.plain([value], rest)
        tests = []
        for test in value.values[:-1]:
            self.context.note_wanted(test, wanted_of_first(value, self.wanted))
            tests.append(self.visit(test))
        is_and = isinstance(value.op, gast.And)
        if len(tests) > 1:
            tests = [
                operator_call(
                    "all_true" if is_and else "any_true", [tests[0], *self.thunks(tests[1:])], value
                )
            ]
        last, end = self.thunks([self.then(value.values[-1], rest)])[0], name(rest.id, value)
        return operator_call("if_exp", [tests[0], *((last, end) if is_and else (end, last))], value)

    def then_choice(self, value: gast.IfExp, rest: gast.Name) -> Any:
        joined = self.branches(value)
        self.context.note_test(value.test)
        ways = []
        for branch in (value.body, value.orelse):
            if any(branch is each for each in joined):
                ways.append(self.then(branch, rest))
            else:
                ways.append(self.operator([self.visit(branch), name(rest.id, branch)], branch))
        return operator_call("if_exp", [self.visit(value.test), *self.thunks(ways)], value)

    def first_operand(self, value: Any) -> Any:
        """One that another follows: where it decides, its value is the result."""
        self.context.note_wanted(value, self.wanted)
        return self.visit(value)

    def operator(self, arguments: list[Any], at: Any) -> Any:
        return operator_call("and_" if self.kind is gast.And else "or_", arguments, at)

    def thunks(self, operands: list[Any]) -> list[Any]:
        return [make_thunk(operand, self.context) for operand in operands]


def _leftmost(holder: Any, place: Any) -> tuple[Any, Any]:
    """Where the operand stands that is evaluated first."""
    while True:
        node = holder[place]
        if isinstance(node, gast.BoolOp):
            holder, place = node.values, 0
        elif isinstance(node, gast.IfExp):
            holder, place = vars(node), "test"
        else:
            return holder, place
