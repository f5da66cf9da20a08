"""``item in container`` where the item, the container or something in it is known only at run time.

>>> import numpy as np
>>> import runtime as rt
>>> @rt.function
... def is_corner(i, n):
...     return i in (0, n - 1)
>>> is_corner(np.int64(4), np.int64(5))
True
"""

from __future__ import annotations

import operator
from types import FunctionType
from typing import Any

from autograph.operators import call, in_, or_
from autograph.staging import Clause
from runtime.containers.comparing import VIEWS, require_hashable, same, short_plain
from runtime.control_flow.choices import dispatch, truth
from runtime.iterables.comprehensions import any_of
from runtime.iterables.generator_expressions import generator_expression
from runtime.iterables.generators import can_push
from runtime.iterables.user_iterables import iterated
from runtime.iteration.indexed import Indexed
from runtime.iteration.item_iterators import StagedIterator
from runtime.iteration.iterators import is_pulled
from runtime.iteration.ranges import StagedRange, is_in_range
from runtime.ops.item_patterns import KINDS
from runtime.ops.promotion import dummy
from runtime.staged.strings import StagedString, ask
from runtime.tracer.builder import Staged
from runtime.tracer.spec import Choice
from runtime.tracer.trace import Trace
from runtime.types import STR, ArrayType, ContainerType, NumberType, ScalarType

_COMPARED_ONE_BY_ONE: tuple[Any, ...] = (*KINDS, tuple, frozenset, range, *VIEWS)


def is_in(trace: Trace, item: Any, container: Any) -> Any:
    """A bool, or a staged one."""
    if isinstance(container, Choice):
        return dispatch(container, lambda one: in_(item, one))
    if isinstance(item, Choice):
        return dispatch(item, lambda one: in_(one, container))
    if type(short_plain(container)) is list:
        container = short_plain(container)
    if isinstance(container, Staged) and isinstance(container.type, ArrayType):
        return truth((container == item).any())
    if isinstance(container, Staged) and isinstance(container.type, NumberType | ScalarType):
        return operator.contains(dummy(container.type), None)  # raises, in Python's words
    if isinstance(container, Staged) and (isinstance(container.type, ContainerType) or container.type == STR):
        return container.contains(item)  # type: ignore[attr-defined]
    if isinstance(container, str) and isinstance(item, StagedString):
        return ask("str.contains", container, item)
    if isinstance(container, range | StagedRange) and is_in_range(item, container) is not NotImplemented:
        return is_in_range(item, container)
    is_open = isinstance(container, Indexed) and container.static is None  # only a run knows its length
    if is_open or _is_used_up(container):  # as far as the item
        return any_of(generator_expression(trace, Clause(lambda other: same(trace, item, other), container)))
    if isinstance(container, Indexed) or type(container) in _COMPARED_ONE_BY_ONE:
        if isinstance(container, dict | set | frozenset):
            require_hashable(item)
        return or_(False, *[lambda other=other: same(trace, item, other) for other in list(container)])
    method = getattr(type(container), "__contains__", None)
    for kind in _COMPARED_ONE_BY_ONE:
        if method is not None and method is getattr(kind, "__contains__", None):
            # A subclass's, which looks at what the object holds, whatever its `__iter__` says.
            return is_in(trace, item, (tuple if kind is tuple else list)(kind.__iter__(container)))
    if isinstance(method, FunctionType):
        return truth(call(method, container, item))
    trace.outside.require_seen(container, "__contains__")
    own = iterated(trace, container)
    if own is not container:
        return is_in(trace, item, own)
    if not any(isinstance(value, Staged | Choice) for value in (item, container)):
        return item in container
    raise trace.refuse("`in` over staged values is not supported", "compare with ==")


def _is_used_up(container: Any) -> bool:
    """Is it an iterator?"""
    return can_push(container) or is_pulled(container) or isinstance(container, StagedIterator)
