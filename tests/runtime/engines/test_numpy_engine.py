"""The numpy engine: control flow, effects in order, errors at the user's line, memory freed early."""

import io
import sys
import traceback
import weakref

import numpy as np
import pytest

import runtime.tensor  # noqa: F401
from runtime.engines import numpy_engine
from runtime.graph import Block, Graph, Location, Operation, Value
from runtime.numpy_calls.protocols import NumPyProtocols
from runtime.tracer.builder import Builder, activate, emit
from runtime.tracer.spec import make_template
from runtime.types import BOOL, FLOAT, INT, parse_type


class Maker:
    """Builds a graph by hand: ``op`` appends to the current block."""

    def __init__(self, *types):
        self.params = [Value(t) for t in types]
        self.body = Block(list(self.params))
        self.builder = Builder(self.body)
        self.builder.numpy = NumPyProtocols()

    def op(self, name, *inputs, **attributes):
        with activate(self.builder):
            result = emit(
                name, [self.builder.wrap(i) if isinstance(i, Value) else i for i in inputs], **attributes
            )
        return result.value if result is not None else None

    def block(self, types, fill):
        block = Block([Value(t) for t in types])
        with self.builder.into(block):
            block.results = tuple(fill(*block.params))
        return block

    def control(self, name, inputs, outputs, *blocks):
        inputs = tuple([i if isinstance(i, Value) else self.builder.constant(i) for i in inputs])
        return self.builder.append(Operation(name, inputs, outputs, {}, blocks)).outputs

    def compile(self, *results):
        self.body.results = results
        return numpy_engine.compile(Graph("f", self.body))


def test_if():
    m = Maker(BOOL, INT)
    test, n = m.params
    then = m.block([], lambda: [m.op("py.add", n, 1)])
    orelse = m.block([], lambda: [n])
    (y,) = m.control("if", (test,), (INT,), then, orelse)
    run = m.compile(y)
    assert run([True, 4]) == [5]
    assert run([False, 4]) == [4]


def test_while_with_state_that_changes_places():
    m = Maker(INT, INT)
    test = m.block([INT, INT], lambda a, b: [m.op("py.ne", b, 0)])
    body = m.block([INT, INT], lambda a, b: [b, m.op("py.mod", a, b)])
    a, _ = m.control("while", m.params, (INT, INT), test, body)
    assert m.compile(a)([48, 36]) == [12]


def test_for_with_a_test_and_a_step():
    m = Maker(INT)
    test = m.block([INT, INT], lambda i, s: [m.op("py.lt", s, 20)])
    body = m.block([INT, INT], lambda i, s: [m.op("py.add", s, i)])
    (s,) = m.control("for", (0, m.params[0], 3, 0), (INT,), test, body)
    run = m.compile(s)
    assert run([10]) == [18]
    assert run([100]) == [30]
    assert run([-5]) == [0]


def test_a_loop_that_changes_an_array():
    m = Maker(parse_type("i64[None]"))
    (x,) = m.params
    from runtime.ops import Dynamic

    def fill(i):
        m.op("setitem", x, m.op("py.mul", i, i), i, index=(Dynamic(0),))
        return []

    n = m.op("dim", x, axis=0)
    m.control("for", (0, n, 1), (), m.block([INT], fill))
    x = np.zeros(4, np.int64)
    assert m.compile()([x]) == []
    assert x.tolist() == [0, 1, 4, 9]


def test_print_goes_to_the_stdout_of_the_run():
    m = Maker(FLOAT)
    with activate(m.builder):
        template, values = make_template((("x is", m.builder.wrap(m.params[0])), {"end": "!"}))
        emit("print", values, template=template)
    run = m.compile()
    before, sys.stdout = sys.stdout, io.StringIO()
    try:
        run([2.5])
        assert sys.stdout.getvalue() == "x is 2.5!"
    finally:
        sys.stdout = before


def divide():
    m = Maker(INT)
    test = m.block([INT], lambda n: [m.op("py.gt", n, -5)])
    body = m.block([INT], lambda n: [m.op("py.sub", m.op("py.floordiv", 10, n), 100)])
    for op in body.operations:
        op.location = Location("user.py", 17, "area.<locals>.inner")
    (n,) = m.control("while", m.params, (INT,), test, body)
    return m.compile(n)


def test_an_error_names_the_users_line_and_nothing_of_ours():
    with pytest.raises(ZeroDivisionError) as caught:
        divide()([0])
    entries = traceback.extract_tb(caught.value.__traceback__)
    assert [(e.filename, e.lineno, e.name) for e in entries[-1:]] == [("user.py", 17, "inner")]
    assert len(entries) == 3  # this test, the call of the executable, the user's line
    assert "^" not in "".join(traceback.format_tb(caught.value.__traceback__)[-1:])


def test_all_frames_are_kept_on_request(monkeypatch):
    monkeypatch.setenv("AUTOGRAPH_DEBUG", "1")
    with pytest.raises(ZeroDivisionError) as caught:
        divide()([0])
    assert len(traceback.extract_tb(caught.value.__traceback__)) > 4


def test_frames_of_the_users_own_functions_stay():
    m = Maker(INT)

    def black_box(n):
        return [0][n]

    with activate(m.builder):
        template, values = make_template(((m.builder.wrap(m.params[0]),), {}))
        y = emit("call", values, function=black_box, template=template, outputs=(INT,)).value
    run = m.compile(y)
    assert run([0]) == [0]
    with pytest.raises(IndexError) as caught:
        run([1])
    assert [e.name for e in traceback.extract_tb(caught.value.__traceback__)][-1] == "black_box"


def test_an_exception_keeps_its_identity_cause_and_context():
    error = KeyError("k")
    m = Maker()

    def fail():
        raise error from OSError("cause")

    with activate(m.builder):
        template, _ = make_template(((), {}))
        emit("call", [], function=fail, template=template)
    with pytest.raises(KeyError) as caught:
        m.compile()([])
    assert caught.value is error
    assert isinstance(error.__cause__, OSError)


def test_arrays_die_as_soon_as_nothing_needs_them():
    alive = []

    def watched(x):
        made = np.ones(3)
        alive.append(weakref.ref(made))
        return made

    def count(x):
        return float(sum(ref() is not None for ref in alive))

    m = Maker(FLOAT)
    (x,) = m.params
    make, ask = (
        {"function": watched, "outputs": (parse_type("f64[3]"),)},
        {"function": count, "outputs": (FLOAT,)},
    )
    template, _ = make_template(((1,), {}))
    a = m.builder.append(
        Operation("call", (), (parse_type("f64[3]"),), {**make, "template": template})
    ).output
    b = m.op("add", a, 1.0)
    c = m.op("multiply", b, b)
    left = m.builder.append(Operation("call", (), (FLOAT,), {**ask, "template": template})).output
    run = m.compile(c, left)
    _, left = run([0.0])
    assert left == 0.0


def test_constants_survive_the_iterations_of_a_loop():
    m = Maker(INT)
    body = m.block([INT, INT], lambda i, s: [m.op("py.add", s, 7)])
    (s,) = m.control("for", (0, m.params[0], 1, 0), (INT,), body)
    run = m.compile(s)
    assert run([3]) == [21]
    assert run([3]) == [21]


def test_the_wrong_step_of_a_range_is_an_error_of_the_loop():
    m = Maker(INT)
    body = m.block([INT], lambda i: [])
    m.control("for", (0, 5, m.params[0]), (), body)
    with pytest.raises(ValueError, match="arg 3 must not be zero"):
        m.compile()([0])
