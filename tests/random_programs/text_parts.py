"""Texts: streams of the user, `%` and format specs, own `__str__`, `__repr__` and `__format__`."""

from tests.random_programs.object_parts import Part

TEXT_PARTS = {
    "streams": Part(
        """\
class Stream:
    def __init__(self, name):
        self.name = name
        self.texts = []
        self.flushed = 0

    def write(self, text):
        self.texts.append(text)

    def flush(self):
        self.flushed += 1


class Upper(Stream):
    def write(self, text):
        if text != '\\n':
            super().write(text.upper())
            return len(text)


class Money:
    def __init__(self, v):
        self.v = v

    def __str__(self):
        return f"{self.v:.2f}"

    def __repr__(self):
        return 'Money(%s)' % self.v

    def __format__(self, spec):
        return format(float(self.v), spec or '.1f')


class Plain:
    def __init__(self, v):
        self.v = v

    def __repr__(self):
        return f"<{self.v}>"


OUT = Stream('out')


""",
        ("out = Stream('mine')", "mon = Money($v)", "pln = Plain($v)", "txt = 't'"),
        ("mon", "pln", "Money($v)", "n", "float(a)", "txt"),
        (
            "out.write(f'{$o}\\n')",
            "OUT.write(f'{$o}-{$o}')",
            "out.write(f'{n} {mon}')\nout.flush()",
            "print($o, $o, sep='-', end='|')",
            "out = Upper('up')",
            "out = Stream('new') if n > 1 else out",
            "out.write(f'{n}')",
            "OUT.texts.clear()",
            "OUT.texts = OUT.texts[-2:]",
            "print($o, end='')",
            "print(mon, pln, [pln], (pln, n), {'m': pln})",
            "print(f'{mon}', f'{mon:>8.3f}|{pln!s:>9}|{n:03d}')",
            'print(f"{float($v):8.3f}|{float($v):+.1e}|{n:<4}|{n!r:>3}")',
            "print('%s and %r' % (pln, n), '%5.1f|%-4d|' % ($v, n))",
            "print('%s' % n)",
            "print('{:.2f}|{!r}|{}'.format(float($v), mon, pln))",
            "print('{0.v} {1[0]} {m:.1f}'.format(pln, [n], m=mon))",
            "txt = str(mon)",
            "txt = '%s' % pln",
            "txt = f'{mon!r}'[:4]",
            "txt = ','.join([str(mon), repr(pln), format(mon, '.0f')])",
            "txt = repr($o)",
            "txt += '!' if $t else '?'",
            "mon = Money($v)",
            "mon.v = $v",
            "pln = Plain($v)",
            "if len(txt) > 6:\n    txt = txt[:3]",
            "k = len(str($o))",
            "a = $v if txt.startswith('<') else b",
            "try:\n    raise ValueError(Plain($v))\nexcept ValueError as error:\n    print(error)",
            "try:\n    assert $t, pln\nexcept AssertionError as error:\n    print('no', error)",
        ),
        ("mon.v", "pln.v", "np.float64(len(txt))", "np.float64(len(out.texts))"),
        ("mon.v > $v", "txt", "str(pln) == txt", "'1' in str(mon)", "out.texts"),
        ("out.texts", "OUT.texts", "txt", "mon", "pln", "OUT.flushed"),
    ),
}
