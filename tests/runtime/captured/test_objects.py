"""Attributes, classes and methods may change between calls: the next call sees it."""

import dataclasses
import types

import numpy as np

from tests.runtime.captured.cases import Case, Cases
from tests.runtime.captured.settings import Settings

CASES = Cases(globals())
set_global = CASES.set_global

scale = 2.0


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


def other_rate():
    return lambda: setattr(Settings, "rate", 4.0), lambda: setattr(Settings, "rate", 0.5)


@CASES.case
def attribute():
    return Case(
        lambda x: x * settings.scale,
        lambda: setattr(settings, "scale", 5.0),
        lambda: setattr(settings, "scale", np.ones(3)),
        lambda: setattr(settings, "scale", 2.0),
    )


@CASES.case
def object_rebound():
    return Case(
        lambda x: settings.apply(x), set_global(settings=Settings(7.0)), set_global(settings=Settings())
    )


@CASES.case
def attribute_computed_by_property():
    return Case(
        lambda x: x * settings.double,
        lambda: setattr(settings, "scale", 5.0),
        lambda: setattr(settings, "scale", 2.0),
    )


@CASES.case
def property_replaced():
    old = Settings.double
    return Case(
        lambda x: x * settings.double,
        lambda: setattr(Settings, "double", property(lambda s: 9.0)),
        lambda: setattr(Settings, "double", old),
    )


@CASES.case
def class_attribute():
    return Case(
        lambda x: x * Settings.rate,
        *other_rate(),
    )


@CASES.case
def class_attribute_through_self():
    return Case(
        lambda x: settings.apply(x),
        lambda: setattr(Settings, "rate", 4.0),
        lambda: setattr(settings, "rate", 6.0),
        lambda: delattr(settings, "rate"),
        lambda: setattr(Settings, "rate", 0.5),
    )


@CASES.case
def class_attribute_in_classmethod():
    return Case(
        lambda x: Settings.make(x),
        *other_rate(),
    )


@CASES.case
def new_class_attribute():
    return Case(
        lambda x: x * getattr(Settings, "extra", 1.0),
        lambda: setattr(Settings, "extra", 4.0),
        lambda: delattr(Settings, "extra"),
    )


@CASES.case
def attribute_that_appears():
    return Case(
        lambda x: x * getattr(settings, "extra", 1.0),
        lambda: setattr(settings, "extra", 4.0),
        lambda: delattr(settings, "extra"),
    )


@CASES.case
def hasattr_that_changes():
    return Case(
        lambda x: x * 2 if hasattr(settings, "extra") else x,
        lambda: setattr(settings, "extra", 4.0),
        lambda: delattr(settings, "extra"),
    )


@CASES.case
def method_replaced_on_the_class():
    old = Settings.apply
    return Case(
        lambda x: settings.apply(x),
        lambda: setattr(Settings, "apply", lambda self, x: x + 100),
        lambda: setattr(Settings, "apply", old),
    )


@CASES.case
def method_replaced_on_the_object():
    return Case(
        lambda x: settings.apply(x),
        lambda: setattr(settings, "apply", lambda x: x + 100),
        lambda: delattr(settings, "apply"),
    )


@CASES.case
def classmethod_replaced():
    old = vars(Settings)["make"]
    return Case(
        lambda x: Settings.make(x),
        lambda: setattr(Settings, "make", classmethod(lambda cls, x: x + 5)),
        lambda: setattr(Settings, "make", old),
    )


@CASES.case
def staticmethod_replaced():
    old = vars(Settings)["add"]
    return Case(
        lambda x: Settings.add(x),
        lambda: setattr(Settings, "add", staticmethod(lambda x: x + 5)),
        lambda: setattr(Settings, "add", old),
    )


@CASES.case
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


@CASES.case
def operator_replaced_on_the_class():
    class Vector:
        def __init__(self, v):
            self.v = v

        def __add__(self, other):
            return self.v + other

    vector = Vector(np.ones(3))
    return Case(lambda x: vector + x, lambda: setattr(Vector, "__add__", lambda self, other: self.v - other))


@CASES.case
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


@CASES.case
def slotted_attribute():
    slotted = Slotted()
    return Case(lambda x: x * slotted.scale, lambda: setattr(slotted, "scale", 5.0))


@CASES.case
def dataclass_field():
    point = Point(1.0, 2.0)
    return Case(
        lambda x: x * point.x + point.y, lambda: setattr(point, "x", 5.0), lambda: setattr(point, "y", 0)
    )


@CASES.case
def frozen_dataclass_rebound():
    points = [Frozen(1.0)]
    return Case(lambda x: x * points[0].x, lambda: points.__setitem__(0, Frozen(5.0)))


@CASES.case
def default_of_a_method_replaced():
    class Model:
        def run(self, x, k=2.0):
            return x * k

    model = Model()
    return Case(lambda x: model.run(x), lambda: setattr(Model.run, "__defaults__", (9.0,)))


@CASES.case
def simple_namespace():
    space = types.SimpleNamespace(a=1.0, inner=types.SimpleNamespace(b=2.0))
    return Case(
        lambda x: x * space.a + space.inner.b,
        lambda: setattr(space, "a", 2.0),
        lambda: setattr(space.inner, "b", 9.0),
        lambda: setattr(space, "inner", types.SimpleNamespace(b=0.0)),
    )


@CASES.case
def getattr_of_a_computed_name():
    name = "scale"

    def change():
        nonlocal name
        name = "rate"

    return Case(lambda x: x * getattr(settings, name), change)


@CASES.case
def isinstance_of_a_class_that_changes():
    return Case(
        lambda x: x * 2 if isinstance(settings, Point) else x,
        set_global(settings=Point(1.0, 2.0)),
        set_global(settings=Settings()),
    )


@CASES.case
def class_of_an_object():
    return Case(
        lambda x: x * type(settings).rate,
        *other_rate(),
    )


@CASES.case
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


@CASES.case
def super_method_replaced():
    class Base:
        def run(self, x):
            return x * 2

    class Derived(Base):
        def run(self, x):
            return super().run(x) + 1

    held = Derived()
    return Case(lambda x: held.run(x), lambda: setattr(Base, "run", lambda self, x: x * 50))


@CASES.case
def overriding_method_appears():
    class Base:
        def run(self, x):
            return x * 2

    class Derived(Base):
        pass

    held = Derived()
    return Case(lambda x: held.run(x), lambda: setattr(Derived, "run", lambda self, x: x * 50))


@CASES.case
def bound_method_held():
    class Model:
        def __init__(self):
            self.w = 1.0

        def run(self, x):
            return x * self.w

    model = Model()
    run = model.run
    return Case(lambda x: run(x), lambda: setattr(model, "w", 9.0))


@CASES.case
def constructor_replaced():
    class Model:
        def __init__(self, w):
            self.w = w

    return Case(
        lambda x: x * Model(2.0).w,
        lambda: setattr(Model, "__init__", lambda self, w: setattr(self, "w", w * 10)),
    )


test_a_change_is_seen = CASES.test()
