"""The table of what is refused wherever it stands: the tracer refuses it, and `autograph check` finds it."""

import importlib
import inspect

import numpy as np
import pytest

import autograph
import runtime as rt
from autograph.refused import (
    ASSIGNMENTS,
    ATTRIBUTES,
    BUILTINS,
    DTYPE_NAMES,
    FUNCTIONS,
    MODULES,
    NUMPY_CALLS,
    hint_of_dtype,
    is_refused_call,
    kind_of_dtype,
)
from autograph.report.findings import findings_of
from autograph.report.statements import report_on
from runtime.types import is_supported_dtype


def both(line, imports="numpy as np"):
    """What the check finds in a function with this line, and how the tracer refuses it."""
    text = f"import {imports}\ndef f(x):\n    {line}\n    return x\n"
    space = {}
    exec(compile(text, autograph.register_source(text), "exec"), space)
    with pytest.raises(autograph.StagingError) as refused:
        rt.function(space["f"]).get_concrete_function(np.ones(2))
    (found,) = findings_of(report_on(text, "f.py"))
    return found, refused.value


@pytest.mark.parametrize("name", ATTRIBUTES)
def test_attributes(name):
    found, refused = both(f"y = x.astype(int); x.{name}")
    assert found.code.name == "AG209"
    assert found.hint == refused.hint == ATTRIBUTES[name]


@pytest.mark.parametrize("name", ASSIGNMENTS)
def test_assignments(name):
    found, refused = both(f"x.{name} = None")
    assert found.code.name == "AG210"
    assert found.hint == refused.hint == ASSIGNMENTS[name]


@pytest.mark.parametrize(
    "dtype",
    [f'"{name}"' for name in DTYPE_NAMES if not name.endswith("_")]
    + [f"np.{name}" for name in ("object_", "str_", "bytes_", "void", "datetime64", "timedelta64")]
    + ["object", "str", "bytes", '"u1,u1"', '"U5"', '[("a", "f8")]', 'np.dtype("i4,f8")', '"M8[D]"'],
)
def test_dtypes(dtype):
    assert not is_supported_dtype(np.dtype(eval(dtype)))
    found, refused = both(f"x.astype({dtype})")
    again, _ = both(f"np.zeros(2, dtype={dtype})")
    assert found.code.name == again.code.name == "AG104"
    assert found.hint == again.hint == refused.hint == hint_of_dtype(np.dtype(eval(dtype)).kind)


@pytest.mark.parametrize("dtype", ["?", "int", "f8", ">i4", "complex128", "float32", "uint8", "(2,)f8", "i"])
def test_dtypes_that_are_staged(dtype):
    assert kind_of_dtype(dtype) is None


@pytest.mark.parametrize("name", BUILTINS)
def test_builtins(name):
    found, _ = both(f'{name}("1")')
    assert found.code.name in ("AG101", "AG103", "AG202")


@pytest.mark.parametrize("name", sorted(name for name in NUMPY_CALLS if hasattr(np, name)))
def test_calls_of_numpy(name):
    found, _ = both(f"np.{name}()")
    assert found.code.name == "AG101"


@pytest.mark.parametrize("full", sorted(FUNCTIONS))
def test_functions(full):
    found, _ = both(f"{full}()", full.partition(".")[0])
    assert found.code.name == "AG101"


@pytest.mark.parametrize("module", sorted(MODULES))
def test_modules(module):
    """The first few functions of each: what a module has differs from one version of Python to the next."""
    held = vars(importlib.import_module(module))
    public = held.get("__all__", held)
    names = [n for n in public if inspect.isroutine(held[n]) and is_refused_call(f"{module}.{n}")]
    assert names
    for name in sorted(names)[:4]:
        found, _ = both(f"{module}.{name}()", module)
        assert found.code.name == "AG101"


#: what the text does not show to be an array, or is none
QUIET = [
    "return x.data, x.base, x.flags, x.resize(2)",
    "self.shape = (3,)",
    "box = Box()\n    box.shape = (3,)\n    return box.strides",
    "return open_ports.tobytes()",
    "object = float\n    return np.zeros(3, dtype=object)",
    "return np.zeros(3, dtype=float), x.astype('f4'), x.view(np.uint8), np.zeros((2, 3))",
]


@pytest.mark.parametrize("line", QUIET)
def test_what_is_no_array(line):
    assert findings_of(report_on(f"import numpy as np\ndef f(self, x):\n    {line}\n", "f.py")) == []


LOUD = {
    "y = np.zeros(3)\n    return y.base": "AG209",
    "return np.zeros(3).flags": "AG209",
    "n = x.ndim\n    return x.data": "AG209",
    "self.grid.shape = (3,)": "AG210",
    "return np.zeros(3, PAIR)": "AG104",
    "return np.array([1], dtype=object)": "AG104",
}


@pytest.mark.parametrize("line", LOUD)
def test_what_is_an_array(line):
    text = f'import numpy as np\nPAIR = np.dtype("u1,u1")\ndef f(self, x):\n    {line}\n'
    assert [found.code.name for found in findings_of(report_on(text, "f.py"))] == [LOUD[line]]


def test_of_annotated_parameters():
    text = "import numpy as np\ndef f(x: np.ndarray, y: 'np.ndarray', z: int):\n    return x.base, z.base\n"
    assert [found.column for found in findings_of(report_on(text, "f.py"))] == [12]
