"""Random programs of what people write: truth of lists, small dtypes, records, streams, orders, `match`.

    python -m tests.random_programs --family idioms --features order,records --count 300

A program mixes one or two parts, as those of `objects.py` do; its numbers are always of one type, so that
types are compared exactly.
"""

from __future__ import annotations

from collections.abc import Iterable

from tests.random_programs.class_parts import CLASS_PARTS
from tests.random_programs.flow_parts import FLOW_PARTS
from tests.random_programs.objects import Maker
from tests.random_programs.order_parts import ORDER_PARTS
from tests.random_programs.program import HEADER, Program
from tests.random_programs.record_parts import RECORD_PARTS
from tests.random_programs.sharing_parts import SHARING_PARTS
from tests.random_programs.text_parts import TEXT_PARTS
from tests.random_programs.truth_parts import TRUTH_PARTS

_ALL = (TRUTH_PARTS, RECORD_PARTS, TEXT_PARTS, ORDER_PARTS, FLOW_PARTS, CLASS_PARTS, SHARING_PARTS)
IDIOMS = {name: part for parts in _ALL for name, part in parts.items()}

_CALLS = tuple(
    f"np.array([{x}]), {n}, np.array([{y}], np.float32), np.array([{m}], np.int32)"
    for x, n, y, m in (
        ("1.0, -2.0, 3.0", 2, "0.5, 2.0, -1.0", "1, 2, 3"),
        ("-1.0, -2.0, 0.5", 3, "0.1, 0.2, 0.3", "0, 5, -2"),
        ("2.5, -2.0, -1.0", 0, "-0.5, 0.0, 3.0", "4, 4, 1"),
    )
)


def generate_idioms(seed: int, allowed: Iterable[str] = IDIOMS) -> Program:
    """The program of a number, of these parts.

    >>> "range(" in generate_idioms(1, ["truth"]).source
    True
    """
    parts = {name: IDIOMS[name] for name in allowed if name in IDIOMS}
    maker = Maker(seed, parts, (1, 1, 2), "x, n, y, m", most=6, depth=2 if seed % 4 == 3 else 1)
    return Program(HEADER + maker.source(), _CALLS, frozenset(maker.names))
