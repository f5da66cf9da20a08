"""Tensor: a boxed array. Boxes are contagious, concrete and staged alike."""

import numpy as np
import pytest

import runtime.tensor as rt
from runtime.tensor import StagedTensor
from runtime.types import parse_type
from tests.runtime.staging import trace


def test_operators_functions_and_methods_give_tensors():
    t = rt.Tensor(np.array([[1.0, 2.0], [3.0, 4.0]]))
    for result in [
        t + 1,
        1 + t,
        t @ t,
        -t,
        t > 2,
        t[0],
        t[0, 1],
        t.T,
        t.sum(),
        t.mean(axis=0),
        t.reshape(4),
        np.sin(t),
        np.sum(t),
        np.concatenate([t, t]),
        np.ones(2) * t,
        t.astype(int),
        np.float64(2) * t,
        np.where(t > 2, t, 0),
        t.copy(),
        round(t, 1),
    ]:
        assert isinstance(result, rt.Tensor), result
    assert np.array_equal((t + 1).numpy(), t.numpy() + 1)
    assert isinstance(t[0, 1].numpy(), np.float64)
    assert [type(row) for row in t] == [rt.Tensor, rt.Tensor]
    assert all(isinstance(part, rt.Tensor) for part in divmod(t, 2))


def test_plain_python_conversions():
    t = rt.constant(2.5)
    assert (float(t), int(t), bool(t), t.shape, t.ndim, t.dtype) == (2.5, 2, True, (), 0, np.float64)
    assert len(rt.constant([1, 2])) == 2
    assert rt.constant([1, 2]).tolist() == [1, 2]
    assert 2 in rt.constant([1, 2])
    assert f"{t:.2f}" == "2.50"
    assert repr(rt.constant([1, 2])) == "Tensor([1, 2], shape=(2,), dtype=int64)"


def test_a_tensor_shares_memory_and_constant_copies():
    x = np.zeros(2)
    t = rt.Tensor(x)
    t[0] = 5
    t += 1
    assert x.tolist() == [6, 1]
    copied = rt.constant(x)
    copied[0] = 0
    assert x.tolist() == [6, 1]


def test_into_an_array():
    x = np.zeros(2)
    result = np.add(rt.constant([1.0, 2.0]), 1, out=x)
    assert result is x and x.tolist() == [2, 3]
    x += rt.constant(1.0)
    assert type(x) is np.ndarray and x.tolist() == [3, 4]


def test_errors_are_numpys():
    t = rt.constant([1.0, 2.0])
    with pytest.raises(ValueError, match="truth value of an array"):
        bool(t)
    with pytest.raises(ValueError, match="could not be broadcast"):
        t + np.ones(3)
    with pytest.raises(TypeError, match="unhashable"):
        hash(t)
    with pytest.raises(AttributeError, match="has no attribute 'foo'"):
        t.foo
    with pytest.raises(TypeError, match="dtype object"):
        rt.Tensor(np.array([None]))


def test_staged_tensors_are_tensors_and_spread():
    seen = []

    def look(x):
        t = x.boxed_as_tensor()
        results = [t + 1, 1 - t, t[0], t.sum(), np.sin(t), x + t, np.stack([x, t]), t.T, t.astype(int), t @ t]
        seen.extend(isinstance(r, rt.Tensor) for r in results)
        seen.append(not isinstance(x + 1, rt.Tensor))
        seen.append(not isinstance(t.numpy() + 1, rt.Tensor))
        t += 1
        seen.append(isinstance(t, rt.Tensor))
        return t

    trace(look, [parse_type("f64[3]")])
    assert all(seen), seen


def test_constant_while_tracing_is_staged():
    def make(x):
        t = rt.constant([1.0, 2.0])
        assert isinstance(t, StagedTensor)
        return t * x

    graph, _ = trace(make, [parse_type("f64")])
    assert [op.name for op in graph.operations()] == ["array", "multiply"]
