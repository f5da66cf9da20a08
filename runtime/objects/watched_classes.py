"""Watched classes: the hooks by which special methods run converted, whoever calls them.

They are in the class for the time of a trace, and act only in the tracing thread. The special
methods of its metaclass have them as well. A class without special methods of the user's gets none.
Attributes are seen without hooks: `seen_attributes.py`.
"""

from __future__ import annotations

import enum
import functools
import sys
import types
from collections.abc import Callable, Sequence
from opcode import opname
from typing import Any

from autograph.loading import is_loaded
from autograph.operators import containers, subscripts
from runtime.control_flow import choices
from runtime.objects import unseen_methods
from runtime.ops.instances import can_be_remade, class_attribute
from runtime.state import modules, variables
from runtime.tracer.builder import current, refuse
from runtime.tracer.class_namespaces import (
    LOCK,
    MISSING,
    ORIGINALS,
    computes_attributes,
    program_attribute,
)
from runtime.tracer.decisions import PathEnded
from runtime.tracer.spec import is_run_time

IMMUTABLE_TYPE = 1 << 8

#: the classes that are watched by some trace, and by how many
hooked: dict[type, int] = {}
#: those whose instances are compared by identity in a run
by_identity: dict[type, None] = {}
#: those around methods, while any class is watched: by the method's identity, and its name
_hooks: dict[tuple[int, str], Any] = {}


def install_hooks(cls: type) -> None:
    """For the instances of a class; those of a metaclass are classes."""
    with LOCK:
        hooked[cls] = hooked.get(cls, 0) + 1
        if hooked[cls] == 1:
            _put(cls, _hooks_for(cls))


def remove_hooks(cls: type) -> None:
    with LOCK:
        hooked[cls] -= 1
        if hooked[cls]:
            return
        del hooked[cls]
        by_identity.pop(cls, None)
        for name, original in ORIGINALS.pop(cls).items():
            if original is MISSING:
                type.__delattr__(cls, name)
            else:
                type.__setattr__(cls, name, original)
        if not hooked:
            _hooks.clear()


def compare_by_identity(cls: type) -> None:
    """A trace has objects of this watched class of which only a run knows which they are.

    Where the class compares and hashes as `object` does, that is asked here, as long as it is watched.
    """
    with LOCK:
        if cls in by_identity:
            return
        by_identity[cls] = None
        hooks = {"__eq__": _same, "__ne__": _unequal, "__hash__": _hash}
        _put(cls, {n: hook for n, hook in hooks.items() if program_attribute(cls, n) is getattr(object, n)})


def _hooks_for(cls: type) -> dict[str, Any]:
    if issubclass(cls, type):
        hooks = converting_hooks(cls, (*SPECIAL_METHODS, "__len__"))
    elif issubclass(cls, tuple):
        hooks = converting_hooks(cls, _OPERATORS)
    else:
        hooks = make_hooks(cls)
    static = cls.__dict__.get("__class_getitem__")
    if isinstance(static, classmethod) and isinstance(static.__func__, types.FunctionType):
        hooks["__class_getitem__"] = classmethod(converting(static.__func__))
    return hooks


def _put(cls: type, hooks: dict[str, Any]) -> None:
    originals = ORIGINALS.setdefault(cls, {})
    for name, hook in hooks.items():
        originals.setdefault(name, cls.__dict__.get(name, MISSING))
        type.__setattr__(cls, name, hook)


def _makes_itself(cls: type) -> bool:
    return isinstance(cls.__new__, types.FunctionType)


def can_be_reference(cls: type) -> bool:
    """Are its instances their attributes, which are read where no code of the user's is asked first?"""
    if issubclass(cls, UnicodeError) or issubclass(cls, BaseException) and _makes_itself(cls):
        return False
    if is_loaded(variables) and issubclass(cls, variables.Variable):
        return False  # what they hold is state, which a graph knows by itself
    if is_loaded(modules) and issubclass(cls, modules.Module):
        return False
    return can_be_remade(cls) and not computes_attributes(cls)


#: special methods that Python calls behind the user's back, and that converted code should run converted
SPECIAL_METHODS = tuple(
    f"__{name}__"
    for name in (
        "add sub mul truediv floordiv mod divmod pow matmul and or xor lshift rshift "
        "radd rsub rmul rtruediv rfloordiv rmod rdivmod rpow rmatmul rand ror rxor rlshift rrshift "
        "iadd isub imul itruediv ifloordiv imod ipow imatmul iand ior ixor ilshift irshift "
        "neg pos abs invert lt le gt ge eq ne getitem setitem delitem iter next contains reversed "
        "round trunc floor ceil missing index int float complex instancecheck subclasscheck"
    ).split()
)


_OF_CONTENTS = ("__getitem__", "__iter__", "__contains__", "__eq__", "__ne__")
#: those that say nothing of what an object holds
_OPERATORS = tuple([name for name in SPECIAL_METHODS if name not in _OF_CONTENTS])


def make_hooks(cls: type) -> dict[str, Any]:
    """Hooks that defer to what the class did before, unless this thread is tracing."""
    hooks: dict[str, Any] = {}
    compare = program_attribute(cls, "__eq__")
    if program_attribute(cls, "__ne__") is object.__ne__ and isinstance(compare, types.FunctionType):
        hooks["__ne__"] = _unequal
    for name in SPECIAL_METHODS:
        method = program_attribute(cls, name)
        if _runs_converted(cls, method):
            hooks[name] = _hook_of(method, name, converting)
    for name in unseen_methods.NAMES:
        method = program_attribute(cls, name)
        if _runs_converted(cls, method):
            hooks[name] = _hook_of(method, name, lambda method, name: unseen_methods.hook_for(name, method))
    for name in ("__eq__", "__ne__", "__hash__") if len(cls.__bases__) > 1 else ():
        held = program_attribute(cls, name, MISSING)
        if name not in hooks and held is not getattr(object, name):
            hooks[name] = held  # a C method, or None: the hook of a base that comes before would hide it
    return hooks


def _runs_converted(cls: type, method: Any) -> bool:
    """Is it a function of Python's that the trace must see? Those of `enum` read what never changes."""
    if not isinstance(method, types.FunctionType) or hasattr(method, "__runtime_inline__"):
        return False
    return not (issubclass(cls, enum.Enum) and method.__module__ == "enum")


def _hook_of(method: types.FunctionType, name: str, make: Callable[[types.FunctionType, str], Any]) -> Any:
    """One hook for a method, whichever classes have it: Python asks whether a class overrides its base's."""
    key = id(method), name
    if key not in _hooks:
        _hooks[key] = make(method, name)  # which keeps the method alive
    return _hooks[key]


def converting_hooks(cls: type, names: tuple[str, ...]) -> dict[str, Any]:
    """The special methods of these names run converted."""
    return {
        name: converting(static, name)
        for name, static in vars(cls).items()
        if isinstance(static, types.FunctionType) and name in names
    }


def unseen_of_metaclass(cls: type) -> str | None:
    """What Python asks for a class while our own code looks at it, too; or a descriptor of the user's."""
    for name, static in vars(cls).items():
        if name in ("__getattr__", "__getattribute__", "__instancecheck__", "__subclasscheck__"):
            return name
        if isinstance(getattr(type(static), "__get__", None), types.FunctionType):
            return name
    return None


def _same(self: Any, other: Any) -> Any:
    """What a class without ``__eq__`` does; whether two objects of a run are one, only the run knows."""
    references = getattr(current(), "references", None)
    if references is not None and (references.is_reference(self) or references.is_reference(other)):
        return choices.identical(self, other)
    return object.__eq__(self, other)


def _hash(self: Any) -> int:
    references = getattr(current(), "references", None)
    if references is not None and references.is_reference(self) and not references.trace.in_vain:
        references.refuse_hash(self)
    return object.__hash__(self)


def _unequal(self: Any, other: Any) -> Any:
    """What a class without ``__ne__`` does: ``not self == other``."""
    if getattr(current(), "outside", None) is None:
        return object.__ne__(self, other)
    from autograph.operators import call, not_

    compare: Any = type(self).__eq__
    compare = getattr(compare, "__runtime_inline__", compare)  # itself: it may give NotImplemented
    equal = compare(self, other) if compare is _same else call(compare, self, other)
    return equal if equal is NotImplemented else not_(equal)


def converting(method: types.FunctionType, name: str = "") -> Any:
    """What a class holds under this name; the method itself may have another."""

    @functools.wraps(method)
    def special(*args: Any, **kwargs: Any) -> Any:
        if getattr(current(), "outside", None) is None:
            return method(*args, **kwargs)
        from autograph.operators import call

        made = call(method, *args, **kwargs)
        if name in _ASKED_ONCE:
            return answered(made, method)
        return _known_number(made, method, name) if name in _NUMBERS else made

    hook: Any = _advancing(special, method) if name in ("__next__", "__getitem__") else special
    hook.__runtime_inline__ = method
    return hook


#: what a function of Python's asks for, and gives whatever it is
_ASKED_ONCE = ("__abs__", "__round__", "__trunc__", "__floor__", "__ceil__", "__reversed__")


def answered(made: Any, method: types.FunctionType) -> Any:
    """What a special method gives. NotImplemented would be taken for that Python may make the call: again."""
    if made is not NotImplemented:
        return made
    raise refuse(
        f"`{method.__qualname__}` gives NotImplemented, which says nothing but to operators",
        "let it return a value, or raise TypeError",
    )


_NUMBERS = {
    "__index__": "an integer",
    "__int__": "an integer",
    "__float__": "a float",
    "__complex__": "a complex number",
}


def _known_number(made: Any, method: types.FunctionType, name: str) -> Any:
    """CPython's own code takes no number from `__index__` and the like that only a run knows."""
    if not is_run_time(made):
        return made
    raise refuse(
        f"`{method.__qualname__}` is asked for {_NUMBERS[name]}, and only a run knows which",
        f"call the method by its name where the number is needed, as in `xs[i.{name}()]`",
    )


def _advancing(special: Any, method: types.FunctionType) -> Any:
    """A method that Python may call to iterate, as in ``a, b = items``: what ends that is raised by the run.

    Where code shows what iterates, `user_iterables` does it in Python's place. Other code would never end.
    """

    @functools.wraps(special)
    def advancing(self: Any, *args: Any, **kwargs: Any) -> Any:
        trace: Any = current()
        if getattr(trace, "outside", None) is None:
            return special(self, *args, **kwargs)
        caller = sys._getframe(1)
        iterates = not args or caller.f_code is _OF_SEQUENCES
        if not iterates and hasattr(type(self), "__iter__"):
            return special(self, *args, **kwargs)
        reads_one = not iterates and _is_subscript(caller)
        raising = trace.raising
        try:
            made = special(self, *args, **kwargs)
        except (PathEnded, Exception) as error:
            if trace.raising != raising:
                _check_caller(trace, method, reads_one or not isinstance(error, PathEnded))
            raise
        if trace.raising != raising:
            _check_caller(trace, method, reads_one)
        return made

    return advancing


def _check_caller(trace: Any, method: types.FunctionType, reads_one: bool) -> None:
    """Refuse an iteration by code that is not converted: what a run raises at its end it would not see."""
    if reads_one:
        return
    raise trace.refuse(
        f"`{method.__qualname__}` is called by code that is not converted, "
        "and when it ends is known only at run time",
        "make a list of the items by a `for` statement or a comprehension, and use that",
    )


#: it catches the IndexError that ends it
_OF_SEQUENCES = vars(Sequence)["__iter__"].__code__


def _is_subscript(caller: types.FrameType) -> bool:
    """Does the code read one item, as in ``items[i]``, and iterate over nothing?"""
    if opname[caller.f_code.co_code[caller.f_lasti]].startswith(("BINARY_SUBSCR", "BINARY_OP")):
        return True
    return caller.f_code in (containers.get_item.__code__, subscripts.aug_item.__code__)


def missing(owner: Any, name: str) -> AttributeError:
    cls = type(owner)
    known = cls.__name__
    if sys.version_info >= (3, 13) and isinstance(class_attribute(cls, name), types.MemberDescriptorType):
        module = "" if cls.__module__ in ("builtins", "__main__") else f"{cls.__module__}."
        known = f"{module}{cls.__qualname__}"  # a slot without a value
    return AttributeError(f"{known!r} object has no attribute {name!r}", name=name, obj=owner)


def hashes_by_identity(cls: type) -> bool:
    """Does the class hash as `object` does, behind a hook of a trace or not?"""
    method = class_attribute(cls, "__hash__")
    return method is object.__hash__ or method is _hash


def is_slot(static: Any) -> bool:
    """Is it what `__slots__` makes?"""
    return isinstance(static, types.MemberDescriptorType)
