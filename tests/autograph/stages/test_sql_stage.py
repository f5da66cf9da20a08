"""A second language brought in by the Stage protocol, with public names only: Python that becomes SQL.

A function of a row becomes one SQL expression, `if` becomes CASE, and SQLite says what it gives.
"""

import inspect
import sqlite3
from contextlib import closing

import pytest

import autograph
from autograph.operators import Undefined, and_, or_
from tests.differential import registered

ROWS = [(a, b) for a in (-3, 0, 1, 4, 7) for b in (-2, 0, 3, 5)]


class Sql:
    """An SQL expression."""

    __hash__ = None

    def __init__(self, text):
        self.text = text

    def __repr__(self):
        return self.text


OPERATORS = dict(add="+", sub="-", mul="*", lt="<", gt=">", le="<=", ge=">=", eq="IS", ne="IS NOT")
for name, sign in OPERATORS.items():
    setattr(Sql, f"__{name}__", lambda x, y, sign=sign: Sql(f"({literal(x)} {sign} {literal(y)})"))
    setattr(Sql, f"__r{name}__", lambda y, x, sign=sign: Sql(f"({literal(x)} {sign} {literal(y)})"))


def literal(value):
    if isinstance(value, Undefined) or value is None:
        return "NULL"
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    return str(int(value)) if isinstance(value, bool) else repr(value)


class SqlStage(autograph.Stage):
    name = "sql"
    tracing = False

    def active(self):
        return self.tracing

    def claims(self, value):
        return isinstance(value, Sql)

    def if_stmt(self, cond, body, orelse, state):
        before, after = state.get(), []
        for block in (body, orelse):
            state.set(before)
            block()
            after.append(state.get())
        state.set(tuple(self.case(cond, a, b) for a, b in zip(*after)))

    def case(self, cond, a, b):
        if a is b:
            return a
        if isinstance(a, tuple) and isinstance(b, tuple) and len(a) == len(b):
            return tuple(self.case(cond, x, y) for x, y in zip(a, b))
        return Sql(f"CASE WHEN {cond} THEN {literal(a)} ELSE {literal(b)} END")

    def for_rest(self, iterator, test, body, state):
        for item in iterator:  # the items are Python's; what is left of the loop depends on the row
            go_on = test()
            if go_on is False:
                return
            self.if_stmt(go_on, lambda item=item: body(item), lambda: None, state)

    def if_exp(self, cond, then, orelse):
        return self.case(cond, then(), orelse())

    def and_(self, a, thunks):
        return self.case(a, and_(thunks[0](), *thunks[1:]), a)

    def or_(self, a, thunks):
        return self.case(a, a, or_(thunks[0](), *thunks[1:]))

    def not_(self, a):
        return Sql(f"(NOT {a})")

    def in_(self, item, container):
        return Sql(f"({item} IN ({', '.join(map(literal, container))}))")

    def is_(self, a, b):
        return Sql(f"({literal(a)} IS {literal(b)})")

    def fstr(self, pieces):
        parts = [piece if isinstance(piece, str) else piece[0] for piece in pieces]
        return Sql("(" + " || ".join(map(literal, parts)) + ")")

    def call(self, function, args, kwargs):
        if function in (min, max, abs) and any(map(self.claims, args)):
            return Sql(f"{function.__name__}({', '.join(map(literal, args))})")
        return NotImplemented


stage = SqlStage()


@pytest.fixture(autouse=True)
def stage_is_registered():
    with registered(stage):
        yield


def query(function):
    columns = list(inspect.signature(function).parameters)
    stage.tracing = True
    try:
        result = autograph.convert(function)(*map(Sql, columns))
    finally:
        stage.tracing = False
    return literal(result)


def answers(function):
    """What SQLite gives for each row."""
    with closing(sqlite3.connect(":memory:")) as database:
        database.execute("CREATE TABLE t (a, b)")
        database.executemany("INSERT INTO t VALUES (?, ?)", ROWS)
        return [row for (row,) in database.execute(f"SELECT {query(function)} FROM t ORDER BY rowid")]


def grade(a, b):
    if a > 3:
        return "high"
    elif a > 0 and b > 0:
        return "fair"
    return f"{a} of {b}"


def clipped(a, b):
    low, high = (0, b) if b > 0 else (b, 0)
    if a < low:
        a = low
    elif a > high:
        a = high
    return a * 10 + max(low, high, a)


def first_power_above(a, b):
    power = found = 1
    for _ in range(4):
        power = power * 2
        if power > a:
            found = power
            break
    else:
        found = -1
    return found


def skipped(a, b):
    total = 0
    for k in (1, 2, 5):
        if a == k - 1 or not b > k:
            continue
        total += k * a
        if total > 9:
            return total
    return 0 - total


def matched(a, b):
    match a:
        case 0 | 1:
            return 10
        case 4 if b > 0:
            return 20
        case _:
            return 30 if a in (7, 8) else 40


def optional(a, b):
    best = None
    if a > 0:
        best = a
    if b > 0 and (best is None or b > best):
        best = b
    return -1 if best is None else best


def calls(a, b):
    def square(x):
        return x * x if x > 0 else abs(x)

    return square(a) - square(b - a)


@pytest.mark.parametrize("f", [grade, clipped, first_power_above, skipped, matched, optional, calls])
def test_sqlite_gives_what_python_gives(f):
    assert answers(f) == [f(*row) for row in ROWS]


def test_the_text_is_an_expression():
    assert query(lambda a, b: a + 1 if a < b else b) == "CASE WHEN (a < b) THEN (a + 1) ELSE b END"


def test_what_the_stage_has_not_is_refused_at_the_line():
    def f(a, b):
        while a > b:
            a = a - 1
        return a

    with pytest.raises(autograph.StagingError, match="a `while` loop over values of stage 'sql'") as error:
        query(f)
    assert error.value.line == f.__code__.co_firstlineno + 1


def test_an_assertion_is_refused_at_the_line():
    def f(a, b):
        assert a > b, "a"
        return a

    with pytest.raises(autograph.StagingError, match="an `assert` statement over values of stage 'sql'"):
        query(f)


def test_without_a_trace_functions_are_plain_python():
    assert autograph.convert(grade)(5, 1) == "high"
