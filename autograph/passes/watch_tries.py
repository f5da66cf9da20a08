"""A `try` that stays Python's: what its parts do is seen by a stage, which may have to refuse it.

>>> from autograph.template import unparse
>>> import gast
>>> tree = gast.parse('''
... def f(x):
...     class Settings:
...         try:
...             scale = 1 // x
...         except ZeroDivisionError:
...             scale = 0
... ''')
>>> watch_tries_of_classes(tree.body[0])
>>> print(unparse(tree))
def f(x):
<BLANKLINE>
    class Settings:
        try:
            with ag__.python_try('it stands in a class body'):
                scale = 1 // x
        except ZeroDivisionError:
            scale = 0
"""

from __future__ import annotations

from typing import Any

import gast

from autograph.analysis.static import only_imports
from autograph.template import constant, locate, operator_call
from autograph.walking import children

_FUNCTIONS = (gast.FunctionDef, gast.AsyncFunctionDef, gast.Lambda)


def watch_try(statement: Any, reason: str) -> None:
    """What its handlers and its `finally` act on is seen by a stage, too, which may have to refuse it."""
    at = statement

    def watched(body: list[Any]) -> list[Any]:
        item = gast.withitem(operator_call("python_try", [constant(reason, at)], at), None)
        return [locate(gast.With([item], body, None), at)]

    statement.body = watched(statement.body)
    if statement.finalbody:
        for handler in statement.handlers:
            handler.body = watched(handler.body)
        statement.orelse = watched(statement.orelse) if statement.orelse else []


def watch_tries_of_classes(function: Any) -> None:
    """Each `try` of the class bodies that run when the function does."""
    pending = [(node, False) for node in function.body]
    while pending:
        node, in_class = pending.pop()
        if isinstance(node, _FUNCTIONS):
            continue
        in_class = in_class or isinstance(node, gast.ClassDef)
        pending += [(inner, in_class) for inner in children(node)]
        if in_class and isinstance(node, (gast.Try, gast.TryStar)) and not only_imports(node):
            watch_try(node, "it stands in a class body")
