"""Records write their `__init__` at the first instance; it says where it comes from."""

import pydoc

from autograph.records import record


@record
class Point:
    """A place."""

    x: int
    y: int = 0


def test_help_shows_a_record_before_and_after_its_first_instance():
    before = pydoc.plain(pydoc.render_doc(Point))
    assert Point(1) == Point(1, 0)
    assert (Point.__init__.__module__, Point.__init__.__qualname__) == (__name__, "Point.__init__")
    after = pydoc.plain(pydoc.render_doc(Point))
    assert "A place." in before and "__init__(self, x, y=" in after
