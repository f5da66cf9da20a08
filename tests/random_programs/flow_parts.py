"""Ways through a program: `match`, `else` of loops, `finally` in `finally`, managers that swallow."""

from tests.random_programs.object_parts import Part

FLOW_PARTS = {
    "matches": Part(
        """\
class Shape:
    __match_args__ = ('kind', 'v')

    def __init__(self, kind, v):
        self.kind = kind
        self.v = v


class Empty(Shape):
    pass


def measured(shape):
    match shape:
        case Empty():
            return np.float64(-1.0)
        case Shape('disc', v) | Shape('ball', v) if v > 0:
            return v * v
        case Shape(kind=kind, v=w):
            print(kind)
            return w
    return np.float64(0.0)


""",
        ("shp = Shape('disc', $v)", "two = (a, n)", "cmd = ['go', $v]", "dic = {'op': 'add', 'v': $v}"),
        ("shp", "Shape('ball', $v)", "Empty('none', $v)", "Shape('box', $v)"),
        (
            "shp = $o",
            "shp.v = $v",
            "two = ($v, $i)",
            "cmd = ['go', $v]",
            "cmd = ['stop']",
            "cmd.append($v)",
            "dic['op'] = 'mul'",
            "dic['v'] = $v",
            "a = measured($o)",
            "match n:\n    case 0:\n        a = $v\n    case 1 | 2 as p:\n        k = p\n"
            "    case p if p > 2:\n"
            "        k = -p\n    case _:\n        b = $v",
            "match n, $t:\n    case (0, _):\n        a = $v\n    case (p, True):\n        k = p\n"
            "    case _:\n"
            "        b = $v",
            "match two:\n    case (p, 0):\n        a = p\n    case (p, q) if p > q:\n        a, k = p, q\n"
            "    case [_, q]:\n        k = q",
            "match cmd:\n    case ['go', p] if p > $v:\n        a = p\n    case ['go', *rest]:\n"
            "        k = len(rest)\n"
            "    case ['stop' | 'halt']:\n        b = $v",
            "match dic:\n    case {'op': 'add', 'v': p}:\n        a += p\n    case {'op': op, **rest}:\n"
            "        print(op, len(rest))",
            "match $o:\n    case Shape('disc', v=p):\n        a = p\n    case Shape(p, q) if q > 0:\n"
            "        b = q\n"
            "    case _:\n        print('no')",
            "match x[n % 3]:\n    case p if p > $v:\n        a = p\n    case p:\n        b = p",
            "match (a, (b, n)):\n    case (p, (q, 2)):\n        a = p + q\n"
            "    case (p, (q, r)) if r > 0 and p > q:\n"
            "        a = q",
            "match $v, $v:\n    case p, q if p > q:\n        a = p - q\n    case p, q:\n        a = q - p",
        ),
        ("measured($o)", "shp.v", "two[0]", "dic['v']"),
        ("shp.v > $v", "shp.kind == 'disc'", "len(cmd) > 1", "dic['op'] == 'add'", "isinstance(shp, Empty)"),
        ("shp", "two", "cmd", "dic"),
    ),
    "flow": Part(
        """\
LEFT = []


class Swallow:
    def __init__(self, *kinds):
        self.kinds = kinds
        self.caught = 0

    def __enter__(self):
        LEFT.append('in')
        return self

    def __exit__(self, kind, error, trace):
        LEFT.append('out')
        if kind is not None and issubclass(kind, self.kinds):
            self.caught += 1
            return True


def checked(v, w):
    try:
        if v > w:
            raise ValueError('above')
        try:
            if v < -1:
                raise KeyError('below')
            return v
        finally:
            LEFT.append('inner')
    finally:
        LEFT.append('outer')


def found(values, w):
    for k, one in enumerate(values):
        if one > w:
            break
    else:
        return -1
    return k


def override(v):
    for one in (v, v + 1.0):
        try:
            if one > 1:
                return one
        finally:
            LEFT.append('one')
    return np.float64(0.25)


""",
        ("swa = Swallow(KeyError)", "got = 0"),
        ("swa", "Swallow(ValueError)", "Swallow(KeyError, ValueError)", "Swallow(LookupError)"),
        (
            "swa = $o",
            "with $o:\n    if $t:\n        raise KeyError('k')\n    a = $v",
            "with $o as swa:\n    a = checked($v, $v)",
            "with swa, Swallow(ValueError):\n    b = checked($v, $v)\n    a = b",
            "with Swallow(IndexError):\n    a = [a, b][n]\n    b = $v",
            "try:\n    a = checked($v, $v)\nexcept (ValueError, KeyError) as error:\n    print(error)\n"
            "else:\n"
            "    b = $v\nfinally:\n    got += 1",
            "try:\n    try:\n        a = checked($v, $v)\n    finally:\n        got += 2\n        b = $v\n"
            "except LookupError:\n    got += 4\nexcept ValueError as error:\n    print('value', error)",
            "for one in x:\n    if one > $v:\n        a = one\n        break\n    got += 1\nelse:\n"
            "    b = $v",
            "for one in range(n):\n    if $t:\n        continue\n    if one > 1:\n        break\n"
            "    a += 1.0\nelse:\n"
            "    got = n",
            "k = 3\nwhile k > n:\n    k -= 1\n    if $t:\n        break\nelse:\n    a = $v",
            "for one in x:\n    try:\n        if one > $v:\n            continue\n        if one < -1:\n"
            "            break\n"
            "        a = one\n    finally:\n        got += 1\nelse:\n    b = $v",
            "for one in x:\n    with $o:\n        if one > $v:\n            break\n        if one < 0:\n"
            "            raise KeyError('in loop')\n        a = one",
            "got = found(x, $v)",
            "a = override($v)",
            "try:\n    raise KeyError('x') if $t else ValueError('y')\nexcept KeyError:\n    a = $v\n"
            "except Exception as error:\n    print(repr(error))",
            "try:\n    if $t:\n        raise KeyError(n)\nexcept KeyError as error:\n    try:\n"
            "        raise ValueError('again') from error\n    except ValueError as other:\n"
            "        print(other.__cause__)",
            "if got > 5:\n    got -= 5",
            "del LEFT[4:]",
        ),
        ("override($v)", "np.float64(found(x, $v))", "np.float64(got)", "np.float64(swa.caught)"),
        ("got > 2", "swa.caught > 0", "found(x, $v) < 0", "len(LEFT) > 3", "swa.caught"),
        ("got", "swa.caught", "list(LEFT)"),
    ),
}
