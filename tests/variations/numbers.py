"""Numbers and ranges that a run knows (mechanisms B and P of the table)."""

import numpy as np

from tests.features.registry import floats, ints
from tests.variations.cases import case

COUNTS = [np.int64(3), np.int64(0), np.int64(-2), np.int64(7)]


@case(*COUNTS)
def ranges_with_steps(n):
    places = [(i, k) for i, k in enumerate(range(n, -1, -2))]
    return len(range(0, n, 2)), len(range(n, -3, -1)), places, list(reversed(range(1, n, 3)))


@case(floats(7.5, 3), floats(-0.0, 2))
def complex_of_two_numbers(x):
    return complex(x[0], x[1]), complex(float(x[0]), 1), complex(0, x[0]), complex(x[1])


@case(ints(7, 3, -1), ints(-7, -2), floats(2.5))
def numpy_asks_for_the_shape_of_a_list(x):
    kept = [v for v in x if v > 0]
    return np.shape(kept), np.size(kept), np.ndim(kept), np.isscalar(kept), np.isscalar(str(x[0]))
