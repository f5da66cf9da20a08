"""Subclasses, mixins, abstract classes, properties: the method is that of the object's class."""

from tests.features.registry import floats
from tests.programs import Programs

PROGRAMS = Programs()
scenario = PROGRAMS.scenario


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
