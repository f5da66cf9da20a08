"""Run a decorated function beside the plain Python it was made from.

The answers must be the same; the times are printed as they were measured in this run.
"""

import copy
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import runtime as rt


def beside_python(function: Any, *arguments: Any, engine: str = "auto", tolerance: float = 1e-13) -> Any:
    """Call plain Python, then the compiled function twice; compare, print the times, return the answer.

    tolerance: of floating-point numbers; a search in many steps makes much of a few ulp.
    """
    plain = function.python_function
    compiled = function if engine == "auto" else rt.function(plain, engine=engine)
    expected, python_time = timed(plain, arguments)
    first, first_time = timed(compiled, arguments)
    again, next_time = timed(compiled, arguments)
    for answer in (first, again):
        if not same(answer, expected, tolerance):
            raise AssertionError(f"{plain.__name__}: plain Python gives {expected!r}, compiled {answer!r}")
    print(f"{plain.__name__}: the same answer from plain Python and from {engine!r}")
    print(f"    plain Python  {python_time:10.4f} s")
    print(f"    first call    {first_time:10.4f} s   converts, traces and compiles")
    print(f"    next calls    {next_time:10.4f} s   {python_time / next_time:.1f} times as fast as Python")
    return expected


def timed(function: Callable[..., Any], arguments: tuple[Any, ...]) -> tuple[Any, float]:
    """The function's answer for fresh copies of the arguments, and the seconds it took."""
    fresh = [argument if callable(argument) else copy.deepcopy(argument) for argument in arguments]
    began = time.perf_counter()
    answer = function(*fresh)
    return answer, time.perf_counter() - began


def same(answer: Any, expected: Any, tolerance: float = 1e-13) -> bool:
    """Equal in type, dtype, shape and value; floating-point numbers may differ by a few ulp."""
    if type(answer) is not type(expected):
        return False
    if isinstance(expected, tuple):
        pairs = zip(answer, expected, strict=False)
        return len(answer) == len(expected) and all(same(a, b, tolerance) for a, b in pairs)
    if isinstance(expected, dict):
        return answer.keys() == expected.keys() and all(
            same(answer[key], value, tolerance) for key, value in expected.items()
        )
    if isinstance(expected, np.ndarray | np.generic):
        if answer.dtype != expected.dtype or answer.shape != expected.shape:
            return False
    if isinstance(expected, np.ndarray | np.inexact | float):
        return bool(np.allclose(answer, expected, rtol=tolerance, atol=tolerance, equal_nan=True))
    return bool(answer == expected)
