"""`match` whose patterns test what a run knows, inside of structures (mechanism L of the table)."""

import dataclasses
import enum

import numpy as np

from tests.features.registry import floats, ints
from tests.variations.cases import case, scenario

ROWS = [floats(1, 2, 5), floats(-4, 0.5, -1), floats(0, 0, 0)]


@dataclasses.dataclass
class Point:
    x: float
    y: float = 0.0


@dataclasses.dataclass
class Circle:
    centre: Point
    radius: float


class Square:
    __match_args__ = ("side", "tag")

    def __init__(self, side, tag=None):
        self.side = side
        self.tag = tag

    @property
    def area(self):
        return self.side * self.side if self.side > 0 else 0


class Operation(enum.IntEnum):
    ADD = 1
    MULTIPLY = 2
    NEGATE = 3


@case(
    (np.int64(1), np.int64(2)),
    (np.int64(0), np.int64(0)),
    (np.int64(3), np.int64(-3)),
    (np.int64(5), np.int64(1)),
)
def remainders_are_matched(a, b):
    match (a % 3, b % 5, a > b):
        case (0, 0, _):
            return "fizzbuzz"
        case (0, n, True) | (n, 0, True):
            return n
        case (x, y, False):
            return x, y
        case _:
            return None


@case(*ROWS)
def shapes_of_every_kind_are_matched(x):
    shapes = [
        Point(x[0], x[1]),
        Circle(Point(x[1]), x[2]),
        (x[0], x[1], x[2]),
        {"kind": "square", "side": x[2]},
    ]
    out = []
    for shape in [*shapes, [x[0]], "text", None, x[0] > 0]:
        match shape:
            case Point(x=0, y=y):
                out.append(("axis", y))
            case Point(a, b) if a > b:
                out.append(("below", a))
            case Point():
                out.append("point")
            case Circle(Point(a, 0.0), radius) if radius > 0:
                out.append((a, radius))
            case Circle() as circle:
                out.append(circle.radius)
            case (a, *rest) if a > 0:
                out.append((a, rest))
            case {"kind": "square", "side": side, **more} if side < 3:
                out.append((side, more))
            case {"kind": kind}:
                out.append(kind)
            case [v]:
                out.append(v)
            case str(text):
                out.append(text)
            case None:
                out.append("none")
            case True | False as b:
                out.append(("bool", b))
            case _:
                out.append("?")
    return out


def first_large(x):
    for i, v in enumerate(x):
        if v > 1.5:
            return i, v


@case(*ROWS)
def what_is_perhaps_none_is_matched(x):
    match first_large(x):
        case None:
            return "none"
        case (i, v):
            return i * 10 + v


@case(*ROWS)
def a_list_that_grew_is_matched(x):
    kept = []
    for v in x:
        if v > 0:
            kept.append(v)
    match kept:
        case []:
            return "empty"
        case [a]:
            return "one", a
        case [a, 2, *rest]:
            return a, rest
        case [a, *_, b]:
            return a, b


@case(*ROWS)
def a_dict_that_grew_is_matched(x):
    d = {"a": x[0], "b": x[1]}
    if x[2] > 0:
        d["c"] = x[2]
    match d:
        case {"a": 0, **rest}:
            return "zero", rest
        case {"c": c, **rest}:
            return c, rest
        case {"a": a, "b": b}:
            return a, b


@case(*ROWS)
def pairs_are_matched_in_a_loop(x):
    out = []
    for v in x:
        match (v, v * 2):
            case (a, b) if b > 3:
                out.append(a)
            case (0, b) | (-1, b):
                out.append(("special", b))
            case (_, 1.0) as pair:
                out.append(pair)
            case _:
                continue
    return out


def area(shape):
    match shape:
        case Square(0) | Circle(radius=0):
            return "nothing"
        case Square(side, tag=None) if side > 0:
            return side * side
        case Square(side=side, tag="negative" | "minus" as tag):
            return tag, side
        case Square(area=0):
            return "no area"
        case [*shapes]:
            return [area(each) for each in shapes]
        case {"shape": Square() as inner, **rest} if rest:
            return area(inner), rest
        case _:
            raise TypeError(f"no shape: {type(shape).__name__}")


@case(*ROWS)
def a_recursive_match(x):
    squares = [Square(x[2], "negative"), Square(x[1], "minus"), Circle(Point(0), x[0])]
    return area(Square(x[0])), area({"shape": Square(x[2]), "k": x[0]}), area(squares)


@case((np.int64(3), "a"), (np.int64(-3), "b"), (np.int64(0), None), (np.float64(2.5), 4))
def classes_of_values_are_matched(v, tag):
    match v, tag:
        case int(n), _:
            return "int", n
        case float(f), str(s):
            return f, s
        case float(), int() | None:
            return "float"
        case np.int64() as k, str() if k > 0:
            return "i64", k
        case (k, t):
            return k, t


@case(ints(1, 2, 3, 9), ints(3, 3), ints(2, 7, 1))
def codes_of_a_stack_machine(codes):
    stack = [1.0, 2.0, 3.0]
    for code in codes:
        match (code, len(stack)):
            case (Operation.ADD, n) if n > 1:
                stack.append(stack.pop() + stack.pop())
            case (Operation.MULTIPLY, n) if n > 1:
                stack.append(stack.pop() * stack.pop())
            case (Operation.NEGATE, _):
                stack[-1] = -stack[-1]
            case (bad, n):
                raise ValueError(f"bad {bad} with {n}")
    return stack


def evaluated(tree):
    match tree:
        case ("number", v):
            return v
        case ("negative", e):
            return -evaluated(e)
        case ("add", a, b):
            return evaluated(a) + evaluated(b)
        case ("if", condition, a, b):
            match evaluated(condition):
                case 0:
                    return evaluated(b)
                case _:
                    return evaluated(a)


@case(*ROWS)
def an_expression_tree_is_evaluated(x):
    total = ("add", ("number", x[1]), ("negative", ("number", x[2])))
    return evaluated(("if", ("number", x[0]), total, ("number", x[1] * 0 + 7)))


@case(*ROWS)
def a_pattern_with_too_many_parts(x):
    match Point(x[0]):
        case Point(a, b, c):
            return a, b, c


@case(*ROWS)
def a_pattern_that_names_an_attribute_twice(x):
    match Point(x[0]):
        case Point(a, x=b):
            return a, b


@case(*ROWS)
def an_array_is_a_sequence_where_numpy_says_so(x):
    match x:
        case [a, *_]:
            return "sequence", a
        case np.ndarray(shape=(n,)) if n > 2:
            return n
        case _:
            return "no"


@scenario
def events_are_matched_with_the_state_of_an_object(function):
    class Machine:
        def __init__(self):
            self.state = "idle"
            self.n = 0

        def step(self, event):
            match (self.state, event):
                case ("idle", 1):
                    self.state = "running"
                case ("running", 2):
                    self.state = "idle"
                case ("running", n):
                    self.n += n

        @function
        def run(self, events):
            for event in events:
                self.step(event)
            return self.state, self.n

    machine = Machine()
    results = [machine.run(ints(1, 5, 2, 3)), machine.run(ints(2, 1, 1)), machine.run(ints(2))]
    return results, machine.state, machine.n
