"""What a `match` statement asks of a value: its class, its length, its keys, its attributes.

>>> match_sequence([1, 2], 2), match_sequence("ab", 2), match_sequence((1, 2, 3), 1, True)
(True, False, True)
>>> keys = ("a", "b")
>>> found = match_keys({"a": 1, "b": 2, "c": 3}, keys)
>>> matched_items(found, {}, keys), match_keys([1], keys)
((1, 2), None)
>>> match_class(3, int), matched_attributes(3, int, 1, ()), matched_attributes(3j, complex, 0, ("imag",))
(True, (3,), (3.0,))
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from autograph.code_objects import read_as_program
from autograph.errors import StagingError, error_at_frame
from autograph.operators.calls import call, class_of
from autograph.operators.expressions import and_, in_, is_, not_
from autograph.operators.marks import read_from
from autograph.registry import claiming, claiming_any, present_stages
from autograph.staging import Stage

# What CPython says of a class in its flags (Include/object.h).
_IS_SEQUENCE, _IS_MAPPING, _MATCHES_ITSELF = 1 << 5, 1 << 6, 1 << 22
_TEXTS = (str, bytes, bytearray)
_ASKING = "a `match` statement whose patterns ask for a class, or for None,"
_HINT = "take the value apart first, and test the parts with `if`"


def match_sequence(subject: Any, length: int, or_more: bool = False) -> Any:
    """Is this a sequence of that length, as patterns see it? A text is none."""

    def fits() -> Any:
        if or_more and not length:
            return True  # `[*items]` asks for no length
        found = call(len, subject)
        return found >= length if or_more else found == length

    kind = call(type, subject)
    if claiming(subject) is None:  # but a stage may stand for its class, a range say
        flags = type(subject).__flags__ | (kind.__flags__ if isinstance(kind, type) else 0)
        return bool(flags & _IS_SEQUENCE) and fits()
    if isinstance(kind, type) and claiming(kind) is None and kind is not type(subject):  # its stage says
        return bool(kind.__flags__ & _IS_SEQUENCE) and fits()
    is_sequence = _is_instance(subject, Sequence)
    return and_(is_sequence, lambda: not_(_is_instance(subject, _TEXTS)), lambda: fits())


def _is_instance(subject: Any, classes: Any) -> Any:
    stage = claiming(subject)
    if stage is None:
        return call(isinstance, subject, classes)
    answer = stage.call(isinstance, (subject, classes), {})
    if answer is NotImplemented:
        stage.refuse(_ASKING, _HINT)
    return answer


def match_subject(value: Any) -> Any:
    """`value`, for a `match` that stays Python's: no staged value can answer what its patterns ask."""
    if present_stages():
        stage = _stage_within(value, 3)
        if stage is not None:
            stage.refuse(_ASKING, _HINT)
    return value


def _stage_within(value: Any, depth: int) -> Stage | None:
    """The stage that claims the value, or one of its parts."""
    if type(value) not in (tuple, list, dict) or not depth:
        return claiming(value)
    parts = list(value.values()) if type(value) is dict else value
    return claiming_any(parts) or next(filter(None, (_stage_within(part, depth - 1) for part in parts)), None)


def index_from_end(subject: Any, number: int) -> Any:
    """The index of the last item (1), the one before (2), ..."""
    return call(len, subject) - number


class _Everything(tuple[Any, ...]):
    """The items that were found under all keys: true also where there are no keys."""

    __slots__ = ()

    def __bool__(self) -> bool:
        return True


def match_keys(subject: Any, keys: tuple[Any, ...]) -> Any:
    """Something true where this is a mapping with all these keys: the items, or a staged truth."""
    _check_keys(keys)
    if claiming(subject) is not None:
        tests = [lambda key=key: in_(key, subject) for key in keys]
        return and_(_is_instance(subject, Mapping), *tests)
    if not type(subject).__flags__ & _IS_MAPPING:
        return None
    if type(subject) is dict:
        tests = [lambda key=key: in_(key, subject) for key in keys]
        present = and_(True, *tests)
        if claiming(present) is not None:
            return present
        return _Everything(subject[key] for key in keys) if present else None
    if not keys:
        return _Everything()
    if call(len, subject) < len(keys):
        return None
    missing = object()
    items = [subject.get(key, missing) for key in keys]
    return None if any(item is missing for item in items) else _Everything(items)


def _check_keys(keys: tuple[Any, ...]) -> None:
    seen = set()
    for key in keys:
        if key in seen:
            raise ValueError(f"mapping pattern checks duplicate key ({key!r})")
        seen.add(key)


def matched_items(found: Any, subject: Any, keys: tuple[Any, ...]) -> tuple[Any, ...]:
    """The items under these keys, which `match_keys` has found."""
    return tuple(found) if type(found) is _Everything else tuple(subject[key] for key in keys)


def match_class(subject: Any, cls: Any) -> Any:
    """Is this an instance of a class that a pattern names?"""
    if not isinstance(cls, type):
        raise TypeError("called match pattern must be a class")
    return _is_instance(subject, cls)


_ABSENT = object()


def _attribute(subject: Any, name: str) -> Any:
    cls = class_of(subject)
    if not isinstance(cls, type) or not hasattr(cls, name):
        return call(getattr, subject, name, _ABSENT)
    try:
        return read_as_program(read_from(subject), name)
    except AttributeError:
        return _ABSENT


def matched_attributes(subject: Any, cls: type, positional: int, names: tuple[str, ...]) -> Any:
    """The attributes that the sub-patterns of a class pattern test, as a tuple; None where one is missing."""
    values: list[Any] = []
    seen: set[str] = set()
    wanted: list[str] = []
    if positional:
        arguments, itself = _match_arguments(cls)
        allowed = 1 if itself else len(arguments)
        if positional > allowed:
            plural = "" if allowed == 1 else "s"
            raise TypeError(
                f"{cls.__name__}() accepts {allowed} positional sub-pattern{plural} ({positional} given)"
            )
        if itself:
            values.append(subject)
        else:
            wanted += arguments[:positional]
    for attribute in [*wanted, *names]:
        if not isinstance(attribute, str):
            raise TypeError(f"__match_args__ elements must be strings (got {type(attribute).__name__})")
        if attribute in seen:
            raise TypeError(f"{cls.__name__}() got multiple sub-patterns for attribute {attribute!r}")
        seen.add(attribute)
        value = _attribute(subject, attribute)
        absent = is_(value, _ABSENT)
        if claiming(absent) is not None:
            raise error_at_frame(
                StagingError,
                f"whether what is matched has an attribute {attribute!r} is known only at run time",
                hint=f"ask hasattr(value, {attribute!r}) in an `if` of its own",
            )
        if absent:
            return None
        values.append(value)
    return tuple(values)


def _match_arguments(cls: type) -> tuple[tuple[Any, ...], bool]:
    """`__match_args__`, and whether the one positional sub-pattern is for the value itself."""
    arguments = getattr(cls, "__match_args__", NotImplemented)
    if arguments is NotImplemented:
        return (), bool(cls.__flags__ & _MATCHES_ITSELF)
    if not isinstance(arguments, tuple):
        given = type(arguments).__name__
        raise TypeError(f"{cls.__name__}.__match_args__ must be a tuple (got {given})")
    return arguments, False
