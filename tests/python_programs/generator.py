"""Random Python programs over every statement: a module with a function `f` of three plain values.

What they compute is nonsense; what counts is the order in which things happen. `say` prints and gives back, a
counter ends what runs too long, names may be unbound, anything may raise.

>>> from tests.random_programs.choices import seeded
>>> "(a, b, c):" in program(seeded(5))
True
"""

from __future__ import annotations

from tests.python_programs.expressions import Expressions
from tests.python_programs.statements import Lines, Statements, indented
from tests.random_programs.choices import Choices

PREAMBLE = """
import contextlib, functools

steps = 0
total = 0

class Limit(BaseException):
    pass

def say(value=None, *more):
    global steps
    steps += 1
    if steps > 300:
        raise Limit
    print('say', value, *more)
    return value

def fail(kind=ValueError, *args):
    say('fail', kind.__name__)
    raise kind(*args)

class Manager:
    def __init__(self, name, swallows=False):
        self.name, self.swallows = name, swallows
    def __enter__(self):
        say('enter', self.name)
        return self.name
    def __exit__(self, kind, error, traceback):
        say('exit', self.name, kind and kind.__name__)
        return self.swallows

class Truth:
    def __init__(self, value):
        self.value = value
    def __bool__(self):
        say('truth', self.value)
        return bool(self.value)
    def __eq__(self, other):
        say('eq', self.value)
        return self.value == getattr(other, 'value', other)
    def __lt__(self, other):
        say('lt', self.value)
        return Truth(self.value < getattr(other, 'value', other))
    def __repr__(self):
        return f'Truth({self.value!r})'
    __hash__ = None

class Box:
    kind = 'box'
    __match_args__ = ('value', 'other')
    def __init__(self, value=0, other=None):
        self.value, self.other = value, other
    def grow(self, by=1):
        if by:
            self.value += by
        return self
    @property
    def double(self):
        return self.value * 2 if self.value else say('empty')
    @classmethod
    def make(cls, value):
        return cls(value) if value else cls(1, other=value)
    def __repr__(self):
        return f'Box({self.value!r}, {self.other!r})'

class Crate(Box):
    def grow(self, by=1):
        return super().grow(by * 2 if by else 1)

def count(n):
    i = 0
    while i < n:
        sent = yield i
        if sent:
            say('sent', sent)
        i += 1
    return 'counted'

def twice(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        return function(*args, **kwargs), function(*args, **kwargs)
    return wrapper

async def later(value):
    say('later', value)
    return value

def drive(coroutine):
    try:
        while True:
            coroutine.send(None)
    except StopIteration as stop:
        return stop.value
"""

CALLS: tuple[tuple[object, ...], ...] = (
    (0, 1, [1, 2, 3]),
    (2, -1, []),
    (1, 3, {"k": 1, 2: "v"}),
    ("ab", 0, (1, (2, 3))),
    (5, 2, None),
)


def program(choices: Choices) -> str:
    """The text of a program, to follow the preamble."""
    lines: Lines = []
    statements = Statements(choices, Expressions(choices))
    if choices.chance(30):
        statements.declare_global()
    for _ in range(choices.integer(2, 6)):
        lines += statements.statement(depth=0)
    lines += statements.ending()
    body = [*statements.declarations(), *lines]
    kind = "async def" if statements.is_async else "def"
    text = [f"{kind} {statements.name}(a, b, c):", *indented(body)]
    if statements.is_async:
        text += ["def f(a, b, c):", "    return drive(g(a, b, c))"]
    return "\n".join(text) + "\n"
