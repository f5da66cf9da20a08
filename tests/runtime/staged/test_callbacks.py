"""NumPy's functions that call the user's, read iterators, or are no functions (``np.r_``), staged."""

import numpy as np
import pytest

import runtime as rt
from autograph.errors import StagingError
from tests.differential import Call, check

X = np.array([3.0, -1.0, 2.0, 5.0])
M = np.arange(12.0).reshape(3, 4) - 5
N = np.int64(3)


def pieces(x, m, n):
    bent = np.piecewise(x, [x < 0, x >= n], [lambda v: -v, lambda v: v * n])
    filled = np.piecewise(m, [m < 0, m > 4], [0.0, lambda v: v if v[0] > 5 else v - 1, 7])
    return (
        bent,
        filled,
        np.piecewise(x, x > 2, [1, np.sqrt]),
        (
            np.piecewise(x.astype(int), [x < 3], [1.5, 2]),
            np.piecewise(x[0], [x[0] < 2, x[0] > 3], [1, 2]),
        ),
    )


def pieces_in_a_loop(x, m, n):
    for k in range(n):
        x = np.piecewise(x, [x < k, x > 100], [lambda v: v / v[0], lambda v: v[:0]])
    return x


def too_many_pieces(x, m, n):
    return np.piecewise(x, [x < 0], [1, 2, 3])


def rows(x, m, n):
    chosen = np.apply_along_axis(lambda row: row.max() if row[0] > 0 else row.min(), 1, m)
    turned = np.apply_along_axis(lambda row, k: np.sort(row)[::-1] + k, 0, m, n)
    cubes = np.apply_along_axis(np.mean, -1, m.reshape(3, 2, 2)), np.apply_along_axis(np.outer, 0, m, x[:2])
    return chosen, turned, cubes, np.apply_along_axis(lambda row: int(row[0]), 1, m / 2)


def many_rows(x, m, n):
    return np.apply_along_axis(lambda row: row.sum() if row[0] > 2 else 0.0, 1, np.ones((3000, 2)) * x[0])


def iterators(x, m, n):
    kept = np.fromiter((v for v in x if v > n - 2), float)
    return kept, np.fromiter(range(n), np.int8), np.fromiter(map(lambda v: v + 1, x), complex)


def item_by_item(x, m, n):
    chosen = np.vectorize(lambda v, w: v if v > w else 0.0)(m, x)
    counts = np.vectorize(lambda v: int(v) % n)(m), np.vectorize(lambda v: v * 1.5, otypes="i")(x[x > 0])
    return (
        chosen,
        counts,
        np.vectorize(max)(x, 2.0),
        np.vectorize(lambda v: v + 1)(np.arange(3, dtype=np.uint8)),
    )


def no_items(x, m, n):
    return np.vectorize(abs)(x[:0])


def in_a_row(x, m, n):
    small = np.arange(3, dtype=np.uint8)
    weak = (
        np.r_[small, 1, 2],
        np.r_[small, 1.5],
        np.r_[small, n],
        np.r_[x > 0, 1],
        np.r_[1, 2],
        np.r_[True, 2.5],
    )
    return (
        weak,
        np.r_[x, 0.0, x[::-1]],
        np.r_[0:n, 5:8],
        np.r_[-1:1:5j],
    )


def in_columns(x, m, n):
    fitted = np.linalg.lstsq(np.c_[x, np.ones(4)], m[0], rcond=None)[0]
    return fitted, np.c_[m, m[:, :1]], np.c_[[[1, 2, 3]], 0, n], np.c_[1:4, 2:5], np.c_[x > 0, x], np.c_[x]


def grids(x, m, n):
    by_ones = np.mgrid[:n, 2:4], np.mgrid[n : 2 * n, :2][0] + n, np.mgrid[-1:2, : x.shape[0], :n]
    return by_ones, np.mgrid[:n], np.mgrid[0:1:3j, :2], np.ogrid[:2, 1:8:3], np.mgrid[np.int32(1) : 3, :2]


def grid_of_less_than_nothing(x, m, n):
    return np.mgrid[n:1, :2]


def lengths_of_a_run(x, m, n):
    made = (
        np.tile(x, (n, 1)),
        np.pad(x, (0, n)),
        np.roll(x, n),
        np.diff(x, n),
        np.fft.fft(x, n),
        np.eye(4, k=n),
    )
    taken = np.sum(m, axis=n - 3), np.argmax(m, n - 2), np.split(x, [n])[1], np.take(m, 1, axis=n - 3)
    return made, taken, np.hanning(n), np.fft.fftfreq(n), np.tril_indices(n), np.vander(x, n)


PROGRAMS = [
    pieces, pieces_in_a_loop, too_many_pieces, rows, many_rows, iterators, in_a_row, in_columns,
    item_by_item, no_items, lengths_of_a_run, grids, grid_of_less_than_nothing,
]  # fmt: skip


@pytest.mark.parametrize("f", PROGRAMS)
def test_as_in_plain_python(f):
    check(f, Call(X, M, N), Call(-X, M + 3, np.int64(2)))


def test_an_array_that_a_function_has_twice_is_one():
    def f(x):
        rows, columns = np.diag_indices(3)
        rows[0] = 2 if x[0] > 0 else 1
        return rows, columns

    check(f, Call(X), Call(-X))


def test_each_call_makes_its_own_objects():
    def f(x):
        made = np.ndarray((2,))
        made[:] = x[0]
        return made, np.poly1d([1, 2])

    g = rt.function(f)
    for _ in range(2):
        array, polynomial = g(X)
        assert array.tolist() == [3.0, 3.0] and polynomial.coeffs.tolist() == [1, 2]
        array[0] = polynomial.coeffs[0] = 99


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (lambda x: np.real_if_close(x + 1j * x), "what it returns depends on the values"),
        (lambda x: np.from_dlpack(x), "the memory of a staged array"),
        (lambda x: np.frombuffer(x), "the memory of a staged array"),
        (lambda x: np.recarray((2,), dtype=[("a", float)]), "an array of type recarray"),
        (lambda x: np.r_["0,2", x, x], "a text, or a value that is one of several"),
        (lambda x: np.c_["r"], "a text, or a value that is one of several"),
        (lambda x: np.vectorize(lambda v: (v, v > 1))(x), "returns no number"),
        (lambda x: np.vectorize(lambda v: [v])(x), "returns no number"),
        (lambda x: np.vectorize(lambda v: v, cache=True)(x), "with a cache"),
        (lambda x: np.vectorize(abs)(x[x > 0]), "give `otypes`"),
    ],
)
def test_refused(function, words):
    with pytest.raises(StagingError, match=words) as caught:
        rt.function(function)(X)
    assert caught.value.hint
