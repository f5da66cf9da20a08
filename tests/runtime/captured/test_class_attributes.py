"""What a class holds under a name, of every kind, and its changes between calls, read in every way.

Each kind is made of a number, and has changes: another one of its kind in its place, and what lies behind it.
"""

import functools
import itertools
import operator

import numpy as np
import pytest

import runtime as rt
from autograph.errors import StagingError
from tests.long import some


class Source:
    """What holds the number."""

    def __init__(self, number):
        self.number = number

    def read(self, *others):
        return self.number

    def __call__(self, *others):
        return self.number

    @classmethod
    def made(cls, number):
        return cls(number)


class Descriptor:
    def __init__(self, number):
        self.number = number

    def __get__(self, owner, cls):
        return lambda *others: self.number


def of_first(held, *others):
    return held[0] if isinstance(held, list) else held


def function_of(number):
    return lambda *others: number


def defaulted(number):
    def function(*others, number=number):
        return number

    return function


def _set_number(source, number):
    source.number = number


def _set_default(function, number):
    function.__kwdefaults__["number"] = number


def _set_cell(function, number):
    function.__closure__[0].cell_contents = number


#: kind -> what makes such a thing of a number, and what changes what it gives, if that can be done
KINDS = {
    "number": (lambda n: n, None),
    "array": (lambda n: np.full(2, n), lambda held, n: held.fill(n)),
    "list": (lambda n: [n], lambda held, n: held.__setitem__(0, n)),
    "dict": (lambda n: {"a": n}, lambda held, n: held.__setitem__("a", n)),
    "tuple": (lambda n: (n, [n]), lambda held, n: held[1].__setitem__(0, n)),
    "object": (Source, _set_number),
    "function": (function_of, _set_cell),
    "function with a default": (defaulted, _set_default),
    "partial": (lambda n: functools.partial(of_first, n), None),
    "partial of a list": (
        lambda n: functools.partial(of_first, [n]), lambda held, n: held.args[0].__setitem__(0, n),
    ),
    "bound method": (lambda n: Source(n).read, lambda held, n: _set_number(held.__self__, n)),
    "method of a class": (lambda n: Source.made, None),
    "partial of a bound method": (
        lambda n: functools.partial(Source(n).read), lambda held, n: _set_number(held.func.__self__, n),
    ),
    "cached": (lambda n: functools.lru_cache(function_of(n)), None),
    "builtin": (lambda n: abs if n > 5 else float, None),
    "bound builtin": (lambda n: (float(n)).__add__, None),
    "getter": (lambda n: operator.itemgetter(0 if n > 5 else 1), None),
    "class": (lambda n: type("Made", (Source,), {"number": n}), lambda held, n: setattr(held, "number", n)),
    "decorated": (lambda n: rt.function(function_of(n)), None),
    "descriptor": (Descriptor, _set_number),
    "partialmethod": (
        lambda n: functools.partialmethod(lambda *given: given[-2], n), None,
    ),
    "property": (lambda n: property(function_of(n)), None),
    "property of a partial": (lambda n: property(functools.partial(lambda n, own: n, n)), None),
    "property of a method": (
        lambda n: property(Source(n).read), lambda held, n: _set_number(held.fget.__self__, n),
    ),
}  # fmt: skip
#: how the class holds it
ENTRIES = {
    "as it is": lambda held: held,
    "staticmethod": staticmethod,
    "classmethod": classmethod,
    "staticmethod twice": lambda held: staticmethod(staticmethod(held)),
}
#: how the function gets at it
READS = {
    "class": lambda cls, one: cls.held,
    "instance": lambda cls, one: one.held,
    "derived": lambda cls, one: type(one).held,
    "getattr": lambda cls, one: getattr(cls, "held"),
    "method": lambda cls, one: one.reading(),
    "class method": lambda cls, one: cls.reading_of_class(),
}
#: what is asked of it
USES = {
    "called": lambda held: held(3.0),
    "first": lambda held: held[0],
    "read": lambda held: held.number,
    "itself": lambda held: held,
}
CELLS = [*itertools.product(KINDS, ENTRIES, READS)]


def world(kind, entry, read, use, decorate):
    """What the calls give, with the changes between them."""
    make, change = KINDS[kind]
    held = make(2.0)

    class Holder:
        def reading(self):
            return self.held

        @classmethod
        def reading_of_class(cls):
            return cls.held

    class Derived(Holder):
        pass

    Holder.held = ENTRIES[entry](held)
    reads, uses = READS[read], USES[use]
    program = decorate(lambda one: uses(reads(Holder, one)) * 1.0)

    def called():
        try:
            return np.asarray(program(Derived())).tolist()
        except StagingError as error:
            assert error.hint
            return "refused"
        except Exception as error:
            return type(error)

    seen = [called(), called()]
    if change is not None:
        change(held, 5.0)
        seen.append(called())
    Holder.held = ENTRIES[entry](make(7.0))
    seen.append(called())
    Derived.held = ENTRIES[entry](make(11.0))
    return [*seen, called()]


def check(kind, entry, read, engine):
    for use in USES:
        expected = world(kind, entry, read, use, lambda f: f)
        got = world(kind, entry, read, use, functools.partial(rt.function, engine=engine))
        same = [one in (other, "refused") for one, other in zip(got, expected, strict=True)]
        assert all(same), (kind, entry, read, use, got, expected)


@pytest.mark.parametrize("engine", ["native", pytest.param("numpy", marks=pytest.mark.long)])
@pytest.mark.parametrize("cell", some(CELLS, 13), ids="-".join)
def test_a_change_of_what_a_class_holds(cell, engine):
    check(*cell, engine)
