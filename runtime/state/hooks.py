"""Functions for which a trace has something of its own: `callees/variables.py`.

They stand in a module that is not converted; `variables.py` and `modules.py` run converted.
"""

from __future__ import annotations

from typing import Any

from runtime.objects.instances import attributes


def note_created(variable: Any) -> None:
    """A variable has been made: a trace notes the line."""


def attribute_names(owner: Any) -> list[str]:
    """The names of the attributes that an object itself holds, in the order in which they were first set.

    >>> from types import SimpleNamespace
    >>> attribute_names(SimpleNamespace(b=1, a=2))
    ['b', 'a']
    """
    return list(attributes(owner))
