"""Modules made of text: a program with globals of its own, made anew for each side of a comparison.

>>> module_of("scale = 2.0\\ndef f(x):\\n    return x * scale\\n")["f"](3.0)
6.0
"""

from __future__ import annotations

import functools
from types import CodeType
from typing import Any

from autograph import register_source


def module_of(source: str, **names: Any) -> dict[str, Any]:
    """The globals of a module with this source, which is found as if it stood in a file.

    Modules of one source share its code, which is then converted once for all of them.
    """
    module = {"__name__": "world", **names}
    exec(_kept_code_of(source), module)
    return module


def new_module_of(source: str, **names: Any) -> dict[str, Any]:
    """The same, with code of its own."""
    module = {"__name__": "world", **names}
    exec(_code_of(source), module)
    return module


def _code_of(source: str) -> CodeType:
    return compile(source, register_source(source), "exec", dont_inherit=True)


_kept_code_of = functools.lru_cache(maxsize=16)(_code_of)
