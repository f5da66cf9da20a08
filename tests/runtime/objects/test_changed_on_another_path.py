"""An object that one path changes and another stores outside is one object, with the changes of its path."""

import dataclasses

import pytest

from tests.differential import check_scenario
from tests.modules import module_of
from tests.spread import spread


class Node:
    def __init__(self, v, after=None):
        self.v = v
        self.after = after


class Slotted:
    __slots__ = ("after", "v")

    def __init__(self, v):
        self.v = v
        self.after = None


@dataclasses.dataclass
class Record:
    v: float
    after: object = None


class Shelf:
    kept = last = None


def stored_first(n, a, shelf):
    if n > 1:
        shelf.kept = a
    else:
        a.after = 7
    a.v += 1
    return a


def in_a_part_of_another(n, a, shelf):
    holder = Node(n, a)
    if n > 1:
        a.v = 6
    else:
        shelf.kept = holder
    return holder.after


def parts(one):
    """An object, and the one that it holds."""
    return [] if not hasattr(one, "after") else [one, *parts(one.after)]


FORMS = [
    stored_first,
    in_a_part_of_another,
]


@pytest.mark.parametrize("cls", [Node, Slotted, Record])
@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.__name__)
def test_it_is_one_object_with_its_changes(form, cls):
    def scenario(function):
        shelf, seen = Shelf(), []

        @function
        def f(n):
            return form(n, cls(n), shelf)

        for n in (3, 1, 0, 2):
            found = f(n)
            held = [part for one in (shelf.kept, shelf.last) for part in parts(one)]
            seen.append([one.v for one in (found, *held)])
            seen.append([one is found for one in held])
        return seen

    check_scenario(scenario)


#: what an object's list goes through on one path, and where the object is stored
CHANGED_AND_STORED = {
    "stored, changed, raised": "if n > 2:\n    STORE\n    made.rows.append(5)\n    raise ValueError(n)",
    "changed, stored, raised": "if n > 2:\n    made.rows.append(5)\n    STORE\n    raise ValueError(n)",
    "on one path": "if n > 2:\n    made.rows.append(5)\n    STORE",
    "on both": "if n > 2:\n    made.rows.append(5)\nelse:\n    STORE",
    "in a loop": "for i in range(n):\n    made.rows.append(i)\n    if i == 2:\n        STORE\n        break",
    "in a try": (
        "try:\n    made.rows.append(5)\n    STORE\n    if n > 2:\n        raise KeyError(n)\n"
        "except KeyError:\n    made.rows.append(6)"
    ),
    "in a handler": (
        "try:\n    if n > 2:\n        raise KeyError(n)\n    made.rows.append(5)\nexcept KeyError:\n    STORE"
    ),
    "in a function": "def put():\n    global G\n    made.rows.append(5)\n    STORE\n\nif n > 2:\n    put()",
}
_HOLDER = """\
class Holder:
    def __init__(self, rows):
        self.rows = rows
        self.kept = None

G, kept, shelf = None, [], Holder([])

def f(n):
    global G
    made = Holder({rows})
"""


@pytest.mark.parametrize(
    ("rows", "name", "store"),
    spread(
        ["[n]", "[]", "[[n]]"],
        [*CHANGED_AND_STORED],
        ["G = made", "shelf.kept = made", "kept.append(made)", "G = Holder(made)"],
    ),
)
def test_a_list_in_an_object_that_is_stored(rows, name, store):
    """The run's object is made where the trace made it, with what its list held there."""
    body = CHANGED_AND_STORED[name].replace("STORE", store)
    lines = "".join(f"    {line}\n" for line in [*body.splitlines(), "return made"])

    def shown(holder):
        return holder if not hasattr(holder, "rows") else (shown(holder.rows), shown(holder.kept))

    def scenario(function):
        module = module_of(_HOLDER.replace("{rows}", rows) + lines)
        f, seen = function(module["f"]), []
        for n in (3, 1, 4, 0):
            try:
                made = f(n)
            except ValueError as error:
                made = error.args
            seen.append([shown(made), shown(module["G"]), [*map(shown, module["kept"])]])
            seen.append([made is module["G"], made is module["shelf"].kept, shown(module["shelf"])])
        return seen

    check_scenario(scenario, engines=["numpy"])
