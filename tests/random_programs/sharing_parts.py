"""Sharing: lists, dicts and objects of the function that several places outside come to hold."""

from tests.random_programs.object_parts import Part

SHARING_PARTS = {
    "sharing": Part(
        """\
import collections


class Leaf:
    def __init__(self, v, after=None):
        self.v = v
        self.after = after
        self.rows = []


class Shelf:
    def __init__(self):
        self.row = [np.float64(0.0)]
        self.last = None
        self.leaf = Leaf(np.float64(1.0))
        self.stack = []

    def push(self, row):
        self.stack.append(row)
        self.row = row
        return self


SHELF, KEPT, TABLE, LAST = Shelf(), [[np.float64(2.0)]], {'k': [np.float64(3.0)]}, None


def made(v, n):
    if n > 2:
        return [v]
    return [v, v]


def leaf_of(v, after):
    global LAST
    leaf = Leaf(v, after)
    if v > 0:
        LAST = leaf
    return leaf


""",
        (
            "row = [a, b]",
            "old = row",
            "leaf = Leaf($v)",
            "other = leaf_of($v, leaf)",
            "pick = row if n > 2 else old",
        ),
        ("row", "old", "SHELF.row", "TABLE['k']", "KEPT[0]", "KEPT[-1]", "leaf.rows", "SHELF.leaf.rows"),
        (
            "row = [$v]",
            "row = made($v, n)",
            "row = $o",
            "old = [p for p in $o][:3]",
            "old = $o + [$v]",
            "SHELF.row = [$v]",
            "SHELF.row = made($v, n)",
            "SHELF.row = $o",
            "SHELF.push($o)",
            "SHELF.push([$v])",
            "KEPT.append($o)",
            "KEPT.append([$v])",
            "KEPT[0] = $o",
            "TABLE['k'] = $o",
            "TABLE['k'] = [$v, $v]",
            "TABLE['l'] = ($v, $o)",
            "SHELF.last = $o if $t else None",
            "SHELF.last = (np.float64(n), [$v])",
            "SHELF.last = {'a': $o, 'b': [$v]}",
            "row, SHELF.row = $o, $o",
            "SHELF.row, TABLE['k'] = TABLE['k'], SHELF.row",
            "$o.append($v)",
            "$o[0] = $v",
            "$o[-1] += $v",
            "leaf.rows = $o",
            "leaf.after = leaf",
            "leaf.after = other",
            "leaf.after = other if $t else None",
            "other.after = leaf.after",
            "leaf, other = other, leaf",
            "leaf = Leaf($v, SHELF.leaf)",
            "other = leaf_of($v, leaf)",
            "SHELF.leaf = leaf",
            "SHELF.leaf = leaf if $t else other",
            "SHELF.leaf.after = Leaf($v, other)",
            "SHELF.last = other",
            "SHELF.stack.append(leaf)",
            "if leaf.after is not None:\n    leaf.after.v += $v",
            "leaf.v += $v",
            "if SHELF.leaf is leaf:\n    k += 1",
            "node, c = SHELF.leaf, 0\nwhile node is not None and c < 3:\n    node.v -= 1.0\n"
            "    node = node.after\n    c += 1",
            "SHELF.last = collections.deque([$v])",
            "KEPT[0] = [$v]\nSHELF.last = KEPT[0]",
        ),
        ("$o[0]", "sum($o, np.float64(0.0))", "np.float64(len($o))", "leaf.v", "SHELF.leaf.v", "other.v"),
        ("$o", "len($o) > n", "leaf.after is None", "SHELF.last is None", "leaf.after is other", "row == $o"),
        ("row", "old", "leaf", "other", "SHELF.row", "SHELF.last", "SHELF.leaf", "KEPT[-1]"),
    ),
}
