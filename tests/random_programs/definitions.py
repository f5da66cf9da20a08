"""What the features of containers.py and structures.py need: definitions of the module, variables of `f`."""

PREAMBLE = {
    "generator": """
def falling(v, n):
    for k in range(n % 5):
        if v > k:
            yield v + k
        v = v * 0.5


def until(w, most):
    total = np.float64(0.0)
    for x in w:
        total = total + x
        if total > most:
            return
        yield total
    yield from falling(total, 2)
""",
    "closure": """
def counter(start):
    total = start

    def add(v):
        nonlocal total
        if v > 0:
            total = total + v
        return total

    return add
""",
    "property": """
class Gauge:
    sets = 0

    def __init__(self, level):
        self._level = level

    @property
    def level(self):
        return self._level

    @level.setter
    def level(self, v):
        if v > 8:
            raise ValueError(f"over {v}")
        Gauge.sets += 1
        self._level = v

    def __call__(self, d):
        self.level += d
        return self

    def __bool__(self):
        return bool(self._level > 0)

    def __getitem__(self, k):
        return self._level * k
""",
    "linked": """
class Node:
    def __init__(self, v, after):
        self.v = v
        self.after = after
""",
    "manager": """
import contextlib


@contextlib.contextmanager
def watched(v):
    print('watch', v)
    try:
        yield v * 2
    except IndexError as e:
        print('watched', e)
        raise KeyError('watched') from e
    finally:
        print('unwatch', v)
""",
    "own_error": """
class Fault(ValueError):
    def __init__(self, code, v):
        super().__init__(f"fault {code}")
        self.code = code
        self.v = v
""",
    "deque": "\nimport collections\n",
    "fold": "\nimport functools\nimport itertools\n",
}
#: feature -> kind, name and value of a variable of `f`, and whether `f` returns it
OPENING = {
    "deque": ("queue", "queue", "collections.deque([v0])", True),
    "set": ("seen", "seen", "set()", True),
    "mapping": ("counts", "counts", "{}", True),
    "closure": ("counter", "count0", "counter(v0)", False),
    "property": ("gauge", "gauge0", "Gauge(v0)", True),
    "linked": ("linked", "head", "None", True),
    "words": ("words", "words", "['w']", True),
    "own_error": ("faults", "faults", "[]", True),
    "grid": ("grid", "grid", "[[v0, v0], [v0, np.float64(0.5)]]", True),
}
