"""`text.format(...)`, `text.format_map(...)` and `text % values`: fields of all kinds."""

import numpy as np
import pytest

import runtime as rt
from autograph.errors import StagingError
from tests.differential import check_scenario
from tests.modules import module_of

WORLD = r"""
import numpy as np
calls = 0
def told(value, times=1):
    global calls
    calls += times
    return value
class Loud:
    def __str__(self): return told("str")
class Quiet:
    def __str__(self): return "str\xe9"
    def __repr__(self): return "repr\xe9"
class Converts:
    def __int__(self): return told(7, 100)
    __index__ = __int__
    def __float__(self): return told(2.5, 10000)
class Names:
    def __getitem__(self, key): return told(calls + 1 if key == "a" else key)
d, loud, number = Quiet(), Loud(), Converts()
names = Names()
items = [1, 2.5]
keys = {"k": 3}
pattern = "%s %r"
"""

FORMATS = [
    '"{}{}".format(*[x])',
    '"{.real}{.imag}".format(x, x)',
    '"{0.nope}".format(x)',
    '"{a[0]} {a[1]:.3f} {b[k]}".format(a=items, b=keys, c=x)',
    '"{a[5]}".format(a=items, b=x)',
    '"{0[0]:.1f} {0.shape}".format(np.ones(2) * x)',
    '"{a}{b}".format(**{"a": x, "b": d})',
    '"{x:}{{}}".format(x=x)',
    '"{!r:>8}{!s}{!a}".format(x, d, d)',
    '"{0} {1} {0}".format(x, (x if x > 0 else None))',
    '("{0}" if x > 0 else "{1}").format(x, 5)',
    'str.format("{} {}", x, d)',
]

OTHERS = [
    'f"{d!a}{x}"',
    "ascii(d)",
    '"%r %s %5.1f" % (f"{x}", items, x)',
    '"%(a)s" % {"a": x}',
]

WRONG = [
    '"{0.real} {.imag}".format(x)',
    '"{:>{w}}".format(x, w=12)',
    '"{} {1}".format(x, x)',
    '"{1} {}".format(x, x)',
    '"{!z}".format(x)',
    '"{} {}".format(x)',
    '"{1}".format(x)',
    '"{a}".format(x)',
    '"{:{:{}}}".format(x, 1, 2)',
    '"{} {} {}".format(d, d)',
    '"{".format(x)',
    '"{}}".format(x)',
    '"{a}{b}".format(a=x)',
]

REFUSED = [
    'f"{loud}"',
    '"{} {}".format(loud, x)',
    '"{a}{b}".format_map({"a": x, "b": d})',
    '"{a}{b}{a}".format_map(names)',
    '"%s%s" % (loud, x)',
    '"%d %s" % (number, x)',
    '"%x %s" % (number, x)',
    '"%5.1f %s" % (number, x)',
    '"%(a)s" % names',
    '"%(a)s %(b)s" % {"a": loud, "b": x}',
    '"%s" % (loud if x > 0 else x)',
    '"%s" % [loud]',
    "pattern % (loud, loud)",
    '(str(x) + "%s") % (loud,)',
]


def scenario_of(expression):
    source = f"{WORLD}\ndef f(x):\n    made = {expression}\n    return made, calls\n"

    def scenario(decorate):
        module = module_of(source)
        f, found = decorate(module["f"]), []
        for x in (1.0, 2.0, -1.5):
            try:
                found.append(f(x))
            except (ValueError, LookupError, TypeError, AttributeError) as error:
                found.append((type(error).__name__, str(error), module["calls"]))
        return found

    return scenario


@pytest.mark.parametrize("expression", [*FORMATS, *OTHERS])
def test_text_is_that_of_plain_python(expression):
    check_scenario(scenario_of(expression))


@pytest.mark.parametrize("expression", WRONG)
def test_fields_that_are_wrong_or_more_than_a_value_are_refused(expression):
    with pytest.raises(StagingError, match=r"`format` cannot fill in this text: .*\n(.*\n)*hint: give a"):
        rt.function(module_of(f"{WORLD}\ndef f(x):\n    return {expression}\n")["f"])(np.float64(1.5))


@pytest.mark.parametrize("expression", REFUSED)
def test_text_that_asks_unseen_is_refused(expression):
    assert not check_scenario(scenario_of(expression), may_refuse=True)


@pytest.mark.parametrize("text", ["'a'", "'a%%'", "'a %s'", "'%d'"])
@pytest.mark.parametrize(
    "value", ["[x]", "(x,)", "x", "{'k': x}", "[y for y in (x, 1.0) if y > 0]", "([x],)"]
)
def test_a_list_counts_as_a_mapping_of_which_a_text_may_want_nothing(text, value):
    check_scenario(scenario_of(f"{text} % {value}"))
