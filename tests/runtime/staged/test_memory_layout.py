"""What NumPy lets one see of memory: who shares it with whom, in which order it lies, and who may write."""

import numpy as np
import pytest

import runtime as rt
from tests.differential import ENGINES, CallOf, check
from tests.modules import module_of

A = np.arange(12.0).reshape(3, 4) - 5


def in_c_order():
    return (A.copy(),)


def in_fortran_order():
    return (np.asfortranarray(A),)


def integers():
    return (np.arange(12).reshape(3, 4),)


def read_only():
    x = A.copy()
    x.flags.writeable = False
    return (x,)


def every_array():
    return [CallOf(make) for make in (in_c_order, in_fortran_order, integers)]


def as_float(x):
    y = np.asarray(x, dtype=float)
    y[0] = 99
    return y


def test_asarray_with_float_converts_an_array_of_ints():
    """`np.dtype("float64") == None` is true."""
    check(as_float, *every_array())


def no_copy(x):
    return np.array(x, dtype=np.float32, copy=False)


def no_copy_as_it_is(x):
    y = np.asarray(x, copy=False)
    y[0] = 1
    return y


def test_copy_false_is_refused_where_a_copy_is_needed():
    assert not check(no_copy, *every_array(), may_refuse=True)
    check(no_copy_as_it_is, *every_array())


def scalar_class(x):
    y = np.float64(x)
    y[0] = 7
    return y


def test_a_scalar_class_returns_the_array_itself_where_it_has_the_dtype():
    check(scalar_class, *every_array())


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("make", [in_c_order, in_fortran_order])
@pytest.mark.parametrize(
    "create",
    [
        lambda x: np.zeros_like(x),
        lambda x: np.ones_like(x, dtype=np.int8),
        lambda x: np.full_like(x, 3.5, order="C"),
        lambda x: np.zeros((2, 3), order="F"),
        lambda x: np.full((2, 3), x[0, 0], order="F"),
        lambda x: np.eye(3, order="F"),
        lambda x: x.astype(np.float32, order="C"),
        lambda x: x.astype(float, order="F", copy=False),
        lambda x: x + 1,
        lambda x: x.copy("K"),
    ],
)
def test_results_lie_in_memory_as_in_numpy(create, make, engine):
    expected = create(*make())
    found = rt.function(create, engine=engine)(*make())
    assert found.strides == expected.strides
    np.testing.assert_array_equal(found, expected)
    assert found.dtype == expected.dtype


def write_to_broadcast(x):
    a, b = np.broadcast_arrays(x[0], x)
    b[0, 0] = 5
    return a, b


def test_broadcast_arrays_leaves_an_array_of_the_full_shape_writable():
    check(write_to_broadcast, CallOf(in_c_order))


def function_of(statements):
    return module_of(f"def f(x):\n    {statements}\n", np=np)["f"]


@pytest.mark.parametrize(
    "statements",
    [
        "return x.view(np.uint8), x.view('i8') ^ 1, x[0].view(np.int32)",
        "y = x.view(np.uint64); y &= np.uint64(2**63 - 1); return y",
        "h = np.float64(x[0, 1]).view(np.uint64); return h >> np.uint64(52), h.view(np.float64)",
        "return x[:, :3].view(np.complex128)",
    ],
)
def test_the_memory_as_another_dtype(statements):
    check(function_of(statements), CallOf(in_c_order), CallOf(integers), CallOf(in_fortran_order))


@pytest.mark.parametrize(
    "statements",
    [
        "x[0] = [1, 2]",
        "x[5] = 1",
        "x += 1j",
        "x **= 2",
        "x[0, 0] = x[1]",
        "x[1.0] = 2",
        "x.partition(2, axis=1); return x",
    ],
)
def test_a_read_only_array_says_so_before_anything_else_is_wrong(statements):
    check(function_of(statements), CallOf(read_only), CallOf(in_c_order))


def other_dtype(x):
    x.dtype = np.int64


def other_strides(x):
    x.strides = (8, 8)


def item_of_another_array(x, y):
    x[0, 0] = y


@pytest.mark.parametrize("dtype", ["?", "u1", "i8", "f4", "f8", "c16"])
def test_a_sequence_stored_as_an_item_raises_as_the_dtype_has_it(dtype):
    check(item_of_another_array, CallOf(lambda: (A.astype(dtype), A[0])))


@pytest.mark.parametrize("f", [other_dtype, other_strides])
def test_changing_what_an_array_is_is_refused(f):
    assert not check(f, CallOf(in_c_order), may_refuse=True)
