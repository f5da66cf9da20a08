"""`h.__defaults__` and `h.__kwdefaults__` are what calls of `h` are given: the same lists and changes."""

from __future__ import annotations

import numpy as np

from tests.differential import check, check_scenario

UP, DOWN = np.array([1.0, 2.0]), np.array([-1.0])


def test_the_list_of_a_default_is_the_one_that_calls_change():
    def scenario(function):
        def h(a, b=[], *, c=[5]):
            b.append(a)
            c.append(a)
            return b, c

        @function
        def f(x):
            if x[0] > 0:
                h(x[1])
            b, c = h(0.0)
            same = h.__defaults__[0] is b, h.__kwdefaults__["c"] is c
            return same, len(h.__defaults__[0]), h.__defaults__, getattr(h, "__kwdefaults__")

        results = f(UP), f(DOWN)
        return results, h.__defaults__, h.__kwdefaults__, results[0][3] is h.__kwdefaults__

    check_scenario(scenario)


def test_a_changed_namespace_of_keyword_defaults():
    def scenario(function):
        def h(a, *, b=3):
            return b

        @function
        def f(x):
            h.__kwdefaults__["b"] = x[0]
            return h(0.0), h.__kwdefaults__["b"]

        return f(UP), h(1), f(DOWN), h.__kwdefaults__

    check_scenario(scenario)


def test_defaults_of_methods_and_arrays():
    def scenario(function):
        class Holder:
            def add(self, kept=[1], by=np.ones(2)):
                kept.append(2)
                by[0] += 1
                return kept

        holder = Holder()

        @function
        def f(x):
            held = holder.add.__defaults__
            same = holder.add() is held[0], Holder.add.__defaults__[0] is holder.add()
            return same, held[1].sum()

        return f(UP), f(UP)

    check_scenario(scenario)


def test_replaced_between_calls():
    def scenario(function):
        def h(a, b=3, *, c=2):
            return b

        @function
        def f(x):
            return h.__defaults__, h.__kwdefaults__, h(x[0])

        results = [f(UP)]
        h.__defaults__ = (7,)
        results.append(f(UP))
        h.__kwdefaults__ = {"c": 3.0}
        results.append(f(UP))
        return [(one[0], list(one[1].items()), one[2]) for one in results]

    check_scenario(scenario)


def test_of_a_function_made_inside():
    def f(x):
        def h(a, b=[], *, c={}):
            b.append(a)
            return b

        h(x[0])
        return h.__defaults__, h.__kwdefaults__, h.__defaults__[0] is h(1)

    check(f, (UP,), (DOWN,))
