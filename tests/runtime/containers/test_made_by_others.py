"""What star targets, keyword arguments, copies and calls make can grow under a condition of the run."""

from collections import OrderedDict, namedtuple

from tests.programs import Programs
from tests.runtime.containers.values import X

PROGRAMS = Programs()
Pair = namedtuple("Pair", "a b")
CALLS = ((X,), (-X,))


@PROGRAMS.of(*CALLS)
def dicts(x):
    a, b, c = {"a": 1} | {"b": 2}, dict.fromkeys("ab", 0), Pair(1, 2)._asdict()
    d = OrderedDict(a=1, b=2)
    if x[0] > 0:
        a["c"] = b["c"] = c["c"] = d["c"] = 3
    return a, b, c, d, dict.fromkeys([int(x[0]), 2], 1.0)


test_program = PROGRAMS.test()
