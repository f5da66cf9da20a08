"""A fresh lambda that does what an earlier one did is taken for that: it needs no trace of its own.

Two lambdas do the same where they have one code object and one module, equal defaults, and variables
around them that are the same, or that nobody else has and that hold equal constants. The function may do
nothing with them but call them: so nobody can tell which of the two it was.

>>> def twice(f, x, g):
...     return f(f(x)), g
>>> sorted(only_called(twice.__code__))
['f']
>>> known = SameLambdas(twice)
>>> first, second = [lambda x: x + 1 for _ in range(2)]
>>> [known.stand_ins((f, 1, f)) == (first, 1, f) for f in (first, second)]
[True, True]
"""

from __future__ import annotations

import dis
import functools
import sys
from collections import defaultdict
from collections.abc import Callable
from types import CellType, CodeType, FunctionType
from typing import Any

#: so many lambdas of one code object are known
MOST_KNOWN = 8
_CONSTANTS = frozenset({int, float, complex, bool, str, bytes, type(None)})
#: with these, a function sees its variables by other ways
_SEES_ALL = frozenset({"locals", "vars", "eval", "exec", "dir", "_getframe"})
_LOADS = frozenset({"LOAD_FAST", "LOAD_FAST_CHECK", "LOAD_FAST_BORROW"})
#: `PUSH_NULL` stands beside the load of what is called: behind it from Python 3.13 on
_BESIDE = 1 if sys.version_info >= (3, 13) else -1


class SameLambdas:
    """The lambdas that one function was given."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function
        #: with each, has nobody else its variables? (The guards of its trace have them later on.)
        self._known: defaultdict[CodeType, list[tuple[FunctionType, bool]]] = defaultdict(list)

    def stand_ins(self, args: tuple[Any, ...]) -> tuple[Any, ...]:
        """The arguments, known lambdas in place of new ones that do the same."""
        if not any(map(_is_lambda, args)):
            return args
        called = called_places(self._function.__code__) if type(self._function) is FunctionType else ()
        return tuple([self._stand_in(a) if k in called and _is_lambda(a) else a for k, a in enumerate(args)])

    def _stand_in(self, function: FunctionType) -> FunctionType:
        known, is_alone = self._known[function.__code__], _has_all_alone(function)
        for other, other_is_alone in known:
            if other is function or _do_the_same(other, function, is_alone and other_is_alone):
                return other
        known[MOST_KNOWN - 1 :] = []
        known.insert(0, (function, is_alone))
        return function


def _is_lambda(value: Any) -> bool:
    return type(value) is FunctionType and value.__name__ == "<lambda>"


@functools.lru_cache(maxsize=256)
def called_places(code: CodeType) -> frozenset[int]:
    """Where the arguments stand that are only called."""
    called = only_called(code)
    return frozenset(k for k, name in enumerate(code.co_varnames[: code.co_argcount]) if name in called)


def only_called(code: CodeType) -> frozenset[str]:
    """The variables with which a function does nothing but call them."""
    if not _SEES_ALL.isdisjoint(code.co_names):
        return frozenset()
    found, others = set[str](), {*code.co_cellvars}
    steps = [step for step in dis.get_instructions(code) if step.opname not in ("RESUME", "CACHE")]
    for k, step in enumerate(steps):
        if step.opcode not in dis.haslocal:
            continue
        beside = steps[k + _BESIDE].opname if 0 <= k + _BESIDE < len(steps) else ""
        names = step.argval if isinstance(step.argval, tuple) else (step.argval,)
        (found if step.opname in _LOADS and beside == "PUSH_NULL" else others).update(names)
    return frozenset(found - others)


def _do_the_same(a: FunctionType, b: FunctionType, are_alone: bool) -> bool:
    if a.__code__ is not b.__code__ or a.__globals__ is not b.__globals__ or a.__dict__ or b.__dict__:
        return False
    if not _are_equal(a.__defaults__, b.__defaults__) or a.__kwdefaults__ or b.__kwdefaults__:
        return False
    cells = [*zip(a.__closure__ or (), b.__closure__ or (), strict=True)]
    return all(one is other or (are_alone and _hold_equal(one, other)) for one, other in cells)


def _are_equal(a: Any, b: Any) -> bool:
    if type(a) is tuple and type(b) is tuple:
        return len(a) == len(b) and all(map(_are_equal, a, b))
    return a is b or (type(a) is type(b) and type(a) in _CONSTANTS and repr(a) == repr(b))


def _hold_equal(a: CellType, b: CellType) -> bool:
    try:
        return _are_equal(a.cell_contents, b.cell_contents)
    except ValueError:  # nothing is in it yet
        return False


def _has_all_alone(function: FunctionType) -> bool:
    """Has nobody else the variables around it, who may change them? (Without the GIL, counts do not tell.)"""
    return _COUNTS_TELL and all(count <= _OF_ONE for count in _owners(function))


def _owners(function: FunctionType) -> list[int]:
    return [sys.getrefcount(cell) for cell in function.__closure__ or ()]


def _example(number: int) -> Any:
    return lambda: number


_COUNTS_TELL: bool = getattr(sys, "_is_gil_enabled", lambda: True)()
(_OF_ONE,) = _owners(_example(0))
