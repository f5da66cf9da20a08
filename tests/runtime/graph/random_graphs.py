"""Random well-formed graphs: arithmetic, arrays that alias and are written, prints, raises, control flow.

They end after a bounded number of steps. `run` observes everything that a caller could.
"""

from __future__ import annotations

import contextlib
import io
import random
from dataclasses import dataclass
from typing import Any

import numpy as np

from runtime.engines.numpy_engine import compile
from runtime.graph import Block, Graph, Location, Operation, Value
from runtime.ops import REGISTRY, Dynamic, Hole, Template
from runtime.types import BOOL, FLOAT, INT, ArrayType, ScalarType, Type, parse_type, type_of

F64 = parse_type("f64")
ARRAY = parse_type("f64[3]")
PAIR = parse_type("f64[2]")
STATE_TYPES = [INT, FLOAT, F64, BOOL, ARRAY]
CONSTANTS: dict[Type, list[Any]] = {
    INT: [0, 1, 2, 3, -1, 7],
    FLOAT: [0.0, -0.0, 1.0, 2.5, float("inf"), float("nan")],
    BOOL: [True, False],
    F64: [np.float64(0.0), np.float64(1.0), np.float64(-0.0), np.float64("nan")],
}
HINTS = ["", "", "x", "y", "total", "i", "self.total", "d['k']", "_1", "for", "nan"]


def make_graph(seed: int, size: int = 12) -> Graph:
    return _Maker(random.Random(seed)).graph(size)


class _Maker:
    def __init__(self, choose: random.Random) -> None:
        self.choose = choose
        self.visible: list[Value] = []
        self.block = Block()
        self.line = 1
        self.depth = 0

    def graph(self, size: int) -> Graph:
        types = {"x": ARRAY, "y": ARRAY, "n": INT, "a": FLOAT}
        self.block = Block([Value(type, name) for name, type in types.items()])
        self.visible += self.block.params
        body = self.block
        self.statements(size, depth=0)
        if body.ends == "yield":
            body.results = tuple([self.pick(self.choose.choice(STATE_TYPES)) for _ in range(3)])
        return Graph("random_graph", body)

    # -- values ----------------------------------------------------------------------------------------

    def emit(self, name: str, inputs: list[Value], **attributes: Any) -> Value | None:
        infer = REGISTRY[name].infer
        assert infer is not None
        types = infer(tuple([v.type for v in inputs]), **attributes)
        op = self.add(name, inputs, types if isinstance(types, tuple) else (types,), attributes)
        return op.outputs[0] if op.outputs else None

    def add(self, name: str, inputs: list[Value], types: tuple[Type, ...], attributes: Any, blocks: Any = ()):
        self.line += 1
        place = Location("demo.py" if self.choose.random() < 0.9 else "other.py", self.line, "f")
        op = Operation(name, tuple(inputs), types, attributes, tuple(blocks), place)
        self.block.append(op)
        for output in op.outputs:
            output.hint = self.choose.choice(HINTS)
        self.visible += op.outputs
        return op

    def pick(self, type: Type) -> Value:
        fitting = [value for value in self.visible if value.type == type]
        if fitting and self.choose.random() < 0.8:
            return self.choose.choice(fitting[-6:])
        if isinstance(type, ArrayType):
            return self.emit("add", [self.choose.choice(self.visible[:2]), self.pick(FLOAT)])
        return self.emit("constant", [], value=self.choose.choice(CONSTANTS[type]))

    # -- statements ------------------------------------------------------------------------------------

    def statements(self, count: int, depth: int) -> None:
        for _ in range(count):
            kinds = [self.number, self.number, self.numpy_number, self.compare, self.array, self.write]
            kinds += [self.read, self.view, self.say]
            if depth < 3:
                kinds += [self.branch, self.count_loop, self.while_loop]
            self.depth = depth
            self.choose.choice(kinds)()
            self.depth = depth
            if self.block.ends == "never":
                return

    def number(self) -> None:
        type = self.choose.choice([INT, FLOAT])
        name = self.choose.choice(["py.add", "py.sub", "py.mul", "py.floordiv", "py.mod", "py.neg"])
        operands = [self.pick(type)] if name == "py.neg" else [self.pick(type), self.pick(type)]
        self.emit(name, operands)

    def numpy_number(self) -> None:
        name = self.choose.choice(["add", "multiply", "subtract", "true_divide"])
        self.emit(name, [self.pick(F64), self.pick(self.choose.choice([F64, FLOAT]))])

    def compare(self) -> None:
        name = self.choose.choice(["py.lt", "py.eq", "py.ge"])
        type = self.choose.choice([INT, FLOAT])
        self.emit(name, [self.pick(type), self.pick(type)])

    def array(self) -> None:
        name = self.choose.choice(["add", "multiply", "maximum", "negative"])
        operands = [self.pick(ARRAY)]
        if name != "negative":
            operands.append(self.pick(self.choose.choice([ARRAY, FLOAT, F64])))
        self.emit(name, operands)

    def write(self) -> None:
        target = self.pick(self.choose.choice([ARRAY, ARRAY, PAIR]) if self.has(PAIR) else ARRAY)
        if self.choose.random() < 0.4:
            self.emit("inplace", [target, self.pick(FLOAT)], ufunc="add")
        elif self.choose.random() < 0.5:
            self.emit("setitem", [target, self.pick(FLOAT)], index=(self.choose.randrange(2),))
        else:
            self.emit("setitem", [target, self.pick(FLOAT), self.pick(INT)], index=(Dynamic(0),))

    def has(self, type: Type) -> bool:
        return any(value.type == type for value in self.visible)

    def read(self) -> None:
        source = self.pick(ARRAY)
        if self.choose.random() < 0.5:
            self.emit("sum", [source], axis=None)
        elif self.choose.random() < 0.5:
            self.emit("getitem", [source], index=(self.choose.randrange(-3, 3),))
        else:
            self.emit("getitem", [source, self.pick(INT)], index=(Dynamic(0),))

    def view(self) -> None:
        self.emit("getitem", [self.pick(ARRAY)], index=(slice(1, None),))

    def say(self) -> None:
        values = [self.pick(self.choose.choice(STATE_TYPES))]
        self.emit("print", values, template=Template((("it's #", Hole(0)), {})))

    # -- control flow ----------------------------------------------------------------------------------

    def inside(self, params: list[Value], results: list[Type], may_raise: bool = False) -> Block:
        outer, visible, depth = self.block, list(self.visible), self.depth
        block = self.block = Block(params)
        self.visible += params
        self.statements(self.choose.randrange(5), self.depth + 1)
        if block.ends == "yield" and may_raise and self.choose.random() < 0.15:
            values = [self.pick(FLOAT)]
            self.emit("raise", values, exception=ValueError, template=Template((("bad", Hole(0)), {})))
            block.ends = "never"
        if block.ends == "yield":
            block.results = tuple([self.pick(type) for type in results])
        self.block, self.visible, self.depth = outer, visible, depth
        return block

    def branch(self) -> None:
        pred = self.pick(BOOL)
        types = self.choose.choices(STATE_TYPES, k=self.choose.randrange(3))
        blocks = [self.inside([], types, may_raise=True) for _ in range(2)]
        if all(block.ends == "never" for block in blocks):
            blocks[1] = Block()
            types = []
        self.add("if", [pred], tuple(types), {}, blocks)

    def carried(self) -> tuple[list[Value], list[Value]]:
        initial = [self.pick(t) for t in self.choose.choices(STATE_TYPES, k=self.choose.randrange(3))]
        return initial, [Value(v.type, self.choose.choice(HINTS)) for v in initial]

    def count_loop(self) -> None:
        initial, params = self.carried()
        bounds = [self.emit("constant", [], value=k) for k in (0, self.choose.randrange(4), 1)]
        types = [value.type for value in params]
        body = self.inside([Value(INT, "i"), *params], types)
        if body.ends == "yield":
            self.add("for", bounds + initial, tuple(types), {}, [body])

    def while_loop(self) -> None:
        """Counts to a small number; carries more besides."""
        initial, params = self.carried()
        zero = self.emit("constant", [], value=0)
        types = [INT, *[value.type for value in params]]
        counters = [Value(INT, "k"), Value(INT, "k")]
        test = Block([counters[0], *[Value(p.type, p.hint) for p in params]])
        outer, visible = self.block, list(self.visible)
        self.block, self.visible = test, visible + test.params
        limit = self.emit("constant", [], value=self.choose.randrange(4))
        test.results = (self.emit("py.lt", [counters[0], limit]),)
        self.block, self.visible = outer, visible
        body = self.inside([counters[1], *params], types[1:])
        if body.ends == "never":
            return
        one = body.append(
            Operation("constant", (), (INT,), {"value": 1}, location=Location("demo.py", 1, "f"))
        )
        step = Operation("py.add", (counters[1], one.output), (INT,), location=Location("demo.py", 2, "f"))
        body.append(step)
        body.results = (step.output, *body.results)
        self.add("while", [zero, *initial], tuple(types), {}, [test, body])


# -- observing -----------------------------------------------------------------------------------------


@dataclass
class Observation:
    results: list[str]
    printed: str
    error: str
    arguments: list[str]
    sharing: list[bool]


def run(graph: Graph, aliased: bool) -> Observation:
    """Everything that a caller could see of one call."""
    x = np.array([1.0, -0.0, 3.0])
    y = x if aliased else np.array([2.0, 0.5, -1.0])
    arguments = [x, y, 2, 0.5]
    results, error, printed = [], "", io.StringIO()
    with contextlib.redirect_stdout(printed), np.errstate(all="ignore"):
        try:
            results = compile(graph)(arguments)
        except (ArithmeticError, ValueError, IndexError) as raised:
            error = f"{type(raised).__name__}: {raised}"
    arrays = [item for item in (*arguments, *results) if isinstance(item, np.ndarray)]
    sharing = [np.shares_memory(a, b) for a in arrays for b in arrays] + [
        a is b for a in arrays for b in arrays
    ]
    return Observation(exact(results), printed.getvalue(), error, exact(arguments), sharing)


def exact(items: list[Any]) -> list[str]:
    """Type and bits; all NaNs are alike."""
    return [f"{_type_text(item)} {item!r}" for item in items]


def _type_text(item: Any) -> str:
    return str(type_of(item)) if isinstance(type_of(item), ArrayType | ScalarType) else type(item).__name__
