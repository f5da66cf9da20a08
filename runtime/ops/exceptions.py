"""Exceptions that are made anew at each run, like one that was seen while tracing.

>>> rebuild(KeyError, ("k",), {"__notes__": ["from the table"]}).__notes__
['from the table']
"""

from __future__ import annotations

from typing import Any

from runtime.ops.instances import remake_exception
from runtime.ops.objects import ABSENT


def rebuild(cls: type[BaseException], args: tuple[Any, ...], attributes: dict[str, Any]) -> BaseException:
    """The inverse of ``parts`` (objects/exception_parts.py). A user's own ``__init__`` is not run again."""
    held = {name: value for name, value in attributes.items() if value is not ABSENT}
    return remake_exception(cls, {"args": args, **held})
