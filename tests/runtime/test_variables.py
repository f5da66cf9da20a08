"""Variables that are shared: globals, and those of closures that calls change in staged control flow."""

import functools

import numpy as np
import pytest

import runtime as rt
from autograph.errors import StagingError
from tests.differential import check

F, I = np.float64, np.int64
SEEN = 0.0


def test_a_global_that_some_iterations_change():
    def program(a, n):
        global SEEN
        for i in range(n % 5):
            if a[i] > 0:
                SEEN = SEEN + a.sum()
                print(i)
        return SEEN

    assert check(program, (np.arange(4.0), 3), (np.arange(4.0), -3), (-np.arange(4.0), 2))


def test_a_call_unbinds_a_variable():
    def program(x):
        v = 1.0

        def drop():
            nonlocal v
            del v

        def get():
            return v

        if x > 0:
            drop()
            v = x
        first = get()
        drop()
        try:
            return first, get()
        except NameError as error:
            return first, str(error)

    assert check(program, (F(2),), (F(-1),))


def test_a_variable_is_bound_by_a_loop_a_with_an_import_a_definition_and_an_expression():
    def program(x):
        v = None

        def rebind(k):
            nonlocal v
            if k == 0:
                import math as v

                return v.floor(2.5)
            if k == 1:

                def v(z):
                    return z + 1

                return v(x)
            if k == 2:
                with _Swallowing() as v:
                    return v is None
            for v in range(3):
                if x > v:
                    print(v)
            return [v := v + i * x for i in range(3)], (v := v * 2)

        return [rebind(k) for k in range(4)], v

    assert check(program, (F(2),), (F(-1),))


def test_a_store_to_several_targets_that_fails_after_the_variable():
    class Locked:
        @property
        def value(self):
            return 1

    def program(x):
        locked, v = Locked(), 0.0

        def put():
            nonlocal v
            v, locked.value = x, 2

        try:
            if x > 0:
                put()
        except AttributeError:
            print("not stored", v)
        return v

    assert check(program, (F(2),), (F(-1),))


def test_a_function_declares_a_variable_and_stores_items_only():
    def program(x):
        a = x.copy()

        def double():
            nonlocal a
            a[:] *= 2
            return a[0]

        for _ in range(2):
            if double() > 2:
                a = a + 1
        return a

    assert check(program, (np.arange(1.0, 3.0),), (-np.arange(3.0),))


def test_a_test_of_a_loop_changes_a_variable():
    def program(x):
        n = total = 0

        def more():
            nonlocal n
            n += 1
            return n < x

        while more():
            total += n
        return total, n

    assert check(program, (I(3),), (I(0),))


@pytest.mark.parametrize("twice", [False, True])
def test_a_function_that_the_body_of_a_try_made_and_its_handler_calls(twice):
    def program(x):
        def make(start):
            n = start

            def add(by):
                nonlocal n
                n = n + by
                return n

            return add

        add = make(0.0)
        for i in range(2):
            try:
                add = make(x * 2 if twice else 0.0)
                print(1 // int(x - i))
                if x > i:
                    add(x)
                    print(1 // int(x - 2))
                add(1.0)
                print(1 // int(x - 3))
            except ZeroDivisionError:
                add(100.0)
            finally:
                add(0.5)
        return add(0.0)

    assert check(program, (F(1),), (F(2),), (F(3),), (F(-1),))


def test_functions_that_leave_a_block_in_a_partial_or_as_methods():
    def program(x):
        def make(start):
            n = start * 2

            class Reader:
                def get(self):
                    return n

            def add(by, more):
                nonlocal n
                n = n + by + more
                return n

            return functools.partial(add, 1.0), Reader()

        add, reader = make(1.0)
        if x > 0:
            add, _ = make(x)
            add(2)
        return add(3), reader.get()

    assert check(program, (F(2),), (F(-1),))


def test_a_global_that_a_call_makes_under_a_condition():
    """Nobody could tell where it is read whether it is there."""

    def make(x):
        global NEW
        NEW = x

    @rt.function
    def program(x):
        if x > 0:
            make(x)
        return NEW

    with pytest.raises(StagingError, match="`NEW` is assigned under a staged condition, and has no value"):
        program(F(2))


class _Swallowing:
    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        print("left", kind)
        return kind is ZeroDivisionError


class _Held:
    def __init__(self, v):
        self.v = v


@pytest.mark.parametrize("made", ["scalar", "list", "tuple", "object"])
def test_what_a_block_left_in_a_variable_that_nobody_reads(made):
    """A function that declares it is entered later: what the block made is no part of what follows."""

    def program(x):
        make = {
            "scalar": lambda v: v + 1,
            "list": lambda v: [v],
            "tuple": lambda v: (v, v),
            "object": _Held,
        }[made]
        d = make(x)
        for i in range(2):
            with _Swallowing():
                x = x + 10 // int(x)
                d = make(x)

            def put():
                nonlocal d
                print(i)

            put()
        return x

    assert check(program, (F(2),), (F(0),), (F(4),))
