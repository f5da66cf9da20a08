"""`match` whose patterns test what a run knows, inside of structures (mechanism L of the table)."""

import dataclasses

import numpy as np

from tests.features.registry import floats
from tests.variations.cases import case

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
