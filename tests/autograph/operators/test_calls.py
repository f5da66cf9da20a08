"""What is called in place of a callee."""

import functools
import logging
import sys
import warnings
from dataclasses import dataclass

import pytest

import autograph
from autograph import config, registry
from autograph.operators import call, converted
from autograph.operators.calls import Offer
from autograph.staging import Stage
from tests.differential import registered
from tests.modules import module_of


class Symbol:
    """A value whose truth is not known."""

    def __bool__(self):
        raise TypeError("a symbol has no truth value")


class Recording(Stage):
    """Takes over `if` and `not`, and notes what it is asked."""

    name = "recording"

    def __init__(self, is_active=False):
        self.is_active = is_active
        self.seen = []

    def active(self):
        return self.is_active

    def claims(self, value):
        return isinstance(value, Symbol)

    def not_(self, value):
        return "staged not"

    def call(self, function, args, kwargs):
        self.seen.append(("call", function, args, kwargs))
        return "staged len" if function is len and isinstance(args[0], Symbol) else NotImplemented

    def enter(self, function, converted):
        self.seen.append(("enter", function))
        return converted


@pytest.fixture
def stage():
    with registered(Recording()) as made:
        yield made


@pytest.fixture
def active(stage):
    stage.is_active = True
    return stage


def negate(x):
    return not x


class Negator:
    factor = not 0

    def __init__(self, x, *rest, key=None):
        self.negated = not x
        self.key = key

    def method(self, x):
        return not x

    @classmethod
    def of_class(cls, x):
        return not x

    @staticmethod
    def static(x):
        return not x

    def __call__(self, x):
        return not x


def test_without_a_stage_nothing_is_converted(monkeypatch):
    monkeypatch.setattr(registry, "_present", ())  # another test of this process may have registered one
    assert converted(negate) is negate
    assert converted(len) is len
    assert call(negate, 1) is False


@pytest.mark.parametrize(
    "callee",
    [
        negate,
        lambda x: not x,
        Negator(0).method,
        Negator.of_class,
        Negator(0).of_class,
        Negator.static,
        Negator(0),
        functools.partial(negate),
        functools.partial(Negator(0).method),
        lambda x: Negator(x).negated,
        lambda x: functools.partial(Negator, x)(1, 2, key=3).negated,
        lambda x: (lambda y: negate(y))(x),
        autograph.convert(negate),
    ],
)
def test_what_is_called_is_converted(stage, callee):
    assert call(callee, Symbol()) == "staged not"
    assert call(callee, 0) is True


def test_constructors_are_what_classes_do(stage):
    class Base:
        def __new__(cls, x):
            made = super().__new__(cls)
            made.made_with = not x
            return made

    class Derived(Base):
        def __init__(self, x):
            super().__init__()
            self.initialized_with = not x

    class Other:
        def __new__(cls, x):
            return not x

        def __init__(self, x):
            raise AssertionError("not called: __new__ gave something else")

    class Wrong:
        def __init__(self):
            return 3

    made = call(Derived, Symbol())
    assert type(made) is Derived
    assert made.made_with == made.initialized_with == "staged not"
    assert call(Other, Symbol()) == "staged not"
    for build in (Wrong, lambda: call(Wrong)):
        with pytest.raises(TypeError, match=r"__init__\(\) should return None, not 'int'"):
            build()
    with pytest.raises(TypeError) as plain:
        Derived()
    with pytest.raises(TypeError) as staged:
        call(Derived)
    assert str(plain.value) == str(staged.value)


def test_metaclasses(stage):
    class Meta(type):
        def __call__(cls, x):
            return not x

    class Made(metaclass=Meta):
        pass

    assert call(Made, Symbol()) == "staged not"


def test_classes_whose_constructor_is_not_python(stage):
    @dataclass
    class Point:
        x: int

    assert call(Point, 3) == Point(3)
    assert call(ValueError, "m").args == ("m",)
    assert call(dict, a=1) == {"a": 1}


def test_not_converted(stage):
    marked = autograph.do_not_convert(lambda x: not x)
    with pytest.raises(TypeError, match="no truth value"):
        call(marked, Symbol())
    import textwrap

    assert converted(textwrap.dedent) is textwrap.dedent
    assert converted(len) is len
    namespace = {"__name__": "made_by_exec"}
    exec("def f(x): return not x", namespace)
    assert converted(namespace["f"]) is namespace["f"]


def test_modules_can_be_excluded(stage):
    text = "def f(x): return not x\ndef g(x): return not x"
    namespace = module_of(text, __name__="some_package.inner")
    config.exclude("some_package")
    try:
        assert converted(namespace["f"]) is namespace["f"]
        config.include("some_package.inner")
        assert call(namespace["g"], Symbol()) == "staged not"
    finally:
        config.include("some_package")


def test_an_active_stage_enters_users_functions(active):
    assert call(negate, 1) is False
    assert active.seen == [("enter", negate)]
    method = Negator(0).method
    assert call(method, 1) is False
    assert active.seen[1:] == [("enter", Negator.method)]


def test_an_active_stage_is_offered_the_others(active):
    assert type(converted(len)) is Offer
    assert call(len, Symbol()) == "staged len"
    assert call(len, [1]) == 1
    assert [entry[:2] for entry in active.seen] == [("call", len), ("call", len)]
    text = "abc"
    assert call(text.upper) == "ABC"
    assert active.seen[-1][0] == "call"


def test_an_active_stage_enters_converted_functions(active):
    function = autograph.convert(negate)
    active.seen.clear()
    call(function, 1)
    assert active.seen == [("enter", function)]


def test_no_frame_of_ours_stands_between(stage, caplog):
    def warn():
        warnings.warn("careful", UserWarning, stacklevel=2)

    def log():
        logging.getLogger("test").warning("logged")

    def name_of_caller():
        return sys._getframe(1).f_code.co_name

    @autograph.convert
    def f(x):
        if x:
            warn()
        log()
        return name_of_caller()

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert f(1) == "f"
    assert (caught[0].filename, caught[0].lineno) == (__file__, f.__code__.co_firstlineno + 3)
    assert (caplog.records[0].pathname, caplog.records[0].funcName) == (__file__, "log")


def test_what_is_not_callable(stage):
    with pytest.raises(TypeError, match="'int' object is not callable"):
        call(3)


def _renamed():
    yield not 1


def test_a_generator_has_the_name_that_its_function_has_now(stage):
    names = []
    for name in ("before", "after"):
        _renamed.__name__ = name
        names.append(call(_renamed).__name__)
    assert names == ["before", "after"]


def _not(x):
    return not x


def test_a_replaced_import_function_is_none_of_conversions(stage, monkeypatch):
    asked = []
    with monkeypatch.context() as patch:
        patch.setattr("builtins.__import__", lambda *args: asked.append(args))
        assert converted(_not) is not _not
        assert call(_not, 0) is True
    assert asked == []


def test_a_class_whose_metaclass_hides_its_namespace(stage):
    class Hiding(type):
        @property
        def __dict__(cls):
            raise AttributeError

    class Hidden(metaclass=Hiding):
        def __init__(self, x):
            self.x = not x

        def __call__(self):
            return self.x

    assert call(call(Hidden, 0)) is True
