"""Calls of methods that are not converted: of strings, containers, exceptions, and of NumPy's objects."""

from __future__ import annotations

import collections
import re
import types
from typing import Any

from autograph.operators import Undefined, call, store_item
from runtime.callees.builtin_calls import handles
from runtime.callees.format_strings import format_fields, format_mapping
from runtime.callees.overridden import call_overridden
from runtime.callees.purity import (
    MUTATORS,
    PURE_SELVES,
    READERS,
    is_of_collections,
    is_pure,
    is_pure_class,
    refuse_call,
)
from runtime.callees.substitutions import substitute
from runtime.callees.texts import joined
from runtime.containers.comparison_keys import ComparisonKey, check_key
from runtime.containers.container_calls import has_unknown, method_of_known
from runtime.containers.default_factories import factory_of
from runtime.containers.wrong_calls import check_arguments
from runtime.handlers.raised import exception_method
from runtime.iterables import iteration
from runtime.iterables.iterators import traced
from runtime.objects.attribute_stores import caller_code
from runtime.objects.instances import builtin_inits, holds_only_arguments
from runtime.objects.unseen_stores import check_store
from runtime.staged.ranges import StagedRange
from runtime.staged.strings import has_method
from runtime.tracer.builder import Staged
from runtime.tracer.slots import LocalAttribute
from runtime.tracer.trace import Trace


def call_method(
    trace: Trace, function: Any, owner: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """The result of the call, or NotImplemented where Python may simply make it."""
    name = getattr(function, "__name__", "")
    check_arguments(owner, name, args, kwargs)
    if name == "sort" and kwargs.get("key") is not None:
        check_key(trace, kwargs["key"], sorts=True)
        if isinstance(kwargs["key"], ComparisonKey):
            store_item(owner, slice(None), call(sorted, owner, **kwargs))
            return None
    result = method_of_known(trace, owner, name, args)
    if result is not NotImplemented:
        return result
    if isinstance(owner, BaseException) and name in ("add_note", "with_traceback"):
        return exception_method(trace, owner, name, args)
    if (
        name == "__init__"
        and isinstance(owner, BaseException)
        and isinstance(function, types.MethodWrapperType)
    ):
        return store_arguments(trace, owner, *args, **kwargs)
    if name in ("__dir__", "__reduce__", "__reduce_ex__") and isinstance(owner, BaseException):
        raise refuse_call(trace, function)  # they show our hooks, and whether it has a `__dict__`
    if isinstance(owner, BaseException) and trace.references.is_reference(owner):
        if name not in ("__init__", "__eq__", "__ne__") and not isinstance(function, types.MethodType):
            raise refuse_call(trace, function, (args, kwargs))  # it reads what the stand-in has not
    if type(owner) is collections.defaultdict and name in ("copy", "__copy__"):
        return call(collections.defaultdict, factory_of(owner), owner)
    if type(owner) in (list, dict):
        if name == "copy":
            return trace.containers.born(owner.copy())
        if name not in MUTATORS:
            return NotImplemented
        return trace.write_contents(owner, "this " + type(owner).__name__, lambda: function(*args, **kwargs))
    if isinstance(owner, list | dict) and type(owner) not in (list, dict) and name in MUTATORS:
        trace.containers.require(owner)
        raise refuse_call(trace, function, (args, kwargs))
    if isinstance(owner, str) and name == "format":
        return format_fields(trace, owner, args, kwargs)
    if isinstance(owner, str) and name == "format_map" and len(args) == 1:
        return format_mapping(trace, owner, args[0])
    if isinstance(owner, str) and name == "join" and len(args) == 1:
        return joined(owner, args[0])
    if type(owner) is str and has_unknown((*args, *kwargs.values())) and has_method(name):
        return call(getattr(trace.wrap(trace.value_of(owner)), name), *args, **kwargs)
    if type(owner) is range and name in ("count", "index") and any(isinstance(arg, Staged) for arg in args):
        return getattr(StagedRange((owner.start, owner.stop, owner.step)), name)(*args)
    if isinstance(owner, Staged | iteration.Indexed):
        return NotImplemented  # its methods append operations
    if isinstance(owner, re.Pattern) and name in ("sub", "subn"):
        result = substitute(trace, function, owner, args, kwargs)
        if result is not NotImplemented:
            return result
    if isinstance(owner, re.Pattern | re.Match):
        return traced(trace, trace.containers.born(function(*args, **kwargs)))
    if type(owner) in (str, bytes) or (type(owner) is collections.Counter and name == "most_common"):
        return trace.containers.born(function(*args, **kwargs))  # a list, perhaps, that nobody else has
    if name in ("__setattr__", "__delattr__") and not isinstance(owner, type):
        return store_of(trace, function, owner, args)
    if isinstance(owner, types.FunctionType) or isinstance(function, types.MethodType):
        underlying = getattr(function, "__func__", function)
        result = call_overridden(trace, underlying, (owner, *args), kwargs)
        if result is not NotImplemented:
            return result
        unseen = trace.frames or trace.outside.is_outside(owner)
        if unseen and name in MUTATORS and is_of_collections(underlying):
            raise refuse_call(trace, function, (args, kwargs))
        if is_pure(underlying):
            return NotImplemented
        raise refuse_call(trace, function, (args, kwargs))
    if isinstance(owner, type) and not is_pure_class(owner) and not isinstance(function, types.MethodType):
        raise refuse_call(trace, function, (args, kwargs))  # datetime.now, say
    reads = next((names for kind, names in READERS.items() if isinstance(owner, kind)), None)
    unseen = reads is not None and (trace.frames or trace.outside.is_outside(owner))
    if (reads is not None and name in reads) or (isinstance(owner, PURE_SELVES) and not unseen):
        return NotImplemented
    if isinstance(function, types.MethodWrapperType) and name in (
        "__init__",
        "__init_subclass__",
        "__new__",
        "__eq__",
    ):
        return NotImplemented
    raise refuse_call(trace, function, (args, kwargs))


def store_of(trace: Trace, function: Any, owner: Any, args: tuple[Any, ...]) -> Any:
    """``super().__setattr__(name, value)``, or ``__delattr__``."""
    if hasattr(getattr(function, "__func__", None), "__runtime_original__"):
        return function(*args)  # the hook of a base class
    attributes = trace.outside.attributes
    if not attributes.knows(owner) or type(args[0]) is not str:
        raise refuse_call(trace, function)
    name, value = args if len(args) == 2 else (args[0], Undefined(args[0]))
    check_store(trace, owner, name, caller_code())
    plain = object.__setattr__ if len(args) == 2 else object.__delattr__
    if not attributes.stores.store(owner, name, value, plain):
        function(*args)  # which raises
    return None


@handles(object.__setattr__, object.__delattr__)
def store_plainly(trace: Trace, owner: Any, *args: Any) -> Any:
    """Past the class's own method of that name."""
    plain = object.__setattr__ if len(args) == 2 else object.__delattr__
    return store_of(trace, plain.__get__(owner), owner, args)


@handles(*builtin_inits())
def store_arguments(trace: Trace, owner: Any, *args: Any, **kwargs: Any) -> Any:
    """``super().__init__`` of an exception stores its arguments; of most it does nothing else."""
    if kwargs or not isinstance(owner, BaseException) or not holds_only_arguments(type(owner)):
        return NotImplemented
    if not trace.outside.attributes.knows(owner):
        return NotImplemented
    _, block = trace.outside.births.get(id(owner), (None, None))
    if block is trace.block and not trace.references.is_reference(owner):
        key = trace.outside.attributes.key(owner, "args")
        trace.note(LocalAttribute(trace, key, f"{type(owner).__name__}.args", "args"), Undefined("args"))
        return NotImplemented  # no other path has it: there is nothing to join
    return store_of(trace, object.__setattr__.__get__(owner), owner, ("args", args))
