"""Exceptions at run time are those of plain Python: class, message, notes, cause, context, the user's lines.

Each program is run as it stands, and without `@rt.function`; what is printed, tracebacks included, is equal.
"""

import pytest

from tests.errors.page import printed_by

#: what follows the `try` of a division by zero
HANDLED = {
    "raise from": 'as error:\n        raise ValueError(f"x is {x[0]}") from error',
    "raise from None": 'as error:\n        raise ValueError("no") from None',
    "implicit context": ':\n        raise ValueError("no")',
    "bare raise": ':\n        print("seen")\n        raise',
    "raise the same again": "as error:\n        raise error",
}
DIVIDED = """
@rt.function
def f(x):
    try:
        return 1 // int(x[0])
    except ZeroDivisionError {handled}

f(np.array([0.0]))
"""
PROGRAMS = {
    **{
        name: DIVIDED.format(handled=handled).replace("Error :", "Error:")
        for name, handled in HANDLED.items()
    },
    "custom exception with fields": """
class Bad(Exception):
    def __init__(self, value, *, code):
        super().__init__(f"bad {value}")
        self.value, self.code = value, code

@rt.function
def f(x):
    if x[0] > 0:
        raise Bad(x[0], code=3)
    return x

try:
    f(np.array([1.5]))
except Bad as error:
    print(error, error.value, error.code, type(error.value), error.args)
""",
    "assert": """
@rt.function
def f(x):
    assert x[0] > 0, f"x is {x[0]}"
    return x

f(np.array([-1.0]))
""",
    "KeyError": """
@rt.function
def f(x):
    d = {"a": 1}
    if x[0] > 0:
        return d["b"]
    return 2

f(np.array([1.0]))
""",
    "Unbound in loop": """
@rt.function
def f(n):
    for i in range(n):
        last = i
    return last

print(f(3))
f(0)
""",
    "Unpack error": """
@rt.function
def f(x):
    a, b, c = x
    return a

f(np.array([1.0]))
""",
    "AttributeError": """
class Box: pass
@rt.function
def f(x):
    b = Box()
    if x[0] > 0:
        b.v = 1
    return b.v

f(np.array([-1.0]))
""",
    "finally raises": """
@rt.function
def f(x):
    try:
        return 1 // int(x[0])
    finally:
        if x[0] == 0:
            raise RuntimeError("in finally")

f(np.array([0.0]))
""",
    "nested": """
@rt.function
def f(x):
    try:
        try:
            return 1 // int(x[0])
        except ZeroDivisionError as error:
            raise KeyError("inner") from error
    except KeyError as error:
        raise ValueError("outer") from error

f(np.array([0.0]))
""",
    "StopIteration": """
@rt.function
def f(x):
    it = iter([1])
    next(it)
    return next(it)

f(np.array([0.0]))
""",
    "KeyboardInterrupt raised": """
@rt.function
def f(x):
    if x[0] > 0:
        raise KeyboardInterrupt
    return x

f(np.array([1.0]))
""",
    "raise SystemExit": """
@rt.function
def f(x):
    if x[0] > 0:
        raise SystemExit(3)
    return x

f(np.array([1.0]))
""",
    "raise class with staged args": """
@rt.function
def f(x):
    if x[0] > 0:
        raise OSError(2, "no such thing", "a.txt")
    return x

f(np.array([1.0]))
""",
    "raise non exception": """
@rt.function
def f(x):
    if x[0] > 0:
        raise 3
    return x

f(np.array([1.0]))
""",
    "error in while test": """
@rt.function
def f(x):
    i = 0
    while x[i] > 0:
        i += 1
    return i

f(np.array([1.0, 2.0]))
""",
    "two errors, order with print": """
@rt.function
def f(x):
    for v in x:
        print("v", v)
        if v > 1:
            raise ValueError(v)
    return x

f(np.array([1.0, 2.0]))
""",
    "numpy error": """
@rt.function
def f(x):
    return np.linalg.inv(x)

f(np.zeros((2, 2)))
""",
    "overflow warning": """
@rt.function
def f(x):
    return x.astype(np.int8) + np.int8(100)

print(f(np.array([100.0])))
""",
    "float pow zero": """
@rt.function
def f(x):
    return float(x[0]) ** -1

f(np.array([0.0]))
""",
    "math domain": """
import math
@rt.function
def f(x):
    return math.log(x[0])

f(np.array([0.0]))
""",
    "int of nan": """
@rt.function
def f(x):
    return int(x[0])

f(np.array([np.nan]))
""",
    "negative shift": """
@rt.function
def f(x):
    return 1 << int(x[0])

f(np.array([-1.0]))
""",
    "range step zero": """
@rt.function
def f(x):
    for i in range(0, 3, int(x[0])):
        pass

f(np.array([0.0]))
""",
}


@pytest.mark.parametrize("engine", ["numpy", "native"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_as_python_has_it(name, engine, tmp_path):
    program = PROGRAMS[name].lstrip()
    plain = printed_by(program.replace("@rt.function\n", "\n"), tmp_path)
    assert printed_by(program, tmp_path, engine) == plain
