"""Which code objects autograph has emitted: a set that forgets a code object when it dies.

Code objects compare and hash by content, so that two equal lambdas would be one entry of a `WeakSet`;
here they are told apart by identity.

>>> is_converted_code(compile("1", "a.py", "eval"))
False
"""

from __future__ import annotations

import weakref
from types import CodeType

_references: dict[int, weakref.ref[CodeType]] = {}


def is_converted_code(code: CodeType) -> bool:
    """Was this code object (a function's own, or one nested in it) emitted by autograph?"""
    return id(code) in _references


def register_converted_code(code: CodeType) -> None:
    """Remember `code`, and every code object nested in it, as emitted by autograph."""
    identity = id(code)
    if identity not in _references:
        # The default argument keeps the table alive for as long as a callback may run at shutdown.
        _references[identity] = weakref.ref(code, lambda _, i=identity, t=_references: t.pop(i, None))
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            register_converted_code(constant)
