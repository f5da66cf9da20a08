"""Modules collect the variables of a tree of objects, outside and inside of decorated functions."""

import numpy as np
import pytest

import runtime as rt
from autograph.errors import StagingError
from tests.programs import Programs

PROGRAMS = Programs()
scenario = PROGRAMS.scenario

X = np.array([1.0, 2.0])


class Dense(rt.Module):
    __slots__ = ("hidden",)

    def __init__(self, n, hidden=0.0):
        self.w = rt.Variable(np.full(n, 0.5))
        self.b = rt.Variable(0.0)
        self.hidden = rt.Variable(hidden, trainable=False)

    def __call__(self, x):
        return self.w * x + self.b


class Net(rt.Module):
    def __init__(self):
        self.layers = [Dense(2), Dense(2, hidden=1.0)]
        self.first = self.layers[0]
        self.table = {"a": rt.Variable(1.0), 2: (rt.Variable(2),)}
        self.me, self.size, self.other = self, 3, object()


NAMES = [
    "layers[0].w", "layers[0].b", "layers[0].hidden", "layers[1].w", "layers[1].b", "layers[1].hidden",
    "table['a']", "table[2][0]",
]  # fmt: skip


def test_each_variable_once_and_in_order():
    net = Net()
    assert list(net.named_variables()) == NAMES
    assert net.variables[0] is net.first.w
    assert [v.trainable for v in net.variables] == [True, True, False] * 2 + [True, True]
    assert len(net.trainable_variables) == 6
    assert rt.Module().variables == []


@scenario
def a_training_step(function):
    net = Net()

    @function
    def step(x, rate):
        for layer in net.layers:
            x = layer(x)
        for name, v in net.named_variables().items():
            if v.trainable and "table" not in name:
                v.assign_sub(rate * v)
        return x, list(net.named_variables()), [v + 0 for v in net.trainable_variables]

    return step(X, 0.5), step(X, 0.25), net.variables


@scenario
def the_tree_changes_in_the_function(function):
    net = Net()

    @function
    def f(x, more):
        if net.size == 3:
            net.size = 4
            net.extra = rt.Variable(x)
            net.layers[0] = more
            del net.table
        return list(net.named_variables()), len(net.trainable_variables)

    return f(X, Dense(1)), f(X, Dense(1)), net.variables


@scenario
def of_several_depths(function):
    class Stack(rt.Module):
        def __init__(self, n):
            self.rows = [rt.Variable(X * i) for i in range(n)]

    @function
    def step(stack, x):
        for v in stack.trainable_variables:
            v.assign_sub(0.1 * x)
        return len(stack.variables)

    return [step(Stack(n), X) for n in (2, 3, 4, 5, 3)]


@scenario
def built_by_its_first_call(function):
    class Lazy(rt.Module):
        w = None

        @function
        def __call__(self, x):
            if self.w is None:
                self.w = rt.Variable(np.zeros(len(x)))
                self.inner = Dense(len(x))
            for v in self.trainable_variables:
                v.assign_add(x if v.ndim else 1.0)
            return self.inner(x) + self.w

    a, b = Lazy(), Lazy()
    return a(X), a(X), b(X), list(a.named_variables()), b.variables


test_program = PROGRAMS.test()


def test_variables_of_a_list_that_only_a_run_knows_are_refused():
    net = Net()

    @rt.function
    def f(x):
        if x.sum() > 0:
            net.layers = net.layers[:1]
        return net.variables

    with pytest.raises(StagingError, match="known only at run time"):
        f(X)
