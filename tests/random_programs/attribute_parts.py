"""Attributes: of base classes, properties, slots, `__getattr__`, descriptors."""

from tests.random_programs.object_parts import Part

ATTRIBUTE_PARTS = {
    "inherited": Part(
        """\
class Account:
    rate = 0.5
    made = 0

    def __init__(self, v):
        self.v = v
        Account.made += 1

    def add(self, d):
        if d > 0:
            self.v = self.v + d * self.rate
        else:
            self.lose(d)
        return self

    def lose(self, d):
        self.v -= d

    @classmethod
    def open(cls, v):
        cls.made += 1
        return cls(v)


class Saving(Account):
    rate = 2.0

    def __init__(self, v, w=1.0):
        super().__init__(v)
        self.w = w

    def lose(self, d):
        super().lose(d * self.w)
        self.w = self.v


KEPT = Saving(1.0)
""",
        ("acc = Account($v)", "sav = Saving($v)"),
        ("acc", "sav", "acc", "sav", "KEPT"),
        (
            "$o.add($v)",
            "acc = $o.add($v)",
            "acc = Account($v)",
            "sav = Saving($v)",
            "sav = Saving.open($v)",
            "acc = $o",
            "acc, sav = sav, acc",
            "$o.rate = $v",
            "Account.rate = $v",
            "Saving.rate += 1.0",
            "$o.v = $v",
            "$o.v += $v",
            "try:\n    del $o.rate\nexcept AttributeError as error:\n    print(error)",
            "try:\n    $o.w *= 2\nexcept AttributeError as error:\n    print(error)",
            "if isinstance($o, Saving):\n    $o.w = $v",
            "move = $o.add\nacc = move($v)",
            "Account.lose($o, $v)",
            "setattr($o, 'v', $v)",
            "if hasattr($o, 'w'):\n    a = $o.w",
            "acc.other = $o",
            "acc = Saving($v) if $t else $o",
            "print(type($o).__name__, float($o.v))",
        ),
        ("$o.v", "$o.rate", "Saving.made", "Account.rate", "getattr($o, 'w', $v)", "$o.add($v).v"),
        ("$o.v > $v", "acc is sav", "isinstance($o, Saving)", "type($o) is Account", "KEPT is $o"),
        ("acc", "sav", "acc is sav", "Account.made", "Saving.made", "Saving.rate", "Account.rate"),
    ),
    "property": Part(
        """\
class Gauge:
    sets = 0

    def __init__(self, level, most=4.0):
        self._level = level
        self.most = most

    @property
    def level(self):
        if self._level is None:
            raise AttributeError('no level')
        return self._level

    @level.setter
    def level(self, v):
        if v > self.most:
            raise ValueError(f"over {float(v)}")
        Gauge.sets += 1
        self._level = v

    @level.deleter
    def level(self):
        self._level = None

    @property
    def half(self):
        return self.level / 2


class Loud(Gauge):
    @property
    def half(self):
        self.most += 1.0
        return super().half + 1.0
""",
        ("gau = Gauge($v)", "lou = Loud($v)"),
        ("gau", "lou"),
        (
            "$o.level = $v",
            "$o.level += $v",
            "try:\n    $o.level = $v * 3\nexcept ValueError as error:\n    print(error)\n    $o.most += 1.0",
            "try:\n    a = $o.half\nexcept AttributeError as error:\n    print(error)",
            "del $o.level",
            "$o._level = $v",
            "gau, lou = lou, gau",
            "gau = $o",
            "lou = Loud($v, most=$v)",
            "if $t:\n    del $o.level\nelse:\n    $o.level = 1.0",
            "a = getattr($o, 'level', $v)",
        ),
        ("$o.level", "$o.half", "$o.most", "Gauge.sets"),
        ("$o.level > $v", "$o._level is None", "hasattr($o, 'level')"),
        ("gau", "lou", "Gauge.sets", "gau is lou"),
    ),
    "slots": Part(
        """\
class Cell:
    __slots__ = ('v', 'after')

    def __init__(self, v):
        self.v = v


class Wide(Cell):
    __slots__ = ('w',)

    def set(self, w):
        self.w = w
        return self
""",
        ("cel = Cell($v)", "wid = Wide($v)", "cel.after = wid"),
        ("cel", "wid"),
        (
            "wid.after = $o",
            "cel = Cell($v)",
            "cel = $o",
            "$o.v += $v",
            "wid = Wide($v).set($v)",
            "try:\n    a = $o.w\nexcept AttributeError as error:\n    a = $o.v\n    print(error)",
            "try:\n    $o.w = $v\nexcept AttributeError as error:\n    print(error)",
            "try:\n    del $o.w\nexcept AttributeError as error:\n    print(type(error).__name__)",
            "try:\n    $o.after.after.v = $v\nexcept AttributeError as error:\n    print(error)",
            "$o.after = Wide($v)",
            "if hasattr($o, 'after'):\n    $o.after.v -= 1.0",
        ),
        ("$o.v", "getattr($o, 'w', $v)", "cel.after.v"),
        ("hasattr($o, 'w')", "getattr($o, 'after', None) is wid", "$o.v > $v"),
        ("cel", "wid", "cel is wid"),
    ),
    "dynamic": Part(
        """\
class Free:
    asked = 0

    def __init__(self, v):
        object.__setattr__(self, 'log', [])
        self.v = v

    def __getattr__(self, name):
        if name.startswith('_'):
            raise AttributeError(f"none of {name}")
        Free.asked += 1
        return self.v * len(name)

    def __setattr__(self, name, value):
        self.log.append(name)
        if value > 3:
            value = 3.0
        super().__setattr__(name, value)

    def __delattr__(self, name):
        self.log.append('-' + name)
        object.__delattr__(self, name)


class Proxy:
    def __init__(self, inner):
        self.inner = inner

    def __getattr__(self, name):
        return getattr(self.inner, name)
""",
        ("fre = Free($v)", "pro = Proxy(fre)"),
        ("fre", "pro", "fre"),
        (
            "fre.v = $v",
            "fre.w = $v",
            "$o.w = $v",
            "a = $o.wide",
            "a = $o.w",
            "try:\n    a = $o._none\nexcept AttributeError as error:\n    print(error)",
            "try:\n    del $o.w\nexcept AttributeError as error:\n    print(error)",
            "fre = Free($v)",
            "pro = Proxy(pro)",
            "pro.inner = Free($v)",
            "for name in ('v', 'w'):\n    setattr(fre, name, $v)",
        ),
        ("$o.v", "$o.w", "$o.width", "Free.asked", "len(fre.log)"),
        ("$o.w > $v", "hasattr($o, '_w')", "'w' in fre.log", "pro.inner is fre"),
        ("fre", "pro", "Free.asked", "fre.log"),
    ),
    "descriptor": Part(
        """\
class Clamped:
    def __init__(self, low):
        self.low = low
        self.writes = 0

    def __set_name__(self, owner, name):
        self.name = '_' + name

    def __get__(self, obj, owner=None):
        if obj is None:
            return self
        return getattr(obj, self.name, self.low)

    def __set__(self, obj, v):
        self.writes += 1
        if v < self.low:
            v = self.low
        setattr(obj, self.name, v)


class Once:
    def __init__(self, make):
        self.make = make

    def __set_name__(self, owner, name):
        self.name = name

    def __get__(self, obj, owner=None):
        print('made once')
        value = self.make(obj)
        setattr(obj, self.name, value)
        return value


class Tank:
    low = Clamped(0.0)
    high = Clamped(1.0)

    def __init__(self, v):
        self.v = v

    @Once
    def double(self):
        return self.v * 2
""",
        ("tan = Tank($v)", "tab = Tank($v)"),
        ("tan", "tab"),
        (
            "$o.low = $v",
            "$o.high = $v",
            "$o.high += $v",
            "a = $o.double",
            "$o.v = $v",
            "$o.double = $v",
            "tan = Tank($v)",
            "tab = tan",
            "Tank.low.low = $v",
        ),
        ("$o.low", "$o.high", "$o.v", "$o.double", "Tank.low.writes"),
        ("$o.low > $o.high", "$o.v > 0"),
        ("tan", "tab", "Tank.low.writes", "Tank.low.low", "Tank.high.writes"),
    ),
}
