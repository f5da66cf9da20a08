"""Globals that are numbers, strings, arrays or containers may change: the next call sees it."""

import collections
import enum
import types

import numpy as np

import runtime as rt
from tests.runtime.captured.cases import Case, Cases
from tests.runtime.captured.settings import Settings

CASES = Cases(globals())
set_global = CASES.set_global

scale = 2.0
weights = np.ones(3)
table = {"a": 1.0, "b": 2.0}
stack = [1.0, 2.0]
nested = {"layers": [{"w": 1.0}, {"w": 2.0}]}
flag = True
pair = (1.0, np.ones(3))
mode = "double"
nothing = None


class Color(enum.Enum):
    RED = 1
    BLUE = 2


color = Color.RED


@CASES.case
def global_number():
    return Case(lambda x: x * scale, set_global(scale=3.0), set_global(scale=4), set_global(scale=2.0))


@CASES.case
def global_bool():
    return Case(lambda x: x * 2 if flag else x, set_global(flag=False), set_global(flag=True))


@CASES.case
def global_that_changes_type():
    return Case(
        lambda x: x * scale,
        set_global(scale=np.ones(3)),
        set_global(scale=True),
        set_global(scale=np.float32(2)),
        set_global(scale=2.0),
    )


@CASES.case
def global_string():
    def f(x):
        return x * 2 if mode == "double" else x

    return Case(f, set_global(mode="single"), set_global(mode="double"))


@CASES.case
def global_that_becomes_none():
    return Case(
        lambda x: x if nothing is None else x * nothing,
        set_global(nothing=2.0),
        set_global(nothing=np.ones(3)),
        set_global(nothing=None),
    )


@CASES.case
def global_array_written():
    return Case(lambda x: x * weights, lambda: weights.__setitem__(1, 10.0), lambda: weights.fill(1.0))


@CASES.case
def global_array_rebound():
    return Case(
        lambda x: x * weights,
        set_global(weights=np.zeros(3)),
        set_global(weights=np.arange(3)),
        set_global(weights=np.ones((2, 3))),
        set_global(weights=np.ones(3, "f4")),
        set_global(weights=np.ones(3)),
    )


@CASES.case
def global_tuple():
    return Case(
        lambda x: x * pair[0] + pair[1],
        set_global(pair=(2.0, np.zeros(3))),
        lambda: pair[1].fill(7),
        set_global(pair=(1.0, np.ones(3))),
    )


@CASES.case
def dict_item():
    return Case(
        lambda x: x * table["a"],
        lambda: table.update(a=5.0),
        lambda: table.update(a=np.ones(3)),
        lambda: table.update(a=1.0),
    )


@CASES.case
def dict_keys():
    def f(x):
        for value in table.values():
            x = x + value
        return x

    return Case(
        f,
        lambda: table.update(c=9.0),
        lambda: table.pop("a"),
        lambda: table.update(a=3.0),
        lambda: (table.clear(), table.update(a=1.0, b=2.0)),
    )


@CASES.case
def dict_membership():
    return Case(lambda x: x * 2 if "z" in table else x, lambda: table.update(z=1), lambda: table.pop("z"))


@CASES.case
def dict_get():
    return Case(lambda x: x * table.get("z", 3.0), lambda: table.update(z=1), lambda: table.pop("z"))


@CASES.case
def list_item():
    return Case(lambda x: x * stack[0], lambda: stack.__setitem__(0, 8.0), lambda: stack.__setitem__(0, 1.0))


@CASES.case
def list_length():
    def f(x):
        for value in stack:
            x = x + value
        return x * len(stack)

    return Case(
        f, lambda: stack.append(5.0), lambda: stack.pop(0), lambda: stack.__setitem__(slice(None), [1.0, 2.0])
    )


@CASES.case
def list_rebound():
    return Case(lambda x: x * sum(stack), set_global(stack=[4.0]), set_global(stack=[1.0, 2.0]))


@CASES.case
def nested_containers():
    def f(x):
        for layer in nested["layers"]:
            x = x * layer["w"]
        return x

    return Case(
        f,
        lambda: nested["layers"][1].update(w=7.0),
        lambda: nested["layers"].append({"w": 3.0}),
        lambda: nested["layers"].pop(),
    )


@CASES.case
def namedtuple_rebound():
    Pair = collections.namedtuple("Pair", "a b")
    pair = Pair(1.0, 2.0)

    def change():
        nonlocal pair
        pair = Pair(3.0, np.ones(3))

    return Case(lambda x: x * pair.a + pair.b, change)


@CASES.case
def enum_member():
    return Case(
        lambda x: x * 2 if color is Color.RED else x,
        set_global(color=Color.BLUE),
        set_global(color=Color.RED),
    )


@CASES.case
def enum_value():
    return Case(lambda x: x * color.value, set_global(color=Color.BLUE), set_global(color=Color.RED))


@CASES.case
def a_set():
    names = {"a"}
    return Case(lambda x: x * 2 if "b" in names else x, lambda: names.add("b"), lambda: names.discard("b"))


@CASES.case
def an_ordered_dict():
    held = collections.OrderedDict(a=1.0)
    return Case(lambda x: x * held["a"], lambda: held.update(a=4.0))


@CASES.case
def a_deque():
    held = collections.deque([1.0, 2.0])
    return Case(lambda x: x * held[0], lambda: held.appendleft(5.0), held.popleft)


@CASES.case
def a_defaultdict():
    held = collections.defaultdict(float, a=1.0)
    return Case(lambda x: x * held["a"], lambda: held.update(a=4.0))


@CASES.case
def a_counter():
    held = collections.Counter("aab")
    return Case(lambda x: x * held["a"], lambda: held.update("a"))


@CASES.case
def a_user_dict():
    class Table(dict):
        def scaled(self, x):
            return x * self["a"]

    held = Table(a=1.0)
    return Case(lambda x: held.scaled(x), lambda: held.update(a=4.0))


@CASES.case
def a_tensor():
    held = rt.constant([1.0, 2.0, 3.0])

    def change():
        nonlocal held
        held = rt.constant([4.0, 5.0, 6.0])

    return Case(lambda x: held * x, lambda: held.numpy().fill(8.0), change)


@CASES.case
def aliases_that_part():
    left = Settings(1.0)
    right = left
    box = types.SimpleNamespace(left=left, right=right)

    def f(x):
        box.left.scale = x[0]
        return box.right.scale * x

    return Case(f, lambda: setattr(box, "right", Settings(5.0)), lambda: setattr(box, "right", box.left))


@CASES.case
def builtin_shadowed():
    def f(x):
        return abs(x)

    return Case(f, set_global(abs=lambda x: x * 100), lambda: globals().pop("abs"))


@CASES.case
def a_range():
    steps = range(3)

    def change():
        nonlocal steps
        steps = range(5)

    def f(x):
        for i in steps:
            x = x + i
        return x

    return Case(f, change)


@CASES.case
def dtype_held():
    kind = np.dtype("f4")

    def change():
        nonlocal kind
        kind = np.dtype("f8")

    return Case(lambda x: x.astype(kind), change)


test_a_change_is_seen = CASES.test()
