"""What keeps a state without objects: closures, globals, defaults, generators."""

from tests.random_programs.object_parts import Part

FUNCTION_PARTS = {
    "closures": Part(
        """\
def counter(start):
    total, calls = start, 0

    def add(v):
        nonlocal total, calls
        calls += 1
        if v > total:
            total = total + v
        return total

    def reset():
        nonlocal total
        total = start
        return calls

    def nested(v):
        def deeper():
            nonlocal calls
            calls += 10
            return add(v)
        return deeper() if v > 0 else calls

    return add, reset, nested


def makers(values):
    made = []
    for one in values:
        made.append(lambda d: one + d)
    return made


def bound(values):
    return [lambda d, one=one: one + d for one in values]


ADD, RESET, NESTED = counter(0.5)
""",
        (
            "add, reset, nested = counter($v)",
            "late = makers([$v, $v])",
            "early = bound([$v, $v])",
            "def bump(d):\n        nonlocal a\n        a = a + d\n        return a",
            "def keep(d, held=[]):\n        held.append(d)\n        return len(held)",
        ),
        ("add", "nested", "ADD", "NESTED", "bump"),
        (
            "a = $o($v)",
            "b = $o($v)",
            "reset()",
            "k = RESET()",
            "k = keep($v)",
            "b = late[$i % 2]($v)",
            "b = early[$i % 2]($v)",
            "chosen = $o if $t else $o\nb = chosen($v)",
            "late = makers([a, b, $v])",
            "add, reset, nested = counter(a)",
            "funcs = []\nfor j in range(3):\n    funcs.append(lambda d: d + j)\nb = funcs[0]($v)",
            "def bump(d):\n    nonlocal b\n    b = b - d\n    return b",
            "bump($v)",
            "steps = [lambda: a, lambda: bump(1.0), lambda: b]\na = steps[$i % 3]()",
        ),
        ("$o($v)", "late[0]($v)", "early[1]($v)", "keep($v)", "RESET()"),
        ("$o($v) > $v", "reset() > $i"),
        ("add(0.0)", "nested(-1.0)", "ADD(0.0)", "bump(0.0)", "keep(0.0)"),
    ),
    "globals": Part(
        """\
TOTAL = 0.0
COUNT = 0
LAST = None
MEMO = {}
LOG = []


def note(v, log=LOG, marks={}):
    global TOTAL, COUNT, LAST
    COUNT += 1
    if v > TOTAL:
        TOTAL = TOTAL + v
        LAST = v
    if len(log) < 6:
        log.append(COUNT)
    marks[COUNT % 2] = v
    return marks


def costly(k):
    if k in MEMO:
        return MEMO[k]
    global COUNT
    COUNT += 100
    MEMO[k] = value = TOTAL + k
    return value


def fib(k, memo={0: 0, 1: 1}):
    if k not in memo:
        memo[k] = fib(k - 1) + fib(k - 2)
    return memo[k]


def collect(v, into=None, seen=[]):
    into = seen if into is None else into
    if v > 0 and len(into) < 5:
        into.append(v)
    return into
""",
        ("mine = []",),
        ("mine",),
        (
            "note($v)",
            "marks = note($v)\na = marks.get(0, $v)",
            "a = costly(k)",
            "a = costly($i)",
            "b = fib($i)",
            "collect($v)",
            "collect($v, mine)",
            "mine = collect($v)",
            "LOG.clear()",
            "MEMO.pop($i, None)",
            "if LAST is not None:\n    a = LAST",
            "mine = [*mine, TOTAL][:4]",
            "k = COUNT",
        ),
        ("TOTAL", "COUNT", "len(LOG)", "costly($i)", "fib($i)", "len(collect($v))", "(LAST or 0.0)"),
        ("TOTAL > $v", "LAST is None", "k in MEMO", "COUNT % 2 == 0", "mine is LOG"),
        (
            "mine",
            "TOTAL",
            "COUNT",
            "LAST",
            "dict(MEMO)",
            "list(LOG)",
            "list(note(0.0).items())",
            "collect(-1.0) is mine",
        ),
    ),
    "generators": Part(
        """\
def running(v):
    total = v
    while True:
        sent = yield total
        if sent is not None:
            total += sent
        else:
            total *= 0.5


def falling(v, n):
    try:
        for k in range(n):
            if v < k:
                return v
            yield v
            v = v - 1.0
    finally:
        print('over', float(v))


def chained(v):
    left = yield from falling(v, 2)
    yield left or 0.25


class Source:
    def __init__(self, values):
        self.values = values
        self.k = 0

    def __iter__(self):
        return self

    def __next__(self):
        if self.k >= len(self.values):
            raise StopIteration
        self.k += 1
        return self.values[self.k - 1]
""",
        ("gen = falling($v, 3)", "src = Source(x)", "run = running($v)", "a = next(run)"),
        ("gen", "src"),
        (
            "a = next($o, $v)",
            "b = next(run)",
            "try:\n    a = next($o)\nexcept StopIteration as stop:\n    print('stopped', stop.value)",
            "for one in $o:\n    if one > $v:\n        break\n    a += one",
            "for one in chained($v):\n    b += one",
            "src = Source(x[:2])",
            "src.k = 0",
            "gen = chained($v)",
            "gen = (one * 2 for one in src)",
            "a = sum($o)",
            "b = max(falling($v, k), default=$v)",
        ),
        ("next($o, $v)", "src.k", "next(run)", "sum(chained($v))"),
        ("src.k > $i", "next($o, $v) > $v", "any(one > $v for one in src)"),
        ("src.k", "next(src, None)", "next(run)"),
    ),
}
