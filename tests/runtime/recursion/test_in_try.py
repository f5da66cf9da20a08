"""Recursive functions that change what is around them, and are called inside a `try` or a `with`."""

import numpy as np
import pytest

import runtime as rt
from autograph.errors import StagingError
from tests.programs import Programs

PROGRAMS = Programs()
scenario = PROGRAMS.scenario


A = np.array


@scenario
def attr_try(function):
    class Box:
        def __init__(self):
            self.n = 0
            self.log = []

    b = Box()

    def walk(k):
        b.n += 1
        if k < 0:
            raise ValueError(f"neg {k}")
        if k == 0:
            return 1
        return k * walk(k - 2)

    @function
    def f(k):
        try:
            r = walk(k)
        except ValueError as e:
            print("caught", e, b.n)
            r = -1
        return r, b.n

    return [f(4), f(5), f(0), f(-1), b.n]


@scenario
def global_try(function):
    total = 0.0

    def walk(k):
        nonlocal total
        total += k
        if total > 30:
            raise OverflowError(total)
        if k <= 0:
            return 0
        return 1 + walk(k - 1)

    @function
    def f(k):
        nonlocal total
        try:
            r = walk(k)
        except OverflowError:
            r = total * 100
            total = 0.0
        finally:
            total += 1000
        return r, total

    return [f(4), f(2), f(0), f(8), total]


@scenario
def try_inside_recursion(function):
    count = 0

    def walk(k):
        nonlocal count
        count += 1
        try:
            if k == 0:
                raise KeyError(k)
            return walk(k - 1) + 1
        except KeyError:
            count += 100
            if k < 2:
                raise
            return 10

    @function
    def f(k):
        return walk(k), count

    r = []
    for k in (4, 3, 1, 0):
        try:
            r.append(f(k))
        except KeyError as e:
            r.append(str(e))
        r.append(count)
    return r


@scenario
def local_obj_try(function):
    class Parser:
        def __init__(self, t):
            self.t = t
            self.i = 0

        def expr(self):
            v = self.term()
            while self.i < len(self.t) and self.t[self.i] == -1:
                self.i += 1
                v = v + self.term()
            return v

        def term(self):
            if self.i >= len(self.t):
                raise SyntaxError("eof")
            c = self.t[self.i]
            self.i += 1
            if c == -2:
                v = self.expr()
                if self.i >= len(self.t) or self.t[self.i] != -3:
                    raise SyntaxError("paren")
                self.i += 1
                return v
            if c < 0:
                raise SyntaxError(f"bad {c}")
            return float(c)

    @function
    def f(t):
        p = Parser(t)
        try:
            v = p.expr()
        except SyntaxError as e:
            print(e, p.i)
            v = -1.0
        return v, p.i

    return [f(A([1, -1, 2])), f(A([-2, 1, -1, 2, -3, -1, 5])), f(A([-2, 1])), f(A([1, -1])), f(A([-9]))]


@scenario
def list_try(function):
    out = []

    def walk(k):
        out.append(k)
        if k < 0:
            raise ValueError(k)
        if k == 0:
            return 0
        return walk(k - 2) + 1

    @function
    def f(k):
        try:
            r = walk(k)
        except ValueError as e:
            r = -len(out)
        return r, len(out)

    r = [f(4), f(5), f(3)]
    return r, out


@scenario
def with_statement(function):
    depth = 0

    class D:
        def __enter__(self):
            nonlocal depth
            depth += 1

        def __exit__(self, *a):
            nonlocal depth
            depth -= 1

    def walk(k):
        with D():
            if k == 0:
                return depth
            return walk(k - 1)

    @function
    def f(k):
        return walk(k), depth

    return [f(3), f(5), f(0)]


@scenario
def function_of_a_with_block(function):
    """The function uses what the block has made before, which has another name inside it than after it."""
    kept = []

    class Held:
        def __enter__(self):
            return self

        def __exit__(self, kind, error, trace):
            kept.append(len(kept))

    class Box:
        held = None

    box = Box()

    def down(d, thing):
        if d > 0:
            down(d - 1, thing)
        else:
            box.held = thing

    @function
    def f(n):
        row = [n]
        with Held():
            down(n, row)

            def add(d):
                box.held[0] += 1
                if d > 0:
                    add(d - 1)

            add(n)
        return row, box.held is row

    return [f(3), f(1), f(0), kept]


test_program = PROGRAMS.test()


def test_one_that_changes_a_variable_to_any_depth_is_refused():
    @rt.function
    def f(x):
        count = 0

        def walk(k):
            nonlocal count
            count += 1
            return 1 // k if k <= 0 else walk(k - 1)

        try:
            return walk(int(x[0]))
        except ZeroDivisionError:
            return count

    with pytest.raises(StagingError, match="`walk` changes `count` and is called in a `try`") as refused:
        f(np.array([3.0]))
    assert "keep `count` in a list" in (refused.value.hint or "")
