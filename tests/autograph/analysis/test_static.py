"""What stays a Python statement, and how long it takes to tell."""

import gast
import pytest

from autograph.analysis.jumps import Jumps
from autograph.analysis.static import StaysPython, counts_frames


@pytest.mark.parametrize(
    ("call", "counts"),
    [
        ("sys._getframe(1)", True),
        ("inspect.stack()", True),
        ("stack()", True),
        ("np.stack([x, y])", False),
        ("undo.stack(1)", False),
        ("log.info('m', stacklevel=2)", True),
    ],
)
def test_calls_that_count_frames(call, counts):
    assert counts_frames(gast.parse(call).body[0].value) is counts


class CountingJumps(Jumps):
    asked = 0

    def leaving(self, statement):
        self.asked += 1
        return super().leaving(statement)


def test_a_long_chain_of_elif_takes_time_in_proportion():
    def asked(length):
        links = "".join(f"\n    elif x == {k}: return {k}" for k in range(length))
        function = gast.parse(f"def f(x):\n    if x < 0: return -1{links}").body[0]
        jumps = CountingJumps()
        StaysPython(function, jumps)
        return jumps.asked

    assert asked(100) < 2.2 * asked(50)
