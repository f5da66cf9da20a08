"""Subclasses, mixins, abstract classes, properties: the method is that of the object's class."""

import abc
import enum

from tests.features.registry import floats
from tests.programs import Programs

PROGRAMS = Programs()
scenario = PROGRAMS.scenario


@scenario
def abc_enum(function):
    class Op(enum.Enum):
        ADD = 1
        MUL = 2

    class Sh(abc.ABC):
        @abc.abstractmethod
        def area(self): ...

    class Sq(Sh):
        def __init__(self, s):
            self.s = s

        def area(self):
            return self.s**2

    @function
    def f(x, y):
        op = Op.ADD if x > 0 else Op.MUL
        shapes = []
        if y > 0:
            shapes.append(Sq(y))
        shapes.append(Sq(x))
        t = sum(s.area() for s in shapes)
        return (x + y if op is Op.ADD else x * y), op, t, op.name

    return [f(1.0, 2.0), f(-1.0, 2.0), f(1.0, -2.0)]


@scenario
def made_after_an_object_of_the_base_class(function):
    """The inherited `__init__` runs as that of the base does, of which the trace has an object by then."""

    class Length:
        def __init__(self, v):
            print("made", type(self).__name__)
            if v > 0:
                self.v = v
            else:
                self.v = -v

    class Width(Length):
        pass

    class Failed(ValueError):
        def __init__(self, code):
            super().__init__(f"code {code}")
            self.code = code

    class Late(Failed):
        pass

    @function
    def f(x):
        made = Length(x[0]), Width(x[1])
        try:
            if x[0] < 0:
                raise Failed(x[0])
            raise Late(x[1])
        except Failed as error:
            return made[0].v + made[1].v, str(error), error.code

    return [f(floats(1, -2)), f(floats(-1, 2)), f(floats(3, 4))]


@scenario
def special_methods_of_a_second_base_class(function):
    """An object of the first base is made before, or after: what a trace puts on its class hides nothing."""

    class Value:
        def __init__(self, v):
            self.v = v

    class Compared:
        def __eq__(self, other):
            print("eq")
            return self.v == other.v

        def __lt__(self, other):
            return self.v < other.v

    class Doubling:
        def __setattr__(self, name, value):
            object.__setattr__(self, name, value * 2 if name == "w" else value)

    class Both(Value, Compared):
        pass

    class Magic(Value, Doubling):
        pass

    @function
    def f(x, first):
        made = Value(x[0]) if first else None
        a, b, magic = Both(x[1]), Both(x[1]), Magic(x[0])
        magic.w = x[1]
        made = made or Value(x[0])
        same = Value(1.0) == Value(1.0)
        try:
            hash(a)
        except TypeError as error:
            return a == b, a != b, a < b, magic.w, made.v, same, str(error)

    return [f(floats(1, 2), first) for first in (True, False)] + [f(floats(3, 4), True)]


test_program = PROGRAMS.test()
