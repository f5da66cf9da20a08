"""`did you mean`: the known name nearest to one that is not known.

>>> did_you_mean("convrt", ["convert", "tree"])
"; did you mean 'convert'?"
>>> did_you_mean("xyz", ["convert", "tree"])
''
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The known name that `name` was probably meant to be."""
    found = difflib.get_close_matches(name, list(known), n=1, cutoff=0.6)
    return found[0] if found else None


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """The words to append to a message about an unknown name; empty when nothing is near."""
    found = nearest(name, known)
    return f"; did you mean {found!r}?" if found else ""
