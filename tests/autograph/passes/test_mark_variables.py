"""A stage that asks sees each store to a variable that functions share, right after it."""

import textwrap
from typing import Any

import pytest

from autograph import conversion_of, to_code
from autograph.operators import Undefined
from autograph.source import register_source
from autograph.staging import Stage
from tests.differential import registered

#: statements that rebind `v`, and what they store there
STORES = {
    "v = 1; v += 2; v -= 1; v //= 2": [1, 3, 2, 1],
    "a, (v, *b) = 1, (2, 3)": [2],
    "v = a = 3; del v; v = 4": [3, "unbound", 4],
    "(v := 1) + (v := 2); f'{(v := 3)}'": [1, 2, 3],
    "a = 1 and (v := 2) or (v := 3)": [2],
    "while (v := v + 1) < 3: pass": [1, 2, 3],
    "for v in 1, 2: pass\nelse: v = 3": [1, 2, 3],
    "for v, o.x in (1, 2), (3, 4): pass": [1, 3],
    "with Manager() as v: pass": ["entered"],
    "with Manager() as o.x, Manager() as (v, *a): pass": ["e"],
    "try: raise KeyError\nexcept KeyError as v: a = v": [KeyError, "unbound"],
    "import math as v\nfrom math import pi as v, e as a": ["math", 3.141592653589793],
    "def v(): pass\nclass v: pass": ["v", "v"],
    "match [1, 2]:\n    case [v, b] if v > 1: pass\n    case [*v]: pass": [1, [1, 2]],
    "try: v, o.locked = 7, 8\nexcept AttributeError: pass": [7],
    "try: v, (a, b) = 9, ()\nexcept ValueError: pass": [9],
    "lambda v: (v := 1); [v for v in (1, 2)]; v; o.v = 3; v = 0": [0],
}

PROGRAMS = {
    "nonlocal": "def run(v, o):\n    def rebind():\n        nonlocal v\n{}\n    rebind()",
    "own": "def run(v, o):\n    def rebind():\n        nonlocal v\n        v = None\n    if o:\n{}",
    "global": "v = 0\ndef run(_, o):\n    global v\n    if o:\n{}",
    "class": "def run(v, o):\n    class C:\n        nonlocal v\n{}\n",
}


class Manager:
    def __enter__(self):
        return "entered"

    def __exit__(self, *error):
        pass


class Holder:
    x: Any = None

    @property
    def locked(self):
        return 0


class Watching(Stage):
    """Writes down what the variables hold that were stored to, and which are made by calls."""

    marks = True

    def __init__(self):
        self.log = []
        self.begun = []

    def active(self):
        return True

    def new_variables(self, read):
        self.begun.append(read())

    def stored_variable(self, read):
        try:
            self._note(read())
        except NameError:
            self.log.append("unbound")

    def stored_global(self, namespace, name):
        self._note(namespace.get(name, Undefined(name)))

    def _note(self, value):
        if isinstance(value, Undefined):
            value = "unbound"
        self.log.append(type(value) if isinstance(value, Exception) else getattr(value, "__name__", value))

    def refuse(self, construct, hint=None):
        """It claims nothing, so nothing that it is asked about matters."""


def run(text):
    names = {"Manager": Manager, "__name__": "program"}
    exec(compile(text, register_source(text), "exec", dont_inherit=True), names)
    function = names["run"]
    with registered(Watching()) as stage:
        conversion_of(function, marked=True).bind(function)(0, Holder())
    return stage


@pytest.mark.parametrize("kind", PROGRAMS)
@pytest.mark.parametrize("body", STORES)
def test_each_store_is_seen_at_once(body, kind):
    stage = run(PROGRAMS[kind].format(textwrap.indent(body.replace("; ", "\n"), " " * 8)))
    assert stage.log == STORES[body]
    assert stage.begun == ([] if kind == "global" else [(0,)])


def test_a_comprehension_stores_for_each_item():
    assert run("def run(v, o):\n    global n\n    return [n := i for i in (3, 4)]").log == [3, 4]


def test_only_variables_that_others_rebind_are_marked():
    stage = run("def run(v, o):\n    w = 1\n    def read(): return v, w\n    v = w = 2\n    return read()")
    assert stage.log == stage.begun == []


def test_no_text_and_no_other_stage_has_marks():
    text = "def run(v):\n    global seen\n    seen = v"
    names = {}
    exec(compile(text, register_source(text), "exec", dont_inherit=True), names)
    assert "stored_global" not in to_code(names["run"])
    assert "stored_global" not in conversion_of(names["run"]).code.co_names
    assert "stored_global" in conversion_of(names["run"], marked=True).code.co_names
