"""What converted code asks about containers: where one is made, what is read of it, `in`, `+`, `*`, `==`.

>>> import numpy as np
>>> import runtime as rt
>>> @rt.function
... def is_corner(i, n):
...     return i in (0, n - 1)
>>> is_corner(np.int64(4), np.int64(5))
True
"""

from __future__ import annotations

import itertools
import operator
from collections import deque
from collections.abc import Callable, Iterable
from types import FunctionType
from typing import Any

import numpy as np

from autograph import operators
from autograph.operators import call, in_, or_
from autograph.operators.containers import with_rest
from autograph.plain_items import plain_items
from autograph.staging import Clause
from runtime.allowed import writes
from runtime.calls.container_calls import in_run, is_open_array
from runtime.calls.texts import percent
from runtime.control_flow.builtin_iterables import StagedIterator, StagedRange, is_in_range
from runtime.control_flow.choices import dispatch, truth
from runtime.control_flow.indexed import Indexed, as_int, is_int
from runtime.control_flow.iterators import is_pulled
from runtime.iterables.comprehensions import any_of, generator_expression
from runtime.iterables.generators import can_push
from runtime.iterables.user_iterables import iterated
from runtime.objects import operators as object_operators
from runtime.objects.acting import users_function
from runtime.objects.comparing import COMPARISONS as COMPARISONS
from runtime.objects.comparing import VIEWS, require_hashable, same, short_plain, structural
from runtime.objects.containers import joined_elements
from runtime.ops import containers
from runtime.ops.instances import class_attribute
from runtime.ops.item_patterns import KINDS
from runtime.ops.promotion import dummy
from runtime.specs.spec import Spec
from runtime.staged import containers as staged_containers
from runtime.staged import indexing, kinds
from runtime.staged.list_arrays import is_list
from runtime.staged.strings import StagedString, ask
from runtime.tracer.builder import Staged, emit
from runtime.tracer.call_handlers import handles, handles_each, refused
from runtime.tracer.elements import MAX_KINDS, element_of, opaque_in
from runtime.tracer.known_items import as_plain
from runtime.tracer.spec import Choice, is_run_time
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


_PLAINLY: dict[Any, Callable[[Any, Any], Any]] = {
    operator.iadd: operators.plus,
    operator.imul: operators.times,
}
IN_PLACE = (operator.iadd, operator.imul, operator.isub, operator.iand, operator.ior, operator.ixor)
_SEQUENCES = (list, tuple, str, bytes, bytearray, deque)
_INDEXED = (list, tuple, str, dict, range)


@handles(operator.getitem)
def get_item(trace: Trace, container: Any, key: Any, /) -> Any:
    """``container[key]``, or NotImplemented where plain Python reads it."""
    if isinstance(container, Choice):
        return dispatch(container, lambda c: read(trace, c, key))
    if indexing.is_chosen_key(key):
        return indexing.with_certain_key(key, lambda k: read(trace, container, k))
    is_of_run = isinstance(container, staged_containers.StagedContainer)
    method = None if is_of_run else _own_get_item(trace, container, key)
    if method is not None:
        return call(method, container, key)
    object_operators.require_no_index(trace, container, key)
    if is_of_run:
        plain = as_plain(container) if isinstance(key, Staged) else container
        is_chosen = plain is not container and _is_known_to_trace_alone(trace, container.element)
        return item_at(trace, plain, key) if is_chosen else NotImplemented
    in_dict = isinstance(container, dict) and isinstance(key, tuple) and _has_staged(key)
    if in_dict or _is_run_time(key):
        method = getattr(type(container), "__getitem__", None)
        if isinstance(container, list | tuple | str | dict) and isinstance(method, FunctionType):
            return call(method, container, key)
        if type(container) is str and (isinstance(key, slice) or len(container) > MAX_KINDS):
            # as a value of its own: no look at each letter, no copy in a template
            return ask("str.getitem", trace.wrap(trace.constant(container, STR)), key)
    if isinstance(key, slice) and _is_run_time(key):
        return in_run(trace, container)[key] if type(container) is tuple else NotImplemented
    if in_dict or (isinstance(key, Staged) and isinstance(container, _INDEXED)):
        require_without_missing(trace, container)
        return item_at(trace, container, key)
    return NotImplemented


def _own_get_item(trace: Trace, container: Any, key: Any) -> FunctionType | None:
    """A `__getitem__` of the user's; `__missing__` for a new key; of a class `__class_getitem__`."""
    method = trace.outside.special_method(container, "__getitem__")
    if method is not None:
        return method
    if isinstance(container, dict) and not _is_run_time(key) and not dict.__contains__(container, key):
        return trace.outside.special_method(container, "__missing__")
    if isinstance(container, type):
        static = class_attribute(container, "__class_getitem__")
        return users_function(static) if isinstance(static, classmethod) else None
    return None


def _is_run_time(key: Any) -> bool:
    parts = (key.start, key.stop, key.step) if isinstance(key, slice) else (key,)
    return any(isinstance(part, Staged) for part in parts)


def require_without_missing(trace: Trace, container: Any) -> None:
    """Refuse a dict whose class says what a missing key gives."""
    if isinstance(container, dict) and hasattr(type(container), "__missing__"):
        raise trace.refuse(
            f"a {type(container).__name__} is read at a key that is known only at run time, "
            "and its class says what a missing key gives",
            "use a dict, and its `get` or `setdefault`",
        )


def read(trace: Trace, container: Any, key: Any) -> Any:
    result = get_item(trace, container, key)
    return operator.getitem(container, key) if result is NotImplemented else result


def item_at(trace: Trace, container: Any, key: Any) -> Any:
    """An item of a container whose items are known while tracing, at a place that a run knows."""
    if isinstance(container, list | tuple | dict) and any(map(_is_chosen, _items(container))):
        return _one_of(trace, container, key)
    element = joined_elements(map(element_of, _items(container)))
    if _is_known_to_trace_alone(trace, element):
        return _one_of(trace, container, key)
    name = "dict.getitem" if isinstance(container, dict) else "list.getitem"
    if not isinstance(container, tuple) and not _has_staged(container):
        table = trace.constant_object(container.copy() if isinstance(container, list | dict) else container)
        return trace.containers.perform(name, (trace.wrap(table), key), element)
    return staged_containers.without_choices(
        (container, key), lambda c, k: trace.containers.perform(name, (c, k), element)
    )


def _is_known_to_trace_alone(trace: Trace, element: Spec | None) -> bool:
    """May an item be something that no run can have, nor in another attempt?"""
    opaque = opaque_in(element, in_containers=False)
    return opaque is not None and (opaque.cls is None or not trace.references.can_be_reference(opaque.cls))


def _one_of(trace: Trace, container: Any, key: Any) -> Any:
    """An item of a container of objects that the trace knows, or of values that are one of several each."""
    places: list[int] = []  # where the values of an item begin
    tags: list[Any] = []  # which of them it is
    values: list[Any] = []
    for item in _items(container):
        places.append(len(values))
        tags.append(item.tag if isinstance(item, Choice) else 0)
        values += item.values if isinstance(item, Choice) else (item,)

    def at(numbers: list[Any]) -> Any:
        if isinstance(container, dict):
            return item_at(trace, dict(zip(container, numbers, strict=True)), key)
        return item_at(trace, numbers if isinstance(container, list) else tuple(numbers), key)

    place = at(places)
    if len(values) == len(tags):
        return Choice(place, tuple(values))
    place = place + at(tags)
    nested = any(map(_is_chosen, values))
    return Choice(place, tuple(values)) if nested else item_at(trace, tuple(values), place)


def _has_staged(container: Any) -> bool:
    return any(
        is_run_time(part) or (isinstance(part, tuple) and _has_staged(part)) for part in _items(container)
    )


def _is_chosen(item: Any) -> bool:
    """Is it, or a part of it, one of several values?"""
    return isinstance(item, Choice) or isinstance(item, tuple) and any(map(_is_chosen, plain_items(item)))


def _items(container: Any) -> Iterable[Any]:
    """What is in it, whatever methods of its own its class has."""
    for kind, items in ((dict, dict.values), (list, list.__iter__), (tuple, tuple.__iter__)):
        if issubclass(type(container), kind):
            return items(container)
    return container.values() if isinstance(container, dict) else container  # what is refused says so


def apply(trace: Trace, function: Callable[[Any, Any], Any], a: Any, b: Any) -> Any:
    """``a + b``, ``a * b``, ``a == b``, ... where one is a container; else NotImplemented."""
    if function in COMPARISONS:
        return structural(trace, function, a, b)
    if function in IN_PLACE:
        return change_in_place(trace, function, a, b)
    if function is operator.mod:
        return percent(trace, a, b)
    if not isinstance(a, (*KINDS, tuple)) and not isinstance(b, (*KINDS, tuple)):
        return NotImplemented
    if function is operator.mul:
        for sequence, times in ((a, b), (b, a)):
            of_run = isinstance(times, Staged) and not isinstance(times.type, ArrayType)
            if type(sequence) is tuple and of_run and is_int(times):
                return in_run(trace, sequence) * times
    return trace.containers.born(function(a, b)) if type(a) in KINDS and type(b) in KINDS else NotImplemented


def _is_number(value: Any) -> bool:
    if isinstance(value, Staged):
        return isinstance(value.type, NumberType | ScalarType)
    return isinstance(value, int | float | complex | np.generic)


def change_in_place(trace: Trace, function: Callable[[Any, Any], Any], a: Any, b: Any) -> Any:
    """``a += b`` and its like, of a container that the trace knows item by item."""
    if isinstance(b, Choice) and (_is_number(a) or isinstance(a, staged_containers.StagedContainer)):
        made = dispatch(b, lambda one: getattr(operators, function.__name__)(a, one))
        is_kept = is_list(a) and a.type.name != "tuple"
        return a if is_kept and not any(_numpy_answers(function, a, one) for one in b.values) else made
    if _is_number(a):  # numbers do not change: `n *= [1, 2]` is `n * [1, 2]`; of others Python says `+=`
        is_repeated = function is operator.imul and isinstance(b, (*_SEQUENCES, kinds.StagedSequence))
        return _PLAINLY[function](a, b) if is_repeated else NotImplemented
    if _numpy_answers(function, a, b):  # its `+` comes before the list's own `+=`
        return _PLAINLY[function](operators.call(np.asarray, a), b)
    hidden = writes(getattr(type(a), f"__{function.__name__}__", None))
    if isinstance(a, Staged) or not (hidden or isinstance(a, KINDS)):
        return NotImplemented
    if trace.frames or trace.outside.is_outside(a):
        raise trace.refuse(
            f"a {type(a).__name__} is changed in place, which is not staged here", "use a list or a dict"
        )
    return NotImplemented


def _numpy_answers(function: Callable[[Any, Any], Any], a: Any, b: Any) -> bool:
    """Is this ``items += array``, or ``items *= array``, of a list?"""
    if not (type(a) is list or (isinstance(a, kinds.StagedList) and a.type.name == "list")):
        return False
    if not isinstance(b, Staged):
        return isinstance(b, np.generic) and function is operator.iadd
    answered = {operator.iadd: (ArrayType, ScalarType), operator.imul: (ArrayType,)}
    return isinstance(b.type, answered.get(function, ()))


def unpack(trace: Trace, value: Any, before: int, after: int | None) -> Any:
    """The items that are assigned to variables, of something whose length only a run knows."""
    if isinstance(value, Choice):
        return dispatch(value, lambda v: _unpack_one(v, before, after))
    given, value = value, iterated(trace, value)
    if can_push(value) or isinstance(value, Indexed) and value.static is None:
        # Without a starred variable Python asks for one item more than it needs.
        asked = value if after is not None else call(itertools.islice, value, before + 1)
        return operators.unpack(call(list, asked), before, after)
    has_no_slices = is_list(value) and value.type.name not in ("list", "tuple")
    if type(value) in _INDEXED and after is not None or is_open_array(value) or has_no_slices:
        value = call(list, value)
    if not is_list(value):  # its `__iter__` was asked, and must not be again
        if after is None:
            return NotImplemented if value is given else value
        items = with_rest(value, before, after)
        # the list of a comprehension is made at the same place of the program
        rest = trace.containers.born(items[before], ("rest", trace.containers.here()))
        return (*items[:before], rest, *items[before + 1 :])
    if not _fits(value, before, after):
        emit("list.unpack", [value], before=before, after=after)  # raises where the length is another
    first = [value[k] for k in range(before)]
    if after is None:
        return tuple(first)
    rest = value[before : -after if after else None]
    last = [value[k - after] for k in range(after)]
    return (*first, staged_containers.new_list(trace.containers, "list.of", (rest,), value.element), *last)


def _fits(value: Any, before: int, after: int | None) -> bool:
    """Is it known that a list has as many items as the variables need?"""
    length = value.length() if isinstance(value, staged_containers.StagedContainer) else None
    if type(length) is not int:
        return False
    return length == before if after is None else length >= before + after


def _unpack_one(value: Any, before: int, after: int | None) -> tuple[Any, ...]:
    """What one of several values gives; each must give as many as there are variables."""
    items = operators.unpack(value, before, after)
    try:
        return containers.unpacker(before if after is None else before + 1 + after, None)(items)
    except (TypeError, ValueError) as error:  # of the user's program
        raise type(error)(*error.args) from None


# -- the same as functions -------------------------------------------------------------------------------


refused("write the statement, `a[k] = v`", operator.setitem, operator.delitem)


@handles_each(*IN_PLACE)
def stage_in_place(function: Callable[[Any, Any], Any], trace: Trace, a: Any, b: Any, /) -> Any:
    return change_in_place(trace, function, a, b)


@handles(operator.index)
def index_of(trace: Trace, value: Any, /) -> Any:
    if isinstance(value, Staged) and isinstance(value.type, ArrayType | ScalarType):
        return as_int(value)
    return value if isinstance(value, Staged) and is_int(value) else NotImplemented
