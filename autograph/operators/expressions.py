"""`and`, `or`, `not`, conditional expressions, `in`, `is` and f-strings over values that a stage may claim.

>>> and_(3, lambda: 0, lambda: 1 / 0)
0
>>> or_(0, lambda: "x", lambda: 1 / 0)
'x'
>>> fstr("x = ", (3.14159, "", ".2f"), "; ", ("a", "r", ""))
"x = 3.14; 'a'"
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from autograph.registry import active_stage, claiming, claiming_any, claiming_within
from autograph.staging import Stage, Thunk


def and_(a: Any, *thunks: Thunk) -> Any:
    """`a and ...`: the first false operand, or the last one. Operands after the first come as thunks."""
    for position, thunk in enumerate(thunks):
        if type(a) is not bool:
            stage = claiming(a)
            if stage is not None:
                return stage.and_(a, thunks[position:])
        if not a:
            return a
        a = thunk()
    return a


def or_(a: Any, *thunks: Thunk) -> Any:
    """`a or ...`: the first true operand, or the last one. Operands after the first come as thunks."""
    for position, thunk in enumerate(thunks):
        if type(a) is not bool:
            stage = claiming(a)
            if stage is not None:
                return stage.or_(a, thunks[position:])
        if a:
            return a
        a = thunk()
    return a


def all_true(a: Any, *thunks: Thunk) -> Any:
    """`and_` where only the truth matters, as in `if a and b:`, which asks each operand for it once.

    >>> all_true([], lambda: 1 / 0)
    False
    """
    for position, thunk in enumerate(thunks):
        if type(a) is not bool:
            stage = claiming(a)
            if stage is not None:
                return stage.all_true(a, thunks[position:])
        if not a:
            return False
        a = thunk()
    return a


def any_true(a: Any, *thunks: Thunk) -> Any:
    """`or_` where only the truth matters.

    >>> any_true("x", lambda: 1 / 0)
    True
    """
    for position, thunk in enumerate(thunks):
        if type(a) is not bool:
            stage = claiming(a)
            if stage is not None:
                return stage.any_true(a, thunks[position:])
        if a:
            return True
        a = thunk()
    return a


def last_true(a: Any, *thunks: Thunk) -> Any:
    """`and_` whose value matters where it is true: the last operand, as in `a and b or c`.

    >>> last_true(1, lambda: 2), last_true([], lambda: 1 / 0)
    (2, False)
    """
    for position, thunk in enumerate(thunks):
        if type(a) is not bool:
            stage = claiming(a)
            if stage is not None:
                return stage.last_true(a, thunks[position:])
        if not a:
            return False
        a = thunk()
    return a


def last_false(a: Any, *thunks: Thunk) -> Any:
    """`or_` whose value matters where it is false: the last operand, as in `(a or b) and c`.

    >>> last_false(0, lambda: []), last_false("x", lambda: 1 / 0)
    ([], True)
    """
    for position, thunk in enumerate(thunks):
        if type(a) is not bool:
            stage = claiming(a)
            if stage is not None:
                return stage.last_false(a, thunks[position:])
        if a:
            return True
        a = thunk()
    return a


def not_(a: Any) -> Any:
    """`not a`.

    >>> not_([])
    True
    """
    if type(a) is not bool:
        stage = claiming(a)
        if stage is not None:
            return stage.not_(a)
    return not a


def truth(value: Any) -> Any:
    """`value`, whose truth Python asks next, in code converted for a stage that has to see that.

    >>> truth([])
    []
    """
    if type(value) is not bool:
        stage = claiming(value)
        if stage is not None:
            stage.refuse("a test in a statement that stays Python's", "take it out of the generator or `try`")
    return value


def if_exp(cond: Any, then: Thunk, orelse: Thunk) -> Any:
    """`then() if cond else orelse()`.

    >>> if_exp(0, lambda: 1 / 0, lambda: "no")
    'no'
    """
    if type(cond) is not bool:
        stage = claiming(cond)
        if stage is not None:
            return stage.if_exp(cond, then, orelse)
    return then() if cond else orelse()


def in_(item: Any, container: Any) -> Any:
    """`item in container`.

    >>> in_("b", "abc")
    True
    """
    stage = _stage_of_membership(item, container)
    return item in container if stage is None else stage.in_(item, container)


def not_in(item: Any, container: Any) -> Any:
    """`item not in container`.

    >>> not_in(2, [1, 2])
    False
    """
    stage = _stage_of_membership(item, container)
    return item not in container if stage is None else not_(stage.in_(item, container))


def _stage_of_membership(item: Any, container: Any) -> Any:
    stage = claiming(item) or claiming(container)
    if stage is None and isinstance(item, _SEQUENCES):
        stage = claiming_within(item)
    if stage is None and isinstance(container, _SEQUENCES):
        stage = claiming_within(container)  # `in` compares with each element
    if stage is None and not isinstance(container, _PLAIN):
        active = active_stage()
        stage = active if active is not None and active.searches(container) else None
    return stage


_SEQUENCES = (tuple, list)
_PLAIN = (*_SEQUENCES, str, dict, set, frozenset, range)


def is_(a: Any, b: Any) -> Any:
    """`a is b`.

    >>> is_(None, None)
    True
    """
    stage = _asked_for_identity(a, b)
    return a is b if stage is None else stage.is_(a, b)


def is_not(a: Any, b: Any) -> Any:
    """`a is not b`.

    >>> is_not(3, None)
    True
    """
    stage = _asked_for_identity(a, b)
    return a is not b if stage is None else not_(stage.is_(a, b))


def _asked_for_identity(a: Any, b: Any) -> Stage | None:
    stage = claiming(a) or claiming(b)
    if stage is None and isinstance(a, tuple) and isinstance(b, tuple):  # there may be values in them
        return active_stage()
    return stage


_CONVERSIONS: dict[str, Callable[[Any], Any]] = {"": lambda value: value, "s": str, "r": repr, "a": ascii}


def fstr(*pieces: Any) -> Any:
    """The f-string of `pieces`: texts, (value, conversion, format spec) triples, results of `formatted`."""
    values = [piece[0] if type(piece) is tuple else piece for piece in pieces]
    specs = [piece[2] for piece in pieces if type(piece) is tuple]
    stage = claiming_any(values) or claiming_any(specs)
    if stage is not None:
        text = stage.fstr(pieces)
        if text is not NotImplemented:
            return text
        return "".join([piece if type(piece) is str else _plainly(*piece) for piece in pieces])
    texts = [piece if type(piece) is str else _text(*piece) for piece in pieces]
    stage = claiming_any(texts)
    if stage is not None:
        return stage.fstr(tuple([text if type(text) is str else (text, "", "") for text in texts]))
    return texts[0] if len(texts) == 1 else "".join(texts)


def formatted(value: Any, conversion: str = "", spec: Any = "") -> Any:
    """One piece, formatted before the next one is evaluated; a triple for `fstr` where its stage wants that.

    >>> formatted(255, "", "x")
    'ff'
    """
    stage = claiming_any((value, spec))
    if stage is None:
        return _text(value, conversion, spec)
    text = stage.formatted(value, conversion, spec)
    return (value, conversion, spec) if text is NotImplemented else text


def percent(text: str, values: Any) -> Any:
    """`text % values`, of a text that stands there.

    >>> percent("%d of %s", (2.5, "3"))
    '2 of 3'
    """
    stage = active_stage()
    if stage is not None:
        result = stage.percent(text, values)
        if result is not NotImplemented:
            return result
    return text % values


def _text(value: Any, conversion: str, spec: str) -> Any:
    stage = active_stage()
    if stage is not None:
        text = stage.text(value, conversion, spec)
        if text is not NotImplemented:
            return text
    return _plainly(value, conversion, spec)


def _plainly(value: Any, conversion: str, spec: Any) -> str:
    return format(_CONVERSIONS[conversion](value), spec)
