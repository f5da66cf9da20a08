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
from autograph.walking import walk

_BUILTINS = frozenset({"open", "input", "breakpoint", "__import__"})
_MODULES = frozenset({"socket", "subprocess", "urllib.request", "shutil", "tempfile"})
_FUNCTIONS = frozenset(
    {
        "os.listdir",
        "os.makedirs",
        "os.mkdir",
        "os.remove",
        "os.rename",
        "os.system",
        "sys.stdout.write",
        "sys.stderr.write",
        "threading.Lock",
        "threading.Thread",
        "numpy.fromfile",
        "numpy.genfromtxt",
        "numpy.load",
        "numpy.loadtxt",
        "numpy.save",
        "numpy.savetxt",
    }
)
_RUN_TEXT = frozenset({"exec", "eval"})


class ImportedNames:
    """What the names of a module stand for, as far as its imports and definitions say."""

    def __init__(self, tree: Any) -> None:
        self.full: dict[str, str] = {}
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
            module = full.rpartition(".")[0]
            return full if full in _FUNCTIONS or module in _MODULES else None
        return chain if chain in _BUILTINS else None

    def runs_text(self, node: Any) -> bool:
        """Is this a call of `exec` or `eval`?"""
        return isinstance(node.func, gast.Name) and node.func.id in _RUN_TEXT - self.bound
