"""Operations that are written with others (ops/written.py) give what NumPy's function gives."""

import itertools

import numpy as np
import pytest

import runtime as rt
from runtime.engines import numpy_engine
from runtime.graph.verify import verify
from runtime.ops import REGISTRY
from runtime.ops.written import WRITTEN
from runtime.passes import write_out
from runtime.types import type_of
from tests.differential import Call, check
from tests.modules import module_of
from tests.runtime.engines.native.graphs import Maker, outcome
from tests.runtime.engines.native.test_operations import arguments_of

DTYPES = ["float64", "float32", "int64", "bool", "uint8", "complex128"]


def cases(name):
    """Samples in each dtype; once more with NaN and infinity, or the largest and the least."""
    for sample, dtype in itertools.product(REGISTRY[name].samples, DTYPES):
        values, attributes = arguments_of(sample, dtype, False)
        places = 1 if name == "interp" else 0
        if name in ("searchsorted", "interp"):
            values[places].sort()
        if dtype == "complex128":
            values = [
                v * (1 - 2j) + 1j * np.arange(v.size).reshape(v.shape) if is_array(v) else v for v in values
            ]
        yield values, attributes
        strange = [np.array(v) for v in values]
        for k, array in enumerate(strange):
            if array.size > 2 and (name, k) not in (("interp", 1), ("take", 1)):
                if array.dtype.kind == "f":
                    array.flat[:2] = np.inf, np.nan
                elif array.dtype.kind in "iu":
                    array.flat[:2] = np.iinfo(array.dtype).max, np.iinfo(array.dtype).min
                if (name, k) == ("searchsorted", 0):
                    array.sort()
        if np.dtype(dtype).kind in "fiu":
            kept = [a if isinstance(v, np.ndarray) else v for a, v in zip(strange, values, strict=True)]
            yield kept, attributes


def is_array(value):
    return isinstance(value, np.ndarray) and value.dtype.kind == "c"


def graph_of(name, values, attributes):
    maker = Maker(*[type_of(v) for v in values])
    made = maker(name, *maker.params, **attributes)
    return maker.returns(*(made if isinstance(made, tuple) else (made,)))


def written(graph, name):
    """The graph as if it stood in a loop."""
    pass_ = write_out._WriteOut(lambda op: op.name == name)
    pass_.loops = 1
    made = pass_.graph(graph)
    verify(made)
    return made


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", WRITTEN)
def test_as_numpy_has_it(name, monkeypatch):
    monkeypatch.setattr("runtime.passes.write_out._LONGER", frozenset())
    changed = 0
    for values, attributes in cases(name):
        try:
            graph = graph_of(name, values, attributes)
        except (TypeError, ValueError, IndexError):  # not for this dtype
            continue
        expected = outcome(numpy_engine.compile(graph), values)
        if not isinstance(expected, list):
            continue
        made = written(graph, name)
        changed += str(made) != str(graph)
        found = outcome(numpy_engine.compile(made), values)
        assert isinstance(found, list), (values, attributes, found)
        for a, b in zip(expected, found, strict=True):
            assert (np.asarray(a).dtype, np.shape(a)) == (np.asarray(b).dtype, np.shape(b))
            close = 1e-5 if np.asarray(a).dtype == np.float32 else 1e-12
            np.testing.assert_allclose(b, a, rtol=close, atol=close, err_msg=f"{values} {attributes}")
    assert changed


#: of vectors v, matrices m, places k and 0 < i < 40
IN_LOOPS = """
np.linalg.norm(v) np.linalg.norm(m) np.diff(v)[1] v.std() np.var(m,axis=0)[1] np.round(v)[0] np.ptp(v)
np.count_nonzero(v) np.nansum(v) np.nanmean(v) np.nanmax(v) np.nanstd(v) np.isclose(v[0],v[1])
np.allclose(v,v) np.outer(v,v)[1,2] np.cross(v[:3],v[1:4])[2] np.take(v,k)[1] np.inner(v,v)
np.median(v) np.tril(m)[1,0] np.flip(v)[0] np.any(v>3) np.mean(m,axis=1)[2] np.roll(v,i)[0] v.copy()[1]
np.interp(v[0],m[0],m[1]) np.searchsorted(m[0],v[1]) np.cumsum(v)[3] np.cumprod(v)[3] sum(v) np.ones(3)[1]
np.full(3,v[1])[2]
""".split()


PROGRAM = """
import numpy as np

def f(v, m, k):
    total = 0.0
    for i in range(40):
        v[i % 5] += 0.5 * i
        m[1, 1] = i
        total += {}
    return total
"""


@pytest.mark.parametrize("expression", IN_LOOPS)
def test_in_loops_they_are_machine_code(expression):
    """But for the sorting of `median`."""
    function = module_of(PROGRAM.format(expression))["f"]
    arguments = np.array([0.1, 0.5, -0.2, 0.9, 0.3]), np.eye(3) + 0.1, np.array([0, 2])
    decorated = rt.function(function)
    expected = function(*[a.copy() for a in arguments])
    assert decorated(*[a.copy() for a in arguments]) == pytest.approx(expected, rel=1e-12)
    executable = decorated.get_concrete_function(*arguments).compiled.executable
    assert [name for name, _ in executable.fallbacks] == ["sort"] * ("median" in expression)


def test_outside_of_loops_numpy_is_called():
    decorated = rt.function(lambda x: np.std(x))
    decorated(np.arange(4.0))
    executable = decorated.get_concrete_function(np.arange(4.0)).compiled.executable
    assert [name for name, _ in executable.fallbacks] == ["std"]


@pytest.mark.parametrize("k", [[0, 9], [-9, 1]])
def test_what_they_raise_is_numpys(k):
    function = module_of(PROGRAM.format("np.take(v, k)[0]"))["f"]
    arguments = np.zeros(5), np.eye(3), np.array(k)
    check(function, Call(*arguments))
