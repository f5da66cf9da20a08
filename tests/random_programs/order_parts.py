"""Orders of evaluation: what is read before and after a call, a walrus or an assignment changes it."""

from tests.random_programs.object_parts import Part

ORDER_PARTS = {
    "order": Part(
        """\
CALLED = []


def noted(v):
    CALLED.append(v)
    return v


def said(v):
    print('said', float(v))
    return v


def later(first, second=np.float64(1.0), *rest, last=np.float64(0.0)):
    return first - second * 2 + sum(rest, last)


class Slots:
    def __init__(self, v):
        self.v = v
        self.kept = {}

    def __getitem__(self, key):
        print('get', key)
        return self.kept.get(key, self.v)

    def __setitem__(self, key, v):
        print('set', key, float(v))
        self.kept[key] = v


""",
        (
            "row = [a, b, a]",
            "old = row",
            "slo = Slots($v)",
            "def fresh(v):\n    nonlocal row\n    row = [v, v, b]\n    return v",
            "def change(v):\n    nonlocal a\n    a = v\n    return v + 1.0",
            "def turn(d):\n    nonlocal k\n    k += d\n    return k % 3",
        ),
        ("noted($v)", "said($v)", "change($v)", "fresh($v)", "row[turn(1)]", "slo['p']", "(a := $v)"),
        (
            "row[$i % 3] += fresh($v)",
            "row[turn(1)] += $o",
            "row[turn(1)] = $o",
            "row[(k := turn(2))] += noted($v)",
            "row[(k := n % 3)], a = a, row[k]",
            "a += change($v)",
            "a = a + change($v)",
            "a = change($v) + a",
            "b = a * change($v) - a",
            "a, b = b, $o",
            "a, b = $o, a",
            "row[0], row[1] = $o, $o",
            "k, row[k % 3] = turn(1), $v",
            "a = b = row[0] = $o",
            "row[0], *rest = $o, $o, a",
            "b = $o + $o * $o",
            "b = later($o, last=$o, second=$o)",
            "b = later($o, *[$o, $o])",
            "b = later(second=$o, first=$o)",
            "print(float(a), float($o), float(a))",
            "print($o < $o < $o, a == change($v) == a)",
            "slo['p'] += $o",
            "slo['q' if $t else 'p'] = $o",
            "slo['p'], slo['q'] = slo['q'], $o",
            "x[turn(1)] += change($v)",
            "x[turn(1)], x[turn(1)] = $o, $o",
            "x[0] = x[1] = $o",
            "row = [$o, $o, (b := $v)]",
            "row = [*row[1:], a, change($v)][:3]",
            "mix = {noted(np.float64(1)): said($v), noted(np.float64(2)): $o}\nb = mix[turn(0) % 2 + 1]",
            "b = (lambda p, q=$o: p + q)($o)",
            "b = $o if $t else $o",
            "b = [change(one) for one in row][0] + a",
            "b = max($o, $o) - min($o, a)",
            "old[0] = $o",
            "del CALLED[2:]",
            "for a in row:\n    b += change(a)\n    if a > b:\n        break",
        ),
        ("$o", "row[0]", "old[1]", "(b := $v)", "slo.v", "(a, change($v), a)[2]"),
        ("$o > $o", "$o > $v and a > b", "not $o < a", "row is old", "a > $o > b", "(b := $v) > a or b > 0"),
        ("row", "old", "slo.kept", "list(CALLED)"),
    ),
}
