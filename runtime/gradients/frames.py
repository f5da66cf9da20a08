"""The adjoints that one block of the backward part collects."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from runtime.gradients.activity import Activity
from runtime.gradients.saving import has_effect
from runtime.gradients.scope import BlockScope, fit
from runtime.graph import Block, Value


class Frame:
    """Adjoints of values of a block of the forward part, and contributions to those of the blocks around.

    ``own`` are the values that the forward block makes; ``values`` holds the adjoints that are plain
    values, ``shadow`` finds those that are memory.
    """

    def __init__(
        self, activity: Activity, shadow: Callable[[Value], Value], scope: BlockScope, own: Collection[Value]
    ) -> None:
        self.activity = activity
        self.shadow = shadow
        self.scope = scope
        self.own = own
        self.values: dict[Value, Value] = {}

    @property
    def block(self) -> Block:
        return self.scope.block

    def add(self, value: Value, contribution: Value, summed: bool = True) -> None:
        """One more contribution to the adjoint of ``value``. Not ``summed``: it is known to need no sum."""
        if not self.activity.is_active(value):
            return
        if self.activity.is_shadowed(value):
            shadow = self.shadow(value)
            fitted = fit(self.scope, contribution, shadow, spread=False, summed=summed)
            self.scope.do("inplace", shadow, fitted, ufunc="add")
            return
        fitted = fit(self.scope, contribution, value, spread=False, summed=summed)
        known = self.values.get(value)
        self.values[value] = fitted if known is None else self.scope.make("add", known, fitted)

    def add_each(
        self, values: Sequence[Value], contributions: Sequence[Value | None], start: int, summed: bool = True
    ) -> None:
        """What a rule gave for the inputs of one operation, by the operations from ``start`` on. Each is
        added right behind those that compute it: they become one loop, and no array is made in between."""
        computing = self.block.operations[start:]
        del self.block.operations[start:]
        if any(op.blocks or has_effect(op) for op in computing):  # their order matters
            self.block.operations += computing
            computing = []
        for value, contribution in zip(values, contributions, strict=True):
            if contribution is None:
                continue
            used, others = {contribution}, []
            behind = len(self.block.operations)
            for op in reversed(computing):
                if used.isdisjoint(op.outputs):
                    others.append(op)
                else:
                    used.update(op.inputs)
                    self.block.operations.insert(behind, op)
            computing = others[::-1]
            self.add(value, contribution, summed)
        self.block.operations += computing

    def take(self, value: Value, spread: bool = True) -> Value | None:
        """The adjoint of a value whose maker is reached; None: nothing came.

        ``spread``: in the shape of the value, which a sum of all its items, say, does not need.
        """
        if not self.activity.is_active(value):
            return None
        if self.activity.is_shadowed(value):
            return self.content(self.shadow(value))
        found = self.values.pop(value, None)
        return found if found is None or not spread else fit(self.scope, found, value)

    def content(self, shadow: Value) -> Value:
        """Memory as the adjoint that is a value: of rank 0 a number."""
        return shadow if shadow.shape else self.scope.make("getitem", shadow, index=())

    @property
    def outer(self) -> dict[Value, Value]:
        """The contributions to values of the blocks around."""
        return {value: adjoint for value, adjoint in self.values.items() if value not in self.own}
