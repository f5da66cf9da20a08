"""Calls of methods that are not converted: of strings, containers, exceptions, and of NumPy's objects."""

from __future__ import annotations

import collections
import inspect
import re
import types
from collections.abc import Callable
from typing import Any, NamedTuple

from autograph.errors import SourceNotFoundError
from autograph.operators import Undefined, call
from runtime.allowed import Way, entry_of
from runtime.calls.container_calls import called, has_unknown, method_of_known
from runtime.calls.foreign_calls import (
    changes_unseen,
    holds_watched,
    refuse_call,
    require_known,
    require_plain,
)
from runtime.calls.texts import depends_on_run, format_fields
from runtime.control_flow import indexed as iteration
from runtime.control_flow.iterators import traced
from runtime.iterables.generators import generator_function
from runtime.objects.attribute_stores import caller_code, check_store
from runtime.ops.instances import builtin_inits, holds_only_arguments
from runtime.staged.strings import has_method
from runtime.tracer.builder import Staged
from runtime.tracer.call_handlers import handles, handles_each
from runtime.tracer.known_items import with_known_items
from runtime.tracer.trace import Trace


class _Call(NamedTuple):
    """One call of a method, of an object that Python's own code implements."""

    trace: Trace
    function: Any
    owner: Any
    name: str
    args: tuple[Any, ...]
    kwargs: dict[str, Any]

    def run(self) -> Any:
        return self.function(*self.args, **self.kwargs)

    def refused(self) -> Exception:
        return refuse_call(self.trace, self.function, (self.args, self.kwargs))


#: what a rule says of a call that is none of its own
_OF_OTHERS: Any = object()


def call_method(
    trace: Trace, function: Any, owner: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """The result of the call, or NotImplemented where Python may simply make it."""
    name = getattr(function, "__name__", "")
    made = _Call(trace, function, owner, name, args, kwargs)
    for rule in _RULES:
        result = rule(made)
        if result is not _OF_OTHERS:
            return result
    raise made.refused()


def _of_contents(made: _Call) -> Any:
    """Methods that ask the items themselves: `index`, `count` and the like."""
    called(made.kwargs.get("key"))  # of a sort: refuses those of `cmp_to_key`
    result = method_of_known(made.trace, made.owner, made.name, made.args)
    return _OF_OTHERS if result is NotImplemented else result


def _of_exception(made: _Call) -> Any:
    trace, owner, name = made.trace, made.owner, made.name
    if not isinstance(owner, BaseException):
        return _OF_OTHERS
    if name == "__init__" and isinstance(made.function, types.MethodWrapperType):
        return store_arguments(trace, owner, *made.args, **made.kwargs)
    if trace.references.is_reference(owner) and not isinstance(made.function, types.MethodType):
        if name not in ("__init__", "__eq__", "__ne__"):
            raise made.refused()  # it reads what the stand-in has not
    return _OF_OTHERS


def _of_container(made: _Call) -> Any:
    trace, owner, name = made.trace, made.owner, made.name
    entry = entry_of(made.function)
    require_plain(trace, type(owner))

    if isinstance(owner, tuple) and name == "_asdict":
        return trace.containers.born(made.run())
    if isinstance(owner, list | dict) and entry is not None and 0 in entry.effects.writes:
        if changes_unseen(trace, entry, owner):
            raise trace.refuse(
                f"a {type(owner).__name__} is changed by `{name}`, which is not staged here",
                "use a list or a dict, or change it before the staged statement",
            )
        return made.run()  # of a subclass, made here: nobody else has it yet
    if isinstance(owner, Staged | iteration.Indexed):
        return NotImplemented  # its methods append operations
    return _OF_OTHERS


def _of_text(made: _Call) -> Any:
    trace, owner, name, args = made.trace, made.owner, made.name, made.args
    if isinstance(owner, str) and name == "format":
        return format_fields(trace, owner, args, made.kwargs)
    if isinstance(owner, str) and name == "format_map" and any(depends_on_run(trace, arg) for arg in args):
        raise trace.refuse("`format_map` asks a mapping unseen", "write text.format(**mapping)")
    if type(owner) is str and has_unknown((*args, *made.kwargs.values())) and has_method(name):
        return call(getattr(trace.wrap(trace.value_of(owner)), name), *args, **made.kwargs)
    if isinstance(owner, re.Pattern) and name in ("sub", "subn"):
        _require_no_function(trace, (*args[:1], made.kwargs.get("repl")))
    if isinstance(owner, re.Pattern | re.Match):
        return traced(trace, trace.containers.born(made.run()))
    if type(owner) in (str, bytes) or (type(owner) is collections.Counter and name == "most_common"):
        return trace.containers.born(made.run())  # a list, perhaps, that nobody else has
    return _OF_OTHERS


def _of_listed(made: _Call) -> Any:
    """Of an object of a class of Python's or of a library, as the table says (`allowed.py`)."""
    trace, function, owner = made.trace, made.function, made.owner
    if made.name in ("__setattr__", "__delattr__"):
        return store_of(trace, function, owner, made.args)
    entry = entry_of(function)
    if entry is None or entry.effects.ordered:
        return _OF_OTHERS
    if entry.way is Way.CONVERTED and isinstance(function, types.MethodType):
        result = call_converted(trace, function.__func__, (owner, *made.args), made.kwargs)
        if result is not NotImplemented:
            return result
    if changes_unseen(trace, entry, owner):
        return _OF_OTHERS
    plain = isinstance(owner, int | float | complex)  # numbers of the user's classes are numbers here
    args = made.args if entry.effects.writes else with_known_items(made.args)
    require_known(trace, function, entry, args, made.kwargs, () if plain else owner)
    return NotImplemented if args is made.args else made._replace(args=args).run()


#: asked one after the other, until one answers; a call that none knows is refused
_RULES: tuple[Callable[[_Call], Any], ...] = (
    _of_contents, _of_exception, _of_container, _of_text, _of_listed,
)  # fmt: skip


def _require_no_function(trace: Trace, replacements: tuple[Any, ...]) -> None:
    if any(map(callable, replacements)):
        raise trace.refuse(
            "a function gives the texts that take the place of the matches, and no trace sees it called",
            "loop over re.finditer(pattern, text), and join the pieces",
        )


@handles(re.sub, re.subn)
def substitute(trace: Trace, /, *args: Any, **kwargs: Any) -> Any:
    _require_no_function(trace, (*args[1:2], kwargs.get("repl")))
    return NotImplemented


def store_of(trace: Trace, function: Any, owner: Any, args: tuple[Any, ...]) -> Any:
    """``super().__setattr__(name, value)``, or ``__delattr__``."""
    attributes = trace.outside.attributes
    if not attributes.knows(owner) or type(args[0]) is not str:
        raise refuse_call(trace, function)
    name, value = args if len(args) == 2 else (args[0], Undefined(args[0]))
    check_store(trace, owner, name, caller_code())
    plain = object.__setattr__ if len(args) == 2 else object.__delattr__
    if not attributes.store(owner, name, value, plain):
        function(*args)  # which raises
    return None


@handles_each(object.__setattr__, object.__delattr__)
def store_plainly(function: Any, trace: Trace, owner: Any, *args: Any) -> Any:
    """Past the class's own method of that name."""
    return store_of(trace, function.__get__(owner), owner, args)


@handles(*builtin_inits())
def store_arguments(trace: Trace, owner: Any, /, *args: Any, **kwargs: Any) -> Any:
    """``super().__init__`` of an exception stores its arguments; of most it does nothing else."""
    if kwargs or not isinstance(owner, BaseException) or not holds_only_arguments(type(owner)):
        return NotImplemented
    if not trace.outside.attributes.knows(owner):
        return NotImplemented
    return store_of(trace, object.__setattr__.__get__(owner), owner, ("args", args))


# -- code of libraries, converted ---------------------------------------------------------------------------


def call_converted(trace: Trace, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The result of this function of a library's, where it gets an object of the user's; else NotImplemented.

    So what it calls back (`string.Formatter.format` a `get_value`) does its work in each run, and what it
    reads of an object is read under guards.
    """
    if not isinstance(function, types.FunctionType):  # an object, such as one of np.poly1d
        function, args = type(function).__call__, (function, *args)
    users = holds_watched(trace, (args, kwargs))
    users = users or (bool(args) and isinstance(args[0], type) and trace.outside.is_watched(args[0]))
    if not users or not isinstance(function, types.FunctionType):
        return NotImplemented
    try:
        entered: Any = trace.environment.enter(function, None)
    except SourceNotFoundError:
        raise refuse_call(trace, function, (args, kwargs)) from None
    if function.__code__.co_flags & inspect.CO_GENERATOR:
        return generator_function(trace, function, entered)(*args, **kwargs)
    return trace.calls.entering(function, entered)(*args, **kwargs)
