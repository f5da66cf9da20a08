"""Variables that may be unbound where closures or lambdas will read them: these hold `Undefined`.

    y = ag__.Undefined('y')

In a closure, reading an unbound variable would be an error of its own kind (a NameError, about a free
variable); and the state of a statement needs a value for each of its variables.
"""

from __future__ import annotations

from dataclasses import field
from typing import Any

import gast

from autograph.analysis.flow import Flow
from autograph.analysis.names import Collector
from autograph.analysis.static import own_nodes
from autograph.passes.context import Context
from autograph.passes.thunks import reads_in_thunks
from autograph.records import record
from autograph.template import assign, constant, operator_call


@record(frozen=False)
class Frame:
    """The frame that code will run in: the function's own, or that of a closure."""

    outer: frozenset[str] = frozenset()
    """Names that belong to a frame further out, and have a value (perhaps `Undefined`) there."""
    is_loop_body: bool = False
    undefined: list[str] = field(default_factory=list)
    """Names to set to `Undefined` where the frame begins."""


def has_unbound(function: Any) -> bool:
    """Is a variable that the function binds read where there will be lambdas, or bound by closures?"""
    if any(getattr(part, "is_inline", False) for node in function.body for part in own_nodes(node)):
        return True
    collector = Collector()
    scope = collector.scope(function)
    names = reads_in_thunks(function.body) | (scope.closure_writes - scope.closure_deletes)
    if names.intersection(scope.params):  # they have a value from the start, but one may be deleted
        names.difference_update(set(scope.params) - collector.collect(*function.body).deletes)
    return not names.isdisjoint(scope.local)


class MaybeUnbound:
    """The variables of one function that hold `Undefined` somewhere."""

    def __init__(self, flow: Flow, collector: Collector, context: Context, frame: Frame) -> None:
        self.flow = flow
        self.scope = flow.scope
        self.collector = collector
        self.context = context
        self.frame = frame
        self.variables: set[str] = set()

    def before(
        self, statement: Any, state: tuple[str, ...], frame: Frame, initialised: set[str]
    ) -> list[str]:
        """State variables to set to `Undefined` right before the statement; others are noted in `frame`."""
        here = []
        flow = self.flow
        bound = flow.bound_before_mask(statement)
        bound |= flow.mask(self.scope.closure_deletes.intersection(self.scope.params))  # or `Undefined`
        maybe = flow.maybe_bound_before_mask(statement)
        for variable in state:
            if variable in frame.outer or variable in initialised or bound >> flow.index[variable] & 1:
                continue
            if variable not in self.scope.local or variable in frame.undefined:
                continue
            if maybe >> flow.index[variable] & 1:
                frame.undefined.append(variable)
            else:
                here.append(variable)
                initialised.add(variable)
            self.variables.add(variable)
        return here

    def reads(self, statement: Any) -> None:
        """Names that closures of the statement read, and that may be unbound there.

        In a closure, reading them would be an error of its own kind (a NameError, about a free variable).
        """
        flow = self.flow
        unsure = 0
        points = flow.points[id(statement)]
        for number in range(points.before, points.after):
            unsure |= flow.nodes[number].reads & ~flow.strictly_bound[number]
        self.begin(flow.names_in(unsure))

    def in_thunks(self) -> None:
        """The same for names in expressions whose operands will become lambdas."""
        flow = self.flow
        for number, code in flow.code.items():
            unsure = flow.nodes[number].reads & ~flow.strictly_bound[number]
            if unsure:
                self.begin(flow.names_in(unsure) & reads_in_thunks(code))

    def in_closures(self) -> None:
        """The same for names that closures bind: they may do it under a condition."""
        if not self.scope.closure_writes:
            return
        flow = self.flow
        for number, code in flow.code.items():
            bound = self.collector.collect(*code).closure_writes - self.scope.closure_deletes
            self.begin(flow.names_in(flow.mask(bound) & ~flow.strictly_bound[number]))

    def in_expressions(self) -> None:
        """The same for names that expressions read which are functions of their own now."""
        flow = self.flow
        for number, code in flow.code.items():
            if any(getattr(part, "is_inline", False) for part in code):
                unsure = flow.nodes[number].captures & ~flow.strictly_bound[number]
                self.begin(flow.names_in(unsure))

    def begin(self, variables: set[str]) -> None:
        """The variables hold `Undefined` from the start; a parameter does where it was deleted."""
        for variable in sorted(variables - set(self.frame.undefined)):
            if variable not in self.scope.local or self.context.is_generated(variable):
                continue
            if variable not in self.scope.params:
                self.frame.undefined.append(variable)
            self.variables.add(variable)


def undefined(variable: str, at: Any, context: Context) -> Any:
    """A variable of ours has no name for people: it is surely set before it is read, and not guarded."""
    named = [] if context.is_generated(variable) else [constant(variable, at)]
    return assign(variable, operator_call("Undefined", named, at), at)


def with_undefined(body: list[Any], frame: Frame, at: Any, context: Context) -> list[Any]:
    """Set what may be unbound in a frame to `Undefined`, after the docstring and declarations."""
    position = 0
    for statement in body:
        is_text = isinstance(statement, gast.Expr) and isinstance(statement.value, gast.Constant)
        if not is_text and not isinstance(statement, (gast.Global, gast.Nonlocal)):
            break
        position += 1
    made = [
        undefined(variable, body[position] if position < len(body) else at, context)
        for variable in frame.undefined
    ]
    return body[:position] + made + body[position:]
