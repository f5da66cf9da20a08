"""Whether code of the user's may change something, by itself or by what it calls."""

from __future__ import annotations

import dis
import types
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from autograph.config import is_excluded
from runtime.allowed import writing_methods
from runtime.objects.function_objects import functions_in
from runtime.ops.instances import HEAP_TYPE, class_attribute
from runtime.tracer.cells import contents_of

if TYPE_CHECKING:
    from runtime.tracer.trace import Trace

_STORES = ("STORE_GLOBAL", "STORE_ATTR", "STORE_SUBSCR", "DELETE_GLOBAL", "DELETE_ATTR", "DELETE_SUBSCR")


#: what code names that acts; the last ones are of converted code
_ACTS = writing_methods() | {
    "print", "warn", "write", "add", "discard",
    "set_item", "store_item", "update_item", "aug_item", "del_item", "remove_item",
}  # fmt: skip


def acts(method: types.FunctionType, cls: type, seen: frozenset[types.CodeType] = frozenset()) -> bool:
    """May it change something, by itself or by what it calls?"""
    code = method.__code__
    if code in seen or is_excluded(method.__globals__.get("__name__") or ""):
        return False  # what `dataclass` wraps around its `__repr__`, say
    names: set[str] = set()
    for part, own_cells in _with_nested(code, frozenset()):
        names.update(part.co_names)
        if _ACTS & set(part.co_names) or any(
            instruction.opname in _STORES
            or (instruction.opname == "STORE_DEREF" and instruction.argval not in own_cells)
            for instruction in dis.get_instructions(part)
        ):
            return True
    named = [class_attribute(cls, name) for name in names]
    named += [method.__globals__.get(name) for name in names]
    named += map(contents_of, method.__closure__ or ())
    return any(acts(function, cls, seen | {code}) for held in named for function in functions_in(held))


def _with_nested(
    code: types.CodeType, cells: frozenset[str]
) -> Iterator[tuple[types.CodeType, frozenset[str]]]:
    """The code and that of the functions in it, each with the variables that are of the whole."""
    own = cells | set(code.co_cellvars)
    yield code, own
    for part in code.co_consts:
        if isinstance(part, types.CodeType):
            yield from _with_nested(part, own)


def is_library_code(module: str) -> bool:
    """Is it of a package that is not converted, or of our own?"""
    return is_excluded(module) or module.partition(".")[0] in ("runtime", "autograph")


def users_function(held: Any) -> types.FunctionType | None:
    """The Python function of the user's behind an entry of a class, or behind a method."""
    for function in functions_in(held):
        if not is_library_code(function.__globals__.get("__name__") or ""):
            return function
    return None


def require_tuple_read_unseen(trace: Trace, cls: type) -> None:
    """Refuse a class of tuples whose methods act that Python and our own code call unseen."""
    for name in dir(cls) if issubclass(cls, tuple) else ():
        method = users_function(class_attribute(cls, name)) if name in _OF_TUPLES else None
        if method is not None and acts(method, cls):
            raise trace.refuse(
                f"a {cls.__name__} is a tuple with methods that change something, and is read unseen",
                f"make it an object that holds a tuple: `{name}` is such a method",
            )


#: what Python asks tuples for unseen
_OF_TUPLES = frozenset(
    f"__{name}__"
    for name in (
        "getitem iter len contains eq ne hash bool str repr format getattr getattribute setattr delattr "
        "copy deepcopy reduce reduce_ex getstate"
    ).split()
)


def users_methods(cls: type) -> Iterator[types.FunctionType]:
    """The methods of a class that are written in Python, by the user."""
    for base in cls.__mro__:
        if base.__flags__ & HEAP_TYPE and not is_library_code(base.__module__):
            for held in vars(base).values():
                function = users_function(held)
                if function is not None:
                    yield function


def acts_unseen(called: Any) -> bool:
    """Is this a function of the user's, or an object of a class of the user's, that may change something?"""
    if isinstance(called, types.BuiltinMethodType):
        return isinstance(called.__self__, list | dict | set)  # the `append` of a list, say
    function = users_function(called)
    if function is not None:
        return acts(function, type(getattr(called, "__self__", None)))
    return any(acts(method, type(called)) for method in users_methods(type(called)))
