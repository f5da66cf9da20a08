"""Which values depend on the arguments of a gradient, and which arrays have an adjoint that is memory.

A value is *active* when a derivative may flow through it: it is real or complex, and depends on an
argument that is asked for. What arrays hold is followed by their roots (graph/effects.py): one
store of an active
value makes all that may share the memory active.

An array has *shadow memory* for an adjoint where a plain value, summed, would not do: it is
written in place, read or seen in part (each read would cost an array), used inside a block that it
does not come from (a loop would
carry it), or handed to a function. Arrays that may be one of several have it together.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from runtime.gradients.containers import has_companion
from runtime.gradients.rules import ends_here
from runtime.gradients.scope import is_buffer, is_smooth
from runtime.graph import Block, Graph, Operation, Value, loop_state
from runtime.graph.effects import Memory, Root, effects_of
from runtime.graph.liveness import free_values
from runtime.ops import REGISTRY
from runtime.ops.definition import BY_SWEEP
from runtime.types import STACK, STR, ArrayType, ObjectType


class Activity:
    """The active values of one graph; see the module docstring. ``wrt`` are parameters.

    ``constant``: operations whose results do not count as depending on anything."""

    def __init__(
        self,
        graph: Graph,
        memory: Memory,
        wrt: Iterable[Value],
        shadowed: Iterable[Value] = (),
        constant: Collection[Operation] = (),
    ) -> None:
        self._constant = constant
        self.memory = memory
        self.active: set[Value] = set()
        self.roots: set[Root] = set()
        #: a container or a reference holds an active value: what comes out of these counts as active
        self.in_objects = False
        self._in_others = False
        #: operations where a dependence on an argument was lost: a conversion to int, a comparison
        self.lost: list[Operation] = []
        self._changed = True
        #: region of a `try` -> what its landings hand to the handler
        self._handlers = {
            op.attributes["region"]: op.blocks[1].params[1:] for op in graph.operations() if op.is_try
        }
        for value in wrt:
            if has_companion(value):
                self.in_objects = True
            elif value.type == STACK:
                self._mark_stack(value)
            else:
                self._mark(value)
        while self._changed:
            self._changed = False
            self._block(graph.body)
        self.shadow_roots: set[Root] = set()
        self._find_shadows(graph, shadowed)

    def is_active(self, value: Value) -> bool:
        return is_smooth(value.type) and (
            value in self.active or not self.memory.roots(value).isdisjoint(self.roots)
        )

    def is_shadowed(self, value: Value) -> bool:
        """Is the adjoint of this array memory? Of a container: does it have a companion?"""
        if isinstance(value.type, ArrayType):
            return is_smooth(value.type) and not self.memory.roots(value).isdisjoint(self.shadow_roots)
        if not isinstance(value.type, ObjectType):
            return False
        return self.in_objects if has_companion(value) else is_buffer(value) and self.is_active_stack(value)

    # -- what depends on the arguments -----------------------------------------------------------------

    def _mark(self, value: Value) -> None:
        if value not in self.active and is_smooth(value.type):
            self._changed = True
        self._mark_made(value)

    def _mark_made(self, value: Value) -> None:
        """Of what an operation makes: all that uses it stands behind, but for what uses other
        names of its memory."""
        if not is_smooth(value.type):
            return
        if isinstance(value.type, ArrayType):
            roots = self.memory.roots(value)
            if not roots <= self.roots:
                self.roots |= roots
                self._changed |= roots != {value}
        self.active.add(value)

    def _pass(self, source: Value, target: Value) -> None:
        if self.is_active(source):
            self._mark(target)

    def _block(self, block: Block) -> None:
        for op in block.operations:
            self._operation(op)

    def _operation(self, op: Operation) -> None:
        if op in self._constant:
            return
        if op.is_landing:
            params = self._handlers.get(op.attributes["region"])  # none: the `try` is around all of this
            for value, param in zip(op.inputs, params, strict=True) if params is not None else ():
                self._pass(value, param)
            return
        if op.is_custom_gradient:
            for k, output in enumerate(op.outputs):
                if any(map(self.is_active, op.inputs[len(op.outputs) :])) or self.is_active(op.inputs[k]):
                    self._mark(output)
            return
        for block in op.blocks:
            self._enter(op, block)
            self._block(block)
            if block.ends == "yield":
                self._leave(op, block)
        if op.blocks or op.is_constant:
            return
        if op.inputs and REGISTRY[op.name].family == "stack":
            self._stack(op)
            return
        if any(map(is_buffer, op.inputs)) and not op.is_call:
            self._buffer(op)
            return
        inputs_active = any(self.is_active(x) or self.is_active_stack(x) for x in op.inputs)
        from_objects = any(map(self.holds_active, op.inputs))
        if not inputs_active and not from_objects:
            return
        if ends_here(op) and REGISTRY[op.name].vjp is not BY_SWEEP and not effects_of(op).writes:
            self._lose(op)
            return
        if op.is_call:  # it may push what it was given
            for stack in (x for x in op.inputs if x.type == STACK):
                self._mark_stack(stack)
        for y in op.outputs:
            self._mark_made(y)
        for k in effects_of(op).writes:
            self._mark(op.inputs[k])
        if not inputs_active:
            return
        for value in op.inputs + op.outputs:
            if not isinstance(value.type, ObjectType):
                continue
            if has_companion(value) and not self.in_objects:
                self.in_objects = self._changed = True
            elif _may_hold(value) and not has_companion(value) and not self._in_others:
                self._in_others = self._changed = True

    def is_touched(self, op: Operation) -> bool:
        """May a derivative flow through it, or through what a container or stack that it is given holds?"""
        return any(map(self.is_active, (*op.inputs, *op.outputs))) or any(
            self.is_active_stack(x) or (has_companion(x) and self.in_objects) for x in op.inputs
        )

    def holds_active(self, value: Value) -> bool:
        """Is it an object that may hold an active value?"""
        if not isinstance(value.type, ObjectType):
            return False
        return self.in_objects if has_companion(value) else self._in_others and _may_hold(value)

    def _stack(self, op: Operation) -> None:
        stack = op.inputs[0]
        if any(self.is_active(x) or self.is_active_stack(x) or self.holds_active(x) for x in op.inputs[1:]):
            self._mark_stack(stack)
        if self.is_active_stack(stack):
            for output in op.outputs:
                self._mark(output)

    def _buffer(self, op: Operation) -> None:
        given = any(map(self.is_active, op.inputs[1:]))
        if given and effects_of(op).writes:
            self._mark_stack(op.inputs[0])
        elif given or self.is_active_stack(op.inputs[0]):
            for output in op.outputs:
                self._mark(output)

    def _mark_stack(self, stack: Value) -> None:
        if not self.is_active_stack(stack):
            self.roots |= self.memory.roots(stack)
            self._changed = True

    def is_active_stack(self, stack: Value) -> bool:
        """Is an active value pushed on the stack, or put into the buffer?"""
        return (stack.type == STACK or is_buffer(stack)) and not self.memory.roots(stack).isdisjoint(
            self.roots
        )

    def _lose(self, op: Operation) -> None:
        if op not in self.lost and any(not isinstance(y.type, ObjectType) for y in op.outputs):
            self.lost.append(op)

    def _enter(self, op: Operation, block: Block) -> None:
        state = loop_state(op)
        if state:
            for initial, param, output in zip(state, block.params[-len(state) :], op.outputs, strict=True):
                self._pass(initial, param)
                self._pass(initial, output)

    def _leave(self, op: Operation, block: Block) -> None:
        if not op.is_loop:
            for result, output in zip(block.results, op.outputs, strict=True):
                self._pass(result, output)
        elif block is op.blocks[-1]:
            for k, (result, output) in enumerate(zip(block.results, op.outputs, strict=True)):
                for each in op.blocks:
                    self._pass(result, each.params[len(each.params) - len(op.outputs) + k])
                self._pass(result, output)

    # -- whose adjoint is memory -----------------------------------------------------------------------

    def _find_shadows(self, graph: Graph, shadowed: Iterable[Value]) -> None:
        found = self.shadow_roots
        for value in shadowed:
            found |= self.memory.roots(value)
        values: list[Value] = list(graph.params)
        for op in graph.operations():
            values += op.outputs
            for block in op.blocks:
                values += block.params
            for value in self._in_memory(op):
                if self.is_active(value):
                    found |= self.memory.roots(value)
        groups = {self.memory.roots(v) for v in values if isinstance(v.type, ArrayType) and is_smooth(v.type)}
        grown = True
        while grown:
            grown = False
            for roots in groups:
                if not roots.isdisjoint(found) and not roots <= found:
                    found |= roots
                    grown = True

    def _in_memory(self, op: Operation) -> Iterable[Value]:
        if op.blocks:
            return free_values(op)
        if op.is_call or any(map(has_companion, op.inputs + op.outputs)):
            return op.inputs + op.outputs
        written = tuple([op.inputs[k] for k in effects_of(op).writes])
        return written + (op.inputs[:1] if "part" in REGISTRY[op.name].traits else ())


def _may_hold(value: Value) -> bool:
    """Is it an object that may hold numbers?"""
    return isinstance(value.type, ObjectType) and value.type not in (STR, STACK) and not is_buffer(value)
