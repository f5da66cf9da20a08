"""Exceptions that are made anew at each run, like one that was seen while tracing.

>>> rebuild(KeyError, ("k",), {"__notes__": ["from the table"]}).__notes__
['from the table']
"""

from __future__ import annotations

from typing import Any

from runtime.ops.instances import exception_attributes, remake_exception


def rebuild(cls: type[BaseException], args: tuple[Any, ...], attributes: dict[str, Any]) -> BaseException:
    """The inverse of ``parts``. A user's own ``__init__`` is not run again."""
    return remake_exception(cls, {"args": args, **attributes})


def parts(error: BaseException) -> tuple[type[BaseException], tuple[Any, ...], dict[str, Any]]:
    """The class, the arguments and the attributes from which ``rebuild`` makes an equal exception."""
    attributes = exception_attributes(error)
    return type(error), attributes.pop("args"), attributes
