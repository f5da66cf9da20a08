"""Section "object": attributes that change under staged control flow."""

import dataclasses

import numpy as np

from tests.features.registry import floats, row

X, Y = floats(3, -1, 4), floats(-2, 7, -1)


@dataclasses.dataclass
class Range:
    low: float
    high: float


class Counter:
    def __init__(self):
        self.total = 0.0
        self.hits = 0

    def add(self, v):
        if v > 0:
            self.total += v
            self.hits += 1


class Thermometer:
    def __init__(self, t):
        self._t = t
        self.writes = 0

    @property
    def celsius(self):
        return self._t

    @celsius.setter
    def celsius(self, t):
        self._t = t if t > -273.0 else -273.0
        self.writes += 1


class Money:
    def __init__(self, amount):
        self.amount = amount

    def __add__(self, other):
        return Money(self.amount + other.amount)

    def __gt__(self, other):
        return self.amount > other.amount


class Empty:
    pass


class Pair:
    def __init__(self, x):
        self.inner = Range(x[0], x[0])


@row("dataclass functional state", X, Y)
def dataclass_functional(x):
    span = Range(x[0], x[0])
    for v in x:
        if v > span.high:
            span = Range(span.low, v)
        elif v < span.low:
            span = dataclasses.replace(span, low=v)
    return span


@row("dataclass attribute mutation", X, Y)
def dataclass_mutation(x):
    span = Range(x[0], x[0])
    for v in x:
        if v > span.high:
            span.high = v
        if v < span.low:
            span.low = v
    return span.low, span.high


@row("method mutates self in loop", (Counter(), X), (Counter(), Y))
def method_in_loop(counter, x):
    for v in x:
        counter.add(v)
    return counter.total


@row("method mutates self in branch", (Counter(), X), (Counter(), Y))
def method_in_branch(counter, x):
    if x[0] > 0:
        counter.add(x[0])
    else:
        counter.add(x[1])
        counter.add(x[1])
    return counter.hits


@row("nested attribute state", X, Y)
def nested_attribute(x):
    pair = Pair(x)
    for v in x:
        if v > pair.inner.high:
            pair.inner.high = v
    return pair.inner.high - pair.inner.low


@row("aliased object state", X, Y)
def aliased_object(x):
    first = Range(0.0, 0.0)
    second = first
    for v in x:
        if v > 0:
            first.high = first.high + v
        else:
            second.high = second.high * 2
    return first.high, second.high


@row("attribute created in branch", X, Y)
def attribute_created(x):
    thing = Empty()
    if x[0] > 0:
        thing.value = x[0]
    else:
        thing.value = x[1]
    return thing.value


@row("object returned from branch", X, Y)
def object_from_branch(x):
    if x[0] > 0:
        return Range(x[0], x[1])
    return Range(x[2], 0.0)


@row("property setter in loop", X, floats(-300, 5, -400))
def property_setter(x):
    meter = Thermometer(0.0)
    for v in x:
        meter.celsius = v
    return meter.celsius, meter.writes


@row("operator overloading", X, Y)
def operator_overloading(x):
    purse = Money(x[0])
    other = Money(x[1])
    if purse > other:
        purse = purse + other
    else:
        purse = other + Money(np.float64(100))
    return purse.amount
