"""The forward part of reverse mode: shadow memory beside arrays, and what loops and calls must tell.

An array whose adjoint is memory gets it where the array is made; a view of the array has beside it
the same view of the memory; what a branch or an iteration leaves in a variable leaves its shadow
as well.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from runtime.gradients.activity import Activity
from runtime.gradients.buffers import beside
from runtime.gradients.calls import Functions
from runtime.gradients.containers import Companions, companion_type, compares, has_companion, is_handled
from runtime.gradients.errors import no_derivative
from runtime.gradients.scope import BlockScope, is_buffer
from runtime.graph import Block, Graph, Operation, Value, loop_state
from runtime.graph.array_contents import Overwriting
from runtime.graph.effects import effects_of
from runtime.ops import REGISTRY
from runtime.types import BOOL, INT, STACK, ArrayType


@dataclass(frozen=True)
class Stacks:
    """What belongs to a stack of the program: adjoints go the opposite way, shadow memory the same."""

    adjoints: Value
    shadows: Value


class Shadows:
    """``ahead`` and ``behind`` are operations to insert before and after one of the forward part."""

    def __init__(
        self,
        activity: Activity,
        overwriting: Overwriting,
        functions: Functions,
        stack: Callable[[str], Value],
    ) -> None:
        self.activity = activity
        self.overwriting = overwriting
        self.functions = functions
        self.stack = stack
        self.made: dict[Value, Value] = {}
        self.companions = Companions(activity.is_active, self._found, self.made.__setitem__)
        self.stacks: dict[Value, Stacks] = {}
        self.ahead: dict[Operation, list[Operation]] = defaultdict(list)
        self.behind: dict[Operation, list[Operation]] = defaultdict(list)
        self._head: list[Operation] = []
        self._counts: dict[Operation, Value] = {}
        self._handled: dict[Operation, Value] = {}
        self._called: dict[Operation, tuple[str, tuple[Value, ...], tuple[Value, ...]]] = {}

    def of(self, value: Value) -> Value:
        return self.made[value]

    # -- parameters ------------------------------------------------------------------------------------

    def enter(self, graph: Graph) -> None:
        """Shadows of the parameters of the outermost graph: memory of their own."""
        scope = BlockScope(Block())
        for param in graph.params:
            if self.activity.is_shadowed(param):
                self._found(scope, param)
        self._head = scope.block.operations

    def enter_function(self, graph: Graph) -> None:
        """A function gets them from its caller."""
        for param in list(graph.params):
            graph.body.params += self._beside_param(param)

    def _beside_param(self, param: Value) -> list[Value]:
        """The parameters that a function of the program takes beside one that it has."""
        if param.type == STACK:
            self.stacks[param] = Stacks(Value(STACK, "adjoints"), Value(STACK, "shadows"))
            return [self.stacks[param].adjoints, self.stacks[param].shadows]
        if not has_memory(param):
            return []
        self.made[param] = Value(companion_type(param.type), param.hint)
        return [self.made[param]]

    # -- operations ------------------------------------------------------------------------------------

    def block(self, block: Block) -> None:
        for op in block.operations:
            if op.blocks and not op.is_custom_gradient:
                self._with_blocks(op)
            elif op.is_call:
                self._call(op)
            elif (of_stack := _STACKS.get(op.name)) is not None:
                of_stack(self, op)
            elif REGISTRY[op.name].family == "buffer":
                self._buffer(op)
            elif self.activity.in_objects and any(map(has_companion, op.inputs + op.outputs)):
                self._container(op)
            else:
                for output in op.outputs:
                    if self.activity.is_shadowed(output):
                        self._beside(op, output)

    def _container(self, op: Operation) -> None:
        if is_handled(op):
            scope = self._scope(op)
            self.companions.beside(op, scope)
            (self.ahead if compares(op) else self.behind)[op] += scope.block.operations
            for output in op.outputs:
                if output not in self.made and self.activity.is_shadowed(output):
                    self._beside(op, output)
        elif op.is_undef:  # an object that is none yet; nobody reads it
            scope = self._scope(op)
            self.made[op.output] = scope.make("companion.like", op.output)
            self.behind[op] += scope.block.operations
        elif effects_of(op).writes or any(map(has_companion, op.outputs)):
            raise no_derivative(op)

    def _found(self, scope: BlockScope, value: Value) -> Value:
        """The shadow of an array, the companion of a container; of what was made elsewhere a new one."""
        if value not in self.made:
            self.made[value] = self._elsewhere(scope, value)
        return self.made[value]

    def _elsewhere(self, scope: BlockScope, value: Value) -> Value:
        if has_companion(value):
            return scope.make("companion.like", value)
        if is_buffer(value):
            return scope.make("buffer.zeros_like", value)
        shape = value.shape
        if len(shape) == 1 and None not in shape:  # whatever its stride, its views are views of zeros, too
            return scope.make("zeros", shape=shape, dtype=value.dtype)
        return scope.make("shadow_like", value)

    def is_view(self, op: Operation) -> bool:
        """Is the shadow of the output the same view of the shadow of the input?"""
        effects = effects_of(op)
        return (
            effects.view_of is not None
            and isinstance(op.inputs[effects.view_of].type, ArrayType)
            and self.activity.is_shadowed(op.outputs[0])
            and not has_shadow_of_its_own(op)
        )

    def _beside(self, op: Operation, output: Value) -> None:
        scope = self._scope(op)
        if not self.is_view(op):
            self.made[output] = self._memory(scope, op, output)
        elif output not in self.made:
            self._check_view(op)
            of = effects_of(op).view_of
            inputs = [self.made[x] if k == of else x for k, x in enumerate(op.inputs)]
            views = scope.emit(op.name, inputs, op.attributes)
            if "read-only" in REGISTRY[op.name].traits:
                views = tuple([scope.make("writable", view) for view in views])
            self.made.update(zip(op.outputs, views, strict=True))
        self.behind[op] += scope.block.operations

    def _check_view(self, op: Operation) -> None:
        effects = effects_of(op)
        shows_its_input = effects.copies or op.name == "require" or not effects.reads
        if op.has("reinterprets") or not shows_its_input:
            raise no_derivative(op)

    def _memory(self, scope: BlockScope, op: Operation, output: Value) -> Value:
        shape = output.shape
        if has_shadow_of_its_own(op):
            return self._spread(scope, op, output)
        if op.name in ("zeros", "ones", "empty") and op.attributes.get("order", "C") == "C":
            dtype = output.dtype
            return scope.emit("zeros", op.inputs, {**op.attributes, "dtype": dtype})[0]
        if REGISTRY[op.name].family == "elementwise" and shape:
            return scope.make("zero_of", output)
        if len(shape) <= 1 and None not in shape:
            return scope.make("zeros", shape=shape, dtype=output.dtype)
        return scope.make("shadow_like", output)

    def _spread(self, scope: BlockScope, op: Operation, output: Value) -> Value:
        """Memory of its own: the rule of the operation hands on what it holds in the end.

        That is right as long as the array keeps the numbers that the view shows.
        """
        if self.overwriting.after(op.inputs[0], op):
            raise no_derivative(op, "the array is written later; broadcast a copy of it, x.copy()")
        dtype = output.dtype
        return scope.make("like", output, name="zeros_like", dtype=dtype, order="C")

    def merge(self, op: Operation, scope: BlockScope) -> None:
        """Backwards: a view that turned out to be a copy gives its adjoint to what it was copied from."""
        if effects_of(op).copies:  # `shadow_merge` tells which it is
            order = op.attributes.get("order") or "C"
            x, y = self.made[op.inputs[0]], self.made[op.output]
            scope.do("shadow_merge", x, y, order=order)

    def _scope(self, op: Operation) -> BlockScope:
        scope = BlockScope(Block())
        scope.location = op.location
        return scope

    # -- control flow ----------------------------------------------------------------------------------

    def _with_blocks(self, op: Operation) -> None:
        if op.is_loop:
            self._loop(op)
        elif op.is_try:
            self._try(op)
        else:
            self._branches(op)

    def _branches(self, op: Operation) -> None:
        for block in op.blocks:
            self.block(block)
        shadowed = [k for k, output in enumerate(op.outputs) if self.activity.is_shadowed(output)]
        for block in op.blocks:
            self._yield(block, [block.results[k] for k in shadowed] if block.ends == "yield" else [])
        self._more_outputs(op, shadowed)

    def _yield(self, block: Block, results: Sequence[Value]) -> None:
        """The block leaves the shadows of some of its results, too."""
        if block.ends == "yield":
            scope = BlockScope(block)
            block.results += tuple([self._found(scope, result) for result in results])

    def _more_outputs(self, op: Operation, shadowed: Sequence[int]) -> None:
        outputs = [op.outputs[k] for k in shadowed]
        for output in outputs:
            self.made[output] = add_output(op, output)

    def _loop(self, op: Operation) -> None:
        state, count = loop_state(op), len(op.outputs)
        shadowed = [k for k, output in enumerate(op.outputs) if self.activity.is_shadowed(output)]
        for block in op.blocks:
            first = len(block.params) - count
            for k in shadowed:
                param = block.params[first + k]
                self.made[param] = Value(companion_type(param.type), param.hint)
                block.params.append(self.made[param])
        for block in op.blocks:
            self.block(block)
        before = self._scope(op)
        op.inputs += tuple([self._found(before, state[k]) for k in shadowed])
        self.ahead[op] += before.block.operations
        body = op.blocks[-1]
        self._yield(body, [body.results[k] for k in shadowed] if body.ends == "yield" else [])
        self._more_outputs(op, shadowed)
        if self._matters(body) or any(map(self.activity.is_active, op.outputs)):
            self._count(op)

    def _matters(self, body: Block) -> bool:
        touched = self.activity.is_touched
        return any(touched(op) or any(map(self._matters, op.blocks)) for op in body.operations)

    def _count(self, op: Operation) -> None:
        """How often the body runs, as one more result of the loop."""
        if op.is_counted and len(op.blocks) == 1:  # the range tells, where somebody asks
            return
        scope = self._scope(op)
        op.inputs += (scope.constant(0),)
        self.ahead[op] += scope.block.operations
        for block in op.blocks:
            block.params.append(Value(INT, "count"))
        body = op.blocks[-1]
        if body.ends == "yield":
            last = BlockScope(Block())
            following = last.make("py.add", body.params[-1], last.constant(1))
            body.operations += last.block.operations
            body.results += (following,)
        self._counts[op] = add_output(op, Value(INT, "count"))

    def count(self, op: Operation) -> Value:
        if op not in self._counts:
            scope = self._scope(op)
            self._counts[op] = scope.make("py.range_length", *op.inputs[:3])
            self.ahead[op] += scope.block.operations
        return self._counts[op]

    def _try(self, op: Operation) -> None:
        before = BlockScope(Block())
        for param in filter(self.activity.is_shadowed, op.blocks[1].params):
            self._found(before, param)
        self._branches(op)
        op.blocks[1].operations[:0] = before.block.operations
        for block, handled in zip(op.blocks, (False, True), strict=True):
            if block.ends == "yield":
                block.results += (BlockScope(block).constant(handled),)
        self._handled[op] = add_output(op, Value(BOOL, "handled"))

    def handled(self, op: Operation) -> Value:
        """Did an exception come to the handler?"""
        return self._handled[op]

    # -- calls -----------------------------------------------------------------------------------------

    def _call(self, op: Operation) -> None:
        if not self.activity.is_touched(op):
            return
        name, inputs, outputs = op.attributes["function"], op.inputs, op.outputs
        self._called[op] = (name, inputs, outputs)
        if op.attributes.get("remat"):  # called as it is; the backward part calls its forward part
            for output in filter(self.activity.is_shadowed, outputs):
                self._beside(op, output)
            return
        scope = self._scope(op)
        given = []
        for x in inputs:
            if x.type == STACK:
                given += [self.stacks[x].adjoints, self.stacks[x].shadows]
            elif has_memory(x):  # where it is not active, what is added to it is for nobody
                given.append(self._found(scope, x))
        self.ahead[op] += scope.block.operations
        op.inputs += (*given, self.stack("words"), self.stack("objects"))
        op.attributes = {**op.attributes, "function": self.functions.forward(name)}
        for output in filter(has_memory, outputs):
            self.made[output] = add_output(op, output)

    def call(self, op: Operation) -> tuple[str, tuple[Value, ...], tuple[Value, ...]] | None:
        """Function, arguments and results of a call as the program has it; None where no
        derivative goes through."""
        return self._called.get(op)

    # -- stacks of a gradient that is differentiated again -----------------------------------------------

    def _new_stack(self, op: Operation) -> None:
        if self.activity.is_active_stack(op.output):
            scope = self._scope(op)
            adjoints = scope.make("stack.new", **op.attributes)
            self.stacks[op.output] = Stacks(adjoints, scope.make("stack.new", words=False))
            self.behind[op] += scope.block.operations

    def _push(self, op: Operation) -> None:
        if op.attributes["words"]:  # copies, whose adjoints are handed over as values
            return
        shadowed = [x for x in op.inputs[1:] if self.activity.is_shadowed(x) or is_buffer(x)]
        if shadowed and op.inputs[0] in self.stacks:
            scope = self._scope(op)
            shadows = [self._found(scope, x) for x in shadowed]
            scope.do("stack.push", self.stacks[op.inputs[0]].shadows, *shadows, words=False)
            self.behind[op] += scope.block.operations

    def _pop(self, op: Operation) -> None:
        shadowed = [y for y in op.outputs if self.activity.is_shadowed(y) or is_buffer(y)]
        if op.attributes["words"]:
            for output in shadowed:
                self._beside(op, output)
        elif shadowed and op.inputs[0] in self.stacks:
            scope = self._scope(op)
            types = tuple([companion_type(y.type) for y in shadowed])
            attributes = {"types": types, "words": False, "writable": True}
            popped = scope.emit("stack.pop", (self.stacks[op.inputs[0]].shadows,), attributes)
            self.made.update(zip(shadowed, popped, strict=True))
            self.behind[op] += scope.block.operations

    def _buffer(self, op: Operation) -> None:
        if self.activity.is_active_stack(op.outputs[0] if effects_of(op).makes else op.inputs[0]):
            scope = self._scope(op)
            made = beside(op, self.made.get, scope)
            if made is not None:
                self.made[op.output] = made
            self.behind[op] += scope.block.operations
        for output in op.outputs:
            if not is_buffer(output) and self.activity.is_shadowed(output):  # an array that was taken out
                self._beside(op, output)

    # -- in the end ------------------------------------------------------------------------------------

    def materialise(self, body: Block) -> None:
        """Insert what was written for the forward part."""
        self._insert(body)
        body.operations[:0] = self._head

    def _insert(self, block: Block) -> None:
        found: list[Operation] = []
        for op in block.operations:
            for nested in op.blocks:
                self._insert(nested)
            found += [*self.ahead.get(op, ()), op, *self.behind.get(op, ())]
        block.operations = found


_STACKS: dict[str, Callable[[Shadows, Operation], None]] = {
    "stack.new": Shadows._new_stack,
    "stack.push": Shadows._push,
    "stack.pop": Shadows._pop,
}


def has_shadow_of_its_own(op: Operation) -> bool:
    """Is it a view whose shadow is no view of the shadow, but pulled back by the operation's rule?

    That is right as long as nobody writes into the array, or into the view.
    """
    return "own shadow" in REGISTRY[op.name].traits


def is_smooth_array(value: Value) -> bool:
    return isinstance(value.type, ArrayType) and value.type.dtype.kind in "fc"


def has_memory(value: Value) -> bool:
    """Is what a call hands over beside it no value, but memory or a companion?"""
    return is_smooth_array(value) or has_companion(value)


def add_output(op: Operation, like: Value) -> Value:
    """One more output of an operation."""
    made = Value(companion_type(like.type) if has_companion(like) else like.type, like.hint, op)
    op.outputs += (made,)
    return made
