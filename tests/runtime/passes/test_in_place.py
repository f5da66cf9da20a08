"""Arithmetic in place becomes a value where nobody else has the array."""

import pytest

from runtime.passes import replace_in_place
from tests.runtime.passes.graphs import check, unchanged


def test_the_state_of_a_loop():
    check(
        replace_in_place,
        """
        graph f(x: f64[3], n: int) -> f64[3]:
            a: f64[3] = negative(x)
            b: f64[3] = for i: int in range(0, n, 1) with b: f64[3] = a:
                s: f64 = sum(b, axis=None)
                inplace(b, s, ufunc='true_divide')
                c: f64[3] = add(b, x)
                yield c
            return b
        """,
        """
        graph f(x: f64[3], n: int) -> f64[3]:
            a: f64[3] = negative(x)
            b: f64[3] = for i: int in range(0, n, 1) with b: f64[3] = a:
                s: f64 = sum(b, axis=None)
                b.2: f64[3] = true_divide(b, s)
                c: f64[3] = add(b.2, x)
                yield c
            return b
        """,
    )


@pytest.mark.parametrize(
    "body",
    {
        "an argument": """
            inplace(x, 2.0, ufunc='multiply')
            return x
        """,
        "a view": """
            a: f64[3] = negative(x)
            b: f64[2] = a[:2]
            inplace(b, 2.0, ufunc='multiply')
            return a
        """,
        "a result of another type": """
            a: f32[3] = negative(y)
            inplace(a, x, ufunc='multiply')
            b: f64[3] = add(a, x)
            return b
        """,
        "an array that the loop does not make": """
            a: f64[3] = negative(x)
            for i: int in range(0, n, 1):
                inplace(a, 2.0, ufunc='multiply')
            return a
        """,
        "another name that is read later": """
            a: f64[3] = negative(x)
            b: f64[3] = for i: int in range(0, n, 1) with b: f64[3] = a:
                inplace(b, 2.0, ufunc='multiply')
                c: f64[3] = add(b, x)
                yield c
            d: f64[3] = add(a, b)
            return d
        """,
        "another name that the next iteration reads": """
            a: f64[3] = negative(x)
            c: f64[3], d: f64[3] = for i: int in range(0, n, 1) with c: f64[3] = a, d: f64[3] = a:
                e: f64[3] = add(c, d)
                inplace(c, 2.0, ufunc='multiply')
                yield e, d
            return c
        """,
    }.values(),
)
def test_what_others_have_stays(body):
    lines = "\n".join(line.removeprefix("        ") for line in body.strip("\n").splitlines())
    unchanged(replace_in_place, f"graph f(x: f64[3], y: f32[3], n: int) -> f64[3]:\n{lines}\n")
