"""A stage that asks sees each read, store and deletion of an attribute, in Python's order."""

import textwrap
import traceback

import pytest

from autograph import conversion_of, to_code
from autograph.source import register_source
from autograph.staging import Stage
from tests.autograph.programs import Bystander
from tests.differential import registered

CLASSES = """
class Base(Seen):
    def add(self, value): return 1 if callable(value) else value + 1
    def twice(self): return 2

class Point(Base):
    def twice(self): return super().twice() * self.x

class Manager:
    def __enter__(self): return 5
    def __exit__(self, *error): pass

class Times:
    def __rmatmul__(self, other): return other * 7
"""

PROGRAMS = """
o.x

o.x = o.y = 4; o.x += o.y; o.x *= 3; o.x -= 1; o.x @= Times(); o.x

del o.y
try: o.y
except AttributeError as error: o.y = str(error)

o.inner.x += 1; o.inner.x

[o.x for o.x in [1, 2] if o.x]

for o.x in [1, 2]: pass

(o.x, *o.y), z = [1, 2, 3], 4; o.y

with Manager() as o.x: o.x

o.x: int = 3; o.z: int; o.x

o.add(o.x)

f"{o.x} {o.y:{o.x}} {o.add(1)!r}"

(y := o.x) + o.inner.x

(o.x if o.y else o.inner); o.x and o.y or o.inner.x; not o.x; 0 < o.x < o.y

{"a": o.x, **{"b": o.y}}; [*[o.x]]; [1, 2, 3][o.x:o.y]; (lambda v=o.x: v + o.y)()

class C: a = o.x; b = [o.y for _ in range(2)]

def g(v=o.x, *, w=o.y): return v + w + o.x
g()

assert o.x, o.y

try: raise ValueError(o.x)
except ValueError as e: o.y = e.args

o.twice()

match o.x:
    case o.inner.x: 3
    case 1: o.y

while o.x < 4: o.x += 1

global made; made = o.x

yes = lambda: o.x; yes()

@o.add
def unused(): pass

"abc".join(["x"]); [].append(o.x)
""".strip().split("\n\n")


def accesses(log):
    """The methods of a class that writes down which attributes are read, stored and deleted."""

    def read(self, name):
        if not name.startswith("__"):
            log.append(("read", name))
        return object.__getattribute__(owner_of(self), name)

    def store(self, name, value):
        log.append(("store", name, repr(value)))
        object.__setattr__(owner_of(self), name, value)

    def delete(self, name):
        log.append(("delete", name))
        object.__delattr__(owner_of(self), name)

    return {"__getattribute__": read, "__setattr__": store, "__delattr__": delete}


def owner_of(seen):
    return vars_of(seen).get("owner", seen)


def vars_of(seen):
    return object.__getattribute__(seen, "__dict__")


class Watching(Stage):
    """Sees the attributes of the objects of one class."""

    marks = True

    def __init__(self, cls):
        self.cls = cls
        self.log = []
        self.view = type("View", (), accesses(self.log))

    def active(self):
        return True

    def read_from(self, owner):
        if not isinstance(owner, self.cls):
            return owner
        made = self.view()
        vars_of(made)["owner"] = owner
        return made

    def stored_to(self, owner, name):
        return self.read_from(owner)

    def refuse(self, construct, hint=None):
        """It claims nothing, so nothing that it is asked about matters."""


def defined(body, hooks):
    text = CLASSES + "def f(o):\n" + textwrap.indent(body, "    ")
    names = {"Seen": type("Seen", (), hooks), "__name__": "program"}
    exec(compile(text, register_source(text), "exec", dont_inherit=True), names)
    return names


def point(cls):
    made, inner = cls(), cls()
    vars_of(inner).update(x=10)
    vars_of(made).update(x=1, y=2, inner=inner)
    return made


def held(o):
    return repr({name: value for name, value in vars_of(o).items() if name != "inner"})


@pytest.mark.parametrize("body", PROGRAMS)
def test_each_access_is_seen_in_order(body):
    log = []
    plain = defined(body, accesses(log))
    o = point(plain["Point"])
    plain["f"](o)
    assert log

    marked = defined(body, {})
    other = point(marked["Point"])
    with registered(Watching(marked["Seen"])) as stage:
        conversion_of(marked["f"], marked=True).bind(marked["f"])(other)
    assert stage.log == log
    assert held(other) == held(o)


def test_no_text_and_no_other_stage_has_marks_of_reads():
    names = defined("return o.x", {})
    assert "read_from" not in to_code(names["f"])
    assert "read_from" not in conversion_of(names["f"]).code.co_names
    assert "read_from" in conversion_of(names["f"], marked=True).code.co_names


def test_code_that_was_converted_before_gets_its_marks():
    names = defined("return o.x", {})
    names["f"].__code__ = conversion_of(names["f"]).code
    with registered(Watching(names["Seen"])) as stage:
        conversion_of(names["f"], marked=True).bind(names["f"])(point(names["Point"]))
    assert stage.log == [("read", "x")]


def test_an_error_is_where_it_is_in_plain_python():
    names = defined("return (o.inner\n        .missing.x)", {})
    entries = []
    for f in (names["f"], conversion_of(names["f"], marked=True).bind(names["f"])):
        with registered(Bystander()), pytest.raises(AttributeError) as raised:
            f(point(names["Point"]))
        last = traceback.extract_tb(raised.value.__traceback__)[-1]
        entries.append((last.name, last.lineno, last.colno, last.end_colno, str(raised.value)))
        assert raised.value.name == "missing"
    assert entries[0] == entries[1]
