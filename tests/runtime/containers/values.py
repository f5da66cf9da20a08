"""Arguments of the programs over containers."""

import numpy as np

X = np.array([3.0, -1.0, 4.0])
Y = np.array([-2.0, 7.0, -1.0])
#: longer than what is unrolled
LONG = np.arange(40.0) - 20
