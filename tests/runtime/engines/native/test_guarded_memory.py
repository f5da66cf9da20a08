"""Calls with arrays between unreadable pages: inner loops touch nothing else, and do what NumPy does.

Arrays lie at either end of their memory, between the places of numbers, reversed, apart, over each other;
they are read-only, byte-swapped or empty, and indices go beyond either end. A touch of a page is the end
of the process.
"""

import ctypes
import mmap
import warnings

import numpy as np
import pytest

import runtime as rt

PAGE = mmap.PAGESIZE


def guarded(size):
    """So many bytes or more, whose neighbours cannot be touched, and their number."""
    room = -(-max(size, 1) // PAGE) * PAGE
    memory = mmap.mmap(-1, room + 2 * PAGE)
    start = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    for page in (start, start + PAGE + room):
        assert ctypes.CDLL(None).mprotect(ctypes.c_void_p(page), PAGE, mmap.PROT_READ & 0) == 0
    return memory, room


def placed(values, steps, at_end, off):
    """The values in guarded memory, so many items apart along each axis, ``off`` bytes from an end.

    Where that is no whole number of items, they lie apart as the fields of records do.
    """
    size = values.itemsize + off // 3 * 4
    reach = [(n - 1) * abs(step) * size for n, step in zip(values.shape, steps, strict=True)]
    span = sum(reach) + values.itemsize if values.size else 0
    memory, room = guarded(span + off)
    first = PAGE + (room - span - off if at_end else off)
    first += sum(r for r, step in zip(reach, steps, strict=True) if step < 0) if values.size else 0
    strides = [step * size for step in steps]
    array = np.ndarray(values.shape, values.dtype, memory, first, strides)
    array[...] = values
    return array


def layout(random, shape):
    steps, unit = [], 1
    for n in reversed(shape):
        steps.append(int(unit * random.choice([1, 1, 1, 2, -1, -2])))
        unit = abs(steps[-1]) * max(n, 1)
    return steps[::-1], bool(random.random() < 0.5), int(random.choice([0, 0, 1, 3]))


# -- programs of vectors v and w, a matrix m, a mask b, places i and k ---------------------------------


def gathers(v, w, i):
    return v[i] + w[i], v[i] @ w[i], v[i][::-1]


def gathers_of_two(m, i, k):
    return m[i, k] * 2, m[1, i].sum()


def scatters(v, w, i):
    v[i] = w[i] * 2
    v[i] += 1
    v[i] = 3


def scatters_into_rows(m, i):
    m[0, i] = m[1, i]
    m[i, 1] = 2


def rows(m, w, i):
    m[i] = m[i] * 2 + w[:3].sum()
    m[i] += 1
    return m[i], m[i].sum(axis=0), m.T[:, i[:2]].sum(), m[i, ::-1] @ m[0]


def triangles(m):
    return np.triu(m, 1), np.tril(m).sum(axis=1), np.tril(m.T, -1) + m.T


def scatter_of_what_is_read(i, k):
    i[k] = k
    k[k] = i[k]


def products(v, w):
    return v @ w, np.dot(v, w[::-1]), np.inner(np.flip(v), w), np.vdot(v, w), (v * 2) @ w


def products_of_matrices(m, v):
    return m @ v[: m.shape[1]], v[: m.shape[0]] @ m, m @ m.T, m.T @ m, np.dot(m, m.T)


def overlapping_writes(v, w):
    v[1:] = v[:-1] * 2
    half = v.shape[0] // 2
    v[1 : 2 * half : 2] = v[: 2 * half : 2]
    v += v[::-1]
    v[:] = w + 1
    v[1:] = v[1:]


def columns_in_turn(m, v):
    n, k = v.shape[0] % 2 + 1, v.shape[0] % 3
    for j in range(1, 3):
        m[:n, j] = m[:n, j - 1] * 2 + m[:n, j]
        m[1, 1:j] = m[0, 1:j] + m[j - 2, : j - 1]
    m[:, k - 3] = m[:, k] * 2 + m[:, k - 1]  # the same column, counted from the end


def which_raises_first(v, w, m):
    n = v.shape[0]
    both = v + w
    row = both[:2] * m[n // 3, :2]
    return row - w[n // 4], both[1:] - w[n - 1 :] * 2, both[m.shape[0] * n]


def masks(v, w, b):
    v[b] = v[b] * w[b] + 1
    w[b] = 2
    odd = np.where(b, v, np.nan)  # what is not selected has no part in it
    at_odd = odd[b].sum(), odd[b].mean(), odd[b].max(), odd[b].prod()
    return *at_odd, v[b].sum(), (v[b] + w[b]).prod(), (v[b] + 1).mean(), (v[b] - w[b]).max(), (w[b] * 2).min()


def mask_of_itself(b):
    b[b[::-1]] = False


def views(m, v):
    flat = m.reshape(6)
    flat[1] = 5
    m.T.ravel()[0] = 9
    return flat, np.squeeze(np.expand_dims(v, 0), 0).sum(), np.moveaxis(m, 0, 1) + 1, m.swapaxes(0, 1)[::-1]


def parts(v, w):
    v.real[1:] = w.imag[:-1]
    return v.real.sum(), (v * w).sum(), v.conj() / (w + 3), np.abs(v), v == w


def sums_of_pairs(v, w, m):
    both = v + w
    v += both
    w -= v[::-1]
    v[1:] *= 2j
    m += m.T.copy().T
    m *= m[:1] - m
    return both * w[::-1], v - 2j, 3 * m.T, w[: m.shape[0]] + v[: m.shape[0]]


def functions(v, w):
    return np.exp(v), np.sin(v[::-1]) * w, np.cos(w)[1:] + v[1:]


REAL, ALL = ("f8", "f4", "i4", ">f8"), ("f8", "f4", "c16", "i4")
#: of the places that go with numbers of a type
OF_PLACES = {"f8": "i8", "f4": "i4", "c16": "u1", "i4": "i2"}
PROGRAMS = {
    gathers: ("vwi", ALL), gathers_of_two: ("mik", ALL), scatters: ("vwi", ALL),
    scatters_into_rows: ("mi", ALL), scatter_of_what_is_read: ("ik", ("f8",)),
    rows: ("mwi", ("f8", "f4", "i4")), triangles: ("m", ALL),
    products: ("vw", (*ALL, ">f8")), products_of_matrices: ("mv", ("f8", "f4", "c16")),
    columns_in_turn: ("mv", ALL), which_raises_first: ("vwm", ALL),
    overlapping_writes: ("vw", (*REAL, "c16")), masks: ("vwb", REAL), mask_of_itself: ("b", ("f8",)),
    views: ("mv", ("f8", "c16")), parts: ("vw", ("c16", "c8")), sums_of_pairs: ("vwm", ("c16", "c8")),
    functions: ("vw", ("f8", "f4", "c16")),
}  # fmt: skip


def arguments(random, kinds, dtype):
    """Makers of the arguments: each call makes them anew, in memory of their own."""
    n = int(random.integers(0, 8))
    shared = random.random() < 0.25  # w is another part of the memory of v
    made = []
    for kind in kinds:
        length = n if random.random() < 0.9 else n + 1
        if kind in "vw":
            values = (random.standard_normal(length) * 4).astype(dtype)
            if np.dtype(dtype).kind == "c":
                values.imag = random.standard_normal(length)
        elif kind == "m":
            values = (random.standard_normal((2, 3)) * 4).astype(dtype)
        elif kind == "b":
            values = random.random(length) < 0.5
        else:
            low, high = ((0, 2) if "m" in kinds else (-n, n)) if random.random() < 0.8 else (-n - 1, n + 2)
            values = random.integers(low, max(high, low + 1), length).astype(OF_PLACES[dtype])
        steps, at_end, off = layout(random, values.shape)
        made.append((kind, values, steps, at_end, off, random.random() < 0.9))

    def make():
        arrays = []
        for kind, values, steps, at_end, off, writable in made:
            array = placed(values, steps, at_end, off)
            if kind == "w" and shared and arrays[0].shape == values.shape and len(values) > 1:
                array = arrays[0][1:] if len(values) % 2 else arrays[0][::-1]
            elif kind in "vmib":
                array.flags.writeable = writable
            arrays.append(array)
        return arrays

    return make


def outcome(function, given):
    try:
        return function(*given), None
    except Exception as error:
        return None, (type(error), str(error))


def same(a, b):
    if isinstance(a, tuple):
        return len(a) == len(b) and all(map(same, a, b))
    if a is None or type(a) is not type(b):
        return a is b
    a, b = np.asarray(a), np.asarray(b)
    near = 1e-4 if a.dtype.name in ("float32", "complex64") else 1e-12
    return (
        a.dtype == b.dtype
        and a.shape == b.shape
        and np.allclose(a, b, rtol=near, atol=near * 100, equal_nan=True)
    )


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_loops_stay_in_their_memory(program):
    kinds, dtypes = PROGRAMS[program]
    random = np.random.default_rng(len(program.__name__))
    ours = rt.function(program, engine="native", reduce_retracing=True)
    raised = 0
    for round in range(20 * len(dtypes)):
        make = arguments(random, kinds, dtypes[round % len(dtypes)])
        before, after = make(), make()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            expected, found = outcome(program, before), outcome(ours, after)
        assert same(expected[0], found[0]) and expected[1] == found[1], (round, expected, found)
        assert all(map(same, before, after)), round
        raised += expected[1] is not None
    assert raised or "i" not in kinds
