"""The class that a value of the program has, whatever stands for it in a trace."""

from __future__ import annotations

from types import FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

from runtime.iteration.indexed import Indexed
from runtime.iteration.iterators import IteratorOfTrace, TracedIterator
from runtime.ops.item_patterns import CONTAINERS
from runtime.ops.item_patterns import class_of as class_of_type
from runtime.staged.objects import Unreadable
from runtime.staged.operands import Boxed
from runtime.tracer.builder import Staged, emit, refuse

#: plain objects that stand for others, found outside
STAND_INS = (Unreadable, Indexed)
#: classes of ours, and Python's own, whose instances a trace has as instances of ours
STANDING_FOR: dict[type, type] = {}
_VIEWS = {f"the {name} of this dict": getattr({}, name)() for name in ("keys", "values", "items")}
_CONTAINERS = [kind() for kind in CONTAINERS.values()]
_SAMPLES = {type(one): one for one in (*_CONTAINERS, *_VIEWS.values(), "", range(0), np.empty(0))}
#: of text that is not ASCII; of other text Python has a class of its own
TEXT_ITERATOR: type = type(iter("\N{EURO SIGN}"))


def class_of(x: Any) -> Any:
    """The class that the value has at run time; of an object that only a run knows it is staged, too."""
    if not isinstance(x, Staged):
        if isinstance(x, TracedIterator | ModuleType | Indexed):
            found = _class_of_items(x) if isinstance(x, Indexed) else x.__class__
            if found is TEXT_ITERATOR:
                what = "the class of an iterator over text is asked for, which is not staged"
                raise refuse(what, "ask for the class of the text")
            return found
        return type(x.original) if type(x) in STAND_INS else STANDING_FOR.get(type(x), type(x))
    if isinstance(x, Boxed):
        return next(cls for cls in type(x).__mro__ if not issubclass(cls, Staged))
    return class_of_type(x.type) or emit("class_of", [x])


def require_no_method(x: Any) -> None:
    """Raises StagingError for a method of ours in the place of one that Python or NumPy has."""
    owner = getattr(x, "__self__", None) if isinstance(x, MethodType | FunctionType) else None
    if isinstance(owner, Staged) and not isinstance(owner, Boxed):
        raise refuse(
            "the class of a method of a staged value is asked for", "ask for the class of the value itself"
        )


def class_of_iterator(function: Any, *args: Any) -> type | None:
    """The class of ``function(*args)``: of `iter`, `reversed`, or a class of iterators; None: as it looks."""
    if isinstance(function, type) and function is not reversed:
        return function
    if function is iter and len(args) > 1:
        return type(iter(int, 1))
    sample = _SAMPLES.get(class_of(args[0]))
    return None if sample is None else type(function(sample))


def _class_of_items(x: Indexed) -> type:
    if isinstance(x, IteratorOfTrace):
        return x._kind
    if x.is_range:
        return range
    if x.what in _VIEWS:
        return type(_VIEWS[x.what])
    raise refuse(f"the class of {x.what} is asked for, which is not staged", "make a list of it first")
