"""Exceptions that only a run knows one by one: kept in lists, raised in a recursion, chosen by a loop.

Those of the user's classes are references, with attributes and methods; of others a program can ask for what
Python itself keeps: the class, the arguments, the text and the cause.
"""

from __future__ import annotations

from collections import deque

import numpy as np
import pytest

import runtime as rt
from autograph.errors import StagingError
from tests.differential import Call, check
from tests.programs import Programs
from tests.runtime.exceptions.errors import AppError, NotFound

PROGRAMS = Programs()
CALLS = [(np.array(items),) for items in ([1.0, 2.0, -3.0], [-1.0, 5.0, 0.0], [0.0, 0.0, 0.0])]
case = PROGRAMS.of(*CALLS)


class Busy(AppError):
    def __init__(self, code, wait):
        super().__init__(code, "busy")
        self.wait = wait

    def __str__(self):
        return f"busy {super().__str__()} {self.wait:.1f}"


class Plain(ValueError):
    pass


@case
def of_classes_of_the_user(x):
    errors = []
    for v in x:
        try:
            if v > 1:
                raise NotFound(v)
            if v < 0:
                raise Busy(v, v * 2)
        except AppError as e:
            errors.append(e)
    seen = [(e.code, str(e), e.describe(), e.double, type(e).__name__, e.args) for e in errors]
    return seen, len(errors), [str(e) for e in errors], [repr(e) for e in errors]


@case
def of_python_s_classes(x):
    errors = []
    for v in x:
        try:
            if v > 1:
                raise ValueError("big")
            if v < 0:
                raise KeyError("negative")
            x[1 // int(v) + 7]
        except (ValueError, KeyError, ZeroDivisionError, IndexError) as e:
            errors.append(e)
    return [(str(e), type(e).__name__, isinstance(e, KeyError), e.args) for e in errors]


@case
def of_both(x):
    errors = {}
    for i, v in enumerate(x):
        try:
            errors[i] = None
            if v > 1:
                raise NotFound(v)
            if v < 0:
                raise Plain("negative", i)
        except (AppError, Plain) as e:
            errors[i] = e
    return [(k, repr(e)) for k, e in errors.items()]


@case
def changed_after_it_was_kept(x):
    errors = []
    for v in x:
        try:
            if v < 0:
                raise ValueError("negative", v)
        except ValueError as e:
            errors.append(e)
            e.args = ("other",)
            e.extra = v
    return errors, [str(e) for e in errors]


@case
def which_is_which(x):
    errors, same = [], []
    for v in x:
        try:
            if v < 0:
                raise ValueError("negative", v)
            if v > 1:
                raise KeyError("big", v)
        except (ValueError, KeyError) as e:
            errors.append(e)
            same.append((errors[-1] is e, e in errors, errors.index(e), errors[0] is e))
    return same


@case
def the_last_is_raised(x):
    errors = []
    for v in x:
        try:
            if v < 0:
                raise NotFound(v, "negative")
            if v > 1:
                raise Busy(v, 1.0)
        except AppError as e:
            e.detail = "seen"
            errors.append(e)
    try:
        if errors:
            raise errors[-1]
    except AppError as e:
        return e.code, e.detail, str(e)
    return x[0], "", ""


@case
def as_the_cause_of_another(x):
    errors = []
    for v in x:
        if v < 0:
            errors.append(NotFound(v, "late"))
    if errors:
        raise Plain("sum") from errors[0]
    return x


@case
def with_causes(x):
    errors = []
    for v in x:
        try:
            try:
                if v < 0:
                    raise ValueError("negative")
            except ValueError as e:
                raise NotFound(v) from e
        except AppError as e:
            errors.append(e)
    return [(e.code, str(e.__cause__), type(e.__cause__).__name__) for e in errors]


@case
def the_worst(x):
    worst = None
    for v in x:
        try:
            if v != 0:
                raise NotFound(abs(v))
        except NotFound as e:
            if worst is None or e.code > worst.code:
                worst = e
    return worst.code if worst else x[0]


@case
def sorted_by_what_they_hold(x):
    errors = []
    for v in x:
        try:
            if v != 0:
                raise NotFound(v)
        except NotFound as e:
            errors.append(e)
    errors.sort(key=lambda e: e.code)
    return [e.code for e in errors], errors


@case
def in_a_deque_and_taken_out(x):
    waiting = deque(maxlen=2)
    for v in x:
        if v != 0:
            waiting.append(ValueError(f"v{v:.0f}"))
    out = []
    while waiting:
        e = waiting.popleft()
        try:
            raise e
        except ValueError as f:
            out.append((str(f), f is e))
    return out


@case
def their_classes(x):
    kinds = []
    for v in x:
        try:
            if v < 0:
                raise ValueError("negative")
            1 // int(v)
        except Exception as e:
            kinds.append(type(e))
    return [k.__name__ for k in kinds]


def walk(x, i):
    if i >= len(x):
        return x[0] * 0
    if x[i] < 0:
        raise Busy(x[i], x[i] * i)
    if x[i] > 4:
        raise NotFound(x[i])
    return x[i] + walk(x, i + 1)


@case
def out_of_a_call_that_calls_itself(x):
    try:
        return walk(x, 0), "ok", x[0]
    except Busy as e:
        return e.code, e.detail, e.wait
    except AppError as e:
        return e.code, e.describe(), e.double


class Parser:
    def __init__(self, tokens):
        self.tokens = tokens
        self.place = 0

    def take(self):
        token = self.tokens[self.place] if self.place < len(self.tokens) else -1
        self.place += 1
        return token

    def value(self):
        token = self.take()
        if token == 9:
            found = self.value() + self.value()
            if self.take() != 8:
                raise ParseError("not closed", self.place)
            return found
        if token < 0:
            raise ParseError("at the end", self.place)
        return token * 1.5


class ParseError(Exception):
    def __init__(self, words, place):
        super().__init__(f"{words} at {place}")
        self.words, self.place = words, place


@PROGRAMS.of(
    *[(np.array(tokens),) for tokens in ([3], [9, 1, 2, 8], [9, 1, 9, 2, 3, 8, 8], [9, 1, 2], [9, 1])]
)
def where_a_parser_failed(tokens):
    parser = Parser(tokens)
    try:
        found = parser.value()
    except ParseError as e:
        return str(e), parser.place
    return "parsed", parser.place, f"{found}"


class Depth(Exception):
    def __init__(self, depth):
        self.depth = depth


def dive(x, depth):
    if depth > 3:
        raise Depth(depth)
    try:
        return dive(x - 1, depth + 1) if x > 0 else depth
    except Depth as e:
        if e.depth > 3 and x < 4:
            raise Depth(e.depth * 10 + depth) from None
        raise


@PROGRAMS.of((5.0,), (2.0,), (-1.0,))
def raised_again_on_the_way_out(x):
    try:
        return dive(x, 0), "ok"
    except Depth as e:
        return e.depth, str(e)


@case
def kept_where_every_path_goes_through_the_handler(x):
    kept, table = [], {}
    try:
        raise NotFound(x[0])
    except NotFound as e:
        kept.append(e)
        table["last"] = e
    try:
        raise ValueError("plain", x[1])
    except ValueError as e:
        kept.append(e)
    return kept, str(table["last"]), kept[0] is table["last"], table["last"].code


class Keeper:
    def __init__(self):
        self.last = None


@case
def kept_in_an_attribute(x):
    keeper = Keeper()
    try:
        raise NotFound(x[0])
    except NotFound as e:
        keeper.last = e
    return str(keeper.last), keeper.last.code


@case
def one_of_python_s_own_classes_beside_those_of_the_user(x):
    """Random programs 14300447 and 14003484: the class was asked of a ValueError that the trace knew."""
    errors = []
    try:
        try:
            if x[0] > 0:
                raise NotFound(x[0])
        except NotFound as e:
            print(e.code, e)
            errors.append(e)
        raise LookupError("made", x[1])
    except (LookupError, AppError) as e:
        print(type(e).__name__, e.args)
    return errors


def sinks(v):
    if v < -12:
        raise NotFound(v)
    if v < -3:
        return 1 // int(v - v)
    return v if v > 50 else sinks(v * 2)


@PROGRAMS.of((-1.0,), (-4.0,), (-13.0,), (1.0,))
def an_attribute_that_python_s_own_exception_has_not(x):
    try:
        return f"{sinks(x)}"
    except (AppError, ArithmeticError) as e:
        try:
            return f"{e.code}, {hasattr(e, 'code')}, {e}"
        except AttributeError as error:
            return f"{error} {getattr(e, 'code', None)}"


test_program = PROGRAMS.test()


def test_what_its_class_says_of_an_exception_is_not_ours():
    def sink(v):
        if v < -3:
            raise NotFound(v)
        return sink(v * 2)

    def looks(ask):
        def f(x):
            try:
                return sink(x)
            except NotFound as e:
                return ask(e)

        return f

    check(looks(lambda e: (hasattr(e, "nope"), getattr(e, "nope", 7))), Call(-1.0))
    check(looks(lambda e: (e.__doc__, e.__module__)), Call(-1.0), may_refuse=True)


KEPT = NotFound(np.float64(1.0))


@pytest.mark.parametrize(
    ("f", "what"),
    [
        (lambda x, _: KEPT.args, "KEPT"),
        (lambda x, error: error.args, "error"),
        (lambda x, error, errors=(ValueError("v"),): errors[0].args, r"errors\[0\]"),
    ],
)
def test_one_from_outside_is_refused(f, what):
    with pytest.raises(StagingError, match=rf"`{what}` is a .*, and no change of it"):
        rt.function(f)(1.0, ValueError("v") if what == "error" else 0.0)


def test_one_of_a_class_made_inside_that_was_there_before_the_try():
    def f(x):
        class Stop(Exception):
            pass

        stop = Stop("here")
        try:
            if x > 0:
                raise stop
        except Stop as e:
            return e is stop
        return None

    assert check(f, (1.0,), (-1.0,))


def test_an_attribute_of_what_a_recursion_raised_is_refused():
    def f(tokens):
        parser = Parser(tokens)
        try:
            return parser.value()
        except ParseError as e:
            return e.words

    with pytest.raises(StagingError, match="reading `words` of an exception of which only a run") as refused:
        rt.function(f)(np.array([9, 1, 9, 2, 3, 8, 8]))
    assert "str(error)" in (refused.value.hint or "")
