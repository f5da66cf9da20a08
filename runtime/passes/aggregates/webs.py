"""Which objects and containers of a graph are seen by nobody but operations whose doings are known.

Where paths meet, or a loop goes round, a value may stand for one of several of them: they are a *web*.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Iterator

from runtime.graph import Block, Graph, Operation, Value, loop_state
from runtime.ops.item_patterns import Pattern
from runtime.passes.aggregates.accesses import is_access
from runtime.passes.aggregates.shapes import shape_of_new
from runtime.types import ContainerType, InstanceType


class Web:
    """Objects, or containers, that may stand for each other."""

    def __init__(self, is_object: bool) -> None:
        self.is_object = is_object
        self.makes: list[Operation] = []
        self.accesses: list[Operation] = []
        self.values = 0
        self.returned = 0  # how often it is a result of the graph
        self.shown: list[Operation] = []  # to whom it is given away
        self.escapes = False  # somebody else may see it, before it is given away or returned
        self.is_compared = False
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
        self._places: dict[Operation, tuple[Block, int]] = {}
        self._around: dict[int, Operation] = {id(b): op for op in graph.operations() for b in op.blocks}
        self._look(graph.body)
        #: by the operation to which it is given away: what is made right before that
        self.shown: dict[Operation, list[Value]] = defaultdict(list)
        for value, web in self.of.items():
            if web.shown and not web.escapes:
                web.escapes = not self._is_shown_last(value, web)
                if not web.escapes:
                    self.shown[web.shown[0]].append(value)

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
            for k, output in enumerate(op.outputs if op.hands_on else ()):
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
        for k, op in enumerate(block.operations):
            self._places[op] = block, k
            if not op.hands_on:
                self._look_at(op)
            for nested in op.blocks:
                self._look(nested)
                if not op.hands_on:
                    self._expose((*nested.params, *nested.results))

    def _look_at(self, op: Operation) -> None:
        if len(op.outputs) == 1 and _is_reference(op.output) and shape_of_new(op) is not None:
            self[op.output].makes.append(op)
        elif not op.is_undef:
            self._expose(op.outputs)
        if op.compares_identity:
            self._compare(op)
        elif _is_reference(*op.inputs[:1]) and is_access(op):
            self[op.inputs[0]].accesses.append(op)
            self._accesses.add(op)
            self._show(op, op.inputs[1:])
        else:
            self._show(op, op.inputs)
        if op.is_derivative:  # with respect to those of its inputs that follow the results
            self._keep_makers(op)

    def _show(self, op: Operation, values: Iterable[Value]) -> None:
        for value in filter(_is_reference, values):
            self[value].shown.append(op)

    def _compare(self, op: Operation) -> None:
        """Two of one web may be one object, or not: they keep their identity."""
        references = [value for value in op.inputs if _is_reference(value)]
        for value in references:
            self[value].is_compared = True
        is_open = len(set(references)) > len({id(self[value]) for value in references})
        if is_open or len(op.inputs) != 2:
            self._expose(references)

    def _is_shown_last(self, value: Value, web: Web) -> bool:
        """Is it given away once, where it was made, and nothing is done to it afterwards?"""
        (op, *more), made = web.shown, value.owner
        if more or web.values > 1 or web.returned or web.is_compared or made not in web.makes:
            return False
        block, last = self._places[op]
        keeps = op.is_landing or op.is_derivative or op.is_mark
        if op.blocks or keeps or op.inputs.count(value) > 1 or self._places[made][0] is not block:
            return False
        return all(self._place_in(block, access) < last for access in web.accesses)

    def _place_in(self, block: Block, op: Operation) -> int:
        """Where in a block an operation is that stands in it, or in a block of one that does."""
        around, place = self._places[op]
        while around is not block:
            around, place = self._places[self._around[id(around)]]
        return place

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
    if not op.is_branch:
        state = loop_state(op)
        yield state[k]
        yield from [block.params[len(block.params) - len(state) + k] for block in op.blocks]
    for block in op.handing_on:
        if block.ends == "yield":
            yield block.results[k]
