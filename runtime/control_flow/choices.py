"""Values that are one of several, known at run time: what is done with one is done by an `if` on its tag."""

from __future__ import annotations

import operator
from collections.abc import Callable
from types import FunctionType
from typing import Any

import numpy as np

from autograph import operators
from autograph.code_objects import read_as_program
from autograph.errors import StagingError
from autograph.operators import Undefined, bound_free, call
from autograph.operators.containers import MARKED
from autograph.staging import State
from runtime.control_flow import answers
from runtime.control_flow.branches import NO_STATE, branch
from runtime.control_flow.indexed import Indexed, is_empty_or_not
from runtime.control_flow.promoted import argument, number_type, operator_rule, promoted_for, stored
from runtime.ops.item_patterns import CONTAINERS
from runtime.ops.operators import COMPARISONS, FUNCTIONS, OPERATORS, UNARY
from runtime.specs.spec import Leaf, describe, same_constant, widest
from runtime.tracer.builder import Staged, emit
from runtime.tracer.flattening import promoted_number, retag
from runtime.tracer.spec import Choice, reference_of, spec_of
from runtime.tracer.trace import require_trace
from runtime.types import BOOL, STR, ContainerType, InstanceType, ObjectType


def truth(value: Any) -> Any:
    """``bool(value)``: a plain bool, or a staged Python bool."""
    if isinstance(value, Choice):
        choice = certain(value)
        promoted = promoted_for(choice, _positions(choice), lambda mine: True)
        return dispatch(choice, truth) if promoted is None else truth(promoted)
    if not isinstance(value, Staged):
        if is_empty_or_not(value):
            return emit("py.ne", [value.length(), 0])
        name = truth_method(type(value))
        if name is not None:
            return special_method(value, name, bool)
        require_trace().outside.require_seen(value, "__bool__", "__len__")
        return bool(value)
    if isinstance(value.type, ContainerType) or value.type == STR:
        length = value.length()  # type: ignore[attr-defined]
        return length != 0 if type(length) is int else emit("py.ne", [length, 0])
    if value.type == BOOL:
        return value
    answer = emit("py.bool", [value])
    require_trace().implied.note_truth(answer, value)
    return answer


def truth_method(cls: type) -> str | None:
    """Which of `__bool__` and `__len__`, written in Python, says whether an instance counts as true."""
    if issubclass(cls, Indexed):
        return None  # the methods are ours
    for name in ("__bool__", "__len__"):
        for base in cls.__mro__:
            if name in vars(base):
                return name if isinstance(vars(base)[name], FunctionType) else None
    return None


def special_method(value: Any, name: str, function: Callable[[Any], Any]) -> Any:
    """``function(value)`` by a special method in Python, converted; NotImplemented where there is none.

    Python's own code would call the method as it is, and refuse a staged answer.
    """
    method = next((vars(base)[name] for base in type(value).__mro__ if name in vars(base)), None)
    if not isinstance(method, FunctionType):
        return NotImplemented
    answer = call(method, value)
    if isinstance(answer, Choice):
        return dispatch(answer, lambda one: answers.checked_answer(value, one, name, function))
    return answers.checked_answer(value, answer, name, function)


def dispatch(choice: Choice, function: Callable[[Any], Any], state: State = NO_STATE) -> Any:
    """``function`` of whichever value the choice holds at run time."""
    if not isinstance(choice, Choice):
        return function(choice)
    implied = require_trace().implied
    left = list(implied.positions(choice))

    def rest(place: int) -> Any:
        position = left[place]
        value = choice.values[position]
        if isinstance(value, Undefined):
            run: Callable[[], Any] = lambda: raise_unbound(value)
        else:
            run = lambda: function(value)
        if place == len(left) - 1:
            return run()
        is_this = emit("py.eq", [choice.tag, position])
        implied.note_position(is_this, choice, position)
        return branch(is_this, run, lambda: rest(place + 1), state)

    return rest(0)


class _FreeUndefined(Undefined):
    """Of a variable of an enclosing function."""

    __slots__ = ()


def raise_unbound(value: Undefined) -> Any:
    if isinstance(value, _FreeUndefined):
        bound_free(Undefined(value.name))
    raise UnboundLocalError(
        f"cannot access local variable '{value.name}' where it is not associated with a value"
    )


def select(condition: Any, a: Any, b: Any) -> Any:
    """``a if condition else b``, of values that are there already: of numbers without a branch."""
    if not isinstance(condition, Staged):
        return a if condition else b
    sides = [value if isinstance(value, Choice) else Choice(0, (value,)) for value in (a, b)]
    types = [list(map(number_type, side.values)) for side in sides]
    if any(None in found or len({*found}) < len(found) for found in types):
        return branch(condition, lambda: a, lambda: b)
    longest = max(types, key=len)  # its tag stays what it is
    kinds = tuple(dict.fromkeys([*longest, *types[0], *types[1]]))

    def number_of(kind: Any) -> Any:
        held = [
            side.values[found.index(kind)] for side, found in zip(sides, types, strict=True) if kind in found
        ]
        return held[0] if len(held) == 1 else emit("py.select", [condition, *held])

    values = [number_of(kind) for kind in kinds]
    if len(values) == 1:
        return values[0]
    tags = [retag(side.tag, list(map(kinds.index, found))) for side, found in zip(sides, types, strict=True)]
    leaves = tuple([Leaf(kind) for kind in kinds if kind is not None])
    place = widest(leaves)
    if place is not None:
        builder = require_trace()
        numbers = [builder.wrap(promoted_number(side, leaves[place], builder)) for side in sides]
        values[place] = emit("py.select", [condition, *numbers])
    promoted = None if place is None else values[place]
    return Choice(emit("py.select", [condition, *tags]), tuple(values), promoted)


def resolve(value: Any) -> Any:
    """A choice that is read as a value: bound or an error, and one value where that is possible."""
    if not isinstance(value, Choice):
        return value
    if any(isinstance(v, Undefined) for v in value.values):
        return dispatch(value, lambda v: v)
    return value


def resolve_free(value: Any) -> Any:
    """`resolve`, for a variable of an enclosing function: NameError where it is not bound."""
    if isinstance(value, Choice):
        free = [_FreeUndefined(v.name) if isinstance(v, Undefined) else v for v in value.values]
        value = Choice(value.tag, tuple(free))
    return resolve(value)


def identical(a: Any, b: Any) -> Any:
    """``a is b``: a bool, or a staged one.

    A choice is asked for its tag. Python's True and False are the same objects wherever they come from;
    whether two other staged values are one object cannot be told.
    """
    if a is b:
        return True
    for choice, other in ((a, b), (b, a)):
        if isinstance(choice, Choice):
            return dispatch(certain(choice), lambda value: identical(value, other))
    if isinstance(a, tuple) and type(a) is type(b) and len(a) == len(b) > 0:
        raise _not_staged()  # of paths that meet, or of what comes in, the trace makes tuples of its own
    references = [reference_of(value) for value in (a, b)]
    if (a is None or b is None) and any(one is not None for one in references):
        return False
    a, b = (value if one is None else one for one, value in zip(references, (a, b), strict=True))
    staged = [value for value in (a, b) if isinstance(value, Staged)]
    if not staged:
        return a is b or (
            type(a) is type(b) and isinstance(a, str | bytes | int | float) and same_constant(a, b)
        )
    known = staged[0].type
    if any(isinstance(one.type, ObjectType) and one.type != STR for one in staged):
        return _same_objects(a, b)
    if len(staged) == 1:
        other = b if staged[0] is a else a
        if known == BOOL and isinstance(other, bool):
            return staged[0] if other else emit("py.not", staged)
        # NumPy's booleans are other objects than Python's; a number is no array
        kinds: Any = str if known == STR else int | float | complex | np.generic
        if isinstance(other, bool) or not isinstance(other, kinds):
            return False
    elif staged[0].type == staged[1].type == BOOL:
        return emit("py.eq", staged)
    elif known != staged[1].type and STR in (known, staged[1].type):
        return False
    raise _not_staged()


def _not_staged() -> StagingError:
    return require_trace().refuse(
        "whether two values are the same object (`is`) is not staged", "compare with =="
    )


def _same_objects(a: Any, b: Any) -> Any:
    """``a is b``, where one is an object of the run."""
    trace = require_trace()
    operands: list[Any] = []
    classes: list[type] = []
    for value in (a, b):
        known = value if isinstance(value, Staged) else trace.outside.reference(value)
        if known is None:
            classes.append(set if type(value) is frozenset else type(value))
            known = trace.wrap(trace.constant_object(value))
        elif known is value and isinstance(value.type, InstanceType):
            classes.append(value.type.cls)
        elif isinstance(known.type, ContainerType):
            classes.append(CONTAINERS[known.type.name])
        operands.append(known)
    if len(classes) == 2:
        if classes[0] is not classes[1]:
            return False
        if a is operands[0] and b is operands[1] and a.value is not b.value:
            if not trace.heap.origins.may_be_one(a.value, b.value):
                return False
    return emit("is", operands)


def certain(value: Any) -> Any:
    """A choice that is read where the transpiler put no guard: it is bound there."""
    if not isinstance(value, Choice) or not any(isinstance(v, Undefined) for v in value.values):
        return value
    implied = require_trace().implied
    return only(value, [k for k in implied.positions(value) if not isinstance(value.values[k], Undefined)])


def only(choice: Choice, positions: list[int]) -> Any:
    """A choice that is known to be one of those of its values."""
    if len(positions) == 1:
        return choice.values[positions[0]]
    tag: Any = len(positions) - 1
    for new in range(len(positions) - 2, -1, -1):
        tag = emit("py.select", [emit("py.eq", [choice.tag, positions[new]]), new, tag])
    return Choice(tag, tuple([choice.values[k] for k in positions]), choice.promoted)


def _positions(choice: Any) -> list[int]:
    """Those of the values of a choice that it may be here."""
    return list(require_trace().implied.positions(choice)) if isinstance(choice, Choice) else []


#: converted code asks in another way: operators of `autograph/operators`, calls that a stage makes
_OF_PLAIN_PYTHON = (*COMPARISONS, *"call str bool int float complex index len iter contains format".split())


def _binary_on(
    function: Callable[[Any, Any], Any], name: str, position: int = 0
) -> Callable[[Choice, Any], Any]:
    """``function(choice, other)``; in ``name``, the operator, the choice is operand ``position``."""

    return lambda self, other: apply_operator(function, name, self, other, position)


def apply_operator(function: Callable[[Any, Any], Any], name: str, a: Any, b: Any, position: int = 0) -> Any:
    """``function(a, b)`` of what may be choices; ``a`` is operand ``position`` of the operator ``name``."""
    a, b = certain(a), certain(b)
    promoted = promoted_operand(a, name, b, position)
    return dispatch(
        a if promoted is None else promoted, lambda one: _beside(function, name, one, b, position)
    )


def _beside(function: Callable[[Any, Any], Any], name: str, a: Any, b: Any, position: int) -> Any:
    promoted = promoted_operand(b, name, a, 1 - position)
    return dispatch(b if promoted is None else promoted, lambda one: function(a, one))


def promoted_operand(choice: Any, name: str, other: Any, position: int) -> Any:
    """The promoted value of a choice, where the operator ``name`` gives the same with it; else None."""
    if not isinstance(choice, Choice) or choice.promoted is None:
        return None
    rule = operator_rule(name, other, position, choice.promoted.type)
    return None if rule is None else promoted_for(choice, _positions(choice), rule)


def promoted_item(choice: Choice, dtype: np.dtype) -> Any:
    """The promoted value of a choice, where an array of ``dtype`` stores the same of it; else None."""
    if choice.promoted is None:
        return None
    return promoted_for(choice, _positions(choice), stored(dtype, choice.promoted.type))


def promoted_argument(function: Any, args: tuple[Any, ...], position: int) -> Any:
    """The promoted value of an argument, where the function gives the same with it; else None."""
    rule = argument(function, args, position)
    return None if rule is None else promoted_for(args[position], _positions(args[position]), rule)


def _reflected(function: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    return lambda a, b: function(b, a)


def _unary_on(function: Callable[[Any], Any]) -> Callable[[Choice], Any]:
    return lambda self: dispatch(certain(self), function)


class ChosenAttributes:
    """What converted code reads the attributes of a choice from, and stores them to: those of its value."""

    __slots__ = ("_choice",)

    def __init__(self, choice: Choice) -> None:
        object.__setattr__(self, "_choice", choice)

    def __getattribute__(self, name: str) -> Any:
        return dispatch(_choice_of(self), lambda value: read_as_program(require_trace().seen(value), name))

    def __setattr__(self, name: str, value: Any) -> None:
        dispatch(_choice_of(self), lambda owner: setattr(require_trace().seen(owner), name, value))

    def __delattr__(self, name: str) -> None:
        dispatch(_choice_of(self), lambda owner: delattr(require_trace().seen(owner), name))


def _choice_of(view: ChosenAttributes) -> Any:
    return certain(object.__getattribute__(view, "_choice"))


def _install_operators() -> None:
    """Whatever is done with a choice is done with the value that it holds at run time."""
    for name in OPERATORS.keys() - {"divmod"}:
        function = MARKED[FUNCTIONS[name]]
        setattr(Choice, f"__{name}__", _binary_on(function, name))
        setattr(Choice, f"__r{name}__", _binary_on(_reflected(function), name, 1))
        in_place = MARKED[getattr(operator, f"__i{name}__")]
        setattr(Choice, f"__i{name}__", _binary_on(in_place, name))  # what changes is seen: an array, a list
    for name in UNARY:
        function = MARKED.get(FUNCTIONS[name], abs)
        setattr(Choice, f"__{name}__", _unary_on(function))

    def get_item(self: Choice, key: Any) -> Any:
        return dispatch(certain(self), lambda value: operators.get_item(value, key))

    def refuse_plain(self: Choice, *_: Any) -> Any:
        raise require_trace().refuse(
            f"plain Python looks at a value that is {describe(spec_of(self))}, "
            "which is known only at run time",
            "test it with `is None` or `==` first",
        )

    setattr(Choice, "__getitem__", get_item)  # noqa: B010
    for name in _OF_PLAIN_PYTHON:
        setattr(Choice, f"__{name}__", refuse_plain)
    setattr(Choice, "__hash__", lambda self: 0 if require_trace().in_vain else refuse_plain(self))  # noqa: B010

    def get_attribute(self: Choice, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)  # Python's protocols ask for these; a choice has none of its own
        return refuse_plain(self)

    setattr(Choice, "__getattr__", get_attribute)  # noqa: B010


_install_operators()


def is_undefined(value: Any) -> Any:
    """Is there no value: a bool, or a staged one."""
    if isinstance(value, Choice):
        for position, alternative in enumerate(value.values):
            if isinstance(alternative, Undefined):
                return emit("py.eq", [value.tag, position])
        return False
    return isinstance(value, Undefined)
