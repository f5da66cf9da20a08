"""What other code sees of the program's classes, functions and modules while a function is traced."""

import abc
import dataclasses
import enum
import types
import typing
from concurrent.futures import ThreadPoolExecutor

import runtime as rt
from runtime.tracer.trace import Trace
from tests.modules import new_module_of


class Plain:
    def __init__(self, x):
        self.x = x

    @property
    def twice(self):
        return 2 * self.x


class Slots(Plain):
    __slots__ = ("y",)

    def grow(self):
        self.y = self.x
        self.x += 1
        return self.y


class Table(Slots):
    rows = [1.0]
    count, last = 0, None

    @classmethod
    def add(cls, x):
        cls.rows.append(x)
        cls.count += 1
        cls.last = x


class Child(Table):
    pass


class Shape(abc.ABC):
    @abc.abstractmethod
    def area(self): ...


@dataclasses.dataclass(eq=False, repr=False)
class Square(Shape):
    side: float = 1.0

    def __post_init__(self):
        self.side = self.side * 2

    def area(self):
        return self.side**2


class Pair(typing.NamedTuple):
    a: float
    b: float

    @property
    def total(self):
        return self.a + self.b


class Colour(enum.Flag):
    RED = 1
    BLUE = 2


class Failure(ValueError):
    count = 0

    def __init__(self, x):
        super().__init__(x)
        Failure.count += 1
        self.x = x


CLASSES = (Plain, Slots, Table, Child, Shape, Square, Pair, Colour, Failure)


def helper(o, x):
    o.x = o.twice + x
    helper.calls += 1
    helper.seen.append(x)
    return o.x


helper.calls, helper.seen = 0, []


module = types.ModuleType("rates")
vars(module).update(new_module_of("rate = 2.0\ndef scaled(x):\n    return x * rate\n"))
kept = Slots(1.0)


def ids(namespace):
    return {name: id(held) for name, held in namespace.items()}


def seen():
    """The classes, functions and modules, as this thread sees them."""
    classes = {cls: ids(vars(cls)) for cls in CLASSES}
    functions = {f: (f.__code__, f.__defaults__, ids(vars(f))) for f in (helper, Plain.twice.fget)}
    modules = type(module), {k: v for k, v in vars(module).items() if k != "__builtins__"}
    return classes, functions, modules, type(types), kept.__class__


def test_nothing_is_changed(monkeypatch):
    def f(x, n):
        made = Slots(x)
        for _ in range(n):
            if made.twice > 3:
                made.grow()
            helper(made, module.scaled(x))
            helper(kept, x)
            Child.add(made.x)
        module.rate = module.rate + 1.0
        colour = Colour.RED | Colour.BLUE if x > 2 else Colour.RED
        try:
            if Square(x).area() > Pair(x, 1.0).total and Colour.RED in colour:
                raise Failure(x)
        except Failure as failure:
            kept.x = failure.x + kept.x
        return made.x, kept.x, module.rate

    before, met = seen(), []
    append = Trace.append
    with ThreadPoolExecutor(1) as other_thread:

        def watched(self, operation):
            met.append((seen(), other_thread.submit(seen).result()))
            return append(self, operation)

        monkeypatch.setattr(Trace, "append", watched)
        rt.function(f, engine="numpy")(1.0, 3)
    assert len(met) > 10
    assert all(one == before and other == before for one, other in met)
    assert type(module) is types.ModuleType and kept.__class__ is Slots
    assert module.rate == 3.0 and kept.x > 1.0
    assert Failure.count == 1
    assert (Table.count, Child.count, len(Table.rows), helper.calls, len(helper.seen)) == (0, 3, 4, 6, 6)
