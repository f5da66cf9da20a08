"""Stages for other people's values: two bases, and what a statement changes, in objects and arrays.

`SelectStage` is for libraries that choose between two values (`where`), `FunctionalStage` for those with
`cond` and `while_loop`. Both are over `carrying.py`, which is over `heap.py` and `slots.py`.
"""

from typing import TYPE_CHECKING

from autograph.loading import loaded

if TYPE_CHECKING:
    from autograph.stages.functional import FunctionalStage as FunctionalStage
    from autograph.stages.select import SelectStage as SelectStage

__all__ = ["FunctionalStage", "SelectStage"]

_HOMES = {"FunctionalStage": "functional", "SelectStage": "select"}

if not TYPE_CHECKING:

    def __getattr__(name):
        home = _HOMES.get(name)
        if home is None:
            raise AttributeError(f"module 'autograph.stages' has no attribute {name!r}")
        return getattr(loaded("autograph.stages." + home), name)
