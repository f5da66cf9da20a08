"""What a block did to objects: found, named, and undone."""

import sys
from collections import deque
from functools import partial

import pytest

from autograph.operators import Undefined
from autograph.stages.heap import Heap
from autograph.staging import State

TOTAL = 0


class Box:
    made = 0

    def __init__(self, value):
        self.value = value


class Slotted:
    __slots__ = ("value", "__hidden")

    def __init__(self, value):
        self.value = value
        self.__hidden = 1

    def hide(self):
        self.__hidden = 2


def changes(heap):
    return {slot.name: slot.read() for slot in heap.changes()}


def test_nothing_changed():
    heap = Heap([Box([1, {"a": Box(2)}]), (1, 2), None, "text"])
    assert heap.changes() == []


@pytest.mark.parametrize(
    "root, change, back",
    [
        ([1, 2], lambda x: x.append(3), [1, 2]),
        ([1, 2], lambda x: x.reverse(), [1, 2]),
        ({"a": 1}, lambda x: x.update(b=2), {"a": 1}),
        ({"a": 1, "b": 2}, lambda x: x.update(a=x.pop("a")), {"a": 1, "b": 2}),
        ({1, 2}, lambda x: x.add(3), {1, 2}),
        (deque([1, 2]), lambda x: x.rotate(), deque([1, 2])),
    ],
)
def test_containers(root, change, back):
    heap = Heap([(root,)])
    change(root)
    assert len(heap.changes()) == 1
    heap.restore()
    assert root == back and list(root) == list(back) and not heap.changes()


def test_attributes():
    box = Box(1)
    heap = Heap([box])
    box.value, box.other = 2, 3
    assert changes(heap) == {"Box.value": 2, "Box.other": 3}
    heap.restore()
    assert vars(box) == {"value": 1}
    del box.value
    assert isinstance(changes(heap)["Box.value"], Undefined)
    heap.restore()
    assert vars(box) == {"value": 1}


def test_slots_and_mangled_names():
    slotted = Slotted(1)
    heap = Heap([slotted])
    slotted.value = 5
    slotted.hide()
    assert changes(heap) == {"Slotted.value": 5, "Slotted._Slotted__hidden": 2}
    heap.restore()
    assert slotted.value == 1


def test_class_attributes():
    heap = Heap([Box(1)])
    Box.made = 7
    assert changes(heap) == {"Box.made": 7}
    heap.restore()
    assert Box.made == 0


def _bump():
    global TOTAL
    TOTAL += 1


def test_globals_of_functions_that_can_be_called():
    heap = Heap([partial(map, [lambda: _bump()])])
    _bump()
    assert changes(heap) == {"TOTAL": 1}
    heap.restore()
    assert TOTAL == 0


def test_variables_of_closures():
    count = 0

    def bump():
        nonlocal count
        count += 1

    heap = Heap([Box(bump)])
    bump()
    assert list(changes(heap).values()) == [1]
    heap.restore()
    assert count == 0


def test_methods_and_what_they_are_bound_to():
    box = Box([1])
    heap = Heap([box.value.append])
    box.value.append(2)
    assert len(heap.changes()) == 1


def test_what_holds_a_container():
    box = Box([1])
    heap = Heap([box])
    assert heap.holder(box.value) == "Box.value"


def test_modules_of_other_packages_are_not_looked_into():
    heap = Heap([lambda: sys.path, pytest.raises, print])
    assert sys in heap and sys.path not in heap


def test_cycles():
    a, b = [], {}
    a.append(b)
    b["a"] = a
    heap = Heap([a])
    b["c"] = 1
    assert len(heap.changes()) == 1


def test_of_statement_leaves_its_variables_out():
    total, seen, count = 0, [], 0

    def bump():
        nonlocal count
        count += 1

    def body():
        nonlocal total
        total += 1
        seen.append(total)
        bump()

    def set_total(values):
        nonlocal total
        (total,) = values

    heap = Heap([body], State(("total",), lambda: (total,), set_total))
    body()
    assert [slot.name for slot in heap.changes()] == ["the list", "count"]
    heap.restore()
    assert (total, seen, count) == (1, [], 0)
