"""Whatever a function reads from outside may change between calls: the next call sees it.

Each case changes one thing between calls; the decorated function and the plain one must agree each time.
"""

import collections
import dataclasses
import enum
import functools
import math
import types

import numpy as np
import pytest

import runtime as rt
from autograph.errors import StagingError

X = np.array([1.0, -2.0, 3.0])


class Case:
    """One program: ``f`` reads something; each of ``changes`` changes it."""

    def __init__(self, f, *changes):
        self.f = f
        self.changes = changes


CASES = {}


def case(make):
    CASES[make.__name__] = make
    return make


scale = 2.0
weights = np.ones(3)
table = {"a": 1.0, "b": 2.0}
stack = [1.0, 2.0]
nested = {"layers": [{"w": 1.0}, {"w": 2.0}]}
flag = True
pair = (1.0, np.ones(3))
mode = "double"
nothing = None


def helper(x):
    return x * 2


class Color(enum.Enum):
    RED = 1
    BLUE = 2


color = Color.RED


class Settings:
    rate = 0.5

    def __init__(self, scale=2.0):
        self.scale = scale

    def apply(self, x):
        return x * self.scale * self.rate

    @property
    def double(self):
        return self.scale * 2

    @classmethod
    def make(cls, x):
        return x * cls.rate

    @staticmethod
    def add(x):
        return x + 1


class Slotted:
    __slots__ = ("scale",)

    def __init__(self):
        self.scale = 1.0


@dataclasses.dataclass
class Point:
    x: float
    y: float


@dataclasses.dataclass(frozen=True)
class Frozen:
    x: float


settings = Settings()
module = types.ModuleType("configuration")
module.rate = 1.0
module.inner = types.ModuleType("configuration.inner")
module.inner.rate = 5.0


def set_global(**values):
    return lambda: globals().update(values)


@case
def global_number():
    return Case(lambda x: x * scale, set_global(scale=3.0), set_global(scale=4), set_global(scale=2.0))


@case
def global_bool():
    return Case(lambda x: x * 2 if flag else x, set_global(flag=False), set_global(flag=True))


@case
def global_that_changes_type():
    return Case(
        lambda x: x * scale,
        set_global(scale=np.ones(3)),
        set_global(scale=True),
        set_global(scale=np.float32(2)),
        set_global(scale=2.0),
    )


@case
def global_string():
    def f(x):
        return x * 2 if mode == "double" else x

    return Case(f, set_global(mode="single"), set_global(mode="double"))


@case
def global_that_becomes_none():
    return Case(
        lambda x: x if nothing is None else x * nothing,
        set_global(nothing=2.0),
        set_global(nothing=np.ones(3)),
        set_global(nothing=None),
    )


@case
def global_array_written():
    return Case(lambda x: x * weights, lambda: weights.__setitem__(1, 10.0), lambda: weights.fill(1.0))


@case
def global_array_rebound():
    return Case(
        lambda x: x * weights,
        set_global(weights=np.zeros(3)),
        set_global(weights=np.arange(3)),
        set_global(weights=np.ones((2, 3))),
        set_global(weights=np.ones(3, "f4")),
        set_global(weights=np.ones(3)),
    )


@case
def global_tuple():
    return Case(
        lambda x: x * pair[0] + pair[1],
        set_global(pair=(2.0, np.zeros(3))),
        lambda: pair[1].fill(7),
        set_global(pair=(1.0, np.ones(3))),
    )


@case
def dict_item():
    return Case(
        lambda x: x * table["a"],
        lambda: table.update(a=5.0),
        lambda: table.update(a=np.ones(3)),
        lambda: table.update(a=1.0),
    )


@case
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


@case
def dict_membership():
    return Case(lambda x: x * 2 if "z" in table else x, lambda: table.update(z=1), lambda: table.pop("z"))


@case
def dict_get():
    return Case(lambda x: x * table.get("z", 3.0), lambda: table.update(z=1), lambda: table.pop("z"))


@case
def list_item():
    return Case(lambda x: x * stack[0], lambda: stack.__setitem__(0, 8.0), lambda: stack.__setitem__(0, 1.0))


@case
def list_length():
    def f(x):
        for value in stack:
            x = x + value
        return x * len(stack)

    return Case(
        f, lambda: stack.append(5.0), lambda: stack.pop(0), lambda: stack.__setitem__(slice(None), [1.0, 2.0])
    )


@case
def list_rebound():
    return Case(lambda x: x * sum(stack), set_global(stack=[4.0]), set_global(stack=[1.0, 2.0]))


@case
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


@case
def attribute():
    return Case(
        lambda x: x * settings.scale,
        lambda: setattr(settings, "scale", 5.0),
        lambda: setattr(settings, "scale", np.ones(3)),
        lambda: setattr(settings, "scale", 2.0),
    )


@case
def object_rebound():
    return Case(
        lambda x: settings.apply(x), set_global(settings=Settings(7.0)), set_global(settings=Settings())
    )


@case
def attribute_computed_by_property():
    return Case(
        lambda x: x * settings.double,
        lambda: setattr(settings, "scale", 5.0),
        lambda: setattr(settings, "scale", 2.0),
    )


@case
def property_replaced():
    old = Settings.double
    return Case(
        lambda x: x * settings.double,
        lambda: setattr(Settings, "double", property(lambda s: 9.0)),
        lambda: setattr(Settings, "double", old),
    )


@case
def class_attribute():
    return Case(
        lambda x: x * Settings.rate,
        lambda: setattr(Settings, "rate", 4.0),
        lambda: setattr(Settings, "rate", 0.5),
    )


@case
def class_attribute_through_self():
    return Case(
        lambda x: settings.apply(x),
        lambda: setattr(Settings, "rate", 4.0),
        lambda: setattr(settings, "rate", 6.0),
        lambda: delattr(settings, "rate"),
        lambda: setattr(Settings, "rate", 0.5),
    )


@case
def class_attribute_in_classmethod():
    return Case(
        lambda x: Settings.make(x),
        lambda: setattr(Settings, "rate", 4.0),
        lambda: setattr(Settings, "rate", 0.5),
    )


@case
def new_class_attribute():
    return Case(
        lambda x: x * getattr(Settings, "extra", 1.0),
        lambda: setattr(Settings, "extra", 4.0),
        lambda: delattr(Settings, "extra"),
    )


@case
def attribute_that_appears():
    return Case(
        lambda x: x * getattr(settings, "extra", 1.0),
        lambda: setattr(settings, "extra", 4.0),
        lambda: delattr(settings, "extra"),
    )


@case
def hasattr_that_changes():
    return Case(
        lambda x: x * 2 if hasattr(settings, "extra") else x,
        lambda: setattr(settings, "extra", 4.0),
        lambda: delattr(settings, "extra"),
    )


@case
def method_replaced_on_the_class():
    old = Settings.apply
    return Case(
        lambda x: settings.apply(x),
        lambda: setattr(Settings, "apply", lambda self, x: x + 100),
        lambda: setattr(Settings, "apply", old),
    )


@case
def method_replaced_on_the_object():
    return Case(
        lambda x: settings.apply(x),
        lambda: setattr(settings, "apply", lambda x: x + 100),
        lambda: delattr(settings, "apply"),
    )


@case
def classmethod_replaced():
    old = vars(Settings)["make"]
    return Case(
        lambda x: Settings.make(x),
        lambda: setattr(Settings, "make", classmethod(lambda cls, x: x + 5)),
        lambda: setattr(Settings, "make", old),
    )


@case
def staticmethod_replaced():
    old = vars(Settings)["add"]
    return Case(
        lambda x: Settings.add(x),
        lambda: setattr(Settings, "add", staticmethod(lambda x: x + 5)),
        lambda: setattr(Settings, "add", old),
    )


@case
def class_of_an_object_changes():
    class Other(Settings):
        rate = 3.0

        def apply(self, x):
            return x - 1

    return Case(
        lambda x: settings.apply(x),
        lambda: setattr(settings, "__class__", Other),
        lambda: setattr(settings, "__class__", Settings),
    )


@case
def operator_replaced_on_the_class():
    class Vector:
        def __init__(self, v):
            self.v = v

        def __add__(self, other):
            return self.v + other

    vector = Vector(np.ones(3))
    return Case(lambda x: vector + x, lambda: setattr(Vector, "__add__", lambda self, other: self.v - other))


@case
def call_operator_replaced_on_the_class():
    class Layer:
        def __init__(self):
            self.w = 2.0

        def __call__(self, x):
            return x * self.w

    layer = Layer()
    return Case(
        lambda x: layer(x),
        lambda: setattr(Layer, "__call__", lambda self, x: x + self.w),
        lambda: setattr(layer, "w", 9.0),
    )


@case
def slotted_attribute():
    slotted = Slotted()
    return Case(lambda x: x * slotted.scale, lambda: setattr(slotted, "scale", 5.0))


@case
def dataclass_field():
    point = Point(1.0, 2.0)
    return Case(
        lambda x: x * point.x + point.y, lambda: setattr(point, "x", 5.0), lambda: setattr(point, "y", 0)
    )


@case
def frozen_dataclass_rebound():
    points = [Frozen(1.0)]
    return Case(lambda x: x * points[0].x, lambda: points.__setitem__(0, Frozen(5.0)))


@case
def namedtuple_rebound():
    Pair = collections.namedtuple("Pair", "a b")
    pair = Pair(1.0, 2.0)

    def change():
        nonlocal pair
        pair = Pair(3.0, np.ones(3))

    return Case(lambda x: x * pair.a + pair.b, change)


@case
def closure_cell():
    factor = 2.0

    def change(to):
        nonlocal factor
        factor = to

    return Case(lambda x: x * factor, lambda: change(3.0), lambda: change(np.ones(3)), lambda: change(2.0))


@case
def cell_contents():
    factor = 2.0
    f = lambda x: x * factor
    return Case(f, lambda: setattr(f.__closure__[0], "cell_contents", 7.0))


@case
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


@case
def cell_bound_late():
    def f(x):
        return x * later if x[0] > 100 else x

    later = 1.0
    return Case(f)


@case
def callee_monkeypatched():
    return Case(lambda x: helper(x), set_global(helper=lambda x: x - 1), set_global(helper=helper))


@case
def callee_in_a_closure_replaced():
    def inner(x):
        return x * 2

    def f(x):
        return inner(x)

    def change():
        nonlocal inner
        inner = lambda x: x * 3

    return Case(f, change)


@case
def code_of_a_callee_replaced():
    def inner(x):
        return x * 2

    def other(x):
        return x * 3

    return Case(lambda x: inner(x), lambda: setattr(inner, "__code__", other.__code__))


@case
def code_of_the_function_replaced():
    def f(x):
        return x * 2

    def other(x):
        return x * 3

    return Case(f, lambda: setattr(f, "__code__", other.__code__))


@case
def defaults_replaced():
    def f(x, k=2.0):
        return x * k

    return Case(
        f, lambda: setattr(f, "__defaults__", (5.0,)), lambda: setattr(f, "__defaults__", (np.ones(3),))
    )


@case
def keyword_defaults_replaced():
    def f(x, *, k=2.0):
        return x * k

    return Case(f, lambda: setattr(f, "__kwdefaults__", {"k": 5.0}), lambda: f.__kwdefaults__.update(k=3.0))


@case
def defaults_of_a_callee_replaced():
    def inner(x, k=2.0):
        return x * k

    def f(x):
        return inner(x)

    return Case(
        f, lambda: setattr(inner, "__defaults__", (5.0,)), lambda: setattr(inner, "__defaults__", (6,))
    )


@case
def keyword_defaults_of_a_callee_replaced():
    def inner(x, *, k=2.0):
        return x * k

    def f(x):
        return inner(x)

    return Case(
        f, lambda: setattr(inner, "__kwdefaults__", {"k": 5.0}), lambda: inner.__kwdefaults__.update(k=3)
    )


@case
def mutable_default_changed():
    def f(x, ks=[1.0]):
        for k in ks:
            x = x * k
        return x

    return Case(f, lambda: f.__defaults__[0].append(5.0), lambda: f.__defaults__[0].__setitem__(0, 4.0))


@case
def default_of_a_method_replaced():
    class Model:
        def run(self, x, k=2.0):
            return x * k

    model = Model()
    return Case(lambda x: model.run(x), lambda: setattr(Model.run, "__defaults__", (9.0,)))


@case
def function_attribute():
    def f(x):
        return x * f.scale

    f.scale = 2.0
    return Case(f, lambda: setattr(f, "scale", 3.0), lambda: setattr(f, "scale", np.ones(3)))


@case
def attribute_of_a_callee():
    def inner(x):
        return x

    inner.scale = 2.0
    return Case(lambda x: inner(x) * inner.scale, lambda: setattr(inner, "scale", 3.0))


@case
def module_attribute():
    return Case(
        lambda x: x * module.rate,
        lambda: setattr(module, "rate", 7.0),
        lambda: setattr(module, "rate", np.ones(3)),
        lambda: setattr(module, "rate", 1.0),
    )


@case
def nested_module_attribute():
    return Case(
        lambda x: x * module.inner.rate,
        lambda: setattr(module.inner, "rate", 7.0),
        lambda: setattr(module, "inner", types.SimpleNamespace(rate=3.0)),
    )


@case
def attribute_of_a_library_module():
    old = math.tau
    return Case(lambda x: x * math.tau, lambda: setattr(math, "tau", 1.0), lambda: setattr(math, "tau", old))


@case
def function_of_a_module_replaced():
    module.run = helper
    return Case(lambda x: module.run(x), lambda: setattr(module, "run", lambda x: x - 5))


@case
def simple_namespace():
    space = types.SimpleNamespace(a=1.0, inner=types.SimpleNamespace(b=2.0))
    return Case(
        lambda x: x * space.a + space.inner.b,
        lambda: setattr(space, "a", 2.0),
        lambda: setattr(space.inner, "b", 9.0),
        lambda: setattr(space, "inner", types.SimpleNamespace(b=0.0)),
    )


@case
def enum_member():
    return Case(
        lambda x: x * 2 if color is Color.RED else x,
        set_global(color=Color.BLUE),
        set_global(color=Color.RED),
    )


@case
def enum_value():
    return Case(lambda x: x * color.value, set_global(color=Color.BLUE), set_global(color=Color.RED))


@case
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


@case
def functions_in_a_container():
    functions = [lambda x: x * 2, lambda x: x + 1]

    def f(x):
        for g in functions:
            x = g(x)
        return x

    return Case(f, functions.reverse, lambda: functions.append(lambda x: x * 10), functions.pop)


@case
def a_set():
    names = {"a"}
    return Case(lambda x: x * 2 if "b" in names else x, lambda: names.add("b"), lambda: names.discard("b"))


@case
def an_ordered_dict():
    held = collections.OrderedDict(a=1.0)
    return Case(lambda x: x * held["a"], lambda: held.update(a=4.0))


@case
def a_deque():
    held = collections.deque([1.0, 2.0])
    return Case(lambda x: x * held[0], lambda: held.appendleft(5.0), held.popleft)


@case
def a_defaultdict():
    held = collections.defaultdict(float, a=1.0)
    return Case(lambda x: x * held["a"], lambda: held.update(a=4.0))


@case
def a_counter():
    held = collections.Counter("aab")
    return Case(lambda x: x * held["a"], lambda: held.update("a"))


@case
def a_bytearray():
    held = bytearray(b"ab")
    return Case(lambda x: x * held[0], lambda: held.__setitem__(0, 7))


@case
def a_user_dict():
    class Table(dict):
        def scaled(self, x):
            return x * self["a"]

    held = Table(a=1.0)
    return Case(lambda x: held.scaled(x), lambda: held.update(a=4.0))


@case
def a_tensor():
    held = rt.constant([1.0, 2.0, 3.0])

    def change():
        nonlocal held
        held = rt.constant([4.0, 5.0, 6.0])

    return Case(lambda x: held * x, lambda: held.numpy().fill(8.0), change)


@case
def aliases_that_part():
    left = Settings(1.0)
    right = left
    box = types.SimpleNamespace(left=left, right=right)

    def f(x):
        box.left.scale = x[0]
        return box.right.scale * x

    return Case(f, lambda: setattr(box, "right", Settings(5.0)), lambda: setattr(box, "right", box.left))


@case
def builtin_shadowed():
    def f(x):
        return abs(x)

    return Case(f, set_global(abs=lambda x: x * 100), lambda: globals().pop("abs"))


@case
def getattr_of_a_computed_name():
    name = "scale"

    def change():
        nonlocal name
        name = "rate"

    return Case(lambda x: x * getattr(settings, name), change)


@case
def a_wrapped_function_of_the_runtime():
    inner = rt.function(lambda x: x * scale)
    return Case(lambda x: inner(x) + 1, set_global(scale=9.0), set_global(scale=2.0))


@case
def isinstance_of_a_class_that_changes():
    return Case(
        lambda x: x * 2 if isinstance(settings, Point) else x,
        set_global(settings=Point(1.0, 2.0)),
        set_global(settings=Settings()),
    )


@case
def class_of_an_object():
    return Case(
        lambda x: x * type(settings).rate,
        lambda: setattr(Settings, "rate", 6.0),
        lambda: setattr(Settings, "rate", 0.5),
    )


@case
def base_class_attribute():
    class Base:
        rate = 1.0

    class Derived(Base):
        def run(self, x):
            return x * self.rate

    held = Derived()
    return Case(
        lambda x: held.run(x),
        lambda: setattr(Base, "rate", 5.0),
        lambda: setattr(Derived, "rate", 7.0),
        lambda: delattr(Derived, "rate"),
    )


@case
def super_method_replaced():
    class Base:
        def run(self, x):
            return x * 2

    class Derived(Base):
        def run(self, x):
            return super().run(x) + 1

    held = Derived()
    return Case(lambda x: held.run(x), lambda: setattr(Base, "run", lambda self, x: x * 50))


@case
def overriding_method_appears():
    class Base:
        def run(self, x):
            return x * 2

    class Derived(Base):
        pass

    held = Derived()
    return Case(lambda x: held.run(x), lambda: setattr(Derived, "run", lambda self, x: x * 50))


@case
def bound_method_held():
    class Model:
        def __init__(self):
            self.w = 1.0

        def run(self, x):
            return x * self.w

    model = Model()
    run = model.run
    return Case(lambda x: run(x), lambda: setattr(model, "w", 9.0))


@case
def constructor_replaced():
    class Model:
        def __init__(self, w):
            self.w = w

    return Case(
        lambda x: x * Model(2.0).w,
        lambda: setattr(Model, "__init__", lambda self, w: setattr(self, "w", w * 10)),
    )


@case
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


@case
def dtype_held():
    kind = np.dtype("f4")

    def change():
        nonlocal kind
        kind = np.dtype("f8")

    return Case(lambda x: x.astype(kind), change)


#: what is refused after the change, with a way out
REFUSED = {"function_attribute"}


def observed(f, x):
    try:
        value = f(x)
    except Exception as error:
        return type(error), str(error)
    value = value.numpy() if isinstance(value, rt.Tensor) else value
    return type(value), getattr(value, "dtype", None), np.asarray(value).tolist()


@pytest.mark.parametrize("engine", ["numpy", "native"])
@pytest.mark.parametrize("name", CASES)
def test_a_change_is_seen(name, engine):
    kept = dict(globals())
    made = CASES[name]()
    decorated = rt.function(made.f, engine=engine)
    try:
        for change in (lambda: None, *made.changes):
            change()
            for _ in range(2):
                expected = observed(made.f, X)
                got = observed(decorated, X)
                assert got == expected or name in REFUSED and got[0] is StagingError
    finally:
        for key in set(globals()) - set(kept):
            del globals()[key]
        globals().update(kept)
