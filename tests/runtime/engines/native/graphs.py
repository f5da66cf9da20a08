"""Graphs by hand, without a tracer; and runs of them that can be compared."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from runtime.engines import native, numpy_engine
from runtime.graph import Block, Graph, Location, Operation, Value
from runtime.ops import REGISTRY
from runtime.types import Type, parse_type, type_of


class Maker:
    """``m = Maker("f64[3]", "int"); x, n = m.params; graph = m.returns(m("add", x, 1.0))``"""

    def __init__(self, *types: Type | str) -> None:
        typed = [parse_type(t) if isinstance(t, str) else t for t in types]
        self.params = [Value(t, f"p{k}") for k, t in enumerate(typed)]
        self.block = Block(list(self.params))
        self.graph = Graph("graph", self.block)
        self.line = 0

    def __call__(self, name: str, *inputs: Any, **attributes: Any) -> Any:
        values = tuple([item if isinstance(item, Value) else self.constant(item) for item in inputs])
        types = REGISTRY[name].infer(tuple([v.type for v in values]), **attributes)
        outputs = self.append(name, values, types if isinstance(types, tuple) else (types,), attributes)
        return outputs[0] if len(outputs) == 1 else outputs

    def append(self, name: str, inputs: Any, types: Any, attributes: Any = None, blocks: Any = ()) -> Any:
        self.line += 1
        where = Location("made.py", self.line, "made")
        return self.block.append(Operation(name, inputs, types, attributes, blocks, where)).outputs

    def constant(self, item: Any) -> Value:
        return self.append("constant", (), (type_of(item),), {"value": item})[0]

    def inside(self, params: list[Value], write: Any) -> Block:
        """A nested block; ``write(*params)`` gives its results."""
        outer, self.block = self.block, Block(params)
        self.block.results = tuple(write(*params))
        inner, self.block = self.block, outer
        return inner

    def loop(self, test: Any, body: Any, *initial: Any) -> Any:
        """``while``"""
        values = [v if isinstance(v, Value) else self.constant(v) for v in initial]
        types = [v.type for v in values]
        blocks = [self.inside([Value(t) for t in types], write) for write in (lambda *s: (test(*s),), body)]
        return self.append("while", tuple(values), tuple(types), {}, tuple(blocks))

    def count(self, stop: Any, body: Any, *initial: Any, start: Any = 0, step: Any = 1) -> Any:
        """``for i in range(start, stop, step)``"""
        values = [v if isinstance(v, Value) else self.constant(v) for v in (start, stop, step, *initial)]
        types = [v.type for v in values[3:]]
        block = self.inside([Value(parse_type("int")), *[Value(t) for t in types]], body)
        return self.append("for", tuple(values), tuple(types), {}, (block,))

    def choose(self, pred: Value, then: Any, orelse: Any) -> Any:
        blocks = (self.inside([], then), self.inside([], orelse))
        return self.append("if", (pred,), tuple([v.type for v in blocks[0].results]), {}, blocks)

    def returns(self, *values: Any) -> Graph:
        self.graph.body.results = values
        return self.graph


def outcome(run: Any, arguments: list[Any]) -> Any:
    """The results, or the exception's type and words."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return run(arguments)
        except Exception as error:
            return type(error).__name__, str(error)


def check(graph: Graph, *arguments: Any, ulps: int = 0) -> Any:
    """Both engines do the same; ``ulps`` allows for another order of additions, or another libm."""
    return check_compiled(graph, native.compile(graph), *arguments, ulps=ulps)


def check_compiled(graph: Graph, compiled: Any, *arguments: Any, ulps: int = 0) -> Any:
    expected_arguments = [a.copy(order="K") if isinstance(a, np.ndarray) else a for a in arguments]
    expected = outcome(numpy_engine.compile(graph), rebase(arguments, expected_arguments))
    got = outcome(compiled, list(arguments))
    if isinstance(expected, tuple) or isinstance(got, tuple):
        assert got == expected, f"{got!r} instead of {expected!r}"
        return got
    for g, e in zip([*got, *arguments], [*expected, *expected_arguments], strict=True):
        same(g, e, ulps)
    return got


def rebase(arguments: Any, copies: list[Any]) -> list[Any]:
    """Copies with the same strides as the originals."""
    for k, (a, c) in enumerate(zip(arguments, copies, strict=True)):
        if isinstance(a, np.ndarray) and a.strides != c.strides:
            whole = np.empty(
                tuple(max(1, abs(s) // a.itemsize * n) for s, n in zip(a.strides, a.shape)), a.dtype
            )
            del whole
            base = np.lib.stride_tricks.as_strided
            spread = np.zeros(sum(abs(s) * n for s, n in zip(a.strides, a.shape)) // a.itemsize + 1, a.dtype)
            start = sum(-s // a.itemsize * (n - 1) for s, n in zip(a.strides, a.shape) if s < 0)
            view = base(spread[start:], a.shape, a.strides)
            view[...] = a
            copies[k] = view
    return list(copies)


def same(got: Any, expected: Any, ulps: int = 0) -> None:
    assert type(got) is type(expected), f"{type(got)} instead of {type(expected)}"
    if not isinstance(expected, np.ndarray | np.generic | float | complex):
        assert got == expected
        return
    g, e = np.asarray(got), np.asarray(expected)
    assert (g.dtype, g.shape) == (e.dtype, e.shape)
    if e.size and e.shape and 0 not in e.strides:  # a number in several places may be an array of copies
        assert [s for s, n in zip(g.strides, g.shape) if n > 1] == [
            s for s, n in zip(e.strides, e.shape) if n > 1
        ]
    if ulps and e.dtype.kind in "fc":
        tiny = np.finfo(e.dtype).eps * ulps
        np.testing.assert_allclose(
            g, e, rtol=tiny, atol=tiny * float(np.max(np.abs(e), initial=0, where=np.isfinite(e)))
        )
        return
    np.testing.assert_array_equal(g, e)
    if e.dtype.kind == "f":
        np.testing.assert_array_equal(np.signbit(g) & ~np.isnan(g), np.signbit(e) & ~np.isnan(e))
