"""Structured arrays and recarrays as arguments, globals and attributes: fields, records, stores to them."""

from types import SimpleNamespace

import numpy as np
import pytest

import runtime as rt
from autograph.errors import StagingError
from tests.programs import Programs

PARTICLE = np.dtype([("x", float), ("v", "f4"), ("n", int), ("at", float, 2)])
PACKED = np.dtype([("flag", "i1"), ("x", float), ("big", ">i4")])
NESTED = np.dtype([("id", int), ("place", [("x", float), ("y", float)])])


def particles(count=5, dtype=PARTICLE):
    made = np.zeros(count, dtype)
    made["x"] = np.arange(count) - 1.5
    made["n"] = np.arange(count)
    made["at"] = np.arange(2 * count).reshape(count, 2)
    return made


def records(count=4):
    return particles(count).view(np.recarray)


WORLD = particles()
PROGRAMS = Programs()


@PROGRAMS.of(particles(), particles(3), particles(0))
def fields_are_arrays(p):
    p["v"] += 2 * p["x"]
    p["at"][:, 1] = p["x"]
    return p["x"].sum(), p["n"], p["at"].shape, len(p), p.shape, p.ndim, p.size, p.dtype.names


@PROGRAMS.of((particles(), 2), (particles(), -1), (particles(), np.int8(0)), (particles(), 9))
def one_record(p, i):
    r = p[i]
    r["v"] = r["x"] * 2
    r[2] += 5
    r["at"][0] = -1
    x, v, n, at = r
    return x, v, n, at, r["n"], len(r), p[i]["x"]


@PROGRAMS.of((particles(300), 0.5), (particles(4), 0.5))
def a_loop_over_records(p, dt):
    energy, moving = 0.0, 0
    for r in p:
        if r["x"] < 0:
            continue
        r["v"] = r["x"]
        r["x"] += dt * r["v"]
        energy += r["v"] ** 2
        moving += 1
    return energy, moving


@PROGRAMS.of((particles(40),))
def a_loop_over_places(p):
    for i in range(1, len(p)):
        p[i]["x"] = p[i - 1]["x"] + p["n"][i]
        p["at"][i, 0] = p[i]["x"]
        if p[i]["n"] == 7:
            break
    return p["x"][-1], p


@PROGRAMS.of((records(),))
def attributes_of_a_recarray(p):
    p.x = p.n + 1
    p.v[0] = 3
    p[1].n = 9
    total = 0.0
    for r in p:
        total += r.x + r.at[1]
    return total, p.x, p[2].v, p["n"]


@PROGRAMS.of((particles(), 1, 3))
def whole_records_are_stored(p, i, j):
    p[i] = (1.5, 2, 3, p["at"][j])
    p[j] = p[0]
    p[0], p[i] = p[i], p[0]
    p[-1] = 7
    return p


@PROGRAMS.of((particles(8),))
def parts_of_an_array(p):
    q = p[2:6]
    q["x"] = 0
    odd = p[1::2].copy()
    odd["n"] += 100
    chosen = p[[0, 3]]
    chosen["x"] = 5
    both = p[["x", "n"]]
    return q["n"], odd["n"], chosen["x"], both["x"], len(q), q[1]["at"], p[2]["x"]


@PROGRAMS.of((particles(6),))
def records_of_a_part_are_views(p):
    r = p[3:][0]
    r["x"] = 99
    p[3] = (0, 0, 0, 0)
    return r["x"]


@PROGRAMS.of((np.zeros((2, 3), PARTICLE), 1, 2))
def two_axes(p, i, j):
    p[i, j]["n"] = 4
    p[i]["x"][j] = 2
    for row in p:
        row["v"] += 1
    return p["n"].sum(), p[i][j]["x"], p["v"]


@PROGRAMS.of((np.ones(5, PACKED),))
def fields_that_are_not_aligned(p):
    p["x"] *= 3
    for r in p:
        r["flag"] += 1
    return np.exp(p["x"]), p["flag"], p["big"] + 1


@PROGRAMS.of((np.zeros(3, NESTED),))
def fields_of_fields(p):
    p["place"]["x"] = p["id"] + 1
    p[1]["place"]["y"] = 8
    return p["place"]["x"].sum(), p["place"][1]["y"]


@PROGRAMS.of((particles(), particles()[::2]))
def two_arrays(p, q):
    p["x"][: len(q)] = q["x"]
    return p


@PROGRAMS.of((particles(), None))
def one_array_twice(p, q):
    q = p
    q["x"] = 1
    return p["x"], p is q


@PROGRAMS.of((particles(),), (records(),))
def its_class(p):
    kinds = isinstance(p, np.ndarray), isinstance(p, np.recarray), isinstance(p[0], np.void)
    return kinds, type(p) is np.ndarray


@PROGRAMS.of((particles(),))
def wrong_fields(p):
    found = []
    for use in (lambda: p["w"], lambda: p[0]["w"], lambda: p.x):
        try:
            use()
        except (ValueError, AttributeError) as error:
            found.append(type(error).__name__)
    return found


@PROGRAMS.of((particles(),))
def a_tuple_of_the_wrong_length(p):
    p[0] = (1, 2)


@PROGRAMS.scenario
def in_a_global_and_an_attribute(function):
    world = particles()
    box = SimpleNamespace(p=records())

    @function
    def f(k):
        world["x"][k] = box.p.x[k] + 1
        box.p[k].n += 1
        return world["x"].sum()

    first = f(1)
    world["x"] = 7
    second = f(2)
    box.p = records(9)
    return first, second, f(8 % 3), world, box.p


@PROGRAMS.scenario
def two_arguments_in_one_memory(function):
    p = particles(6)

    @function
    def f(a, b):
        for i in range(len(a)):
            a["x"][i] = b["x"][i] + 1
        return a["x"]

    return f(p[1:], p[:-1]).copy(), f(p[1:], p[1:]).copy(), p


test_program = PROGRAMS.test()


@pytest.mark.parametrize(
    "use",
    [
        lambda p: p == p,
        lambda p: np.sort(p, order="x"),
        lambda p: p.astype(object),
        lambda p: p[p["x"] > 0],
        lambda p: np.zeros(3, PARTICLE),
        lambda p: p.copy(),
        lambda p: p[1:],
        lambda p: p[0],
        lambda p: [p[0]],
        lambda p: np.sum(p),
        lambda p: bool(p),
        lambda p: str(p),
        lambda p: p[["x", "n"]].view(float),
    ],
)
def test_what_needs_all_fields_at_once_is_refused(use):
    with pytest.raises(StagingError) as error:
        rt.function(use)(particles())
    assert error.value.hint


def test_one_trace_serves_all_arrays_of_one_kind():
    f = rt.function(lambda p: p["x"].sum())
    assert [f(particles(5)), f(2 and particles(5)), f(records(4))] == [2.5, 2.5, 0.0]
    assert f.trace_count == 2
