"""Lists, dicts and instances in each other that a branch or a `try` makes of its own values."""

import math
from typing import Any

import numpy as np
import pytest

import runtime as rt
from autograph.errors import StagingError
from tests.differential import Call, check
from tests.programs import Programs

PROGRAMS = Programs()


class Kept:
    def __init__(self, v):
        self.v = v


@PROGRAMS.of((np.arange(6.0).reshape(3, 2),))
def an_array_as_lists_in_a_tuple(x):
    if x[0, 0] == 0:
        r = x.tolist(), 2
    else:
        r = 1, 2
    return r


@PROGRAMS.of((3.0,))
def lists_in_a_tuple_of_a_try(x):
    try:
        y = math.sqrt(x)
        r = [[y]], 1
    except ValueError:
        return 1
    return r


@PROGRAMS.of((3.0,))
def lists_in_a_tuple_of_a_branch(x):
    if x > 2:
        y = math.sqrt(x)
        r = [[y]], 1
    else:
        r = [[x]], 2
    return r


@PROGRAMS.of((3.0,), (1.0,))
def lists_in_a_dict_in_a_tuple(x):
    if x > 2:
        y = math.sqrt(x)
        r = {"a": [y]}, 1
    else:
        r = {"b": [x]}, 2
    return r


@PROGRAMS.of((3.0,), (1.0,))
def tuples_in_a_list_in_a_tuple(x):
    if x > 2:
        y = math.sqrt(x)
        r = [(y, 1)], 1
    else:
        r = [(x, 2)], 2
    return r


@PROGRAMS.of((3.0,), (1.0,))
def two_names_of_a_list_of_lists(x):
    if x > 2:
        y = math.sqrt(x)
        a = [[y]]
        b = a
    else:
        a = b = [[x]]
    a[0].append(1)
    return a, b, a is b


@PROGRAMS.of((3.0,), (1.0,))
def a_list_that_holds_itself_in_a_tuple(x):
    r = 1, 2
    if x > 2:
        a = [x * 2]
        a.append(a)
        r = a, 1
    return r[1], (r[0][1] is r[0] if x > 2 else 0)


@PROGRAMS.of((3.0,), (1.0,))
def instances_in_a_list_in_a_tuple(x):
    if x > 2:
        r = ([Kept(x * 2)], 1)
    else:
        r = ([Kept(x + 2)], 1)
    return r[0][0].v, r[1]


@PROGRAMS.of((3.0,), (1.0,))
def an_instance_in_several_containers(x):
    if x > 2:
        k = Kept(x * 2)
        r = {"k": k}, [k], k
    else:
        k = Kept(x)
        r = {"k": k}, [k], k
    return r[0]["k"] is r[1][0], r[2].v


def test_a_tree_of_dicts_is_refused_and_one_of_objects_is_not() -> None:
    class Node:
        def __init__(self) -> None:
            self.after: dict[int, Node] = {}
            self.ends = False

    def of_dicts(words: np.ndarray) -> int:
        root: dict[int, Any] = {}
        for word in words:
            node = root
            for c in word:
                node = node.setdefault(int(c), {})
        return len(root)

    def of_objects(words: np.ndarray, word: np.ndarray) -> bool:
        root = Node()
        for one in words:
            node = root
            for c in one:
                if int(c) not in node.after:
                    node.after[int(c)] = Node()
                node = node.after[int(c)]
            node.ends = True
        node = root
        for c in word:
            if int(c) not in node.after:
                return False
            node = node.after[int(c)]
        return node.ends

    words = np.array([[1, 2, 3], [1, 2, 4]])
    with pytest.raises(StagingError, match="make the nodes of a tree objects of a class of your own"):
        rt.function(of_dicts)(words)
    check(of_objects, *[Call(words, np.array(word)) for word in ([1, 2, 4], [1, 2], [1, 3, 4])])


test_program = PROGRAMS.test()
