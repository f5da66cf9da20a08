"""A set, a deque or a special dict of the function that is stored outside, and changed afterwards."""

import pytest

from tests.differential import Refused, check_scenario
from tests.modules import module_of
from tests.spread import spread

_HEAD = """\
import collections

class Box:
    x = None

def put(thing):
    box.x = thing

box, G, kept, table = Box(), None, [], {}

def f(n):
    global G
    a = {made}
"""

#: how one is made, of what the trace knows, and how it is changed
CHANGES = {
    "{5}": ["a.add(9)", "a.discard(5)", "a |= {7}", "a.update([1])", "a.clear()"],
    "collections.deque([5])": ["a.append(1)", "a[0] = 2", "a += [3]", "a.rotate(1)", "del a[0]"],
    "collections.OrderedDict(a=5)": [
        "a['b'] = 1", "a.update(c=2)", "del a['a']", "a.move_to_end('a')", "a |= {'z': 1}",
        "a.setdefault('q', 2)",
    ],
    "collections.Counter('ab')": ["a['b'] += 1", "a.update('c')", "del a['a']"],
    "collections.defaultdict(int, a=5)": ["a['b'] += 1", "a['a'] = 2", "a['zz']", "a.pop('a')"],
}  # fmt: skip
STORES = ["box.x = a", "G = a", "kept.append(a)"]
PROGRAMS = {
    "after it": "STORE\nCHANGE",
    "and returned": "STORE\nCHANGE\nreturn a",
    "before it, too": "CHANGE\nSTORE\nCHANGE",
    "in a loop": "for i in range(2):\n    STORE\n    CHANGE",
    "stored on a path": "if n > 1:\n    STORE\nCHANGE",
    "changed on a path": "STORE\nif n > 1:\n    CHANGE",
}


def scenario_of(made, program):
    source = _HEAD.replace("{made}", made) + "".join(f"    {line}\n" for line in program.splitlines())

    def scenario(function):
        module = module_of(source)
        f, seen = function(module["f"]), []
        for n in (3, 1):
            try:
                found = f(n)
            except (KeyError, IndexError) as error:
                found = repr(error)
            places = [module["box"].x, module["Box"].x, module["G"], module["kept"], module["table"]]
            seen.append((repr(found), repr(places), [found is place for place in places]))
        return seen

    return scenario


@pytest.mark.parametrize(
    ("how", "name"), spread([(made, c) for made, cs in CHANGES.items() for c in cs], [*PROGRAMS])
)
def test_the_change_is_in_what_is_stored(how, name):
    made, change = how
    for store in STORES:
        program = PROGRAMS[name].replace("STORE", store).replace("CHANGE", change)
        check_scenario(scenario_of(made, program), engines=["numpy"])


def test_a_bytearray_has_no_kind_of_a_run():
    with pytest.raises(Refused, match="a bytearray that is made inside is stored outside"):
        check_scenario(scenario_of("bytearray(b'ab')", "box.x = a\na[0] = 66"))
