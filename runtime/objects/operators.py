"""Operators of objects: Python's own rules, with the special methods of the user's classes converted.

    a + b        # Vector.__add__(a, b); where that gives NotImplemented, type(b).__radd__(b, a)
    a < b        # Task.__lt__(a, b), then type(b).__gt__(b, a)
    a += b       # Account.__iadd__(a, b); where there is none, a = a + b
    -a           # Vector.__neg__(a)

CPython would call these methods as they are. So converted code, and our own code that does in a trace
what CPython does, ask here first. The rules are those of the language reference, 3.3.8 ("Emulating
numeric types") and 3.3.1 ("Rich comparison"): the right operand comes first where its class derives
from that of the left one.
"""

from __future__ import annotations

import functools
import itertools
import math
import operator
from collections.abc import Callable, Iterable, Iterator
from types import BuiltinFunctionType, FunctionType
from typing import Any

import numpy as np

from autograph.operators import call, not_
from autograph.operators.containers import MARKED
from autograph.plain_items import plain_items
from runtime.control_flow.choices import certain, dispatch, identical, special_method, truth
from runtime.objects.compared_by_runs import compares_itself
from runtime.ops.instances import class_attribute
from runtime.ops.operators import COMPARISONS, FUNCTIONS, OPERATORS, SYMBOLS
from runtime.staged.kinds import StagedDict, StagedSequence
from runtime.staged.needed_now import class_of
from runtime.tracer.builder import Staged, refuse
from runtime.tracer.known_items import as_plain
from runtime.tracer.spec import Choice, reference_of
from runtime.tracer.trace import Trace

Binary = Callable[[Any, Any], Any]

#: operator -> its method, the one of the right operand, and how it is written
_ARITHMETIC: dict[Binary, tuple[str, str, str]] = {
    FUNCTIONS[name]: (f"__{name}__", f"__r{name}__", SYMBOLS[name]) for name in OPERATORS
}
_REFLECTED = str.maketrans("lg", "gl")  # a < b is b > a
_COMPARISONS: dict[Binary, tuple[str, str, str]] = {
    FUNCTIONS[name]: (f"__{name}__", f"__{name.translate(_REFLECTED)}__", SYMBOLS[name])
    for name in COMPARISONS
}
_EQUALITY = (operator.eq, operator.ne)
#: `a += b`: its method, the operator in its place, and how it is written
_IN_PLACE: dict[Binary, tuple[str, Binary, str]] = {
    getattr(operator, f"__i{names[0][2:]}"): (f"__i{names[0][2:]}", function, f"{names[2].split()[0]}=")
    for function, names in _ARITHMETIC.items()
    if function is not divmod
}
_UNARY: dict[Callable[[Any], Any], str] = {
    operator.neg: "__neg__", operator.pos: "__pos__", operator.invert: "__invert__",
}  # fmt: skip
#: Python asks these for `+` and `*` after the right operand
_SEQUENCES = (list, tuple, str, bytes, bytearray, StagedSequence)


def unary(trace: Trace, function: Callable[[Any], Any], a: Any) -> Any:
    """``-a`` and its like; NotImplemented where no method of the user's says what it is."""
    method = trace.outside.special_method(a, _UNARY[function])
    return NotImplemented if method is None else call(method, a)


def binary(trace: Trace, function: Binary, a: Any, b: Any) -> Any:
    """``a + b``, ``a < b``, ``a += b``; NotImplemented where no method of the user's may be asked.

    Raises TypeError, in Python's words, where both operands decline.
    """
    if function not in _METHODS:
        return NotImplemented
    marked = MARKED.get(function) or functools.partial(call, function)
    if _is_chosen(trace, a):
        return dispatch(certain(a), lambda one: marked(one, b))
    if _is_chosen(trace, b):
        return dispatch(certain(b), lambda one: marked(a, one))
    if function in _EQUALITY and any(map(_is_one_of_run, (a, b))):
        return _compared(trace, function, a, b)
    special = trace.outside.special_method
    of_left, of_right = _METHODS[function]
    if all(special(a, name) is None for name in of_left):
        if all(special(b, name) is None for name in of_right):
            if isinstance(a, _SEQUENCES) or isinstance(b, _SEQUENCES):
                require_no_numbers(trace, (a, b), "__index__")
            return NotImplemented
    if function in _COMPARISONS:
        return _compared(trace, function, a, b)
    if function in _IN_PLACE:
        return _in_place(trace, function, a, b)
    return _arithmetic(trace, _ARITHMETIC[function], a, b)


def _is_one_of_run(value: Any) -> bool:
    """Is it an object of the run that is equal to itself alone? Which one it is, only the run knows."""
    return reference_of(value) is not None and class_attribute(type(value), "__eq__") is object.__eq__


def _methods(function: Binary) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Which methods of the left operand, and of the right one, may say what an operator gives."""
    if function in _IN_PLACE:
        name, other, _ = _IN_PLACE[function]
        return (name, *_methods(other)[0]), _methods(other)[1]
    forward, reflected, _ = (_ARITHMETIC | _COMPARISONS)[function]
    derived = ("__eq__",) if function is operator.ne else ()
    return (forward, *derived), (reflected, *derived)


_METHODS = {function: _methods(function) for function in (*_ARITHMETIC, *_COMPARISONS, *_IN_PLACE)}


def _arithmetic(trace: Trace, names: tuple[str, str, str], a: Any, b: Any, written: str = "") -> Any:
    forward, reflected, symbol = names
    left, right = (a, forward, b), (b, reflected, a)
    if type(a) is type(b):
        asked = [left]
    elif _overrides(type(b), class_of(a), reflected) or isinstance(a, _SEQUENCES):
        asked = [right, left]
    else:
        asked = [left, right]
    for owner, name, other in asked:
        made = _ask(trace, owner, name, other)
        if made is not NotImplemented:
            return made
    kinds = f"{_name(a)!r} and {_name(b)!r}"
    raise TypeError(f"unsupported operand type(s) for {written or symbol}: {kinds}")


def _in_place(trace: Trace, function: Binary, a: Any, b: Any) -> Any:
    name, plain, symbol = _IN_PLACE[function]
    made = _ask(trace, b, _ARITHMETIC[plain][1], a) if isinstance(a, _SEQUENCES) else NotImplemented
    made = _ask(trace, a, name, b) if made is NotImplemented else made
    return _arithmetic(trace, _ARITHMETIC[plain], a, b, symbol) if made is NotImplemented else made


def _compared(trace: Trace, function: Binary, a: Any, b: Any) -> Any:
    forward, reflected, symbol = _COMPARISONS[function]
    left, right = (a, forward, b), (b, reflected, a)
    derived = type(a) is not type(b) and issubclass(type(b), type(a))
    for owner, name, other in (right, left) if derived else (left, right):
        made = _ask(trace, owner, name, other)
        if made is not NotImplemented:
            return made
    if function in _EQUALITY:
        same = identical(a, b)
        return same if function is operator.eq else not_(same)
    raise TypeError(f"{symbol!r} not supported between instances of {_name(a)!r} and {_name(b)!r}")


def _overrides(cls: type, base: Any, name: str) -> bool:
    """Does a class that derives from another have another method of this name?"""
    derives = isinstance(base, type) and issubclass(cls, base)
    return derives and class_attribute(cls, name) is not class_attribute(base, name)


def _ask(trace: Trace, owner: Any, name: str, other: Any) -> Any:
    """What a special method gives, converted where it is the user's; NotImplemented where there is none."""
    cls = type(owner)
    method = trace.outside.special_method(owner, name)
    if method is not None:
        return call(method, owner, other)
    static = class_attribute(cls, name)
    if static is None:
        return NotImplemented
    if static is object.__ne__:
        equal = _ask(trace, owner, "__eq__", other)
        return equal if equal is NotImplemented else not_(equal)
    if static is object.__eq__:
        same = identical(owner, other)
        return same if same is True or isinstance(same, Staged) else NotImplemented
    if isinstance(owner, np.generic):
        require_no_numbers(trace, (other,), "__array__")
    bound: Any = static if isinstance(static, FunctionType) else getattr(cls, name)
    return bound(owner, other)


def _name(value: Any) -> str:
    return class_of(value).__name__


def answered(made: Any, method: FunctionType) -> Any:
    """What a special method gives. NotImplemented would be taken for that Python may make the call: again."""
    if made is not NotImplemented:
        return made
    raise refuse(
        f"`{method.__qualname__}` gives NotImplemented, which says nothing but to operators",
        "let it return a value, or raise TypeError",
    )


#: what a function of Python's asks for, and gives whatever it is
_ASKED_ONCE: dict[Any, str] = {
    abs: "__abs__", operator.abs: "__abs__", round: "__round__", math.trunc: "__trunc__",
    math.floor: "__floor__", math.ceil: "__ceil__", reversed: "__reversed__",
}  # fmt: skip


def special_call(trace: Trace, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """``abs(o)``, ``divmod(a, b)``, ``operator.add(a, b)`` of objects whose methods are the user's.

    NotImplemented for all other calls.
    """
    if function in _OF_ITEMS:
        items = as_plain(args[0])
        if isinstance(items, list | tuple) and any(_has_special(trace, item) for item in items):
            raise trace.refuse(
                f"`{function.__name__}` asks the objects that it gets, which no trace sees",
                "write a loop over the objects",
            )
    if function is round and [*kwargs] == ["ndigits"] and len(args) == 1:
        return call(round, *args, kwargs["ndigits"])
    if kwargs:
        if function in _OF_NUMBERS:
            require_no_numbers(trace, (*args, *kwargs.values()), "__index__", "__float__")
        return NotImplemented
    if function in MARKED:
        is_any = any(_has_special(trace, arg) for arg in args)
        return MARKED[function](*args) if is_any else NotImplemented
    if function in (divmod, pow) and len(args) == 2:
        return binary(trace, divmod if function is divmod else operator.pow, *args)
    if function in _ASKED_ONCE:
        method = trace.outside.special_method(args[0], _ASKED_ONCE[function])
        if method is not None:
            return answered(call(method, *args), method)
    if function in _CONVERSIONS and len(args) == 1:
        for name in _CONVERSIONS[function]:
            if trace.outside.special_method(args[0], name) is not None:
                number = special_method(args[0], name, _KINDS.get(name, function))
                return number if name == _CONVERSIONS[function][0] else call(function, number)
    if function is hash:
        if trace.outside.special_method(args[0], "__hash__") is not None:
            return special_method(args[0], "__hash__", hash)
        if isinstance(args[0], tuple) and any(map(compares_itself, _parts(args[0]))):
            raise trace.refuse(
                "the hash of a tuple asks its items for theirs, which no trace sees",
                "hash a tuple of numbers and texts: of what the class compares",
            )
    if function in (isinstance, issubclass) and len(args) == 2:
        name = "__instancecheck__" if function is isinstance else "__subclasscheck__"
        method = trace.outside.special_method(args[1], name)
        if method is not None:
            return truth(call(method, args[1], args[0]))
    if function is np.vectorize and trace.outside.special_method(args[0], "__eq__") is not None:
        raise trace.refuse(
            f"NumPy compares the {type(args[0]).__name__} that `np.vectorize` gets",
            "pass its method: np.vectorize(item.__call__)",
        )
    if function in _OF_NUMBERS:
        require_no_numbers(trace, args, "__index__", "__float__")
    if getattr(function, "__module__", None) == "numpy":
        shapes = [part for arg in args if type(arg) is tuple for part in arg]
        require_no_numbers(trace, (*args, *shapes), "__index__")
    return NotImplemented


def require_no_index(trace: Trace, container: Any, key: Any) -> None:
    """Refuse ``container[key]`` where that asks the key, or a bound of it, for a `__index__`."""
    if not isinstance(container, dict | type | StagedDict):
        parts = (key.start, key.stop, key.step) if type(key) is slice else (key,)
        require_no_numbers(trace, parts, "__index__")


def require_no_numbers(trace: Trace, values: Iterable[Any], *asked: str) -> None:
    """Refuse objects of the user's that Python would ask for a number, by one of these methods."""
    for value, name in itertools.product(values, asked):
        method = trace.outside.special_method(value, name)
        if method is not None and not method.__module__.startswith("runtime."):  # a variable is an array
            raise trace.refuse(
                f"a {type(value).__name__} stands where Python asks for its `{name}`, which no trace sees",
                f"write {name.strip('_').replace('index', 'int')}(...) around it",
            )


#: which methods a conversion asks for, one after the other
_CONVERSIONS: dict[Any, tuple[str, ...]] = {
    int: ("__int__", "__index__", "__trunc__"), float: ("__float__", "__index__"),
    complex: ("__complex__", "__float__", "__index__"), operator.index: ("__index__",),
}  # fmt: skip
_KINDS: dict[str, Callable[[Any], Any]] = {"__index__": operator.index, "__float__": float}
_OF_ITEMS = frozenset({math.prod, math.fsum, math.dist, itertools.groupby})
#: these ask each of their arguments for a number
_OF_NUMBERS = frozenset({
    range, round, chr, bin, oct, hex, itertools.islice,
    *[function for function in vars(math).values() if isinstance(function, BuiltinFunctionType)],
}) - {math.trunc, math.floor, math.ceil, math.fsum, math.prod, math.dist}  # fmt: skip


def _parts(items: tuple[Any, ...]) -> Iterator[Any]:
    """The items of a tuple, and those of tuples in it."""
    for item in plain_items(items):
        yield item
        if isinstance(item, tuple):
            yield from _parts(item)


def _is_chosen(trace: Trace, value: Any) -> bool:
    """Is it one of several values, and is an object of a user's class among them?"""
    return isinstance(value, Choice) and any(_has_special(trace, one) for one in value.values)


def _has_special(trace: Trace, value: Any) -> bool:
    is_asked = trace.outside.is_watched(type(value)) or trace.outside.is_foreign(value)
    return is_asked and not isinstance(value, Staged | Choice)
