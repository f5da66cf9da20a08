"""Which calls keep the statements around them in Python."""

import gast
import pytest

from autograph.analysis.static import counts_frames


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
def test_calls_that_count_frames(call: str, counts: bool) -> None:
    assert counts_frames(gast.parse(call).body[0].value) is counts
