"""What a function reads from outside may change between calls, all of it: the next call sees the change.

A row is what `f` returns (or which function `f` is), and the changes, made one after the other.
"""

import itertools

import numpy as np
import pytest

import autograph
import runtime as rt
from tests.modules import module_of

WORLD = """
import collections, dataclasses, enum, functools, math, types
import numpy as np
import runtime as rt

scale, flag, mode, nothing, weights, pair = 2.0, True, "double", None, np.ones(3), (1.0, np.ones(3))
table, stack, names, steps = {"a": 1.0, "b": 2.0}, [1.0, 2.0], {"a"}, range(3)
nested, kind, name = {"layers": [{"w": 1.0}, {"w": 2.0}]}, np.dtype("f4"), "scale"
Named = collections.namedtuple("Named", "a b")
Color = enum.Enum("Color", "RED BLUE")
class Derived(dict):
    def scaled(self, x): return x * self["a"]
named, color, derived, tensor = Named(1.0, 2.0), Color.RED, Derived(a=1.0), rt.constant([1.0, 2.0, 3.0])
ordered, queue = collections.OrderedDict(a=1.0), collections.deque([1.0, 2.0])
factory, counter = collections.defaultdict(float, a=1.0), collections.Counter("aab")

class Settings:
    rate = 0.5
    def __init__(self, scale=2.0): self.scale = scale
    def apply(self, x): return x * self.scale * self.rate
    @property
    def double(self): return self.scale * 2
    @classmethod
    def make(cls, x): return x * cls.rate
    @staticmethod
    def add(x): return x + 1
class Other(Settings):
    rate = 3.0
    def apply(self, x): return x - 1
class Slotted:
    __slots__ = ("scale",)
@dataclasses.dataclass
class Point:
    x: float
    y: float
@dataclasses.dataclass(frozen=True)
class Frozen:
    x: float
class Layer:
    rate = 1.0
    def __init__(self, w=2.0): self.w = w
    def __add__(self, other): return self.w + other
    def __call__(self, x): return x * self.w
    def run(self, x, k=2.0): return x * k * self.rate
class Deep(Layer):
    pass
class Above(Layer):
    def run(self, x): return super().run(x) + 1
settings, slotted, point, frozen, layer = Settings(), Slotted(), Point(1.0, 2.0), [Frozen(1.0)], Layer()
slotted.scale, deep, above, called = 1.0, Deep(), Above(), layer.__call__
space = types.SimpleNamespace(a=1.0, inner=types.SimpleNamespace(b=2.0))
box = types.SimpleNamespace(left=settings, right=settings)

def helper(x): return x * 2
def other(x): return x * 3
def defaulted(x, k=2.0): return x * k
def keyworded(x, *, k=2.0): return x * k
def listed(x, ks=[1.0]): return x * sum(ks)
def counted(x): return x * counted.scale
def aliased(x):
    box.left.scale = x[0]
    return box.right.scale * x
def around():
    factor = 2.0
    def read(x): return x * factor
    def put(value):
        nonlocal factor
        factor = value
    return read, put
def all_of(x):
    for g in functions: x = g(x)
    return x
read, put = around()
helper.scale = counted.scale = 2.0
module = types.ModuleType("configuration")
module.rate, module.inner, module.run = 1.0, types.ModuleType("configuration.inner"), helper
module.inner.rate = 5.0
bound = functools.partial(lambda k, x, *, m: x * k + m, 2.0, m=1.0)
run, functions, inner = [bound], [lambda x: x * 2, lambda x: x + 1], rt.function(lambda x: x * scale)
"""
CHANGES = {
    # numbers, arrays and containers
    "x * scale": ["scale = 3.0", "scale = 4", "scale = np.ones(3)", "scale = True", "scale = np.float32(2)"],
    "x * 2 if flag else x": ["flag = False", "flag = True"],
    "x * 2 if mode == 'double' else x": ["mode = 'single'", "mode = 'double'"],
    "x if nothing is None else x * nothing": ["nothing = 2.0", "nothing = np.ones(3)", "nothing = None"],
    "x * weights": [
        "weights[1] = 10.0", "weights.fill(1.0)", "weights = np.zeros(3)", "weights = np.arange(3)",
        "weights = np.ones((2, 3))", "weights = np.ones(3, 'f4')",
    ],
    "x * pair[0] + pair[1]": ["pair = (2.0, np.zeros(3))", "pair[1].fill(7)"],
    "x * table['a']": ["table.update(a=5.0)", "table.update(a=np.ones(3))"],
    "x + sum(table.values())": ["table.update(c=9.0)", "table.pop('a')", "table.clear()"],
    "(x * 2 if 'z' in table else x) * table.get('z', 3.0)": ["table.update(z=1)", "table.pop('z')"],
    "x * stack[0]": ["stack[0] = 8.0"],
    "x * len(stack) + sum(stack)": ["stack.append(5.0)", "stack.pop(0)", "stack[:] = [1.0]", "stack = [4.0]"],
    "x * sum([layer['w'] for layer in nested['layers']])": [
        "nested['layers'][1].update(w=7.0)", "nested['layers'].append({'w': 3.0})", "nested['layers'].pop()",
    ],
    "x * named.a + named.b": ["named = Named(3.0, np.ones(3))"],
    "x * 2 if color is Color.RED else x": ["color = Color.BLUE", "color = Color.RED"],
    "x * color.value": ["color = Color.BLUE"],
    "x * 2 if 'b' in names else x": ["names.add('b')", "names.discard('b')"],
    "x * ordered['a']": ["ordered.update(a=4.0)"],
    "x * queue[0]": ["queue.appendleft(5.0)", "queue.popleft()"],
    "x * factory['a']": ["factory.update(a=4.0)"],
    "x * counter['a']": ["counter.update('a')"],
    "derived.scaled(x)": ["derived.update(a=4.0)"],
    "tensor * x": ["tensor.numpy().fill(8.0)", "tensor = rt.constant([4.0, 5.0, 6.0])"],
    "aliased(x)": ["box.right = Settings(5.0)", "box.right = box.left"],
    "abs(x)": ["abs = lambda x: x * 100", "del abs"],
    "x + sum(steps)": ["steps = range(5)"],
    "x.astype(kind)": ["kind = np.dtype('f8')"],
    # functions
    "f = read": ["put(3.0)", "put(np.ones(3))", "read.__closure__[0].cell_contents = 7.0"],
    "read(x) + 1": ["put(8.0)", "read = lambda x: x * 3"],
    "helper(x)": ["helper.__code__ = other.__code__", "helper = lambda x: x - 1"],
    "helper(x) * helper.scale": ["helper.scale = 3.0"],
    "f = helper": ["helper.__code__ = other.__code__"],
    "f = counted": ["counted.scale = 3.0", "counted.scale = np.ones(3)"],
    "f = defaulted": ["defaulted.__defaults__ = (5.0,)", "defaulted.__defaults__ = (np.ones(3),)"],
    "defaulted(x)": ["defaulted.__defaults__ = (5.0,)", "defaulted.__defaults__ = (6,)"],
    "f = keyworded": ["keyworded.__kwdefaults__ = {'k': 5.0}", "keyworded.__kwdefaults__.update(k=3.0)"],
    "keyworded(x)": ["keyworded.__kwdefaults__ = {'k': 5.0}", "keyworded.__kwdefaults__.update(k=3)"],
    "f = listed": ["listed.__defaults__[0].append(5.0)", "listed.__defaults__[0][0] = 4.0"],
    "x * module.rate": ["module.rate = 7.0", "module.rate = np.ones(3)"],
    "x * module.inner.rate": ["module.inner.rate = 7.0", "module.inner = types.SimpleNamespace(rate=3.0)"],
    "x * math.tau": ["math.tau = 1.0", f"math.tau = {2 * np.pi}"],
    "module.run(x)": ["module.run = lambda x: x - 5"],
    "run[0](x)": ["bound.keywords.update(m=9.0)", "run[0] = functools.partial(defaulted, k=3.0)"],
    "all_of(x)": ["functions.reverse()", "functions.append(lambda x: x * 10)", "functions.pop()"],
    "inner(x) + 1": ["scale = 9.0"],
    # objects and their classes
    "x * settings.scale": ["settings.scale = 5.0", "settings.scale = np.ones(3)"],
    "settings.apply(x)": [
        "Settings.rate = 4.0", "settings.rate = 6.0", "del settings.rate", "settings.__class__ = Other",
        "settings.__class__ = Settings", "settings = Settings(7.0)",
        "Settings.apply = lambda self, x: x + 100", "settings.apply = lambda x: x + 200",
        "del settings.apply",
    ],
    "x * settings.double": ["settings.scale = 5.0", "Settings.double = property(lambda s: 9.0)"],
    "x * Settings.rate": ["Settings.rate = 4.0"],
    "x * type(settings).rate": ["Settings.rate = 4.0"],
    "Settings.make(x)": ["Settings.rate = 4.0", "Settings.make = classmethod(lambda cls, x: x + 5)"],
    "Settings.add(x)": ["Settings.add = staticmethod(lambda x: x + 5)"],
    "x * getattr(Settings, 'extra', 1.0)": ["Settings.extra = 4.0", "del Settings.extra"],
    "x * getattr(settings, 'extra', 1.0)": ["settings.extra = 4.0", "del settings.extra"],
    "x * 2 if hasattr(settings, 'extra') else x": ["settings.extra = 4.0", "del settings.extra"],
    "x * getattr(settings, name)": ["name = 'rate'"],
    "x * 2 if isinstance(settings, Point) else x": ["settings = point", "settings = Settings()"],
    "layer + x": ["Layer.__add__ = lambda self, other: self.w - other"],
    "layer(x)": ["Layer.__call__ = lambda self, x: x + self.w", "layer.w = 9.0"],
    "called(x)": ["layer.w = 9.0"],
    "layer.run(x)": ["Layer.run.__defaults__ = (9.0,)"],
    "deep.run(x)": [
        "Layer.rate = 5.0", "Deep.rate = 7.0", "del Deep.rate", "Deep.run = lambda self, x: x * 50",
    ],
    "above.run(x)": ["Layer.run = lambda self, x: x * 50"],
    "x * Layer(2.0).w": ["Layer.__init__ = lambda self, w: setattr(self, 'w', w * 10)"],
    "x * slotted.scale": ["slotted.scale = 5.0"],
    "x * point.x + point.y": ["point.x = 5.0", "point.y = 0"],
    "x * frozen[0].x": ["frozen[0] = Frozen(5.0)"],
    "x * space.a + space.inner.b": [
        "space.a = 2.0", "space.inner.b = 9.0", "space.inner = types.SimpleNamespace(b=0.0)",
    ],
}  # fmt: skip


def world(program):
    f = program if program.startswith("f = ") else f"def f(x):\n    return {program}"
    return module_of(f"{WORLD}\n{f}\n")


@pytest.mark.parametrize(
    ("program", "engine"), [*zip(CHANGES, itertools.cycle(["numpy", "native", "native"]))], ids=str
)
def test_a_change_is_seen(program, engine):
    plain, ours = world(program), world(program)
    decorated, x, seen = rt.function(ours["f"], engine=engine), np.array([1.0, -2.0, 3.0]), []
    for change in ["pass", *CHANGES[program]]:
        for names in (plain, ours):
            exec(compile(change, autograph.register_source(change), "exec"), names)
        seen.append(repr(plain["f"](x)))
        for _ in range(2):
            assert repr(decorated(x)) == seen[-1], change
    assert any(one != seen[0] for one in seen), "no change can be seen in plain Python"
