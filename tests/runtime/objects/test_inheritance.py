"""Subclasses, mixins, abstract classes, properties: the method is that of the object's class."""

import abc
import enum
import math

from tests.differential import attempt
from tests.features.registry import floats
from tests.programs import Programs

PROGRAMS = Programs()
scenario = PROGRAMS.scenario


class Shape:
    count = 0

    def __init__(self, name):
        self.name = name

    def area(self):
        return 0.0

    def describe(self):
        return f"{self.name}:{self.area():.2f}"


class Circle(Shape):
    def __init__(self, r):
        super().__init__("circle")
        self.r = r

    def area(self):
        return math.pi * self.r**2


class Square(Shape):
    def __init__(self, s):
        super().__init__("square")
        self.s = s

    def area(self):
        return self.s * self.s

    @property
    def side(self):
        return self.s

    @side.setter
    def side(self, v):
        if v < 0:
            raise ValueError(f"side {v}")
        self.s = v


@scenario
def hierarchy(function):
    @function
    def f(a):
        shapes = []
        for v in a:
            if v > 0:
                shapes.append(Circle(v))
            elif v < 0:
                shapes.append(Square(-v))
        total = 0.0
        for s in shapes:
            total += s.area()
            if isinstance(s, Square):
                s.side = s.side + 1
            print(s.describe(), s.name)
        return total, [s.area() for s in shapes]

    return [f(floats(1, -2, 3)), f(floats(0.0)), f(floats(2, -2))]


@scenario
def setter_raises(function):
    @function
    def f(a):
        sq = []
        for v in a:
            if v != 0:
                sq.append(Square(1.0))
        for s, v in zip(sq, a):
            s.side = v
        return [s.s for s in sq]

    return [attempt(f, v) for v in (floats(1, 2, 0), floats(1, -2), floats(5))]


@scenario
def mixin(function):
    class Scale:
        def apply(self, x):
            return super().apply(x) * self.k

    class Shift:
        def apply(self, x):
            return super().apply(x) + self.b

    class Base:
        def apply(self, x):
            return x

    class M(Scale, Shift, Base):
        def __init__(self, k, b):
            self.k = k
            self.b = b

    m = M(2.0, 1.0)

    @function
    def f(x):
        if x > 0:
            m.k += 1
        return m.apply(x)

    r = [f(1.0), f(-1.0), f(2.0)]
    m.b = 10.0
    r.append(f(1.0))
    return r, m.k


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


@scenario
def inherited_reflected_methods(function):
    class Left:
        def __init__(self, v):
            self.v = v

        def __add__(self, other):
            return "add", self.v, other.v

        def __radd__(self, other):
            return "radd", self.v, other.v

    class Inherits(Left):
        pass

    class Overrides(Left):
        def __radd__(self, other):
            return "other radd", self.v, other.v

    @function
    def f(x, last):
        a, b = Inherits(x[0]), Overrides(x[1])
        c = Left(x[1])
        if last:
            a, b = Inherits(x[1]), Overrides(x[0])
        return c + a, a + c, c + b, b + c, a + b, b + a

    return [f(floats(1, 2), True), f(floats(1, 2), False)]


@scenario
def what_a_program_sees_of_its_classes(function):
    """Not what a trace has put there."""

    class Plain:
        def __init__(self, v):
            self.v = v

    class Added(Plain):
        def __add__(self, other):
            return self.v

    class Inherits(Added):
        pass

    @function
    def f(x):
        a, b = Plain(x[0]), Inherits(x[1])
        same = Plain.__eq__ is object.__eq__, getattr(Plain, "__hash__") is object.__hash__
        inherited = Inherits.__add__ is Added.__add__, Inherits.__init__ is b.__init__.__func__
        code = Added.__add__.__code__.co_varnames, Plain.__init__.__code__.co_argcount
        return same, inherited, code, a.v, b + a

    return [f(floats(1, 2))]


test_program = PROGRAMS.test()
