"""Keywords that are handed on to a function of the user's: no name of ours stands in their way."""

import ast
import concurrent.futures
from pathlib import Path

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import least_squares

import runtime as rt

ROOT = Path(rt.__file__).parents[1]
#: these have the parameters of NumPy's functions, or of rules of operations
OWN_NAMES = (
    "runtime/ops", "runtime/export", "runtime/engines", "runtime/numpy_calls/functions",
    "runtime/numpy_calls/callbacks", "runtime/numpy_calls/builtins",
)  # fmt: skip


def test_what_hands_on_keywords_has_no_names_of_its_own():
    found = []
    for path in [p for part in ("autograph", "runtime") for p in (ROOT / part).rglob("*.py")]:
        name = str(path.relative_to(ROOT))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.FunctionDef | ast.Lambda) or _is_for_type_checkers(node):
                continue
            if node.args.vararg and node.args.kwarg and node.args.args:
                found.append((name, node.lineno))
    assert not [each for each in found if not each[0].startswith(OWN_NAMES)]


def _is_for_type_checkers(node):
    return any(ast.unparse(each) == "overload" for each in getattr(node, "decorator_list", ()))


def total(w, /, **options):
    return (w * w).sum() * options["self"]


class Weighted:
    def __init__(self, w, /, **options):
        self.w, self.factor = w, options["made"]

    def total(self, /, **options):
        return self.w.sum() * self.factor * options["trace"]


def total_of_object(w, /, **options):
    return Weighted(w, **options).total(**options)


def with_gradient(function):
    return rt.custom_gradient(lambda w, /, **options: (function(w, **options), lambda g: g * w))


@pytest.mark.parametrize("function", [total, total_of_object])
@pytest.mark.parametrize(
    "wrap",
    [rt.function, rt.grad, rt.value_and_grad, rt.jacobian, rt.hessian, rt.remat, with_gradient],
)
def test_names_of_ours_as_keywords(function, wrap):
    names = "self cls args kwargs function made trace value x name outside path record".split()
    keywords = dict.fromkeys(names, 2.0)
    w = np.array([1.0, 2.0])
    found = wrap(function)(w, **keywords)
    plain = wrap(lambda w: function(w, **keywords))(w)
    assert repr(found) == repr(plain)


def residual(x):
    return x**2 - 2.0


def test_derivatives_whose_first_call_comes_from_a_library():
    """A `try` around the call is no part of the graph, and sees what a run raises."""
    at = np.ones(3)
    found = least_squares(residual, at, jac=rt.jacobian(residual)).x
    np.testing.assert_allclose(found, np.sqrt(2.0) * at)
    falling = lambda t, y: -y
    solved = solve_ivp(falling, (0, 1), at, method="Radau", jac=rt.jacobian(falling, argnums=1))
    np.testing.assert_allclose(solved.y[:, -1], np.exp(-1.0), rtol=1e-3)
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        jacobian = pool.submit(rt.jacobian(residual), at).result()
    np.testing.assert_array_equal(jacobian, 2 * np.eye(3))
