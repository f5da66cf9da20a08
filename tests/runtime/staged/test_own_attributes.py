"""What staged values have for our own code is no attribute for the user's: `x.value` of an array is none."""

import collections
import importlib
import pkgutil

import numpy as np
import pytest

import runtime
from runtime.tracer.builder import _SHOWN, Staged
from tests.differential import check

ROWS = np.array([1.0, -2.0, 3.0])


def stores(x, n):
    told = []
    for owner in (x, x[0], n):
        try:
            owner.value = 3
        except AttributeError as error:
            told.append(str(error))
        try:
            owner.type = x
        except AttributeError as error:
            told.append(str(error))
        try:
            del owner.value
        except AttributeError as error:
            told.append(str(error))
    return told, x.sum() + n


def test_names_of_ours_cannot_be_stored():
    check(stores, (ROWS, 2), (-ROWS, 3))


class Node:
    def __init__(self, value):
        self.value = value


def value_of(node):
    try:
        return node.value
    except AttributeError:
        return node


def unwrapped(x, n):
    total = value_of(Node(x[0])) + value_of(n)
    for v in x:
        if value_of(v) > 0:
            total += value_of(Node(v))
    return total, value_of(x)


def test_what_may_be_a_node_or_a_number():
    check(unwrapped, (ROWS, 2), (-ROWS, 3))


def _staged_classes():
    for module in pkgutil.walk_packages(runtime.__path__, "runtime."):
        importlib.import_module(module.name)
    found, pending = [], collections.deque([Staged])
    while pending:
        cls = pending.popleft()
        found.append(cls)
        pending += cls.__subclasses__()
    return found


@pytest.mark.parametrize("cls", _staged_classes(), ids=lambda cls: cls.__name__)
def test_every_class_hides_what_no_plain_value_has(cls):
    shown = {name for name in vars(cls) if name not in _SHOWN and not name.startswith("__")}
    hidden = {name for name in shown if type(vars(cls)[name]).__name__.startswith("_Own")}
    assert shown - hidden <= {"numpy"}  # of a Tensor
