"""What builtins do in a trace: print, range, zip, len, getattr and their like, each in its handler."""

from __future__ import annotations

import builtins
import copy
import functools
import operator
import sys
import types
from collections.abc import Callable, Iterator, MappingView, Sequence
from functools import partial
from typing import Any

from autograph.code_objects import read_as_program
from autograph.loading import loaded
from autograph.operators import (
    Undefined,
    and_,
    call,
    class_of,
    equal,
    in_,
    is_,
    is_not,
    not_,
    not_equal,
    or_,
    raise_stmt,
    try_stmt,
)
from runtime.calls import run_time_calls, texts
from runtime.calls.texts import depends_on_run, formatted
from runtime.control_flow import indexed as iteration
from runtime.control_flow.branches import branch
from runtime.control_flow.builtin_iterables import StagedIterator, staged_range
from runtime.control_flow.choices import certain, is_undefined, special_method, truth, truth_method
from runtime.control_flow.indexed import values_of
from runtime.control_flow.iterators import TracedIterator, is_pulled
from runtime.messages import BUILTINS
from runtime.numpy_calls import staged_calls
from runtime.objects import copies
from runtime.objects.attribute_stores import caller_code, check_store
from runtime.objects.comparing import VIEWS
from runtime.objects.references import claims_instance
from runtime.ops.instances import is_user_instance
from runtime.staged import containers, needed_now
from runtime.staged.objects import StagedObject
from runtime.staged.operands import Boxed
from runtime.staged.strings import ask, is_text
from runtime.tensor import constant
from runtime.tracer.builder import Staged
from runtime.tracer.call_handlers import HANDLERS, handles, handles_each
from runtime.tracer.spec import Choice, is_run_time
from runtime.tracer.trace import Trace
from runtime.types import STR, ArrayType, ContainerType, NumberType, ObjectType, ScalarType

#: the modules that enter handlers, in this order: some put theirs around one that is there
_MODULES = (
    "runtime.calls.method_calls",
    "runtime.iterables.user_iterables",
    "runtime.calls.folds",
    "runtime.calls.watching",
    "runtime.calls.itertools_calls",
    "runtime.calls.iterator_calls",
)
#: of these there is the handler below and no other
_ALONE = frozenset({print, range})
_all_loaded = False


def handler_of(function: Any) -> Callable[..., Any] | None:
    """What stands for a function in a trace; None where nothing does."""
    global _all_loaded
    if not _all_loaded and function not in _ALONE:
        for module in _MODULES:
            loaded(module)
        _all_loaded = True
    return HANDLERS.get(function)


@handles(print)
def stage_print(trace: Trace, /, *args: Any, **kwargs: Any) -> Any:
    file = kwargs.get("file")
    if file is None or file is sys.stdout:
        run_time_calls.require_unheard(trace, sys)
    else:
        run_time_calls.require_plain(trace, file)
    if file is not None:
        kwargs["file"] = run_time_calls.run_time_stream(trace, file)

    def tell(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        texts.require_reading(args)
        named = {k: v for k, v in kwargs.items() if v is not None}
        return trace.emit_effect("print", [], (args, named))

    return containers.without_choices((args, kwargs), tell)


@handles_each(str, repr, ascii)
def stage_text(function: Any, trace: Trace, /, *args: Any, **kwargs: Any) -> Any:
    if len(args) != 1 or kwargs or not depends_on_run(trace, args[0]):
        return NotImplemented
    return formatted(trace, ((args[0], function.__name__[0], None),))  # as !s, !r and !a in an f-string


@handles(format)
def stage_format(trace: Trace, value: Any, spec: Any = "") -> Any:
    of_the_run = depends_on_run(trace, value) or (isinstance(spec, Staged) and spec.type == STR)
    if spec is None or not of_the_run:  # None is no spec, and Python says so
        return NotImplemented
    return formatted(trace, ((value, None, spec),))


_DIGITS: dict[Any, str] = {hex: "#x", bin: "#b", oct: "#o"}


@handles_each(*_DIGITS)
def stage_digits(function: Any, trace: Trace, value: Any, /) -> Any:
    is_int = isinstance(value, Staged) and iteration.is_int(value)
    return formatted(trace, ((value, None, _DIGITS[function]),)) if is_int else NotImplemented


@handles(range)
def stage_range(trace: Trace, *args: Any) -> Any:
    return staged_range(*args) if any(isinstance(a, Staged) for a in args) else NotImplemented


@handles(zip)
def stage_zip(trace: Trace, *iterables: Any, strict: bool = False) -> Any:
    if not any(isinstance(i, Staged | iteration.Indexed) for i in iterables):
        return NotImplemented
    return iteration.staged_zip(*iterables, strict=strict)


@handles(len)
def stage_len(trace: Trace, value: Any) -> Any:
    if isinstance(value, iteration.Indexed):
        return len(value) if isinstance(value, StagedIterator) else value.length()
    if isinstance(value, Staged):
        return staged_calls.staged_call(len, (value,), {})
    if MappingView in type(value).__mro__:  # of a mapping of the user's
        return call(len, value._mapping)
    values = values_of(trace, value)
    if values is not None:
        return call(len, values)
    method = None if isinstance(value, Choice) else trace.outside.special_method(value, "__len__")
    return NotImplemented if method is None else special_method(value, "__len__", len)


def _is_instance(value: Any) -> bool:
    return not isinstance(value, Staged | Choice) and is_user_instance(value)


@handles_each(float, int, complex)
def stage_conversion(function: Any, trace: Trace, /, *args: Any, **kwargs: Any) -> Any:
    if len(args) == 1 and not kwargs and _is_instance(args[0]):
        return special_method(args[0], f"__{function.__name__}__", function)
    given = (*args, *kwargs.values())
    if function is int and kwargs.keys() <= {"base"} and len(given) == 2 and is_text(given[0]):
        if any(isinstance(one, Staged) for one in given):
            return ask("str.int", *given)
    result = staged_calls.staged_call(function, args, kwargs)
    return function(*args, **kwargs) if result is NotImplemented else result


@handles_each(setattr, delattr)
def stage_store(function: Any, trace: Trace, owner: Any, name: str, *value: Any) -> Any:
    if isinstance(owner, iteration.Indexed):
        owner.refuse_store(name)
    if type(name) is str:
        check_store(trace, owner, name, caller_code())
    return function(trace.seen(owner), name, *value)


@handles(functools.update_wrapper)
def stage_wrapper(
    trace: Trace,
    /,
    wrapper: Any,
    wrapped: Any,
    assigned: Any = functools.WRAPPER_ASSIGNMENTS,
    updated: Any = functools.WRAPPER_UPDATES,
) -> Any:
    functools.update_wrapper(wrapper, wrapped, assigned, updated)
    trace.outside.classes.same_attributes(wrapper, wrapped)
    return wrapper


def refuse_consumption(trace: Trace, iterator: Any) -> None:
    """An iterator that no trace made may not be advanced: it would happen once and for all."""
    if is_pulled(iterator) or not hasattr(type(iterator), "__next__"):
        return
    if trace.frames or trace.outside.is_outside(iterator):
        if isinstance(iterator, TracedIterator):
            iterator.may_advance_anywhere()
        raise trace.refuse(
            f"a {iterator.__class__.__name__} that was made before is advanced, "
            "which a trace would do once and for all",
            "iterate over a list or an array",
        )


@handles(next)
def stage_next(trace: Trace, iterator: Any, *default: Any) -> Any:
    refuse_consumption(trace, iterator)
    return NotImplemented


def attempted(read: Callable[[], Any], otherwise: Any) -> Any:
    """What ``read`` gives, or ``otherwise`` where that raises AttributeError in a run."""
    found: list[Any] = [Undefined("the attribute")]

    def put(values: Sequence[Any]) -> None:
        found[:] = values

    handler = (lambda: AttributeError, lambda error: put([otherwise]))
    try_stmt(
        lambda: put([read()]), (handler,), get_state=lambda: tuple(found), set_state=put, names=("attribute",)
    )
    return certain(found[0])


def known_class(value: Any) -> type | None:
    """The class of the number, array, container or iterator that a staged value stands for."""
    if isinstance(value, iteration.Indexed | TracedIterator):
        return class_of(value)
    if not isinstance(value, Staged) or isinstance(value, Boxed):
        return None
    numeric = isinstance(value.type, NumberType | ScalarType | ArrayType | ContainerType) or value.type == STR
    return class_of(value) if numeric else None


def _gives(cls: type, name: str) -> bool:
    """Have instances of the class this attribute? The class itself has those of its metaclass, too."""
    return any(name in vars(base) for base in cls.__mro__)


class _Missing:
    """What `getattr` gives `hasattr` where there is no such attribute."""


@handles(hasattr)
def stage_hasattr(trace: Trace, owner: Any, name: str) -> Any:
    cls = known_class(owner)
    if cls is not None and type(name) is str:
        return _gives(cls, name)
    found = stage_getattr(trace, owner, name, _Missing)
    return NotImplemented if found is NotImplemented else is_not(found, _Missing)


@handles(getattr)
def stage_getattr(trace: Trace, owner: Any, name: str, *default: Any) -> Any:
    if isinstance(name, Staged) and name.type == STR:
        raise trace.refuse(
            "the name of the attribute is known only at run time",
            "compare it with each of the names in an `if`, or use a dict",
        )
    if type(name) is not str or len(default) > 1:
        return NotImplemented
    if name == "__class__" and isinstance(owner, Staged):
        return class_of(owner)
    cls = known_class(owner)
    if cls is not None and default and not _gives(cls, name):
        return default[0]
    if isinstance(owner, type | types.FunctionType) and not hasattr(owner, name):
        trace.outside.definitions.guard_no_attribute(owner, name)
    if name == "__dict__" and isinstance(owner, type):
        raise trace.outside.attributes.refuse_namespace(owner)
    read: Callable[[], Any] = lambda: read_as_program(trace.seen(owner), name)
    if default and isinstance(owner, StagedObject):
        try:
            return read()
        except AttributeError:
            return default[0]
    if default and trace.outside.attributes.may_raise(owner, name):
        return attempted(read, default[0])
    held = trace.outside.attributes.held(owner, name) if default else None
    if held is not None:
        return branch(is_undefined(held), lambda: default[0], lambda: certain(held))
    seen = trace.seen(owner)
    return NotImplemented if seen is owner else getattr(seen, name, *default)


@handles(*[getattr(builtins, name) for name in (*BUILTINS, "__import__")])
def refuse_builtin(trace: Trace, /, *args: Any, **kwargs: Any) -> Any:
    raise trace.refuse(
        "input, output and dynamic code cannot be part of a graph", "do it outside the decorated function"
    )


@handles(sys.exit)
def stage_exit(trace: Trace, code: Any = None, /) -> None:
    """`sys.exit(code)` raises SystemExit, on the path that comes there."""
    raise_stmt(SystemExit(*(code if isinstance(code, tuple) else () if code is None else (code,))))


@handles(id)
def stage_id(trace: Trace, value: Any) -> Any:
    if isinstance(value, list | dict) or is_run_time(value):
        raise trace.refuse(
            "the id() of a value that is made at each call would be frozen in the graph", "compare with `is`"
        )
    return NotImplemented


@handles(types.SimpleNamespace)
def stage_namespace(trace: Trace, /, *args: Any, **attributes: Any) -> Any:
    raise trace.refuse("a SimpleNamespace is made inside", "define a class outside, a dataclass say")


handles(copy.copy)(copies.copied)
handles(copy.deepcopy)(lambda trace, value, memo=None: copies.deeply_copied(trace, value))


@handles(bool, operator.truth)
def stage_bool(trace: Trace, *args: Any) -> Any:
    return truth(args[0]) if len(args) == 1 and is_run_time_or_asked(args[0]) else NotImplemented


def is_run_time_or_asked(value: Any) -> bool:
    """Does only a run know whether the value counts as true, or a method that no trace sees?"""
    is_asked = truth_method(type(value)) is not None or claims_instance(value)
    return is_asked or is_run_time(value) or iteration.is_empty_or_not(value)


@handles(hash)
def stage_hash(trace: Trace, value: Any, /) -> Any:
    trace.references.check_hash(value)
    return NotImplemented


#: functions that do what one of ours does
_OURS: dict[Any, Callable[..., Any]] = {
    operator.call: call,
    operator.eq: equal,
    operator.ne: not_equal,
    operator.not_: not_,
    operator.is_: is_,
    operator.is_not: is_not,
    operator.contains: lambda container, item: in_(item, container),
    constant: constant,
    enumerate: iteration.staged_enumerate,
    reversed: iteration.staged_reversed,
}


@handles_each(*_OURS)
def hand_on(function: Any, trace: Trace, /, *args: Any, **kwargs: Any) -> Any:
    return _OURS[function](*args, **kwargs)


@handles_each(any, all)
def stage_any(function: Any, trace: Trace, iterable: Any) -> Any:
    if isinstance(iterable, Staged):
        return staged_calls.staged_call(function, (iterable,), {})
    is_repeatable = type(iterable) in (list, tuple, dict, *VIEWS)  # looking at the items changes nothing
    if not is_repeatable or not any(map(is_run_time_or_asked, iterable)):
        return NotImplemented
    first, *rest = iterable
    tests = [lambda value=value: truth(value) for value in rest]  # asked as far as the one that decides
    return (or_ if function is any else and_)(truth(first), *tests)


# -- isinstance and issubclass: of abstract base classes, too, with which classes may be registered later ----


@handles_each(isinstance, issubclass)
def stage_isinstance(function: Any, trace: Trace, value: Any, classinfo: Any) -> Any:
    cls, classes = value if function is issubclass else _class_known(value), [*_flat(classinfo)]
    if isinstance(classinfo, tuple) and any(isinstance(one, Choice | Staged) for one in classes):
        return or_(False, *[partial(call, function, value, one) for one in classes])
    for one in classes:
        if isinstance(cls, type) and isinstance(one, type):
            trace.outside.definitions.guard_registered(cls, one)
    answer = staged_calls.staged_call(function, (value, classinfo), {})
    return function(value, classinfo) if answer is NotImplemented else answer


def _class_known(value: Any) -> type | None:
    """None for an object of which only a run knows the class."""
    if isinstance(value, Staged) and isinstance(value.type, ObjectType):
        return (
            needed_now.class_of(value) if value.type == STR or isinstance(value.type, ContainerType) else None
        )
    return None if isinstance(value, Choice) else needed_now.class_of(value)


def _flat(classinfo: Any) -> Iterator[Any]:
    """The classes of ``isinstance(x, (A, B | C))``."""
    if isinstance(classinfo, tuple | types.UnionType):
        for one in classinfo if isinstance(classinfo, tuple) else classinfo.__args__:
            yield from _flat(one)
    else:
        yield classinfo
