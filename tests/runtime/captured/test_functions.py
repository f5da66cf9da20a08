"""Closure cells, callees, defaults and modules may change between calls: the next call sees it."""

import functools
import math
import types

import numpy as np

import runtime as rt
from tests.runtime.captured.cases import Case, Cases

CASES = Cases(globals())
set_global = CASES.set_global

scale = 2.0


def helper(x):
    return x * 2


module = types.ModuleType("configuration")
module.rate = 1.0
module.inner = types.ModuleType("configuration.inner")
module.inner.rate = 5.0


@CASES.case
def closure_cell():
    factor = 2.0

    def change(to):
        nonlocal factor
        factor = to

    return Case(lambda x: x * factor, lambda: change(3.0), lambda: change(np.ones(3)), lambda: change(2.0))


@CASES.case
def cell_contents():
    factor = 2.0
    f = lambda x: x * factor
    return Case(f, lambda: setattr(f.__closure__[0], "cell_contents", 7.0))


@CASES.case
def cell_of_a_callee():
    factor = 2.0

    def inner(x):
        return x * factor

    def f(x):
        return inner(x) + 1

    def change():
        nonlocal factor
        factor = 8.0

    return Case(f, change)


@CASES.case
def cell_bound_late():
    def f(x):
        return x * later

    def bind(value):
        nonlocal later
        later = value

    later = 1.0
    return Case(f, lambda: bind(3.0), lambda: bind(np.ones(3)))


@CASES.case
def callee_monkeypatched():
    return Case(lambda x: helper(x), set_global(helper=lambda x: x - 1), set_global(helper=helper))


@CASES.case
def callee_in_a_closure_replaced():
    def inner(x):
        return x * 2

    def f(x):
        return inner(x)

    def change():
        nonlocal inner
        inner = lambda x: x * 3

    return Case(f, change)


@CASES.case
def code_of_a_callee_replaced():
    def inner(x):
        return x * 2

    def other(x):
        return x * 3

    return Case(lambda x: inner(x), lambda: setattr(inner, "__code__", other.__code__))


@CASES.case
def code_of_the_function_replaced():
    def f(x):
        return x * 2

    def other(x):
        return x * 3

    return Case(f, lambda: setattr(f, "__code__", other.__code__))


@CASES.case
def defaults_replaced():
    def f(x, k=2.0):
        return x * k

    return Case(
        f, lambda: setattr(f, "__defaults__", (5.0,)), lambda: setattr(f, "__defaults__", (np.ones(3),))
    )


@CASES.case
def keyword_defaults_replaced():
    def f(x, *, k=2.0):
        return x * k

    return Case(f, lambda: setattr(f, "__kwdefaults__", {"k": 5.0}), lambda: f.__kwdefaults__.update(k=3.0))


@CASES.case
def defaults_of_a_callee_replaced():
    def inner(x, k=2.0):
        return x * k

    def f(x):
        return inner(x)

    return Case(
        f, lambda: setattr(inner, "__defaults__", (5.0,)), lambda: setattr(inner, "__defaults__", (6,))
    )


@CASES.case
def keyword_defaults_of_a_callee_replaced():
    def inner(x, *, k=2.0):
        return x * k

    def f(x):
        return inner(x)

    return Case(
        f, lambda: setattr(inner, "__kwdefaults__", {"k": 5.0}), lambda: inner.__kwdefaults__.update(k=3)
    )


@CASES.case
def mutable_default_changed():
    def f(x, ks=[1.0]):
        for k in ks:
            x = x * k
        return x

    return Case(f, lambda: f.__defaults__[0].append(5.0), lambda: f.__defaults__[0].__setitem__(0, 4.0))


@CASES.case
def function_attribute():
    def f(x):
        return x * f.scale

    f.scale = 2.0
    return Case(f, lambda: setattr(f, "scale", 3.0), lambda: setattr(f, "scale", np.ones(3)))


@CASES.case
def attribute_of_a_callee():
    def inner(x):
        return x

    inner.scale = 2.0
    return Case(lambda x: inner(x) * inner.scale, lambda: setattr(inner, "scale", 3.0))


@CASES.case
def module_attribute():
    return Case(
        lambda x: x * module.rate,
        lambda: setattr(module, "rate", 7.0),
        lambda: setattr(module, "rate", np.ones(3)),
        lambda: setattr(module, "rate", 1.0),
    )


@CASES.case
def nested_module_attribute():
    return Case(
        lambda x: x * module.inner.rate,
        lambda: setattr(module.inner, "rate", 7.0),
        lambda: setattr(module, "inner", types.SimpleNamespace(rate=3.0)),
    )


@CASES.case
def attribute_of_a_library_module():
    old = math.tau
    return Case(lambda x: x * math.tau, lambda: setattr(math, "tau", 1.0), lambda: setattr(math, "tau", old))


@CASES.case
def function_of_a_module_replaced():
    module.run = helper
    return Case(lambda x: module.run(x), lambda: setattr(module, "run", lambda x: x - 5))


@CASES.case
def partial_arguments():
    def inner(k, x, *, m):
        return x * k + m

    bound = functools.partial(inner, 2.0, m=1.0)
    run = [bound]
    return Case(
        lambda x: run[0](x),
        lambda: bound.keywords.update(m=9.0),
        lambda: run.__setitem__(0, functools.partial(inner, 3.0, m=1.0)),
    )


@CASES.case
def functions_in_a_container():
    functions = [lambda x: x * 2, lambda x: x + 1]

    def f(x):
        for g in functions:
            x = g(x)
        return x

    return Case(f, functions.reverse, lambda: functions.append(lambda x: x * 10), functions.pop)


@CASES.case
def a_wrapped_function_of_the_runtime():
    inner = rt.function(lambda x: x * scale)
    return Case(lambda x: inner(x) + 1, set_global(scale=9.0), set_global(scale=2.0))


test_a_change_is_seen = CASES.test()
