"""Functions that `dataclass` and `namedtuple` write, and that no user has ever seen."""

from __future__ import annotations

from functools import partial
from types import CellType, CodeType, FunctionType
from typing import Any

#: what `dataclass` puts around the functions that it has written; the name of that of a `namedtuple`'s module
_DATACLASS, _NAMEDTUPLE = "__create_fn__.<locals>.", "namedtuple_"


def is_generated(function: Any) -> bool:
    """Did `dataclass` or `namedtuple` write it? What a user hands to `exec` has the same file name.

    >>> import collections
    >>> is_generated(collections.namedtuple("Pair", "a b").__new__), is_generated(eval("lambda: 1"))
    (True, False)
    """
    code = getattr(function, "__code__", None)
    if not isinstance(code, CodeType) or code.co_filename != "<string>":
        return False
    module = function.__globals__.get("__name__")
    return is_of_dataclass(code) or (isinstance(module, str) and module.startswith(_NAMEDTUPLE))


def is_of_dataclass(code: CodeType) -> bool:
    """Did `dataclass` write the function of this code?"""
    return code.co_filename == "<string>" and code.co_qualname.startswith(_DATACLASS)


def with_factories(initialize: FunctionType, cls: type) -> FunctionType:
    """An ``__init__`` that `dataclass` wrote, with default factories of the user's that run converted."""
    from autograph.operators import call

    fields = getattr(cls, "__dataclass_fields__", {})
    given = [field.default_factory for field in fields.values()]
    factories = {factory for factory in given if type(factory) is FunctionType}
    held = initialize.__closure__ or ()
    if not factories or not is_of_dataclass(initialize.__code__):
        return initialize
    cells = [
        CellType(partial(call, cell.cell_contents)) if _is_one_of(cell, factories) else cell for cell in held
    ]
    made = FunctionType(
        initialize.__code__, initialize.__globals__, "__init__", initialize.__defaults__, tuple(cells)
    )
    made.__kwdefaults__ = initialize.__kwdefaults__
    return made


def _is_one_of(cell: CellType, factories: set[Any]) -> bool:
    return type(cell.cell_contents) is FunctionType and cell.cell_contents in factories
