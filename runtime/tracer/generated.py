"""Functions that `dataclass` and `namedtuple` write, and that no user has ever seen."""

from __future__ import annotations

from functools import partial
from types import CellType, CodeType, FunctionType
from typing import Any

#: what `dataclass` puts around the functions that it has written; the name of that of a `namedtuple`'s module
_DATACLASS, _NAMEDTUPLE = "__create_fn__.<locals>.", "namedtuple_"

_FACTORIES = (FunctionType, type)


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


def seeing(initialize: FunctionType, cls: type, plain_stores: Any) -> FunctionType:
    """An ``__init__`` that `dataclass` wrote, for a view in the object's place.

    Default factories are called under the eyes of the trace; ``plain_stores`` stands for `object`.
    """
    from autograph.operators import call

    if not is_of_dataclass(initialize.__code__):
        return initialize
    given = [field.default_factory for field in getattr(cls, "__dataclass_fields__", {}).values()]
    standing: dict[Any, Any] = {object: plain_stores}
    standing |= {factory: partial(call, factory) for factory in given if isinstance(factory, _FACTORIES)}
    held = [cell.cell_contents for cell in initialize.__closure__ or ()]
    cells = [CellType(standing.get(one, one) if isinstance(one, _FACTORIES) else one) for one in held]
    made = FunctionType(
        initialize.__code__, initialize.__globals__, "__init__", initialize.__defaults__, tuple(cells)
    )
    made.__kwdefaults__ = initialize.__kwdefaults__
    return made
