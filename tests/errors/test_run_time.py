"""Exceptions at run time are those of plain Python: class, message, notes, cause, context, the user's lines.

Each program is run as it stands, and without `@rt.function`; what is printed, tracebacks included, is equal.
"""

import textwrap

import pytest

from tests.errors.page import printed_by

DIVIDED = "try:\n    return 1 // int(x[0])\nexcept ZeroDivisionError"
#: the body of `f`, and the array that it gets
BODIES = {
    "raise from": (f'{DIVIDED} as e:\n    raise ValueError(f"x is {{x[0]}}") from e', [0.0]),
    "raise from None": (f'{DIVIDED} as e:\n    raise ValueError("no") from None', [0.0]),
    "implicit context": (f'{DIVIDED}:\n    raise ValueError("no")', [0.0]),
    "bare raise": (f'{DIVIDED}:\n    print("seen")\n    raise', [0.0]),
    "raise the same again": (f"{DIVIDED} as e:\n    raise e", [0.0]),
    "finally raises": (
        'try:\n    return 1 // int(x[0])\n'
        'finally:\n    if x[0] == 0:\n        raise RuntimeError("in finally")',
        [0.0],
    ),
    "assert": ('assert x[0] > 0, f"x is {x[0]}"\nreturn x', [-1.0]),
    "KeyError": ('d = {"a": 1}\nif x[0] > 0:\n    return d["b"]\nreturn 2', [1.0]),
    "unpack error": ("a, b, c = x\nreturn a", [1.0]),
    "unbound in loop": ("for i in range(int(x[0])):\n    last = i\nreturn last", [0.0]),
    "AttributeError": ("b = Box()\nif x[0] > 0:\n    b.v = 1\nreturn b.v", [-1.0]),
    "StopIteration": ("it = iter([1])\nnext(it)\nreturn next(it)", [0.0]),
    "KeyboardInterrupt": ("if x[0] > 0:\n    raise KeyboardInterrupt\nreturn x", [1.0]),
    "SystemExit": ("if x[0] > 0:\n    raise SystemExit(3)\nreturn x", [1.0]),
    "OSError": ('if x[0] > 0:\n    raise OSError(2, "no such thing", "a.txt")\nreturn x', [1.0]),
    "raise no exception": ("if x[0] > 0:\n    raise 3\nreturn x", [1.0]),
    "error in while test": ("i = 0\nwhile x[i] > 0:\n    i += 1\nreturn i", [1.0, 2.0]),
    "order with print": (
        'for v in x:\n    print("v", v)\n    if v > 1:\n        raise ValueError(v)\nreturn x', [1.0, 2.0],
    ),
    "numpy error": ("return np.linalg.inv(x)", [[0.0, 0.0], [0.0, 0.0]]),
    "overflow": ("return x.astype(np.int8) + np.int8(100)", [100.0]),
    "float pow zero": ("return float(x[0]) ** -1", [0.0]),
    "math domain": ("return math.log(x[0])", [0.0]),
    "int of nan": ("return int(x[0] * np.nan)", [1.0]),
    "negative shift": ("return 1 << int(x[0])", [-1.0]),
    "range step zero": ("for i in range(0, 3, int(x[0])):\n    pass", [0.0]),
}  # fmt: skip
PROGRAMS = {
    name: "import math\nclass Box: pass\n"
    f"@rt.function\ndef f(x):\n{textwrap.indent(body, '    ')}\n\nprint(f(np.array({given})))\n"
    for name, (body, given) in BODIES.items()
}
PROGRAMS["an exception with fields"] = """
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
"""
PROGRAMS["one handler in another"] = """
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
"""


@pytest.mark.parametrize("engine", ["numpy", "native"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_as_python_has_it(name, engine, tmp_path):
    program = PROGRAMS[name].lstrip()
    plain = printed_by(program.replace("@rt.function\n", "\n"), tmp_path)
    assert printed_by(program, tmp_path, engine) == plain
