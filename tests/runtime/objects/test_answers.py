"""What Python makes of the answers of special methods, and which of them it asks for unseen."""

import numpy as np
import pytest

import autograph
import runtime as rt
from tests.long import some
from tests.modules import module_of

#: the method -> the expressions that ask for it
ASKED = {
    "__len__": ["len(held)", "bool(held)", "1 if held else 2", "not held"],
    "__bool__": ["bool(held)", "1 if held else 2", "bool(held and 3)"],
    "__int__": ["int(held)"],
    "__float__": ["float(held)"],
    "__complex__": ["complex(held)"],
}
ANSWERS = ["int(self.n)", "np.int64(self.n)", "self.n", "self.n > 1", "int(self.n) - 5"]
COUNTED = """
import itertools
import numpy as np

count, scale = 0, 2
def told():
    global count
    count += 1
    return scale
"""
LENGTHS = f"""{COUNTED}
class Sized:
    def __init__(self): self.v = [1.0, 2.0]
    def __iter__(self): return iter(self.v)
    def __len__(self): return told()
class Hinted:
    def __iter__(self): return iter([1.0, 2.0])
    def __length_hint__(self): return told()
class Quiet(Sized):
    def __len__(self): return scale
class Doubled:
    def __class_getitem__(cls, k): return cls.__name__, k * told()
class Inherits(Doubled): pass
sized, hinted, quiet = Sized(), Hinted(), Quiet()
"""
MEASURED = """list(@) sorted(@) tuple(@) [0.0].extend(@) ','.join(map(str,@)) sum(@) set(@)
list(itertools.product(@,[1])) list(itertools.permutations(@)) [*iter(@)] list(zip(@,@)) max(@)""".split()


def outcome_of(function, value) -> str:
    try:
        return repr(function(value))
    except (TypeError, ValueError) as error:
        return repr(error)


def agree(source: str, changes: list[str], values: list, engine: str, may_refuse: str = "") -> None:
    plain, staged = module_of(source), module_of(source)
    decorated = rt.function(staged["f"], engine=engine)
    for change, value in zip(changes, values, strict=True):
        exec(change, plain)
        exec(change, staged)
        try:
            found = outcome_of(decorated, value)
        except autograph.StagingError as refusal:
            assert may_refuse and may_refuse in str(refusal)
            continue
        assert found == outcome_of(plain["f"], value)
        assert staged.get("count") == plain.get("count")


@pytest.mark.parametrize("engine", some(["native", "numpy"]))
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("answer", ANSWERS)
@pytest.mark.parametrize("method", ASKED)
def test_what_python_makes_of_an_answer(method: str, answer: str, engine: str) -> None:
    for asked in ASKED[method]:
        source = (
            "import numpy as np\nclass Held:\n    def __init__(self, n):\n"
            "        self.n, self.a = n, np.array([1, 1])\n"
            f"    def {method}(self): return {answer}\n"
            f"held = Held(2.0)\ndef f(x):\n    held.n = x\n    return {asked}\n"
        )
        agree(source, [""] * 4, [2.0, 3.0, 0.0, np.float64(2)], engine, "Python asks for another type")


@pytest.mark.parametrize("engine", some(["native", "numpy"]))
@pytest.mark.parametrize("expression", MEASURED)
def test_lists_ask_how_many_items_there_may_be(expression: str, engine: str) -> None:
    source = f"{LENGTHS}\ndef f(x):\n    return {expression.replace('@', 'sized')}, x\n"
    agree(source, ["", "scale = 3", "", "scale = -1"], [1.5, 1.5, 2.5, 1.5], engine)


@pytest.mark.parametrize("engine", some(["native", "numpy"]))
@pytest.mark.parametrize("name", ["quiet", "Numbers()"])
def test_what_a_list_gets_by_plus(name: str, engine: str) -> None:
    numbers = "class Numbers:\n    n = 0\n    def __iter__(self): return self\n    def __next__(self):\n"
    numbers += "        self.n += 1\n        if self.n > 3: raise StopIteration\n        return self.n\n"
    source = f"{LENGTHS}{numbers}\ndef f(x):\n    made = [x]\n    made += {name}\n    return made\n"
    agree(source, ["", "scale = 3", ""], [1.5, 1.5, 2.5], engine)


@pytest.mark.parametrize("asked", ["[*@]", "(*@, x)", "max(*@, x)", "(lambda *a: a)(*@)"])
def test_what_is_asked_before_a_list_is_made(asked: str) -> None:
    for name in ("sized", "hinted"):
        names = module_of(f"{LENGTHS}\ndef f(x):\n    return {asked.replace('@', name)}, x\n")
        with pytest.raises(autograph.StagingError, match="unseen before it makes a list(?s:.*)hint: leave"):
            rt.function(names["f"])(1.5)
        assert names["count"] == 0
    source = f"{LENGTHS}\ndef f(x):\n    return {asked.replace('@', 'quiet')}, x\n"
    agree(source, ["", "scale = 3", ""], [1.5, 1.5, 2.5], "numpy")


@pytest.mark.parametrize("engine", some(["native", "numpy"]))
@pytest.mark.parametrize(
    "expression", ["Doubled[2]", "Inherits[2]", "Doubled[x]", "(Doubled if x > 2 else Inherits)[3]"]
)
def test_class_getitem(expression: str, engine: str) -> None:
    agree(
        f"{LENGTHS}\ndef f(x):\n    return {expression}\n",
        ["", "scale = 3", "", ""],
        [1.5, 1.5, 2.5, 1.5],
        engine,
    )


TRUTHS = f"""{COUNTED}
class Counted:
    n = 1.5
    def __bool__(self): return told() > 2
class Quiet(Counted):
    def __bool__(self): return scale > 2
class Asks:
    def __instancecheck__(self, other): return told() > 2
class NoText:
    def METHOD(self, *spec): return scale
counted, quiet, asks, no_text = Counted(), Quiet(), Asks(), NoText()
"""


@pytest.mark.parametrize("asked", ["any([@])", "all([@, 1])"])
def test_truths_that_any_and_all_ask_for(asked: str) -> None:
    source = f"{TRUTHS}\ndef f(x):\n    return {asked.replace('@', 'counted')}, count, x\n"
    agree(source, ["", "scale = 3", ""], [1.5, 1.5, 2.5], "numpy")


@pytest.mark.parametrize("name", ["counted", "quiet"])
def test_truths_that_builtins_ask_for(name: str) -> None:
    source = f"{TRUTHS}\ndef f(x):\n    return len(list(filter(None, [{name}, 1]))), count, x\n"
    agree(source, ["", "scale = 3", ""], [1.5, 1.5, 2.5], "numpy")
    source = f"{TRUTHS}\ndef f(x):\n    return any([bool(item) for item in [counted, 0]]), x\n"
    agree(source, ["", "scale = 3", ""], [1.5, 1.5, 2.5], "numpy")


def test_an_instance_that_says_what_its_instances_are():
    source = f"{TRUTHS}\ndef f(x):\n    return isinstance(1, asks), x\n"
    agree(source, ["", "scale = 3", ""], [1.5, 1.5, 2.5], "numpy")


@pytest.mark.parametrize("engine", some(["native", "numpy"]))
@pytest.mark.parametrize("method", ["__str__", "__repr__", "__format__"])
def test_texts_that_are_none(method: str, engine: str) -> None:
    asked = {"__str__": ["str(no_text)", "f'{no_text}'"], "__format__": ["f'{no_text}'", "f'{no_text:>3}'"]}
    for text in asked.get(method, ["repr(no_text)", "str(no_text)", "f'{no_text!r}'"]):
        source = f"{TRUTHS.replace('METHOD', method)}\ndef f(x):\n    return {text}\n"
        agree(source, ["", "scale = 3.5", ""], [1.5, 1.5, 2.5], engine)


@pytest.mark.parametrize("asked", ["abs(o)", "round(o)", "next(o)", "math.floor(o)", "reversed(o)"])
def test_an_answer_that_is_none_is_not_asked_for_twice(asked: str) -> None:
    name = {"math.floor(o)": "floor"}.get(asked, asked.split("(")[0])
    source = (
        "import math\ncount = 0\n\nclass Own:\n"
        f"    def __{name}__(self, *rest):\n        global count\n        count += 1\n"
        "        return NotImplemented\n\no = Own()\n"
        f"def f(x):\n    return {asked}, x\n"
    )
    names = module_of(source)
    with pytest.raises(autograph.StagingError, match="gives NotImplemented"):
        rt.function(names["f"])(1.5)
    assert names["count"] == 0
