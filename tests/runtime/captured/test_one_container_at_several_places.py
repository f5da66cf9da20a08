"""A container from outside that an attribute, a global and a class hold: changed here, it is changed there.

Each program is called before and after one of the places gets another container.
"""

import threading

import pytest

from tests.differential import check_scenario
from tests.modules import module_of
from tests.spread import spread

_HEAD = """\
import collections

class Shelf:
    kept = None
    rows = []

class Box:
    pass

row = {made}
box = Box()
box.v = Shelf.kept = row

def f(n):
"""

#: how one is made, and how it is changed; with a number
KINDS = {
    "list": ("[7]", "{}.append({n})"),
    "rows": ("[[7]]", "{}.append([{n}])"),
    "dict": ("{7: 1}", "{}[{n}] = n"),
    "set": ("{7}", "{}.add({n})"),
    "deque": ("collections.deque([7])", "{}.append({n})"),
    "defaultdict": ("collections.defaultdict(list, {7: 1})", "{}[{n}] = [n]"),
    "Counter": ("collections.Counter([7])", "{}[{n}] += 1"),
}

#: `change(place)` stands for the change
PROGRAMS = [
    "Shelf.rows.append(1); change(box.v); return len(Shelf.kept)",
    "Shelf.rows.append(1); before = len(Shelf.kept); change(box.v); return len(Shelf.kept), before",
    "Shelf.rows.append(1); change(row); change(box.v); return len(Shelf.kept), len(row)",
    "Shelf.rows.append(1)\nfor i in range(n): change(row)\nchange(box.v); return len(box.v)",
    "for i in range(n): change(row)\nchange(Shelf.kept); return len(box.v)",
    "before = len(box.v); change(row); return len(box.v), before",
    "before = len(Shelf.kept); change(row); return len(box.v), before",
    "before = len(row)\nif n > 1: change(Shelf.kept)\nreturn len(box.v), before, len(Shelf.kept)",
    "before = len(Shelf.kept); Shelf.kept = box.v\nfor i in range(n): change(row)\nreturn len(box.v), before",
    "for i in range(n): change(row)\nreturn Shelf.kept is row, box.v is row, len(Shelf.kept)",
]


def scenario_of(kind, number, place):
    made, change = KINDS[kind]
    body = PROGRAMS[number]
    for name in ("box.v", "row", "Shelf.kept"):
        body = body.replace(f"change({name})", change.replace("{}", name, 1).replace("{n}", "n"))
    source = _HEAD.replace("{made}", made) + "".join(f"    {line}\n" for line in body.splitlines())

    def scenario(function):
        module = module_of(source)
        f, seen = function(module["f"]), []
        for n in (3, 1):
            seen.append((f(n), repr(module["row"])))
        if place:
            exec(f"{place} = {made}", module, {} if place != "row" else module)
        for n in (2, 0, 3):
            seen.append((f(n), repr(module["row"]), repr(module["box"].v), repr(module["Shelf"].kept)))
        return seen

    return scenario


@pytest.mark.parametrize(
    ("kind", "number", "place"),
    spread([*KINDS], range(len(PROGRAMS)), ["box.v", "row", "Shelf.kept", ""]),
)
def test_it_is_one(kind, number, place):
    check_scenario(scenario_of(kind, number, place), engines=["numpy"])


@pytest.fixture
def another_thread():
    end = threading.Event()
    thread = threading.Thread(target=end.wait)
    thread.start()
    yield
    end.set()
    thread.join()


@pytest.mark.parametrize(("kind", "number"), spread([*KINDS], range(len(PROGRAMS))))
def test_where_other_threads_run_nothing_stands_for_what_a_class_holds(kind, number, another_thread):
    check_scenario(scenario_of(kind, number, "row"), engines=["numpy"], may_refuse=True)
