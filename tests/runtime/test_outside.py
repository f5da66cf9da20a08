"""What changes outside between calls is seen: programs print the same with and without `@rt.function`."""

import pytest

import runtime as rt
from autograph.errors import StagingError
from tests.errors.page import printed_by

HEAD = """
import array, collections, copy, dataclasses, datetime, decimal, enum, functools, math, sys, types

def twice(f, change):
    print(f(np.ones(1)))
    change()
    print(f(np.ones(1)))

class Empty:
    pass
"""

PROGRAMS = {
    "datetime64 arguments": """
@rt.function
def f(x):
    return x
print(f(np.datetime64("2020-01-01")), f(np.datetime64("2021-01-01")))
""",
    "numbers of a class of their own": """
class Meters(int): pass
class Ratio(float): pass
@rt.function
def f(x):
    return x + 1
print(f(Meters(3)), f(Meters(4)), f(Ratio(0.5)), f(Ratio(1.5)))
""",
    "enum members": """
class Mode(enum.Enum):
    FAST = 1
    SLOW = 2
class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2
@rt.function
def f(x):
    return (1 if x is Mode.FAST else 2), (x if x == Level.HIGH else 0)
print(f(Mode.FAST), f(Mode.SLOW), f(Level.LOW), f(Level.HIGH))
""",
    "strings of a class of their own": """
class Name(str): pass
@rt.function
def f(x):
    return x + "1"
print(f(Name("a")), f(Name("b")), f(np.str_("a")), f(np.str_("b")))
""",
    "frozensets": """
@rt.function
def f(x):
    return len(x)
print(f(frozenset([1])), f(frozenset([1, 2])))
""",
    "containers that no hook sees": """
class Names(list): pass
class Options(dict): pass
@rt.function
def f(x):
    return [item for item in x]
for made in (Names([1]), {1}, collections.deque([1])):
    print(f(made))
kept = Names([1])
print(f(kept))
kept[0] = 2
print(f(kept))
@rt.function
def g(x):
    return x["a"]
for made in (Options(a=1), Options(a=2), collections.OrderedDict(a=1), collections.defaultdict(int, a=3)):
    print(g(made))
""",
    "a global set grows": """
seen = set()
@rt.function
def f(x):
    return x * len(seen)
twice(f, lambda: seen.add(2))
""",
    "decimals and dates": """
@rt.function
def f(x):
    return x
print(f(decimal.Decimal(1)), f(decimal.Decimal(2)))
print(f(datetime.date(2020, 1, 1)), f(datetime.date(2021, 1, 1)))
""",
    "an attribute of a module": """
math.scale = 1
@rt.function
def f(x):
    return x * math.scale
twice(f, lambda: setattr(math, "scale", 2))
del math.scale
""",
    "a store to a module": """
@rt.function
def f(x):
    math.scale = x[0]
    return x
f(np.ones(1))
math.scale = 2
f(np.ones(1))
print(math.scale, type(math))
del math.scale
""",
    "arrays and lists of a module": """
config = types.ModuleType("config")
config.weights, config.layers = np.ones(1), [1]
@rt.function
def f(x):
    config.layers.append(len(config.layers))
    config.depth = len(config.layers)
    return x * config.weights
twice(f, lambda: setattr(config, "weights", np.full(1, 3.0)))
print(config.layers, config.depth, type(config))
""",
    "a global of a module and its attribute": """
text = "count = 0\\nlast = None\\ndef bump(x):\\n    global count\\n    count += 1\\n    return x + count\\n"
lib = types.ModuleType("lib")
exec(compile(text, autograph.register_source(text, "<lib>"), "exec"), lib.__dict__)
@rt.function
def f(x):
    lib.bump(x)
    lib.count += 10
    if x[0] > 0:
        lib.last = x[0]
    return lib.bump(x) + lib.count, getattr(lib, "last", None), hasattr(lib, "last")
print(f(-np.ones(1)), lib.count, f(np.ones(1)), lib.count, lib.last)
""",
    "an import in the function": """
config = types.ModuleType("config")
config.scale = 1
sys.modules["config"] = config
@rt.function
def f(x):
    import config
    from config import scale
    return x * config.scale + scale
twice(f, lambda: setattr(config, "scale", 2))
del sys.modules["config"]
""",
    "sys.argv": """
sys.argv = ["a"]
@rt.function
def f(x):
    return x * len(sys.argv)
twice(f, lambda: setattr(sys, "argv", ["a", "b"]))
""",
    "a SimpleNamespace": """
options = types.SimpleNamespace(scale=1)
@rt.function
def f(x):
    options.calls = x[0]
    return x * options.scale
twice(f, lambda: setattr(options, "scale", 2))
print(options)
@rt.function
def same(x):
    return options
print(same(1) is options)
""",
    "defaults and code of a callee": """
def g(x, k=1):
    return x * k
def h(x, k=1):
    return x - k
@rt.function
def f(x):
    return g(x)
twice(f, lambda: setattr(g, "__defaults__", (2,)))
g.__code__ = h.__code__
print(f(np.ones(1)))
""",
    "an attribute of a function": """
def g(): pass
g.scale = 1
@rt.function
def f(x):
    return x * g.scale
twice(f, lambda: setattr(g, "scale", 2))
""",
    "a deleted global": """
scale = 3
@rt.function
def f(x):
    global scale
    y = x * scale
    del scale
    return y
print(f(np.ones(1)), "scale" in globals())
scale = 4
print(f(np.ones(1)), "scale" in globals())
""",
    "copies of an object": """
box = Empty()
box.value, box.items = 1, [1]
@rt.function
def f(x):
    other, deep = copy.copy(box), copy.deepcopy(box)
    deep.items.append(other.value)
    other.value = x[0]
    return x * box.value, other.value, deep.items, box.items
twice(f, lambda: setattr(box, "value", 2))
box.items[0] = 5
print(f(np.ones(1)))
""",
}


@pytest.mark.parametrize("engine", ["numpy", "native"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_seen(name, engine, tmp_path):
    program = HEAD + PROGRAMS[name]
    plain = printed_by(program.replace("@rt.function\n", "\n"), tmp_path)
    assert "Error" not in plain
    assert printed_by(program, tmp_path, engine) == plain


@pytest.mark.parametrize("held", [[1.0], {"a": 1.0}])
def test_a_captured_container_that_holds_itself_is_refused_by_name(held):
    held.append([held]) if isinstance(held, list) else held.update(b=[held])
    with pytest.raises(StagingError, match="is a (list|dict) that holds itself"):
        rt.function(lambda x: x + len(held))(1.0)
