"""Calls that reach the world outside by names that every Python programmer knows: files, processes, sockets.

What a call reaches is decided when it runs; this asks only for names that are surely those of the standard
library or of NumPy, because the module imports them.

>>> tree = gast.parse("from subprocess import run as start\\nimport numpy as np\\nstart(np.loadtxt('a'))")
>>> names = ImportedNames(tree)
>>> [names.outside_call(node) for node in walk(tree) if isinstance(node, gast.Call)]
['subprocess.run', 'numpy.loadtxt']
"""

from __future__ import annotations

from typing import Any

import gast

from autograph.analysis.names import attribute_chain
from autograph.refused import BUILTINS, is_refused_call
from autograph.walking import walk

_RUN_TEXT = frozenset({"exec", "eval"})


class ImportedNames:
    """What the names of a module stand for, as far as its imports and definitions say."""

    def __init__(self, tree: Any) -> None:
        self.full: dict[str, str] = {}
        self.constants = {
            node.targets[0].id: node.value
            for node in tree.body
            if isinstance(node, gast.Assign) and isinstance(node.targets[0], gast.Name)
        }
        """What the module itself assigns."""
        self.bound: set[str] = set()
        """Names that the program binds itself: builtins of that name are not meant."""
        for node in walk(tree):
            if isinstance(node, gast.Import):
                for alias in node.names:
                    top = alias.name if alias.asname else alias.name.partition(".")[0]
                    self.full[alias.asname or top] = top
            elif isinstance(node, gast.ImportFrom) and node.module and not node.level:
                for alias in node.names:
                    self.full[alias.asname or alias.name] = f"{node.module}.{alias.name}"
            elif isinstance(node, gast.Name) and not isinstance(node.ctx, gast.Load):
                self.bound.add(node.id)
            elif isinstance(node, (gast.FunctionDef, gast.AsyncFunctionDef, gast.ClassDef)):
                self.bound.add(node.name)

    def outside_call(self, node: Any) -> str | None:
        """The full name of what the call reaches, when that is of the world outside."""
        chain = attribute_chain(node.func)
        if chain is None:
            return None
        first, dot, rest = chain.partition(".")
        if first in self.bound:
            return None
        if first in self.full:
            full = self.full[first] + dot + rest
            return full if is_refused_call(full) else None
        return chain if chain in BUILTINS and chain not in _RUN_TEXT else None

    def of_numpy(self, node: Any) -> str | None:
        """The name in NumPy of what an expression surely is: `zeros` for `np.zeros`."""
        chain = attribute_chain(node)
        first, dot, rest = (chain or "").partition(".")
        module, _, name = (self.full.get(first, "") + dot + rest).partition(".")
        return name if module == "numpy" and first not in self.bound else None

    def runs_text(self, node: Any) -> bool:
        """Is this a call of `exec` or `eval`?"""
        return isinstance(node.func, gast.Name) and node.func.id in _RUN_TEXT - self.bound
