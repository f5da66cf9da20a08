"""What stands between an object and its attributes: `__getattr__`, descriptors, defaults, None at first."""

import numpy as np
import pytest

import runtime as rt
from autograph.errors import StagingError
from tests.differential import Call
from tests.programs import Programs

PROGRAMS = Programs()


class Doubling:
    reads = 0

    def __set_name__(self, owner, name):
        self.name = "_" + name

    def __get__(self, owner, cls=None):
        if owner is None:
            return self
        self.reads += 1
        return getattr(owner, self.name, 7)

    def __set__(self, owner, value):
        if value > 1000:
            raise ValueError(self.name)
        setattr(owner, self.name, value * 2)
        owner.writes = getattr(owner, "writes", 0) + 1


class Lazy:
    def __get__(self, owner, cls=None):
        return owner.total() if owner.a > 20 else "small"


class Doubled:
    a = Doubling()
    b = Doubling()
    lazy = Lazy()

    def total(self):
        return self.a + self.b


@PROGRAMS.of(*[Call(np.array([n]), Doubled()) for n in (3, 0, 5)])
def descriptors_of_the_user(x, outside):
    n = int(x[0])
    items = [Doubled() for _ in range(n + 1)]
    found = []
    for item in (outside, Doubled(), items[0]):
        if n > 2:
            item.a = n
        for i in range(n):
            item.b = item.a + i
        if n > 4:
            item.lazy = 1
        found.append((item.a, item.b, getattr(item, "writes", None), item.lazy, item.total()))
        try:
            item.b = n * 300
        except ValueError as error:
            found.append(str(error))
    return found


class Tank:
    low = Doubling()


def test_what_a_descriptor_gives_for_the_class():
    with pytest.raises(StagingError, match="`Tank.low` asks a descriptor of a class of yours") as refused:
        rt.function(lambda x: Tank.low.reads + x)(1.0)
    assert "read the attribute of an instance" in refused.value.hint


test_program = PROGRAMS.test()
