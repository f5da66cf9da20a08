"""What is printed can be read back, exactly."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.formats.parse import ParseError, parse
from runtime.formats.read_literals import read_literal
from runtime.formats.tokens import Cursor, tokenize
from runtime.graph import Block, Graph, Operation, Value
from runtime.graph.literals import Objects, literal
from runtime.graph.verify import verify
from runtime.ops import Dynamic, Hole, Template
from runtime.ops.instances import rebuild
from runtime.ops.template import Make
from runtime.specs.spec import Leaf
from runtime.types import FLOAT, INT, OBJECT, STR, ContainerType, ObjectType, parse_type
from tests.runtime.graph.random_graphs import make_graph, run


@given(st.integers(0, 2**32))
def test_random_graphs_read_back(seed):
    graph = make_graph(seed)
    text = str(graph)
    again = parse(text)
    verify(again)
    assert str(again) == text
    assert run(again, aliased=True) == run(graph, aliased=True)


@given(st.integers(0, 2**32))
def test_locations_survive(seed):
    graph = make_graph(seed, size=5)
    again = parse(str(graph))
    shown = [op.location for op in graph.operations() if op.name != "constant"]
    assert shown == [op.location for op in again.operations() if op.name != "constant"]


class Opaque:
    pass


VALUES = [
    None, True, 0, -5, 10**30, 1.5, -0.0, 1e-300, float("inf"), float("-inf"), 1j,
    complex(-0.0, float("inf")),
    "", "a'b\"c\n#\\", b"\x00'", (), (1,), (1, "two", (3.0,)), [], [1, [2]], {}, {"k": 1, 2: (None,)},
    set(), {1, 2}, frozenset({"a"}), slice(None, 3), slice(1, None, -1), ...,
    np.float64(0.1), np.float32(0.1), np.float16(0.1), np.float32("inf"), np.int8(-3), np.uint64(2**64 - 1),
    np.bool_(True), np.complex64(1 + 2j), np.complex128(complex(-0.0, 2)),
    np.dtype("float32"), np.dtype("bool"), np.dtype(">i4"),
    np.float32, np.add, int, float, ValueError, KeyError,
    parse_type("f64[None,3]"), parse_type("f64[]"), parse_type("b1"), INT, FLOAT, STR, OBJECT,
    ObjectType("mine.Point"), ContainerType("list", Leaf(FLOAT)),
    Dynamic(2), Hole(0), slice(Dynamic(0), None),
    Template(("x", Hole(0), {"k": [Hole(1)]})),
]  # fmt: skip


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_static_values_read_back(value):
    text = literal(value, Objects())
    again = read_literal(Cursor(tokenize(text, 1)), {})
    assert type(again) is type(value)
    assert again == value
    assert literal(again, Objects()) == text


@given(st.floats(width=32), st.floats(), st.floats(width=16))
def test_floats_keep_their_bits(single, double, half):
    for value in (np.float32(single), np.float64(double), np.float16(half), double):
        again = read_literal(Cursor(tokenize(literal(value, Objects()), 1)), {})
        assert type(again) is type(value)
        assert again == value or (np.isnan(again) and np.isnan(value))
        assert np.signbit(again) == np.signbit(value)


def test_objects_without_text_are_numbered_and_supplied():
    thing = Opaque()
    value = Value(OBJECT, "thing")
    op = Operation("constant", (), (OBJECT,), {"value": thing})
    graph = Graph("f", Block([value], [op], (op.output, value)))
    objects = Objects()
    text = graph.writer(objects).text()
    assert "= constant(value=<object 1: Opaque>)" in text
    again = parse(text, objects.by_number)
    assert again.body.operations[0].attributes["value"] is thing
    with pytest.raises(ParseError, match=r"line 2.*object 1 has no text form; pass it as parse\("):
        parse(text)


def test_names_are_the_users_made_unique():
    text = """
# kmeans.py in fit
graph Model.fit(self.total: float, x: float, x.2: float, for_: int) -> float:
    _1: float = py.add(x, x.2)       # 3
    x.3: float = py.mul(_1, _1)      # 4:12 in Model.square
    return x.3
"""
    assert str(parse(text)).split() == text.split()
    assert [p.hint for p in parse(text).params] == ["self.total", "x", "x", "for_"]


def test_subscripts_read_as_python_writes_them():
    text = """
graph f(x: f64[4,5], i: int) -> f64[2]:
    row: f64[5] = x[i]
    y: f64[2] = row[1:5:2]
    x[-1, i] = 0.5
    z: f64[4,1,2] = x[..., None, i:i]
    return y
"""
    assert str(parse(text)).split() == text.split()


def test_a_loop_and_a_branch_read_as_python_writes_them():
    text = """
graph f(n: int) -> (int, str):
    k: int = while with k: int = 0:
        test:
            c: bool = py.lt(k, n)
            yield c
        body:
            k.2: int = py.add(k, 1)
            yield k.2
    for i: int in range(0, n, 1):
        test:
            yield True
        body:
            print(i)
    s: str = if True:
        yield 'yes # no'
    else:
        raise ValueError('no')
    return k, s
"""
    graph = parse(text)
    verify(graph)
    assert str(graph).strip() == text.strip()


HEAD = "graph f(x: float) -> float:\n    "


@pytest.mark.parametrize(
    "text, message",
    [
        ("", "line 1, column 1: expected 'graph NAME"),
        ("graph f(x float)", "line 1, column 11: expected ':', found 'float'"),
        ("graph f(x: float) -> int:\n    return x\n", "the types after '->' are not those"),
        (HEAD + "return y\n", "line 2, column 12: expected a value that is known here, found 'y'"),
        (HEAD + "y: float = py.neg(x\n    return y\n", r"line 2.*expected '\)'"),
        (HEAD + "x: float = py.neg(x)\n    return x\n", "'x' has a value already"),
        (HEAD + "return x\n    return x\n", "line 3.*unexpected line"),
        (HEAD + "y: f64[a] = py.neg(x)\n    return y\n", "is not a type"),
        (HEAD + "y: float = py.neg(x, a=os.system)\n    return y\n", "expected a value"),
        (HEAD + "y: float = py.neg(x, a=$)\n    return y\n", r"line 2.*'\$' has no meaning"),
    ],
)
def test_what_is_wrong_with_a_text_is_said_with_its_place(text, message):
    with pytest.raises(ParseError, match=message):
        parse(text)


def test_effects_read_as_python_writes_them():
    text = """
graph f(x: float, y: float, c: bool) -> ():
    print('x is #', x, y, sep='')
    print()
    assert c
    assert c, ('x', x)
    print(y, x, template=Template(((Hole(1), Hole(0)), {})))
    print(1.0, template=Template(((Hole(0),), {})))
    if c:
        raise ValueError('bad', x)
"""
    graph = parse(text)
    verify(graph)
    assert str(graph).strip() == text.strip()
    first, last = graph.body.operations[0], list(graph.operations())[-1]
    assert first.attributes["template"] == Template((("x is #", Hole(0), Hole(1)), {"sep": ""}))
    assert last.attributes["exception"] is ValueError
    assert graph.body.operations[-1].blocks[0].ends == "never"


def test_f_strings_read_as_python_writes_them():
    text = """
graph f(x: float, s: str) -> (str, str):
    a: str = f'{{x}} is {x!r:>8}, {s}'
    b: str = format(1.0, template=Template(((Hole(0), None, ''),)))
    return a, b
"""
    graph = parse(text)
    verify(graph)
    assert str(graph).strip() == text.strip()
    pieces = ("{x} is ", (Hole(0), "r", ">8"), ", ", (Hole(1), None, ""))
    assert graph.body.operations[0].attributes["template"] == Template(pieces)


class TooBig(Exception):
    pass


def test_an_exception_of_the_users_own_is_known_by_number():
    made = Template((Make(rebuild, (TooBig, ("by", Hole(0)), {})),))
    x = Value(FLOAT, "x")
    graph = Graph("f", Block([x]))
    graph.body.append(Operation("raise", (x,), (), {"exception": None, "template": made}))
    graph.body.ends = "never"
    text = str(graph)
    assert "    raise <object 1: type TooBig>('by', x)\n" in text
    (operation,) = parse(text, objects={1: TooBig}).body.operations
    assert operation.attributes == {"exception": None, "template": made}


def test_the_globals_of_a_module_are_known_by_number():
    """A store of a global goes to the module's own dict, not to an equal one."""
    graph = Graph("f", Block([]))
    graph.body.append(Operation("constant", (), (OBJECT,), {"value": globals()}))
    text = str(graph)
    assert f"constant(value=<object 1: dict {__name__}>)" in text
    (operation,) = parse(text, objects={1: globals()}).body.operations
    assert operation.attributes["value"] is globals()
