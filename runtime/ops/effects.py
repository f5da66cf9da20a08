"""What can be observed from outside: print, assert, raise, stores to Python objects, calls of unknown code.

Each takes the values of a run as inputs and a ``Template``, the Python structure that they fill.

>>> from runtime.ops import REGISTRY
>>> from runtime.ops.template import Hole, Template
>>> REGISTRY["print"].kernel(3.5, template=Template((("x is", Hole(0)), {"sep": ": "})))
x is: 3.5
>>> REGISTRY["format"].kernel(3.5, template=Template(("x = ", (Hole(0), None, ".2f"))))
'x = 3.50'
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from types import FunctionType
from typing import Any

import numpy as np

from autograph.errors import StagingError
from runtime.ops.definition import PURE, Effects, family, none, refused
from runtime.ops.library_rules.table import call_vjp
from runtime.ops.promotion import result_type
from runtime.ops.template import Hole, Template
from runtime.types import (
    BOOL,
    OBJECT,
    PYTHON_TYPES,
    STR,
    ArrayType,
    ContainerType,
    NumberType,
    ObjectType,
    ScalarType,
    Type,
    is_subtype,
)

EFFECT = none("an effect on the world outside")
op = family("effect", vjp=EFFECT)
TEXT = none("text")
STORE = refused("a store into an object that the gradient does not follow")
ORDERED = Effects(ordered=True, may_raise=True)
_LEAVES = Effects(ordered=True, may_raise=True, leaves=True)


def no_output(types: tuple[Type, ...], **attributes: Any) -> tuple[Type, ...]:
    return ()


def run_print(*values: Any, template: Template) -> None:
    args, kwargs = template.fill(values)
    print(*args, **kwargs)


op(
    "print",  # template: (args, kwargs)
    run_print,
    no_output,
    Effects(ordered=True, may_raise=True, raises="rarely", keeps=False),
)


def run_assert(test: Any, *values: Any, template: Template | None = None) -> None:
    if not test:
        raise AssertionError(*(() if template is None else (template.fill(values),)))


def _required(x: Any, holds: Any, message: str) -> Any:
    if not np.all(holds):
        raise ValueError(message)
    return x


op(
    "require",  # the first input, where all of the second holds; needed only where the result is
    _required,
    lambda types, message: types[0],
    Effects(view_of=0, may_raise=True),
    vjp=lambda g, y, x, holds, message: (g, None),
)


def assert_rule(types: tuple[Type, ...], template: Template | None = None) -> tuple[Type, ...]:
    if types[0] != BOOL:
        raise TypeError(f"assert tests a bool, not {types[0]}")
    return ()


op(
    "assert",  # template: the message, or None
    run_assert,
    assert_rule,
    _LEAVES,
)


def run_raise(*values: Any, exception: type[BaseException] | None = None, template: Template) -> None:
    filled = template.fill(values)
    if exception is not None:
        args, kwargs = filled
        raise exception(*args, **kwargs)
    raised, *cause = filled
    if cause:
        raise raised from cause[0]
    raise raised


def raise_rule(types: tuple[Type, ...], template: Template, exception: Any = None) -> tuple[Type, ...]:
    if exception is not None and not (isinstance(exception, type) and issubclass(exception, BaseException)):
        raise TypeError("exceptions must derive from BaseException")
    return ()


op(
    "raise",  # template: (args, kwargs) of ``exception``; or where that is None, (exception[, cause]) itself
    run_raise,
    raise_rule,
    _LEAVES,
    lowered=("exception",),
)


_CONVERSIONS: dict[str, Callable[[Any], str]] = {"r": repr, "s": str, "a": ascii}


def run_format(*values: Any, template: Template) -> str:
    return "".join([p if type(p) is str else _formatted(*p) for p in template.fill(values)])


def _formatted(value: Any, conversion: str | None, spec: str) -> str:
    if conversion:
        value = _CONVERSIONS[conversion](value)
    return format(value, spec or "")


op(
    "format",  # template: a tuple of str and (value, conversion, spec)
    run_format,
    lambda types, template: STR,
    Effects(may_raise=True),
    vjp=TEXT,
    lowered=("format",),
)


# -- stores to Python objects --------------------------------------------------------------------------


def store_attr(
    target: Any, *values: Any, name: str, template: Template, cls: type | None = None, there: bool = False
) -> None:
    """``cls``: the class that the target is expected to have, for engines. ``there``: the attribute is there
    before, for passes."""
    set_attribute(target, name, template.fill(values))


def set_attribute(target: Any, name: str, value: Any) -> None:
    if isinstance(type(target).__setattr__, FunctionType):  # the user's own, which ran in the graph
        plain: Any = type if isinstance(target, type) else object
        plain.__setattr__(target, name, value)
    else:
        setattr(target, name, value)


def store_item(target: Any, *values: Any, key: Any, template: Template, there: bool = False) -> None:
    """``there``: as for ``store_attr``, of a namespace."""
    key = key.fill(values) if isinstance(key, Template) else key
    target[key] = template.fill(values)


def delete_attr(target: Any, *, name: str) -> None:
    if isinstance(type(target).__delattr__, FunctionType):
        object.__delattr__(target, name)
    else:
        delattr(target, name)


def delete_item(target: Any, *values: Any, key: Any) -> None:
    del target[key.fill(values) if isinstance(key, Template) else key]


for _kernel in (store_attr, store_item, delete_attr, delete_item):
    op(
        _kernel.__name__,
        _kernel,
        no_output,
        replace(ORDERED, raises="rarely") if _kernel in (store_attr, store_item) else ORDERED,
        family="store",
        vjp=STORE,
        lowered=("instance",) if _kernel is store_attr else (),
    )


# -- calls of unknown code -----------------------------------------------------------------------------


op(
    "errstate",  # stands where `with np.errstate(...)` is entered; the engines then run without warnings
    lambda: None,
    lambda types: (),
    ORDERED,
    [[]],
)


def run_call(*values: Any, function: Any, template: Template, outputs: tuple[Type, ...] = ()) -> Any:
    """Call Python code. Its results must have the types that were promised."""
    args, kwargs = template.fill(values)
    return _checked(function, function(*args, **kwargs), outputs)


def _bind_call(function: Any, template: Template, outputs: tuple[Type, ...] = ()) -> Callable[..., Any]:
    """`run_call` with its attributes filled in: where they are the arguments, the values are handed on."""
    args, kwargs = template.structure
    if kwargs or not all(type(part) is Hole and part.index == k for k, part in enumerate(args)):
        return partial(run_call, function=function, template=template, outputs=outputs)
    return lambda *values: _checked(function, function(*values), outputs)


def _checked(function: Any, result: Any, outputs: tuple[Type, ...]) -> Any:
    if len(outputs) == 1 and _is_plainly(result, outputs[0]):
        return result
    if not outputs:
        return None
    if getattr(function, "is_typed", False):  # a part of the graph itself
        return result
    results = result if len(outputs) > 1 else (result,)
    if len(results) != len(outputs):
        raise _unforeseen(function, f"{len(results)} values", f"{len(outputs)} values")
    for value, promised in zip(results, outputs, strict=True):
        found = _found_type(value, promised)
        if not is_subtype(found, promised):
            raise _unforeseen(function, str(found), str(promised))
    return result


def _is_plainly(value: Any, promised: Type) -> bool:
    """Does the class of a number, or what an array says of itself, tell that it is what was promised?"""
    if isinstance(promised, ArrayType):
        return (
            type(value) is np.ndarray
            and value.dtype == promised.dtype
            and (value.shape == promised.shape or is_subtype(ArrayType(value.dtype, value.shape), promised))
        )
    if isinstance(promised, ScalarType):
        return type(value) is promised.dtype.type and promised.dtype.kind in "biufc"
    return isinstance(promised, NumberType) and type(value) is PYTHON_TYPES[promised.kind]


def _unforeseen(function: Any, found: str, promised: str) -> Exception:
    """The error (not raised) for a result of another type than the graph was made for."""
    if getattr(function, "is_tried", False):
        return StagingError(
            f"{function.__name__}() returned {found}, where trials while tracing returned {promised}",
            hint="what it returns hangs on the values: call it outside the decorated function",
        )
    return TypeError(f"{_name(function)} returned {found}, {promised} was promised")


def _found_type(value: Any, promised: Type) -> Type:
    if not isinstance(promised, ObjectType) or promised == STR:
        return result_type(value)
    if isinstance(promised, ContainerType):
        return promised if type(value).__name__ == promised.name else OBJECT
    return OBJECT if promised == OBJECT else ObjectType(type(value).__name__)


def _name(function: Any) -> str:
    return getattr(function, "__qualname__", repr(function))


def call_effects(types: tuple[Type, ...], function: Any, template: Template, **_: Any) -> Effects:
    """A ufunc of a library only computes, unless it is given a place for its result."""
    if getattr(function, "only_computes", False):
        return PURE
    if getattr(function, "is_tried", False) and isinstance(function.function, np.ufunc):
        return ORDERED if "out" in template.structure[1] else Effects(may_raise=True)
    return ORDERED


op(
    "call",  # template: (args, kwargs)
    run_call,
    lambda types, function, template, outputs=(): tuple(outputs),
    call_effects,
    lowered=("ufunc",),
    vjp=call_vjp,
    bind=_bind_call,
)
