"""Reverse mode: from a graph to a graph that also computes adjoints.

    graph f(x: float) -> float:                 graph f(x: float, g: f64) -> float, f64:
        y: float = math.sin(x)                      y: float = math.sin(x)
        return y                                    _1: f64 = cos(x)
                                                    _2: f64 = multiply(g, _1)
                                                    return y, _2

The result is the graph itself, the forward part, and behind it the backward part, which undoes it
operation by operation: an `if` by an `if`, a loop by a loop in the opposite direction, a call by a
call of the
function's backward part, a store into an array by a read from its adjoint. The parts:

* `activity.py`: which values matter, and which arrays have an adjoint that is memory (*shadow memory*).
* shadow memory is made in the forward part, beside the array, and views of it beside the array's views, so
  that the two always alias alike. The backward part reads and writes it.
* the backward part is written as if it could see every value of the forward part; `saving.py` then
makes it so. * what an operation's rule asks for and is overwritten later (`overwriting.py`) is
copied in the forward part.

Enzyme and Tapenade work like this; the first calls the memory shadow as well.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from runtime.gradients.buffers import reverse_buffer
from runtime.gradients.calls import Functions, numbers
from runtime.gradients.errors import GradientError, no_derivative
from runtime.gradients.frames import Frame
from runtime.gradients.rules import ends_here, pull_back, writes_unseen
from runtime.gradients.saving import Pair, all_used, make_visible, remove_unneeded
from runtime.gradients.scope import BlockScope, adjoint_type, is_buffer, is_smooth, zero
from runtime.gradients.shadows import has_memory, is_smooth_array
from runtime.gradients.sweep import Sweep
from runtime.gradients.tries import is_atomic
from runtime.gradients.writes import REVERSE
from runtime.graph import Block, Graph, Operation, Value, loop_state, walk
from runtime.graph.effects import effects_of
from runtime.graph.functions import note_effects, reachable
from runtime.graph.liveness import free_in
from runtime.graph.rewrite import Rebuild, clone
from runtime.ops import REGISTRY
from runtime.ops.control_flow import CALL, UNKNOWN_EFFECTS
from runtime.ops.template import Template
from runtime.types import INT, STACK, ArrayType, ObjectType


def reverse(graph: Graph, wrt: Sequence[int], of: Sequence[int]) -> Graph:
    """``graph`` with further parameters, the adjoints of the results numbered ``of``, and further
    results, those of the parameters numbered ``wrt``. An adjoint has the type `adjoint_type` of
    its value.

    Raises GradientError, with the user's place, where the path goes through what has no derivative.
    """
    forward = clone(graph)
    functions = Functions(forward)
    params = [forward.params[k] for k in wrt]
    sweep = Reverse(forward, functions, params)
    given = [Value(adjoint_type(forward.results[k].type), "g") for k in of]
    results = [forward.results[k] for k in of]
    adjoints = sweep.run(list(zip(results, given, strict=True)), params)
    differentiate_functions(functions)
    body = forward.body
    body.params += given
    body.results += tuple(adjoints)
    found = Graph(graph.name, body, dict(graph.info), reachable(body, functions.table))
    for function in list(found.functions.values()):
        function.functions = found.functions
    note_effects(found)
    return found


def differentiate_functions(functions: Functions) -> None:
    """Write the parts of all functions that are called."""
    while functions.todo:
        _differentiate(functions, functions.todo.pop())


def _differentiate(functions: Functions, name: str) -> None:
    """Write the two parts of a function into the table."""
    graph = functions.copy(name)
    graph.name = functions.forward(name)
    sweep = Reverse(graph, functions, list(graph.params), called=True)
    functions.table[graph.name] = graph
    functions.table[functions.backward(name)] = sweep.run_function(functions.backward(name))


class Reverse(Sweep):
    """Writes the backward part. Changes the graph in place."""

    # -- the whole -------------------------------------------------------------------------------------

    def run(self, start: Sequence[tuple[Value, Value]], wrt: Sequence[Value]) -> list[Value]:
        """Append the backward part to the body of the graph. Gives the adjoints of ``wrt``."""
        body = self.graph.body
        backward = Block()
        adjoints = self.write(body, backward, start, wrt)
        self.finish(backward, adjoints)
        body.operations[:0] = self.made_stacks()
        body.operations += backward.operations
        return adjoints

    def run_function(self, name: str) -> Graph:
        """Make the graph the forward part of a function; gives its backward part."""
        body = self.graph.body
        wrt, results = numbers(body.params), body.results
        self.shadows.enter_function(self.graph)
        stacks = self.take_stacks()
        body.params += stacks
        given = [(value, Value(adjoint_type(value.type), "g")) for value in numbers(results)]
        backward = Block([g for _, g in given])
        adjoints = self.write(body, backward, given, wrt)
        backward.results = tuple(adjoints)
        again = {stack: Value(stack.type, stack.hint) for stack in stacks}
        backward.params += again.values()
        self.pairs.append(Pair(body, backward, dict(again)))
        if body.ends == "yield":
            body.results += tuple([self.shadows.of(v) for v in results if has_memory(v)])
        self.finish(backward, adjoints, again)
        return Graph(name, backward, {}, self.functions.table)

    def write(
        self, body: Block, backward: Block, start: Sequence[tuple[Value, Value]], wrt: Sequence[Value]
    ) -> list[Value]:
        """Write the backward part of ``body``, as if it could see all of the forward part."""
        if not self.called:
            self.shadows.enter(self.graph)
        self.shadows.block(body)
        frame = self.frame(backward, body)
        for value, given in start:
            frame.add(value, given)
        if body.ends == "yield":
            self.block(body, frame)
        return [self._adjoint(frame, value) for value in wrt]

    def _adjoint(self, frame: Frame, value: Value) -> Value:
        found = frame.take(value)
        return zero(frame.scope, value) if found is None else found

    def finish(
        self, backward: Block, adjoints: Sequence[Value], stacks: Mapping[Value, Value] = MappingProxyType({})
    ) -> None:
        """Make the backward part see what it uses of nested blocks, and leave out what nothing uses.

        ``stacks``: what they are called in the backward part.
        """
        remove_unneeded(backward, set(adjoints))
        self.shadows.materialise(self.graph.body)
        used = all_used([backward])
        self._drop_copies(self.graph.body, used)
        for pair in self.pairs:
            self.connect(pair, stacks)
        for made, body, is_lost in self.tries:
            if is_lost or _keeps_before_its_end(body):
                refusal = Block(ends="never")
                refusal.append(_refuse("the gradient goes through what a `try` did before it raised", made))
                made.blocks = (refusal, made.blocks[1])

    def connect(self, pair: Pair, stacks: Mapping[Value, Value]) -> None:
        words, objects = (lambda: self.stack("words")), (lambda: self.stack("objects"))
        kept = make_visible(pair, words, objects, self._may_read, self.own_values)
        for pop in kept.pops:
            pop.inputs = tuple([stacks.get(x, x) for x in pop.inputs])
        pair.forward.operations += kept.pushes
        pair.backward.operations[:0] = kept.pops

    def _drop_copies(self, block: Block, used: set[Value]) -> None:
        block.operations = [op for op in block.operations if op not in self.copies or op.output in used]
        for op in block.operations:
            for nested in op.blocks:
                self._drop_copies(nested, used)

    def _may_read(self, array: Value, op: Operation) -> bool:
        return self.overwriting.knows(op) and not self.overwriting.after(array, op)

    # -- operations ------------------------------------------------------------------------------------

    def block(self, block: Block, frame: Frame) -> None:
        """Undo the operations of a forward block, the last one first."""
        for op in reversed(block.operations):
            frame.scope.location = op.location
            if op in self.shadows.companions.moved:
                self.reverse_moved(op, frame)
                continue
            special = _BLOCKS.get(op.name) or REVERSE.get(op.name)
            if REGISTRY[op.name].family == "buffer":
                reverse_buffer(frame, op, self.shadows.made)
            elif special is not None:
                special(self, op, frame)
            else:
                self.plain(op, frame)

    def plain(self, op: Operation, frame: Frame) -> None:
        """By the rule of the operation."""
        effects = effects_of(op)
        if not any(self.activity.is_active(x) or isinstance(x.type, ObjectType) for x in op.inputs):
            return
        if any(self.activity.is_active(op.inputs[k]) for k in effects.writes) or writes_unseen(op):
            raise no_derivative(op)
        if self.shadows.is_view(op):
            self.shadows.merge(op, frame.scope)
            return
        cotangents = [frame.take(y, not self._goes_item_by_item(op)) for y in op.outputs]
        if all(g is None for g in cotangents) or ends_here(op):
            return
        inputs = [self.before(x, op) for x in op.inputs]
        outputs = [self.after(y, op) for y in op.outputs]
        wanted = [self.activity.is_active(x) for x in op.inputs]
        start = len(frame.block.operations)
        pulled = pull_back(frame.scope, op, cotangents, inputs, outputs, wanted)
        arrays = [x for x in op.inputs if isinstance(x.type, ArrayType) and x.type.shape]
        summed = REGISTRY[op.name].family != "elementwise" or len(arrays) != 1
        frame.add_each(op.inputs, pulled, start, summed)

    def _goes_item_by_item(self, op: Operation) -> bool:
        """Is a cotangent that stands for many equal ones enough? Not where an operand was broadcast."""
        if REGISTRY[op.name].family != "elementwise" or len(op.outputs) != 1:
            return False
        shape = op.output.shape
        return None not in shape and all(x.shape == shape for x in op.inputs if self.activity.is_active(x))

    # -- control flow ----------------------------------------------------------------------------------

    def reverse_if(self, op: Operation, frame: Frame) -> None:
        given = self._given(op, frame)
        frames = [self._undo_branch(branch, given) for branch in op.blocks]
        self._branch(op, op.inputs, frames, frame)

    def _given(self, op: Operation, frame: Frame) -> list[Value | None]:
        """The adjoints of what an `if` or a `try` leaves; those in memory are where they are."""
        return [frame.take(y) if not self.activity.is_shadowed(y) else None for y in op.outputs]

    def _undo_branch(self, branch: Block, given: Sequence[Value | None]) -> Frame:
        inner = self.frame(Block(), branch)
        if branch.ends == "yield":
            for result, g in zip(branch.results, given, strict=True):
                if g is not None:
                    inner.add(result, g)
            self.block(branch, inner)
            self.pairs.append(Pair(branch, inner.block))
        return inner

    def _branch(
        self, op: Operation, condition: Sequence[Value], frames: Sequence[Frame], frame: Frame
    ) -> Operation | None:
        """The `if` that undoes the branch that ran; None where there is nothing to undo."""
        touched = list(dict.fromkeys(value for inner in frames for value in inner.outer))
        if not touched and not any(inner.block.operations for inner in frames):
            return None
        for inner in frames:
            found = [inner.values.get(value) for value in touched]
            inner.block.results = tuple(
                [zero(inner.scope, v) if g is None else g for v, g in zip(touched, found, strict=True)]
            )
        types = tuple([adjoint_type(value.type) for value in touched])
        blocks = tuple([inner.block for inner in frames])
        made = Operation("if", tuple(condition), types, {}, blocks, op.location)
        frame.block.append(made)
        for value, output in zip(touched, made.outputs, strict=True):
            frame.add(value, output)
        return made

    def reverse_loop(self, op: Operation, frame: Frame) -> None:
        body = op.blocks[-1]
        state, params = loop_state(op), body.params[len(body.params) - len(op.outputs) :]
        carried = [
            k
            for k, param in enumerate(params)
            if self.activity.is_active(param) and not self.activity.is_shadowed(param)
        ]
        given = {k: frame.take(op.outputs[k]) for k in carried}
        if body.ends == "never":
            for k, g in given.items():
                if g is not None:
                    frame.add(state[k], g)
            return
        for test in op.blocks[:-1]:
            self._check_test(test)
        counter = Value(INT, "i")
        adjoints = {k: Value(adjoint_type(params[k].type)) for k in carried}
        inner = self.frame(Block([counter, *adjoints.values()]), body)
        for k, adjoint in adjoints.items():
            inner.add(body.results[k], adjoint)
        self.block(body, inner)
        following = [inner.take(params[k]) for k in carried]
        touched = inner.outer
        if not carried and not touched and not inner.block.operations:
            return
        results = [
            zero(inner.scope, params[k]) if g is None else g for k, g in zip(carried, following, strict=True)
        ]
        for value, contribution in touched.items():
            total = Value(adjoint_type(value.type))
            inner.block.params.append(total)
            results.append(inner.scope.make("add", total, contribution))
        inner.block.results = tuple(results)
        pair = Pair(body, inner.block)
        bounds = self._backwards(op, frame.scope, counter, pair)
        self.pairs.append(pair)
        initial = [_or_zero(frame.scope, g, op.outputs[k]) for k, g in given.items()]
        initial += [zero(frame.scope, value) for value in touched]
        types = tuple([param.type for param in inner.block.params[1:]])
        made = Operation("for", (*bounds, *initial), types, {}, (inner.block,), op.location)
        frame.block.append(made)
        targets = [*[state[k] for k in carried], *touched]
        for value, output in zip(targets, made.outputs, strict=True):
            frame.add(value, output)

    def _check_test(self, test: Block) -> None:
        for op in test.operations:
            if any(self.activity.is_active(v) or self._is_active_buffer(v) for v in self._written(op)):
                raise no_derivative(op, "it stores something in the test of a loop; do that in its body")

    def _is_active_buffer(self, value: Value) -> bool:
        return is_buffer(value) and self.activity.is_active_stack(value)

    def _written(self, op: Operation) -> list[Value]:
        found = [op.inputs[k] for k in effects_of(op).writes]
        for block in op.blocks:
            found += self._written_in(block)
        return found

    def _backwards(
        self, op: Operation, scope: BlockScope, counter: Value, pair: Pair
    ) -> tuple[Value, Value, Value]:
        """Start, stop and step of the loop in the opposite direction. It may know the forward counter."""
        step = _constant_step(op)
        one, minus = scope.constant(1), scope.constant(-1)
        if op.is_counted and len(op.blocks) == 1 and step in (1, -1):
            start, stop, _ = op.inputs[:3]
            last, end = (minus, minus) if step == 1 else (one, one)
            bounds = (scope.make("py.add", stop, last), scope.make("py.add", start, end))
            pair.known[op.blocks[-1].params[0]] = counter
            return (*bounds, minus if step == 1 else one)
        count = self.shadows.count(op)
        bounds = (scope.make("py.sub", count, one), minus)
        if op.is_counted:
            start, _, by = op.inputs[:3]
            head = BlockScope(Block())
            place = head.make("py.add", start, head.make("py.mul", counter, by))
            pair.head = head.block.operations
            pair.known[op.blocks[-1].params[0]] = place
        return (*bounds, minus)

    def reverse_try(self, op: Operation, frame: Frame) -> None:
        """The body, or where an exception came to the handler the handler alone: what the body did before it
        raised must not matter then."""
        body, handler = op.blocks
        given = self._given(op, frame)
        frames = [self._undo_branch(block, given) for block in (handler, body)]
        lost = [p for p in handler.params if p in frames[0].values or self.activity.is_shadowed(p)]
        made = self._branch(op, (self.shadows.handled(op),), frames, frame)
        if made is not None:
            undone = body.operations[:-1] if is_atomic(body.operations[-1]) else body.operations
            written = [value for each in undone for value in self._written(each)]
            is_lost = bool(lost) or any(map(self._carries, written))
            self.tries.append((made, body, is_lost))

    def _written_in(self, block: Block) -> list[Value]:
        return [value for op in block.operations for value in self._written(op)]

    def _carries(self, value: Value) -> bool:
        return self.activity.is_shadowed(value) if has_memory(value) else self.activity.is_active(value)

    def _again(self, op: Operation, frame: Frame, name: str) -> None:
        """A `remat`: the function is called once more, now keeping what its backward part needs."""
        inputs = [self.before(x, op) for x in op.inputs]
        arrays = [x for x in op.inputs if is_smooth_array(x)]
        shadows = [
            self.shadows.of(x) if self.activity.is_shadowed(x) else frame.scope.make("shadow_like", x)
            for x in arrays
        ]
        results = [y for y in op.outputs if is_smooth_array(y)]
        types = tuple([y.type for y in (*op.outputs, *results)])
        attributes = {"function": self.functions.forward(name), "effects": UNKNOWN_EFFECTS}
        given = (*inputs, *shadows, self.stack("words"), self.stack("objects"))
        made = Operation(CALL, given, types, attributes, (), op.location)
        frame.block.append(made)
        for y, shadow in zip(results, made.outputs[len(op.outputs) :], strict=True):
            if self.activity.is_shadowed(y):
                frame.scope.do("inplace", shadow, self.shadows.of(y), ufunc="add")

    def reverse_custom(self, op: Operation, frame: Frame) -> None:
        """What the user's function makes of the adjoints."""
        given = [frame.take(y) for y in op.outputs]
        if all(g is None for g in given):
            return
        (block,) = op.blocks
        copy = Rebuild()
        copy.values = {value: self.before(value, op) for value in free_in(block)}
        adjoints = [_or_zero(frame.scope, g, y) for g, y in zip(given, op.outputs, strict=True)]
        copy.values.update(zip(block.params, adjoints, strict=True))
        for inner in block.operations:
            copy.operation(inner, frame.block)
        for x, adjoint in zip(op.inputs[len(op.outputs) :], copy.of(block.results), strict=True):
            frame.add(x, adjoint)

    def reverse_moved(self, op: Operation, frame: Frame) -> None:
        """Items of containers were put somewhere, or read."""
        moved = self.shadows.companions.moved[op]
        for value, cell in moved.read:
            g = frame.take(value)
            if g is not None:
                total = frame.scope.make("add", frame.scope.make("getitem", cell, index=()), g)
                frame.scope.do("setitem", cell, total, index=())
        for value, cell in moved.put:
            if self.activity.is_active(value):
                frame.add(value, frame.scope.make("getitem", cell, index=()))
        if moved.all_read is not None:
            name, companion, attributes = moved.all_read
            for y in op.outputs:
                g = frame.take(y)
                if g is not None:
                    frame.scope.do(name, companion, g, **attributes)
                    for x in op.inputs[1:]:
                        frame.add(x, g)
        if moved.added is not None:
            value, name, companion, attributes = moved.added
            if self.activity.is_active(value):
                frame.add(value, frame.scope.emit(name, (companion,), attributes)[0])

    def reverse_push(self, op: Operation, frame: Frame) -> None:
        """In a gradient that is differentiated again. The adjoints of stacks go the opposite way."""
        stack, *values = op.inputs
        handed = self._handed(op, values)
        if stack in self.shadows.stacks and handed:
            types = tuple([adjoint_type(v.type) for v in handed])
            attributes = {"types": types, "words": op.attributes["words"]}
            adjoints = frame.scope.emit("stack.pop", (self.shadows.stacks[stack].adjoints,), attributes)
            for value, adjoint in zip(handed, adjoints, strict=True):
                frame.add(value, adjoint)

    def reverse_pop(self, op: Operation, frame: Frame) -> None:
        stack, handed = op.inputs[0], self._handed(op, op.outputs)
        if stack in self.shadows.stacks and handed:
            adjoints = [_or_zero(frame.scope, frame.take(y), y) for y in handed]
            target, words = self.shadows.stacks[stack].adjoints, op.attributes["words"]
            frame.scope.do("stack.push", target, *adjoints, words=words)

    def _handed(self, op: Operation, values: Sequence[Value]) -> list[Value]:
        """Those whose adjoints are handed over by value: all that were copied."""
        copied = op.attributes["words"]
        return [v for v in values if is_smooth(v.type) and (copied or not self.activity.is_shadowed(v))]

    def reverse_call(self, op: Operation, frame: Frame) -> None:
        """A call of the function's backward part."""
        called = self.shadows.call(op)
        if called is None:
            return
        name, arguments, results = called
        if op.attributes.get("remat"):
            self._again(op, frame, name)
        given = [_or_zero(frame.scope, frame.take(y), y) for y in numbers(results)]
        targets = numbers(arguments)
        types = tuple([adjoint_type(x.type) for x in targets])
        inputs = (*given, self.stack("words"), self.stack("objects"))
        attributes = {"function": self.functions.backward(name), "effects": UNKNOWN_EFFECTS}
        made = Operation(CALL, inputs, types, attributes, (), op.location)
        frame.block.append(made)
        for value, output in zip(targets, made.outputs, strict=True):
            frame.add(value, output)


def _or_zero(scope: BlockScope, adjoint: Value | None, like: Value) -> Value:
    return zero(scope, like) if adjoint is None else adjoint


def _refuse(text: str, op: Operation) -> Operation:
    attributes = {"exception": GradientError, "template": Template(((text,), {}))}
    return Operation("raise", (), (), attributes, (), op.location)


def _keeps_before_its_end(body: Block) -> bool:
    """Is something on a stack, for the backward part of the body, if the body does not reach its end?"""
    inside = [inner for op in body.operations for block in op.blocks for inner in walk(block)]
    called = [op for op in body.operations if op.is_call]
    return any(x.type == STACK for op in (*inside, *called) for x in op.inputs)


def _constant_step(op: Operation) -> int | None:
    maker = op.inputs[2].owner if op.is_counted else None
    return maker.attributes["value"] if maker is not None and maker.is_constant else None


_BLOCKS: dict[str, Callable[[Reverse, Operation, Frame], None]] = {
    "if": Reverse.reverse_if,
    "while": Reverse.reverse_loop,
    "for": Reverse.reverse_loop,
    "try": Reverse.reverse_try,
    CALL: Reverse.reverse_call,
    "custom_gradient": Reverse.reverse_custom,
    "stack.push": Reverse.reverse_push,
    "stack.pop": Reverse.reverse_pop,
}
