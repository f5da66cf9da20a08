"""Aliases, effects, what may change places, and when values die."""

from runtime.formats.parse import parse
from runtime.graph.effects import OUTSIDE, Memory, last_uses


def values(graph):
    """The last value of each name, those of nested blocks included."""
    found = {value.hint: value for value in graph.params}
    for op in graph.operations():
        found.update({param.hint: param for block in op.blocks for param in block.params})
        found.update({value.hint: value for value in op.outputs})
    return found


def operations(graph):
    return [op for op in graph.operations() if op.name != "constant"]


def test_views_share_memory_and_copies_do_not():
    graph = parse(
        """
graph f(x: f64[4], y: f64[4]) -> f64[2]:
    row: f64[2] = x[1:3]
    copy: f64[2] = negative(row)
    part: f64[1] = copy[1:]
    part[0] = 1.0
    return copy
"""
    )
    memory, v = Memory(graph), values(graph)
    assert memory.roots(v["row"]) == {OUTSIDE}
    assert memory.roots(v["part"]) == {v["copy"]}
    assert memory.may_alias(v["x"], v["y"]), "the caller may have passed one array twice"
    assert memory.is_written(v["copy"]) and not memory.is_written(v["x"])
    assert memory.escapes(v["copy"]) and memory.is_fresh(v["copy"])


def test_distinct_parameters_do_not_alias():
    graph = parse("graph f(x: f64[4], y: f64[4]) -> ():\n    x[0] = 1.0\n")
    memory, v = Memory(graph, distinct_params=True), values(graph)
    assert not memory.may_alias(v["x"], v["y"])
    assert memory.is_written(v["x"]) and not memory.is_written(v["y"])


def test_loops_and_branches_unite_what_they_carry():
    graph = parse(
        """
graph f(x: f64[4], c: bool, n: int) -> f64[4]:
    new: f64[4] = negative(x)
    y: f64[4] = if c:
        yield x
    else:
        yield new
    z: f64[4] = for i: int in range(0, n, 1) with state: f64[4] = new:
        next: f64[4] = add(state, y)
        yield next
    return z
"""
    )
    memory, v = Memory(graph), values(graph)
    assert memory.roots(v["y"]) == {OUTSIDE, v["new"]}
    assert memory.roots(v["z"]) == memory.roots(v["state"]) == {v["new"], v["next"]}


def test_what_unknown_code_got_may_come_back_from_it():
    graph = parse(
        """
graph f(x: f64[4]) -> f64[4]:
    new: f64[4] = negative(x)
    call(new, function=<object 1>, template=Template(((Hole(0),), {})), outputs=())
    y: f64[4] = call(function=<object 1>, template=Template(((), {})), outputs=(f64[4],))
    return y
""",
        objects={1: len},
    )
    memory, v = Memory(graph), values(graph)
    assert memory.may_alias(v["y"], v["new"])
    assert memory.is_written(v["new"]), "the second call may write what the first has kept"


def test_what_is_pure():
    graph = parse(
        """
graph f(x: f64[4], n: int, m: int) -> f64:
    a: f64 = sum(x, axis=None)
    d: int = py.floordiv(n, m)
    return a
"""
    )
    a, divide = operations(graph)
    assert Memory(graph).is_pure(a) and not Memory(graph).is_pure(divide)


def test_values_die_after_their_last_use():
    graph = parse(
        """
graph f(x: f64[4], unused: int, n: int) -> f64[4]:
    a: f64[4] = negative(x)
    b: f64[4] = add(a, x)
    y: f64[4] = for i: int in range(0, n, 1) with state: f64[4] = b:
        c: f64[4] = add(state, a)
        yield c
    junk: f64[4] = negative(y)
    return y
"""
    )
    live, v = last_uses(graph), values(graph)
    _, add, loop, inner, junk = operations(graph)
    assert live.after[add] == (v["x"],)
    assert set(live.after[loop]) >= {v["a"], v["b"], v["n"]}, "a is used by the loop, and dies after it"
    assert v["a"] not in live.entering[loop] and v["b"] in live.entering[loop]
    assert live.after[inner] == (v["state"],), "a loop body frees only its own values"
    assert live.after[junk] == (v["junk"],)
    assert live.unused[graph.body] == (v["unused"],)
    assert live.unused[loop.blocks[0]] == (v["i"],)
