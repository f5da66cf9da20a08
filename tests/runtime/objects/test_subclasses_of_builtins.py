"""Subclasses of int, float, list, dict, tuple and str, whose own methods staged values meet."""

import collections

import numpy as np
import pytest

import autograph
import runtime as rt
from autograph.errors import StagingError
from tests.differential import check
from tests.modules import module_of


class Row(list):
    def __getitem__(self, i):
        return -list.__getitem__(self, int(i))


class Table(dict):
    def __getitem__(self, i):
        return -dict.__getitem__(self, i)


class Fixed(tuple):
    def __getitem__(self, i):
        return -tuple.__getitem__(self, int(i))


class Text(str):
    def __getitem__(self, i):
        return "<" + str.__getitem__(self, int(i)) + ">"


class Steps(int):
    def __radd__(self, other):
        return other + 200 if other > 1 else -other

    def __eq__(self, other):
        return other == 2

    def __gt__(self, other):
        return other + 300

    __hash__ = int.__hash__


class Metres(float):
    def __rmul__(self, other):
        return other + 200

    def __gt__(self, other):
        return other + 300


class Vector(tuple):
    def total(self):
        return self[0] + self[1]

    def __add__(self, other):
        return Vector(a + b for a, b in zip(self, other, strict=True))


NAMES = {
    "row": Row([1, 2, 3]), "table": Table({0: 1, 1: 2, 2: 3}), "text": Text("abc"),
    "steps": Steps(3), "metres": Metres(2.5), "vector": Vector((np.array([1.0, 2.0]), 3.0)),
}  # fmt: skip
EXPRESSIONS = """
row[n]; row[n / 2]; table[n]; text[n]; n + steps; n == steps; n < steps; n - steps; n * metres
n < metres; n / 2 * metres; x * steps; x[0] + steps; vector.total() * n; (vector + (x[:2], n)).total()
"""


@pytest.mark.parametrize("expression", EXPRESSIONS.replace("\n", ";").strip(";").split(";"))
def test_their_own_methods_answer(expression: str) -> None:
    source = f"def asked(n, x):\n    if n > 100:\n        n = 1\n    return {expression.strip()}\n"
    asked = module_of(source, **NAMES)["asked"]
    x = np.array([3.0, 1.5, -2.0])
    assert check(asked, (2, x), (1, x), (0, x))


def test_a_tuple_that_says_itself_what_its_items_are_is_refused():
    held = Fixed((2.0, 3.0))

    def first(x):
        return held[0] * x

    with pytest.raises(autograph.StagingError, match="`held` is a Fixed, a tuple with methods of its own"):
        rt.function(first)(2.0)


kept_rows = None


def test_what_a_global_statement_stores_is_refused_in_the_users_function():
    def f(x):
        global kept_rows
        if x[0] > 0:
            kept_rows = Row([x[0]])
        return 1

    with pytest.raises(StagingError, match="a Row that is made inside is stored, and holds more") as at:
        rt.function(f)(np.ones(2))
    first = f.__code__.co_firstlineno
    assert at.value.file == __file__ and first <= at.value.line <= first + 4
    assert kept_rows is None


class Stack(list):
    def push(self, item):
        self.append(item)
        return self


class Heard(list):
    def append(self, item):
        print("append", item)
        super().append(item)


class Sized(list):
    def __init__(self, *items):
        super().__init__(items)
        self.size = len(items)

    def add(self, item):
        list.append(self, item)
        self.size += 1


def pushed(n):
    stack = Stack([0]).push(n).push(2 * n)
    stack.insert(0, 4)
    stack.reverse()
    return stack, stack.pop(), len(stack), sum(stack), type(stack).__name__


def pushed_in_a_known_loop(n):
    stack, loud = Stack(), Heard()
    for k in range(3):
        stack.push(k * n)
        loud.append(stack[-1])
    return stack, loud


def pushed_by_others(n):
    def fill(items):
        items.extend([n, n])
        return items

    sized, stack = Sized(n), fill(Stack())
    sized.add(fill(stack)[0])
    list(map(stack.append, [n, 1]))
    return sized, sized.size, stack


def updated(n):
    table = Counts(a=1)
    table.update(b=n)
    table.setdefault("c", []).append(n)
    return table, table.pop("a"), list(table.items())


class Counts(dict):
    pass


@pytest.mark.parametrize("f", [pushed, pushed_in_a_known_loop, pushed_by_others, updated])
def test_a_list_or_dict_of_its_own_that_is_made_inside_grows(f):
    assert check(f, (np.int64(1),), (np.int64(0),), (np.int64(3),))


def under_a_condition(n, stack):
    stack = Stack()
    if n > 0:
        stack.push(n)
    return stack


def of_an_argument(n, stack):
    stack.push(n)


@pytest.mark.parametrize("f", [under_a_condition, of_an_argument])
def test_it_is_refused_where_only_a_run_knows_whether_it_grows(f):
    message = "a Stack is changed by `append`, which is not staged here"
    with pytest.raises(StagingError, match=message):
        rt.function(f)(np.int64(1), Stack())


class Ordered(collections.OrderedDict):
    pass


class Lists(collections.defaultdict):
    def __init__(self):
        super().__init__(list)


def of_ordered(n):
    table = Ordered(a=n, b=2)
    table.move_to_end("a")
    table["c"] = n
    return table, [table], table.popitem(last=False)


class Backwards(list):
    def __iter__(self):
        return reversed([*super().__iter__()])


def of_own_order(n):
    return Backwards([n, 2])


@pytest.mark.parametrize("f", [of_ordered, of_own_order])
def test_what_they_hold_comes_back_as_it_is(f):
    assert check(f, (np.int64(1),), (np.int64(0),), (np.int64(3),))


def test_a_class_derived_from_defaultdict_is_refused():
    with pytest.raises(StagingError, match="a Lists is made, whose class is derived from defaultdict"):
        rt.function(lambda n: Lists()["a"])(np.int64(1))


class Told(collections.UserList):
    def __repr__(self):
        return f"told {collections.UserList.__repr__(self)}"


def test_a_text_that_the_library_makes_of_staged_values():
    f = rt.function(lambda n: repr(Told([n])))
    assert [f(np.int64(1)), f(np.int64(2))] == ["told [np.int64(1)]", "told [np.int64(2)]"]


class Loud(collections.OrderedDict):
    def __setitem__(self, key, value):
        print(key)
        super().__setitem__(key, value)


def test_methods_that_compiled_code_calls_are_refused():
    @rt.function
    def f(n):
        return Loud(a=n)

    message = "compiled code of OrderedDict calls `Loud.__setitem__` here"
    with pytest.raises(StagingError, match=message):
        f(np.int64(1))


class Asked(list):
    """Each question prints: ours must not."""

    def __iter__(self):
        print("iter")
        return super().__iter__()

    def __len__(self):
        print("len")
        return super().__len__()


class AskedTable(dict):
    def items(self):
        print("items")
        return super().items()

    def values(self):
        print("values")
        return super().values()

    def __len__(self):
        print("len")
        return super().__len__()


def asked(n, items, table):
    made = Asked([n, 2])
    if n > 1:
        n += items[0] + table["a"]
    return n, 1 in items, repr(items), made, made[0]


def test_our_own_questions_are_not_the_program_s():
    calls = [(np.int64(n), Asked([n, 2]), AskedTable(a=n)) for n in (1, 3, 0)]
    assert check(asked, *calls)


class Kept(set):
    def add(self, item):
        set.add(self, item)


def into_a_set(n, kept, table):
    kept.add(4)


def out_of_a_table(n, kept, table):
    table = Telling(a=1)
    if n > 0:
        del table["a"]
    return table


class Telling(dict):
    def __setitem__(self, key, value):
        print(key)
        super().__setitem__(key, value)


@pytest.mark.parametrize("f", [into_a_set, out_of_a_table])
def test_a_change_that_no_hook_sees_is_refused(f):
    with pytest.raises(StagingError):
        rt.function(f)(np.int64(1), Kept([1]), Telling())


def test_numpy_that_asks_a_list_of_its_own_is_refused():
    with pytest.raises(StagingError, match="a Asked meets NumPy, which asks the class by its `__len__`"):
        rt.function(lambda n: np.array(Asked([n])))(np.int64(1))
