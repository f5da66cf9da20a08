"""Records write their `__init__` when there are many instances; it says where it comes from."""

import pydoc
from dataclasses import field, fields, replace

import pytest

from autograph.records import FEW, record


@record
class Point:
    """A place."""

    x: int
    y: int = 0


def test_help_shows_a_record_before_and_after_it_has_an_init_of_its_own():
    before = pydoc.plain(pydoc.render_doc(Point))
    for n in range(FEW + 1):
        assert Point(n).x == n
    assert (Point.__init__.__module__, Point.__init__.__qualname__) == (__name__, "Point.__init__")
    after = pydoc.plain(pydoc.render_doc(Point))
    assert "A place." in before and "__init__(self, x, y=" in after


def test_first_instances_are_like_all_others():
    @record(frozen=False)
    class Pair:
        a: int
        b: list[int] = field(default_factory=list)
        c: int = field(init=False, default=3)
        d: int = field(init=False)

        def __post_init__(self):
            self.d = self.a + len(self.b)

    for _ in range(FEW + 1):
        one, two = Pair(1), Pair(b=[5], a=2)
        assert (one.a, one.b, one.c, one.d) == (1, [], 3, 1)
        assert (two.a, two.b, two.c, two.d) == (2, [5], 3, 3)
        assert one.b is not Pair(1).b
    assert [each.name for each in fields(Pair)] == ["a", "b", "c", "d"]
    assert replace(two, a=7).d == 8


@pytest.mark.parametrize("arguments", [((), {}), ((1, 2, 3), {}), ((1,), {"a": 2}), ((1,), {"z": 2})])
def test_a_wrong_first_call_is_refused_as_python_does(arguments):
    @record
    class Pair:
        a: int
        b: int = 0

    args, kwargs = arguments
    with pytest.raises(TypeError, match=r"Pair\.__init__\(\)"):
        Pair(*args, **kwargs)
