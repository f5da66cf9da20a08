"""``np.ndenumerate`` and ``np.ndindex``: indices of arrays, of known and of open lengths."""

import numpy as np

from tests.programs import Programs

PROGRAMS = Programs()
SMALL = np.arange(6.0).reshape(2, 3)


@PROGRAMS.of((SMALL, -1), (SMALL, 2))
def a_negative_length(x, n):
    return [index for index in np.ndindex(n)]


test_program = PROGRAMS.test()
