"""An exception that carries a list from outside hands that very list to who catches it."""

import pytest

from tests.differential import check_scenario
from tests.modules import module_of

_HEAD = """\
class Parcel(Exception):
    def __init__(self, v):
        super().__init__("carried")
        self.v = v

class Shelf:
    rows = None

shelf, other = Shelf(), [5]
shelf.rows = [7]
shelf.kept = None

def down(d):
    if d == 0:
        raise Parcel(shelf.rows)
    down(d - 1)

def f(n):
    found = None
"""
PROGRAMS = {
    "returned": "try:\n    if n > 1:\n        raise Parcel(shelf.rows)\nexcept Parcel as e:\n    found = e.v",
    "of two": (
        "try:\n    if n > 1:\n        raise Parcel(shelf.rows)\n"
        "    elif n > 0:\n        raise Parcel(other)\n"
        "except Parcel as e:\n    e.v.append(n)\n    found = e.v"
    ),
    "changed before, and after": (
        "try:\n    shelf.rows.append(5)\n    if n > 1:\n        raise Parcel(shelf.rows)\n"
        "except Parcel as e:\n    e.v.append(n)\nfound = shelf.rows"
    ),
    "an argument": (
        "try:\n    if n > 1:\n        raise ValueError(shelf.rows)\n"
        "except ValueError as e:\n    found = e.args[0]\n    found.append(n)"
    ),
    "in a tuple": (
        "try:\n    if n > 1:\n        raise Parcel((shelf.rows, n))\n"
        "except Parcel as e:\n    e.v[0].append(n)\n    found = e.v[0]"
    ),
    "in a loop": (
        "for i in range(n):\n    try:\n        if i == 1:\n            raise Parcel(shelf.rows)\n"
        "    except Parcel as e:\n        e.v.append(i)"
    ),
    "out of a recursion": "try:\n    down(n)\nexcept Parcel as e:\n    e.v.append(n)\n    found = e.v",
    "stored": (
        "try:\n    if n > 1:\n        raise Parcel(shelf.rows)\nexcept Parcel as e:\n    shelf.kept = e.v\n"
        "found = shelf.kept"
    ),
    "in another one": (
        "try:\n    if n > 1:\n        raise Parcel(shelf.rows)\n"
        "except Parcel as e:\n    raise ValueError(e.v) from e"
    ),
    "raised again": (
        "try:\n    if n > 1:\n        raise Parcel(shelf.rows)\n"
        "except Parcel as e:\n    if n > 2:\n        raise\n    e.v.append(n)"
    ),
    "not caught": "if n > 1:\n    raise Parcel(shelf.rows)",
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_it_is_the_same_list(name):
    lines = [*PROGRAMS[name].splitlines(), "return found"]
    source = _HEAD + "".join(f"    {line}\n" for line in lines)

    def scenario(function):
        module = module_of(source)
        f, shelf, seen = function(module["f"]), module["shelf"], []
        for n in (3, 1, 0, 2):
            try:
                found = f(n)
            except (ValueError, module["Parcel"]) as error:
                found = error.args[0] if isinstance(error, ValueError) else error.v
            seen.append((repr(found), [found is one for one in (shelf.rows, shelf.kept, module["other"])]))
            seen.append((repr(shelf.rows), repr(shelf.kept), repr(module["other"])))
        return seen

    check_scenario(scenario)
