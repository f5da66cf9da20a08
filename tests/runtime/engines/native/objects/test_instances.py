"""Attributes of objects in machine code: read, stored and made as in Python, whatever holds them."""

import gc
import sys

import pytest

import runtime as rt
from tests.programs import Programs

PROGRAMS = Programs()
scenario = PROGRAMS.scenario


class Plain:
    def __init__(self, v, next=None):
        self.v = v
        self.next = next


class Slotted:
    __slots__ = ("next", "v")

    def __init__(self, v, next=None):
        self.v = v
        self.next = next


class Both(Slotted):
    """Slots of its base, and a dict."""

    kind = "both"

    def __init__(self, v, next=None):
        super().__init__(v, next)
        self.kind = "own"
        self.more = v


class Shadowed(Plain):
    """A class attribute of the same name; one that only the class has; a property."""

    v = 100.0
    step = 2.0

    @property
    def double(self):
        return self.v * self.step


class Many:
    """More attributes than Python keeps beside an object."""

    def __init__(self, v, next=None):
        for k in range(40):
            setattr(self, f"a{k}", k)
        self.v = v
        self.next = next


@PROGRAMS.of(*[(cls, n) for cls in (Plain, Slotted, Both, Shadowed) for n in (0, 1, 7)])
def chain(cls, n):
    head = None
    for k in range(n):
        head = cls(k * 0.5, head)
    total, count = 0.0, 0
    while head is not None:
        total += head.v
        head.v = total
        count += 1
        head = head.next
    return total, count


@scenario
def from_outside(function):
    """What somebody did with an object before the call decides where its attributes are."""

    @function
    def walk(node, n):
        total = 0.0
        for k in range(n):
            while node is not None:
                total += node.v * k
                node.v = total
                if node.next is None:
                    break
                node = node.next
        return total

    def shown(cls, change):
        nodes = cls(1.5, cls(2.5, cls(0.5)))
        change(nodes.next)
        return walk(nodes, 4), nodes.v, nodes.next.v, nodes.next.next.v

    def again(node):
        del node.v
        node.v = 7.0

    def as_dict(node):
        if hasattr(node, "__dict__"):
            vars(node)["v"] = 9.0

    return [
        shown(cls, change)
        for cls in (Plain, Slotted, Both, Shadowed, Many)
        for change in (lambda node: None, again, as_dict)
    ]


@scenario
def two_names(function):
    @function
    def swap(n):
        a, b = Plain(1, None), Plain(2, None)
        a.next, b.next = b, a
        for k in range(n):
            if k % 3 == 0:
                a, b = b, a
            a.v += k
            b.next.v *= 2
            a.next, b.next = (a, b) if k % 4 == 1 else (b, a)
        return a.v, b.v, a.next is a, b.next is a

    return [swap(n) for n in (0, 1, 5, 12)]


@scenario
def numbers_that_others_hold(function):
    """A float of an object is not changed where somebody else has it, too."""

    @function
    def count(n, start):
        node = Plain(start, None)
        first = node.v
        kept = []
        for k in range(n):
            node.next = Plain(node.v, node)
            node.v = node.v + 0.25
            kept.append(node.v)
            node.next.v = node.next.v * 2
            node = node.next if k % 2 else node
        return first, kept, node.v

    start = 1.5
    return [count(n, start) for n in (0, 1, 6)], start


class Counting(Plain):
    """Whose own code is asked at each store."""

    def __setattr__(self, name, value):
        object.__setattr__(self, "stores", getattr(self, "stores", 0) + 1)
        object.__setattr__(self, name, value)


@scenario
def stores_into_objects_from_outside(function):
    @function
    def move(item, n):
        for k in range(n):
            item.v = item.v + 0.5
            if k == 2:
                item.next = item.v
        return item.v

    @function
    def share(item, others, n):
        for k in range(n):
            item.v += k
            others[0].v = item.v
            others[1].v = others[0].v * 2
        return item.v

    shared = Plain(1.0)
    vars(shared)
    return [
        [(move(item, n), item.v, item.next) for item in (cls(1.5) for cls in classes) for n in (1, 4)]
        for classes in [(Plain, Slotted, Both, Shadowed, Many, Counting, Plain)]
    ] + [share(shared, [shared, Slotted(2.0)], 3), share(Plain(1.0), [Both(1.0), shared], 3), shared.v]


@scenario
def absent(function):
    @function
    def tidy(n, late):
        node = Plain(0)
        if late:
            del node.v
        for k in range(n):
            if k > 2 or not late:
                node.v = k
            node = Plain(node.v, node)
        return node.v

    results = [tidy(4, False)]
    for n in (1, 5):
        try:
            results.append(tidy(n, True))
        except AttributeError as error:
            results.append(str(error))
    return results


@scenario
def order_of_attributes(function):
    class Late:
        def __init__(self, a, b):
            self.a, self.b = a, b
            self.c = None

    Late.z = 1
    Late(1, 2).d, Late.y = 2, 3

    @function
    def last(n):
        made = None
        for k in range(n):
            before = made
            made = Late(k, 2)
            made.z = before
            made.c = before
        return made

    return [list(vars(last(n))) + list(vars(last(n).z)) for n in (2, 5)]


test_program = PROGRAMS.test()


class Doubled(Plain):
    @property
    def v(self):
        return vars(self)["v"]

    @v.setter
    def v(self, new):
        vars(self)["v"] = new * 2


class Bounded(Slotted):
    __slots__ = ()

    @property
    def v(self):
        return Slotted.v.__get__(self)

    @v.setter
    def v(self, new):
        if new > 5:
            raise ValueError(new)
        Slotted.v.__set__(self, new * 2)


class ChangesClass:
    """At its end, an object gets another class."""

    def __init__(self, target, cls):
        self.target, self.cls = target, cls

    def __del__(self):
        self.target.__class__ = self.cls


def store_in_both(target, number, count):
    target.next = None
    target.v = number * 2
    target.v = count + 1


@pytest.mark.parametrize(
    ("cls", "other"), [(Plain, Plain), (Plain, Doubled), (Slotted, Slotted), (Slotted, Bounded)]
)
def test_stores_in_an_object_whose_class_changes(cls, other):
    def stored(function, number, count):
        target = cls(0)
        target.next = ChangesClass(target, other)
        try:
            function(target, number, count)
        except ValueError as error:
            return repr(error), target.v
        return type(target), target.v

    compiled = rt.function(store_in_both, engine="native")
    for numbers in ((1.5, 1), (1.5, 1), (0.5, 2), (0.5, 1000), (7.5, 1)):
        assert stored(compiled, *numbers) == stored(store_in_both, *numbers)


def test_reference_counts():
    def work(words, n):
        head = None
        for k in range(n):
            head = Plain(words[k], head)
            head.v = words[k + 1]
        while head is not None:
            if head.next is None:
                return words[n * 2]  # beyond
            head = head.next

    words = [f"wörd{k}" for k in range(8)]
    compiled = rt.function(work, engine="native")
    counts = []
    for n in (3, 4, 3, 4, 3, 4):
        if n == 4:
            with pytest.raises(IndexError):
                compiled(words, n)
        else:
            assert compiled(words, n) == words[6]
        gc.collect()
        counts.append([sys.getrefcount(word) for word in words] + [sys.getrefcount(Plain)])
    assert counts[2:4] == counts[4:]
