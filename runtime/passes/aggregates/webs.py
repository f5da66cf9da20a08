"""Which objects and containers of a graph are seen by nobody but operations whose doings are known.

Where paths meet, or a loop goes round, a value may stand for one of several of them: they are a *web*.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator

from runtime.graph import Block, Graph, Operation, Value, loop_state
from runtime.ops.item_patterns import Pattern
from runtime.passes.aggregates.accesses import is_access, shape_of_new
from runtime.passes.register_promotion import HANDS_ON
from runtime.types import ContainerType, InstanceType

#: they ask for derivatives with respect to those of their inputs that follow the results
_DERIVATIVES = frozenset({"gradient", "tangent"})


class Web:
    """Objects, or containers, that may stand for each other."""

    def __init__(self, is_object: bool) -> None:
        self.is_object = is_object
        self.makes: list[Operation] = []
        self.accesses: list[Operation] = []
        self.values = 0
        self.returned = 0  # how often it is a result of the graph
        self.escapes = False  # somebody else may see it
        self.is_local = False
        #: what somebody reads there, by `field`
        self.kinds: dict[Hashable, Pattern] = {}

    def field(self, place: Hashable) -> Hashable:
        """What is known alike of several places: all items of a container are of one kind."""
        return place if self.is_object else None

    def kind(self, place: Hashable) -> Pattern | None:
        """What a place is known to hold; None where nobody reads it."""
        return self.kinds.get(self.field(place))


class Webs:
    """Those of a graph. ``of``: by each value that is one."""

    def __init__(self, graph: Graph) -> None:
        self.of: dict[Value, Web] = {}
        self._accesses: set[Operation] = set()
        self._join(graph)
        self._expose(graph.params)
        for value in graph.results:
            if _is_reference(value):
                self[value].returned += 1
        self.used = _uses(graph)
        self._look(graph.body)

    def __getitem__(self, value: Value) -> Web:
        """The web of a reference."""
        if value not in self.of:
            self.of[value] = Web(isinstance(value.type, InstanceType))
            self.of[value].values = 1
        return self.of[value]

    def made_by(self, op: Operation) -> Web | None:
        """The web of what an operation makes."""
        web = self.of.get(op.outputs[0]) if op.outputs else None
        return web if web is not None and op in web.makes else None

    def accessed_by(self, op: Operation) -> Web | None:
        """The web of what an operation reads or changes."""
        return self.of.get(op.inputs[0]) if op in self._accesses else None

    def __iter__(self) -> Iterator[Web]:
        return iter({id(web): web for web in self.of.values()}.values())

    def _join(self, graph: Graph) -> None:
        """Put into one web what is handed on as one value."""
        leaders: dict[Value, Value] = {}

        def leader(value: Value) -> Value:
            while leaders.setdefault(value, value) is not value:
                value = leaders[value]
            return value

        for op in graph.operations():
            for k, output in enumerate(op.outputs if op.name in HANDS_ON else ()):
                for value in _handed_on(op, k) if _is_reference(output) else ():
                    leaders[leader(value)] = leader(output)
        found: dict[Value, Web] = {}
        for value in leaders:
            first = leader(value)
            if first not in found:
                found[first] = Web(isinstance(first.type, InstanceType))
            self.of[value] = found[first]
            found[first].values += 1

    def _expose(self, values: Iterable[Value]) -> None:
        for value in values:
            if _is_reference(value):
                self[value].escapes = True

    def _look(self, block: Block) -> None:
        """At all that is done to references."""
        for op in block.operations:
            if op.name not in HANDS_ON:
                self._look_at(op)
            for nested in op.blocks:
                self._look(nested)
                if op.name not in HANDS_ON:
                    self._expose((*nested.params, *nested.results))

    def _look_at(self, op: Operation) -> None:
        if len(op.outputs) == 1 and _is_reference(op.output) and shape_of_new(op) is not None:
            self[op.output].makes.append(op)
        elif op.name != "undef":
            self._expose(op.outputs)
        if op.name in ("is", "list.is"):
            self._expose(self._compared(op))
        elif _is_reference(*op.inputs[:1]) and is_access(op):
            self[op.inputs[0]].accesses.append(op)
            self._accesses.add(op)
            self._expose(op.inputs[1:])
        else:
            self._expose(op.inputs)
        if op.name in _DERIVATIVES:
            self._keep_makers(op)

    def _compared(self, op: Operation) -> tuple[Value, ...]:
        """What keeps its identity for the sake of ``is``: two of one web may be one object, or not."""
        if len(op.inputs) != 2:
            return op.inputs
        a, b = op.inputs
        both = _is_reference(a) and _is_reference(b)
        return op.inputs if both and a is not b and self[a] is self[b] else ()

    def _keep_makers(self, op: Operation) -> None:
        """A derivative is with respect to what an operation gave: what is read stays read."""
        for value in op.inputs[op.attributes["results"] :]:
            maker = value.owner
            if maker is not None and is_access(maker) and _is_reference(maker.inputs[0]):
                self[maker.inputs[0]].escapes = True


def _is_reference(*values: Value) -> bool:
    return any(isinstance(value.type, InstanceType | ContainerType) for value in values)


def _uses(graph: Graph) -> Counter[Value]:
    """How often each value is used."""
    uses = Counter(graph.results)
    for op in graph.operations():
        uses.update(op.inputs)
        for block in op.blocks:
            uses.update(block.results)
    return uses


def _handed_on(op: Operation, k: int) -> Iterator[Value]:
    """All values that the k-th result of an `if` or a loop may be."""
    if op.name != "if":
        state = loop_state(op)
        yield state[k]
        yield from [block.params[len(block.params) - len(state) + k] for block in op.blocks]
    for block in op.blocks if op.name == "if" else op.blocks[-1:]:
        if block.ends == "yield":
            yield block.results[k]
