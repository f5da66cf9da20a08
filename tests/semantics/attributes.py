"""Attributes of objects and classes: changed by methods, on one path, before an exception, by two names."""

import copy

from tests.features.registry import floats
from tests.semantics.cases import case, scenario

X, Y = floats(3, -1, 4), floats(-2, 7, -1)


class Meter:
    made = 0

    def __init__(self, scale=2.0):
        self.scale = scale
        self.total = 0.0
        self.seen = []
        Meter.made += 1

    def read(self, v):
        if v > 0:
            self.total = self.total + v * self.scale
        return self.total

    def read_all(self, x):
        for v in x:
            self.read(v)
        return self.total


class Empty:
    pass


@case((Meter(), X), (Meter(), Y))
def a_method_changes_self(meter, x):
    first = meter.read_all(x)
    if x[0] > 0:
        meter.scale = 10.0
    return first, meter.read_all(x)


@case((Meter(), X), (Meter(), Y))
def an_attribute_is_changed_before_an_exception(meter, x):
    meter.total = x[0]
    if x[0] < 0:
        raise ValueError("negative")
    meter.total = 0.0
    return meter.total


@case(X, Y)
def class_attributes_change(x):
    if x[0] > 0:
        meter = Meter(x[0])
    else:
        meter = Meter(1.0)
    return meter.read(x[2]), Meter.made


@case(X, Y, X)
def a_class_counts_its_instances(x):
    meter = Meter(x[0])
    if x[0] > 0:
        Meter.made += 10
    return meter.read(x[2])


@scenario
def one_object_per_instance(function):
    class Model:
        def __init__(self, bias):
            self.bias = bias
            self.uses = 0

        @function
        def run(self, x):
            self.uses += 1
            return x + self.bias if x[0] > self.bias else x

    a, b = Model(1.0), Model(2.0)
    results = [a.run(X), b.run(X), a.run(Y), b.run(Y)]
    a.bias = 10.0
    results += [a.run(X), b.run(X)]
    return results, a.uses, b.uses


@case((Meter(), X), (Meter(), Y))
def aliases_of_one_object(meter, x):
    other = meter
    pair = {"a": meter, "b": other}
    if x[0] > 0:
        pair["a"].total = x[0]
    else:
        other.total = -x[0]
    return pair["b"].total, meter.total, other is meter


@case((Meter(), X), (Meter(), Y))
def setattr_getattr_hasattr(meter, x):
    name = "total" if x[0] > 0 else "scale"
    if x[1] < 0:
        setattr(meter, "extra", x[1])
    return getattr(meter, "total"), hasattr(meter, "extra"), meter.scale


@case((X,), (Y,), (X,))
def an_attribute_is_given_to_a_new_object_on_one_path(x):
    box = Empty()
    if x[0] > 0:
        box.extra = 1
    return hasattr(box, "extra"), getattr(box, "extra", 7)


@case((X,), (Y,), (X,))
def an_attribute_that_one_path_gives_is_missing_on_the_other(x):
    box = Empty()
    if x[0] > 0:
        box.extra = 1
    return box.extra + 1


@case((Meter(), X), (Meter(), Y))
def copies_of_objects_are_separate(meter, x):
    other = copy.copy(meter)
    if x[0] > 0:
        other.total = x[0]
    return meter.total, other.total


@scenario
def attributes_of_classes_are_inherited_until_they_are_set(function):
    class Base:
        total = 0.0
        table = {"a": 1.0}

        @classmethod
        def add(cls, v):
            cls.total = cls.total + v
            cls.table["a"] += v

    class Derived(Base):
        pass

    @function
    def f(x):
        for v in x:
            if v > 0:
                Derived.add(v)
        return Derived.total, Base.total

    return [f(X), f(Y), f(X), f(X)], Derived.total, Base.total, Base.table


@case(X, Y)
def a_class_attribute_is_set_before_an_exception(x):
    Meter.made = 7
    y = x[int(x[1])]
    Meter.made = 8
    return y
