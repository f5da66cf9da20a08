"""Calls that converted code makes of things that are not converted: builtins, NumPy, methods of containers.

Under a trace nothing may happen, so such a call is staged, or known to be free of effects and then
simply made, or refused.
"""

from __future__ import annotations

import functools
import inspect
import math
import operator
import sys
import types
from collections import Counter, OrderedDict, UserDict, UserList, UserString, defaultdict, deque
from collections.abc import Callable
from typing import Any

import numpy as np

from autograph.config import is_excluded
from autograph.loading import loaded_classes
from autograph.operators import call, get_item
from autograph.operators.calls import construct
from runtime.allowed import Callee, Way, entry_of, is_hashable
from runtime.calls import method_calls, progress_bars, run_time_calls
from runtime.calls.builtin_calls import handler_of
from runtime.calls.caches import call_cached
from runtime.calls.foreign_calls import changes_unseen, refuse_call, require_known, require_plain
from runtime.calls.iterator_calls import without_none
from runtime.calls.texts import require_by_function
from runtime.calls.variables import with_arrays
from runtime.control_flow.builtin_iterables import StagedIterator
from runtime.control_flow.choices import dispatch, promoted_argument
from runtime.control_flow.indexed import Indexed, as_int
from runtime.control_flow.iterators import IteratorOfTrace, TracedIterator, traced
from runtime.control_flow.promoted import are_numbers
from runtime.handlers.generator_contexts import context_of, makes_context
from runtime.iterables.comprehensions import stage_consumer
from runtime.iterables.generators import Called, with_callbacks
from runtime.iterables.user_iterables import with_items
from runtime.numpy_calls import callbacks, staged_calls, whole
from runtime.numpy_calls.arguments import has_staged
from runtime.objects import acting, seen_attributes
from runtime.objects import operators as object_operators
from runtime.objects.comparing import VIEWS, compare_fields, holds_unknown, is_dataclass_comparison
from runtime.objects.function_objects import LikeAFunction, is_single_dispatch
from runtime.objects.making_classes import call_of_class, refuse_type
from runtime.ops.instances import HEAP_TYPE, can_be_remade, class_attribute, is_library, is_user_instance
from runtime.ops.template import reads_itself
from runtime.specs.spec import Leaf, is_number, kinds_of
from runtime.staged.list_arrays import is_list
from runtime.staged.needed_now import TEXT_ITERATOR, class_of
from runtime.staged.objects import MethodOfMade
from runtime.staged.strings import one_text
from runtime.tracer.builder import Staged, emit, type_of_staged
from runtime.tracer.generated import is_generated, seeing
from runtime.tracer.known_items import as_plain, with_known_items
from runtime.tracer.spec import Choice, choices_in, with_part
from runtime.tracer.trace import Trace
from runtime.types import ArrayType, ContainerType, ScalarType, is_supported_dtype


def stage_call(trace: Trace, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The result of the call, or NotImplemented where Python may simply make it."""
    if isinstance(function, Choice):
        return dispatch(function, lambda f: call(f, *args, **kwargs))
    if kwargs and len(args) == 1 and is_hashable(function) and function in _WITHOUT_KEYWORDS:
        return function((), **kwargs)  # which raises
    if args and is_hashable(function):
        made = object_operators.special_call(trace, function, args, kwargs)
        if made is not NotImplemented:
            return made
    plain = _with_known_items(trace, function, args, kwargs)
    if plain is not None:
        args, kwargs = plain
        result = stage_call(trace, function, args, kwargs)
        return function(*args, **kwargs) if result is NotImplemented else result
    args, kwargs = with_arrays(function, args, kwargs)
    for way in (_call_as_it_is, _with_chosen_arguments):
        result = way(trace, function, args, kwargs)
        if result is not NotImplemented:
            return result
    given, args = args, with_items(function, args, trace)
    result = _stage_with_items(trace, function, args, kwargs)
    if result is NotImplemented and args is not given:  # Python would ask for the iterators once more
        return function(*args, **kwargs)
    if function is iter and isinstance(result, IteratorOfTrace) and class_of(given[0]) is str:
        result.is_made_by(TEXT_ITERATOR)
    return result


def _call_generated(trace: Trace, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What `dataclass` or `namedtuple` wrote: its code has no marks, so it gets what shows its accesses."""
    if isinstance(function, types.MethodType):
        return _call_generated(trace, function.__func__, (function.__self__, *args), kwargs)
    if function.__name__ == "__init__" and args:
        function = seeing(function, type(args[0]), seen_attributes.PlainStores)
    if args and not isinstance(args[0], type) and function.__name__ not in ("__setattr__", "__delattr__"):
        args = (trace.seen(args[0]), *args[1:])
    return _registered(trace, function(*args, **kwargs))


_WITHOUT_KEYWORDS = frozenset({type, list, tuple, set, frozenset})


def _stage_with_items(trace: Trace, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The same, of arguments that can be iterated over as they are."""
    result = call_of_class(trace, function, args, kwargs)
    if result is not NotImplemented:
        return result
    if is_dataclass_comparison(function, args):
        return compare_fields(trace, function, *args)
    if isinstance(function, types.FunctionType) and function.__name__ == "__init__" and args:
        trace.references.begin(args[0])
    if is_generated(function):
        return _call_generated(trace, function, args, kwargs)
    result = stage_consumer(function, args, kwargs)
    if result is not NotImplemented:
        return result
    if is_hashable(function):
        args, kwargs = with_callbacks(function, args, kwargs)
    handler = handler_of(function) if is_hashable(function) else None
    if handler is not None:
        return _call_handler(trace, function, handler, args, kwargs)
    if is_single_dispatch(function):
        raise trace.refuse(
            f"`{function.__name__}` (singledispatch) is one of the functions that were registered with it",
            "test the class with isinstance, and call the function that is meant",
        )
    if isinstance(function, functools._lru_cache_wrapper):
        return call_cached(trace, function, args, kwargs)
    require_by_function(trace, function, args)
    result = staged_calls.staged_call(function, args, kwargs)
    return _python_call(trace, function, args, kwargs) if result is NotImplemented else result


def _call_as_it_is(trace: Trace, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What takes its arguments whatever they are, or NotImplemented."""
    if makes_context(function):
        return context_of(function, args, kwargs)
    owner = function.__self__ if isinstance(function, types.MethodType) else None
    if isinstance(owner, TracedIterator | StagedIterator) and function.__name__ in ("__next__", "__iter__"):
        return call(next if function.__name__ == "__next__" else iter, owner)
    if type(function) is Called or hasattr(type(owner), "__runtime_traced_methods__"):
        return function(*args, **kwargs)
    if function is type and len(args) == 3:
        raise refuse_type(trace)
    if function is object.__new__:
        made = function(*args, **kwargs)
        trace.references.begin(made)
        return made
    if type(function) in (operator.attrgetter, operator.itemgetter) and len(args) == 1 and not kwargs:
        get = get_item if type(function) is operator.itemgetter else _attribute_along
        found = tuple([get(args[0], key) for key in function.__reduce__()[1]])
        return found[0] if len(found) == 1 else found
    if isinstance(function, np.vectorize):
        return callbacks.call_vectorized(trace, function, args, kwargs)
    traced = getattr(type(function), "__runtime_traced__", None)
    if traced is not None:  # a function of ours that knows what to do in a trace
        return traced(function, *args, **kwargs)
    method = getattr(type(function), "__call__", None)  # noqa: B004
    if isinstance(method, LikeAFunction):  # an object whose class has a decorated `__call__`
        return call(method.python_function, function, *args, **kwargs)
    in_trace = getattr(function, "__runtime_call__", None)
    if in_trace is not None:  # a loaded function, which has a graph and no code
        return in_trace(trace, *args, **kwargs)
    inner = getattr(function, "__runtime_inline__", None)
    if inner is None:
        return NotImplemented
    # another rt.function, or a method of a watched class: part of this trace
    return call(inner, *((owner,) if isinstance(function, types.MethodType) else ()), *args, **kwargs)


def _attribute_along(owner: Any, dotted: str) -> Any:
    for name in dotted.split("."):
        owner = call(getattr, owner, name)
    return owner


def _with_chosen_arguments(trace: Trace, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The calls for each of the values that an argument is one of, or NotImplemented."""
    if is_hashable(function) and makes_iterator(function):
        known = tuple(map(one_text, args))
        if function in (zip, enumerate) and not kwargs:
            known = without_none(trace, function, known)
        if any(map(operator.is_not, known, args)):
            return call(function, *known, **kwargs)
    if function is range and any(isinstance(arg, Choice) for arg in args):
        return call(range, *[dispatch(arg, as_int) for arg in args])
    is_extreme = is_hashable(function) and function in (min, max) and len(args) > 1 and are_numbers(args)
    for position, arg in enumerate(args):
        if isinstance(arg, Choice) and not (is_extreme or takes_choices(function)):
            if _makes_for_init(function, args):
                raise trace.refuse(
                    f"a {args[0].__name__} is made of a value that is one of several",
                    "make it inside the `if` that tells them apart",
                )
            before, after = args[:position], args[position + 1 :]
            promoted = None if kwargs else promoted_argument(function, args, position)
            if promoted is not None:
                return call(function, *before, promoted, *after)
            return dispatch(arg, lambda one: call(function, *before, one, *after, **kwargs))
    of_numpy = is_hashable(function) and _is_of_numpy(function)
    makes_array = of_numpy and function in (np.array, np.asarray)
    mixed = [_holds_many(arg) or _mixes_numbers(arg) for arg in args] if of_numpy and not makes_array else ()
    if any(mixed):
        made = [call(np.array, arg) if one else arg for arg, one in zip(args, mixed, strict=True)]
        return call(function, *made, **kwargs)
    branches = of_numpy and not (makes_array and ("dtype" in kwargs or any(map(_holds_many, args))))
    parts = choices_in(args) if branches else []
    if parts:
        return dispatch(parts[0], lambda one: call(function, *with_part(args, parts[0], one), **kwargs))
    chosen = next((name for name, arg in kwargs.items() if isinstance(arg, Choice)), None)
    if chosen is not None and (_is_of_numpy(function) or is_hashable(function) and function in _OF_NUMBERS):
        return dispatch(kwargs[chosen], lambda one: call(function, *args, **{**kwargs, chosen: one}))
    return NotImplemented


#: Python's own that take numbers by keyword, and keep none
_OF_NUMBERS = frozenset({bool, int, float, complex, round, pow, sum, enumerate})
#: a list with more items of one type or another becomes an array by itself
MAX_CHOICES_IN_LISTS = 3


def _holds_many(arg: Any) -> bool:
    return len(choices_in(arg)) > MAX_CHOICES_IN_LISTS


def _mixes_numbers(arg: Any) -> bool:
    """Is it a list that a run counts, of numbers of several types?"""
    kinds = kinds_of(arg.element) if is_list(arg) else ()
    return len(kinds) > 1 and all(isinstance(kind, Leaf) and is_number(kind.type) for kind in kinds)


#: Python's own that read all items at once, and may give them back, or put them into what they make; which
#: of them compare the items, or ask for their hashes
_READ_ALL = frozenset(
    {sum, min, max, any, all, sorted, tuple, set, frozenset, deque, dict, OrderedDict, Counter, defaultdict}
) | {math.prod, math.fsum, math.dist, bytes, bytearray}
_COMPARE = frozenset({min, max, sorted, set})


def _with_known_items(
    trace: Trace, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]] | None:
    """The arguments, with plain lists in place of those whose items the trace knows; None: as they are."""
    if is_hashable(function) and function in _READ_ALL:
        made = tuple(map(as_plain, args))
        in_run = function in _COMPARE and not any(map(trace.containers.holds_opaque, args))
        if all(map(operator.is_, made, args)) or (in_run and _compares_in_run(function, made)):
            return None
        by_key = in_run and function in (min, max) and kwargs.get("key") is not None
        return None if by_key else (made, kwargs)
    if not _reads_known_items(function):
        return None
    entry = entry_of(function) if is_hashable(function) else None
    # what is refused of a list that only a run knows, or slow with it; lists from outside are known then
    if _is_of_text(function) or (entry is not None and entry.way is Way.KNOWN):
        for arg in (*args, *kwargs.values()):
            if isinstance(arg, Staged) and isinstance(arg.type, ContainerType):
                trace.containers.require_items(arg.type.sites)
    made, named = tuple(map(with_known_items, args)), {k: with_known_items(v) for k, v in kwargs.items()}
    same = all(map(operator.is_, made, args)) and all(named[k] is kwargs[k] for k in kwargs)
    return None if same else (made, named)


def _compares_in_run(function: Any, args: tuple[Any, ...]) -> bool:
    """Is a list given of which a run finds the least item, the order or the hashes? The least number not."""
    if function in (min, max) and len(args) == 1 and type(args[0]) is list and are_numbers(args[0]):
        return False
    return any(map(holds_unknown, args))


_GENERATORS = ("numpy.random.Generator", "numpy.random.RandomState")


def _reads_known_items(function: Any) -> bool:
    """Does it take a list for its items, whose number a result may hang on, and not keep or change it?"""
    owner = getattr(function, "__self__", None)
    if isinstance(function, type):
        return _is_of_numpy(function)
    is_of_random = getattr(function, "__module__", None) == "numpy.random"
    if is_of_random or type(function) is MethodOfMade or isinstance(owner, loaded_classes(*_GENERATORS)):
        return function.__name__ != "shuffle"
    of_library = _is_of_numpy(function) or isinstance(owner, np.ufunc) or whole.is_whole(function)
    if of_library or _is_of_text(function):
        return True
    entry = entry_of(function) if is_hashable(function) else None
    return entry is not None and entry.way in (Way.KNOWN, Way.WHOLE) and not entry.effects.ordered


#: which have no owner
_OF_TEXT = frozenset({str.maketrans, bytes.maketrans})


def _is_of_text(function: Any) -> bool:
    """Is it a method of Python's own texts, which keep none of their arguments?"""
    owner = getattr(function, "__self__", None)
    is_text = type(owner) in (str, bytes) or owner is str or owner is bytes
    return isinstance(function, types.BuiltinMethodType) and (is_text or function in _OF_TEXT)


def _is_of_numpy(function: Any) -> bool:
    """Is this a function of NumPy's, or a method of an array? These keep none of their arguments."""
    if isinstance(function, types.MethodType):
        return isinstance(type_of_staged(function.__self__), ArrayType | ScalarType)
    module = "numpy" if isinstance(function, np.ufunc) else getattr(function, "__module__", None)
    return isinstance(module, str) and module.split(".")[0] == "numpy"


def _call_handler(
    trace: Trace,
    function: Any,
    handler: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
) -> Any:
    """What stands for this function in a trace; it may leave the call to Python."""
    try:
        result = handler(trace, *args, **kwargs)
    except TypeError as error:
        if error.__traceback__ is None or error.__traceback__.tb_next is not None:
            raise
        # the handler takes no such arguments
        raise whole.wrong_call(function, args, kwargs) from None
    if result is NotImplemented and makes_iterator(function):
        return traced(trace, function(*args, **kwargs))
    if result is NotImplemented and function is functools.reduce:  # as it is, with what runs converted
        return function(*args, **kwargs)
    if function is not reversed and isinstance(function, type) and issubclass(type(result), TracedIterator):
        result.is_made_by(function)
    return result


def _makes_for_init(function: Any, args: tuple[Any, ...]) -> bool:
    """Is this a `__new__` of Python's, called for a class whose own `__init__` is to see what it gives?"""
    if getattr(function, "__name__", "") != "__new__" or not isinstance(args[0], type):
        return False
    return isinstance(args[0].__init__, types.FunctionType)  # type: ignore[misc]


#: `ValueError.__new__`, `super().__init__`, `Exception.__init__`
_MADE_OF_ARGUMENTS = (types.BuiltinMethodType, types.MethodWrapperType, types.WrapperDescriptorType)


def takes_choices(function: Any) -> bool:
    """Does this function itself say what to do with a value that is one of several?"""
    entry = entry_of(function)
    if entry is not None and entry.way in (Way.KNOWN, Way.WHOLE):
        return False  # it takes numbers and texts apart, as `Fraction` does
    if isinstance(function, type) and function is not type:
        return can_be_remade(function) and not _is_of_numpy(function)  # an instance holds it
    if isinstance(function, types.FunctionType) and function.__name__ == "__init__":
        # it stores what it gets, past `__setattr__` where frozen
        return is_generated(inspect.unwrap(function))
    if isinstance(function, _MADE_OF_ARGUMENTS) and function.__name__ in ("__new__", "__init__"):
        owner: Any = getattr(function, "__self__", None)  # which may have a `__bool__`
        owner = getattr(function, "__objclass__", object) if owner is None else owner
        return can_be_remade(owner if isinstance(owner, type) else type(owner))
    if isinstance(function, types.BuiltinMethodType) and isinstance(function.__self__, str):
        return function.__name__ == "format"
    return is_hashable(function) and function in (print, str, repr, ascii, format)


#: what they make is advanced later, step by step
ITERATOR_MAKERS = (iter, map, zip, filter, enumerate, reversed)


def makes_iterator(function: Any) -> bool:
    return function in ITERATOR_MAKERS or getattr(function, "__module__", None) == "itertools"


def _python_call(trace: Trace, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """A call of what nothing above stands for, as the table says (`allowed.py`)."""
    if progress_bars.makes_bar(function):
        shown = progress_bars.stage_bar(trace, function, args, dict(kwargs))
        if shown is not NotImplemented:
            return shown
    entry = entry_of(function)
    if entry is not None and entry.items:
        args = tuple(
            [with_known_items(call(list, arg)) if isinstance(arg, _WITH_ITEMS) else arg for arg in args]
        )
    result = run_time_calls.run_time_call(trace, function, entry, args, kwargs)
    if result is NotImplemented and whole.is_whole(function):
        result = whole.call_whole(function, args, kwargs)
    if result is not NotImplemented:
        return result
    if is_hashable(function) and makes_iterator(function):
        return traced(trace, function(*args, **kwargs))
    owner = getattr(function, "__self__", None)
    if owner is not None and not isinstance(owner, types.ModuleType):
        return method_calls.call_method(trace, function, owner, args, kwargs)
    if isinstance(function, type):
        return _construct(trace, function, entry, args, kwargs)
    if entry is None or entry.effects.ordered:
        raise refuse_call(trace, function, (args, kwargs))
    if entry.way is Way.CONVERTED:
        result = method_calls.call_converted(trace, function, args, kwargs)
        if result is not NotImplemented:
            return result
    if args and changes_unseen(trace, entry, args[0]):
        raise refuse_call(trace, function)
    require_known(trace, function, entry, args, kwargs)
    made = trace.caches.born(_registered(trace, function(*args, **kwargs)))
    if type(made) is tuple and any(hasattr(type(part), "__next__") for part in made):
        return tuple([traced(trace, part) for part in made])  # as `string.Formatter` asks for
    made = traced(trace, made)
    return trace.containers.born(made) if entry.way in (Way.KNOWN, Way.WHOLE) else made  # nobody else has it


#: what gives items that may be of the run
_WITH_ITEMS = (TracedIterator, Indexed, deque, set, *VIEWS)


def _registered(trace: Trace, made: Any) -> Any:
    """The result of a pure call; an instance of a user's class that nobody knows was made by it."""
    cls = type(made)
    if isinstance(made, type | Staged | Choice) or trace.references.is_reference(made):
        return made
    if issubclass(cls, tuple) and reads_itself(cls):
        acting.require_tuple_read_unseen(trace, cls)
    if issubclass(cls, TracedIterator | StagedIterator):  # `itemgetter(1)(pair)`, which made none
        return made
    if isinstance(made, np.ndarray):  # no array is visible in a trace but as a staged value
        if type(made) is not np.ndarray or not is_supported_dtype(made.dtype):
            raise trace.refuse(
                f"an array of type {type(made).__name__} and dtype {made.dtype} is made here",
                "make it outside the decorated function",
            )
        constant = trace.wrap(trace.constant(made))
        return emit("copy", [constant]) if made.flags.writeable else constant
    if type(made) in (tuple, list) and any(isinstance(part, np.ndarray) for part in made):  # np.ix_
        parts = {id(part): _registered(trace, part) for part in made}
        return type(made)([parts[id(part)] for part in made])  # np.diag_indices has one array twice
    if cls.__flags__ & HEAP_TYPE and (hasattr(made, "__dict__") or is_user_instance(made)):
        if cls.__module__ not in sys.stdlib_module_names and not isinstance(
            made, tuple | BaseException | types.FunctionType
        ):
            trace.references.born(made)
    return made


def _construct(
    trace: Trace, cls: type, entry: Callee | None, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    if issubclass(cls, BaseException):
        return trace.references.born(cls(*args, **kwargs))
    if entry is not None and not entry.effects.ordered:
        if cls in _READ_WHAT_IS_GIVEN:
            for foreign in filter(trace.outside.is_foreign, (*args, *kwargs.values())):
                raise trace.outside.refuse_foreign(foreign, f"read to make a {cls.__name__}")
        require_known(trace, cls, entry, args, kwargs)
        if issubclass(cls, loaded_classes("decimal.Decimal")):
            trace.outside.definitions.guard_decimal_context()
        if issubclass(cls, np.ndarray) and not has_staged((args, kwargs)):
            return _registered(trace, cls(*args, **kwargs))
        return NotImplemented
    require_plain(trace, cls)
    if not cls.__flags__ & HEAP_TYPE or _is_made_by_unlisted(cls):
        raise refuse_call(trace, cls, (args, kwargs))
    if not is_library(cls.__module__) and isinstance(class_attribute(cls, "__init__"), types.FunctionType):
        made = construct(cls, *args, **kwargs)  # a `__init__` of a library is converted
    else:
        made = cls(*args, **kwargs)
    return _registered(trace, made)


#: of the classes in Python whose source is converted; the others hold it
_READ_WHAT_IS_GIVEN = frozenset({UserList, UserDict, UserString})


def _is_made_by_unlisted(cls: type) -> bool:
    """Is it, or what initialises its instances, of a library and not for instances of a user's class?"""
    makers = [next(base for base in cls.__mro__ if name in vars(base)) for name in ("__init__", "__new__")]
    entries = [entry_of(one) for one in (cls, *makers) if is_excluded(one.__module__)]
    return any(entry is None or entry.way in (Way.KNOWN, Way.REFUSED) for entry in entries)
