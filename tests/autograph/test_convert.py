"""`convert`: the converted function is the same program, in what it returns and in what can be seen of it."""

import functools
import inspect
import types

import pytest

import autograph
from autograph.errors import ConversionError, SourceNotFoundError
from tests.autograph.programs import define
from tests.modules import module_of

THRESHOLD = 3
pytestmark = pytest.mark.usefixtures("stages")


class TestWhatIsKept:
    def test_signature_and_names(self):
        def f(a, /, b: int = 2, *c, d=4, **e) -> str:
            "Documented."
            return a, b, c, d, e

        g = autograph.convert(f)
        assert inspect.signature(g) == inspect.signature(f)
        for name in ("__name__", "__qualname__", "__doc__", "__module__", "__annotations__", "__defaults__"):
            assert getattr(g, name) == getattr(f, name), name
        assert g.__kwdefaults__ is f.__kwdefaults__
        assert g.__globals__ is f.__globals__
        assert g(1, 3, 5, d=7, x=9) == (1, 3, (5,), 7, {"x": 9})

    def test_attributes_are_copied_and_the_original_is_known(self):
        def f():
            return f.calls

        f.calls = 3
        g = autograph.convert(f)
        assert g.calls == 3
        assert autograph.original(g) is f
        assert g.__wrapped__ is f

    def test_converting_twice_changes_nothing(self):
        g = autograph.convert(lambda x: not x)
        assert autograph.convert(g) is g

    def test_errors_of_a_wrong_call_are_the_same(self):
        def f(a, *, b):
            return not a

        messages = []
        for function in (f, autograph.convert(f)):
            with pytest.raises(TypeError) as caught:
                function(1)
            messages.append(str(caught.value))
        assert messages[0] == messages[1]

    def test_the_source_is_still_found(self):
        def f(x):
            # a comment
            return not x

        assert inspect.getsource(autograph.convert(f)) == inspect.getsource(f)

    def test_globals_stay_clean(self):
        namespace = module_of("def f(x): return not x")
        before = set(namespace)
        autograph.convert(namespace["f"])(1)
        assert set(namespace) == before

    def test_locals_stay_clean(self):
        def f(x):
            y = not x
            return locals()

        assert autograph.convert(f)(1) == f(1)


class TestScopes:
    def test_cells_are_shared(self):
        count = 0

        @autograph.convert
        def increment(by=1):
            nonlocal count
            if by > 0:
                count += by
            return count

        increment()
        increment(5)
        assert count == 6
        count = 10
        assert increment(0) == 10

    def test_globals_are_read_when_called(self, monkeypatch):
        @autograph.convert
        def above(x):
            if x > THRESHOLD:
                return True
            return False

        assert above(4)
        monkeypatch.setitem(globals(), "THRESHOLD", 10)
        assert not above(4)

    def test_recursion_of_a_nested_function(self):
        @autograph.convert
        def factorial(n):
            return 1 if n == 0 else n * factorial(n - 1)

        assert factorial(20) == 2432902008176640000

    def test_private_names_and_super(self):
        class Base:
            def value(self):
                return 1

        class Derived(Base):
            def __init__(self):
                self.__secret = 5

            def value(self):
                if self.__secret:
                    return super().value() + self.__secret
                return __class__

        assert autograph.convert(Derived.value)(Derived()) == 6
        assert autograph.convert(Derived().value)() == 6

    def test_instantiate_with_other_globals_and_cells(self):
        offset = 1

        def f(x):
            global SEEN
            SEEN = x
            return x + offset + THRESHOLD

        record = autograph.conversion_of(f)
        assert record.free_names == ("offset",)
        assert record.global_names == {"SEEN", "THRESHOLD"}
        assert record.written_global_names == {"SEEN"}
        other = {"THRESHOLD": 100}
        g = record.instantiate(other, {"offset": types.CellType(10)})
        assert g(1) == 111
        assert other["SEEN"] == 1
        assert "SEEN" not in globals()


class TestKinds:
    def test_methods_of_every_kind(self):
        class A:
            factor = 2

            def __init__(self, x):
                self.x = x

            @autograph.convert
            def plain(self):
                return not self.x

            @autograph.convert
            @classmethod
            def of_class(cls):
                return not cls.factor

            @classmethod
            @autograph.convert
            def of_class_too(cls):
                return not cls.factor

            @autograph.convert
            @staticmethod
            def static(x):
                return not x

            @autograph.convert
            @property
            def prop(self):
                return not self.x

            def __call__(self, y):
                return self.x and y

        a = A(0)
        assert (a.plain(), a.of_class(), a.of_class_too(), a.static(0), a.prop) == (
            True,
            False,
            False,
            True,
            True,
        )
        assert autograph.convert(a)(1) == 0
        assert autograph.convert(functools.partial(lambda x, y: x or y, 0))(3) == 3

    def test_generators(self):
        def f(n):
            for i in range(n):
                if i % 2:
                    yield i
            return "end"

        g = autograph.convert(f)
        assert inspect.isgeneratorfunction(g)
        assert list(g(6)) == [1, 3, 5]

    def test_a_docstring_before_dead_code(self):
        def f(x):
            """Documented."""

            class Local:
                def g(self):
                    return __class__ and not x

            return Local().g()
            y = 1

        g = autograph.convert(f)
        assert (g(0), g.__doc__) == (True, "Documented.")

    def test_lambdas_in_a_row(self):
        functions = [autograph.convert(f) for f in (lambda x: not x, lambda x: x and 1, lambda x: x or 2)]
        assert [f(0) for f in functions] == [True, 0, 2]

    def test_type_errors(self):
        with pytest.raises(ConversionError, match="not callable"):
            autograph.convert(3)
        with pytest.raises(SourceNotFoundError, match="no Python source"):
            autograph.convert(len)
        with pytest.raises(ConversionError, match="is a class"):
            autograph.convert(TestKinds)

    def test_do_not_convert(self):
        @autograph.do_not_convert
        def f(x):
            return not x

        assert autograph.convert(f) is f

    def test_the_reserved_name(self):
        def f(ag__):
            return ag__

        with pytest.raises(ConversionError, match="reserved") as caught:
            autograph.convert(f)
        assert caught.value.variable == "ag__"


def test_a_method_may_have_the_name_of_its_class():
    text = """
class pair:
    def pair(self, x):
        return not x
class around:
    def around(self, x):
        return not x
def f(x):
    return pair.pair(pair(), x), around.around(around(), x)
"""
    f = define(text)
    for name in ("pair", "around"):
        cls = f.__globals__[name]
        setattr(cls, name, autograph.convert(getattr(cls, name)))
    assert f(0) == (True, True)
    assert autograph.convert(f)(1) == (False, False)


def test_a_try_that_may_return_and_whose_else_returns():
    def f(x):
        try:
            if x > 3:
                return "big"
            item = len("abc") + x
        except ValueError:
            return None
        else:
            return item

    converted = autograph.convert(f)
    assert [converted(x) for x in (1, 5)] == [f(x) for x in (1, 5)] == [4, "big"]


class Spelled:
    def twice(self, x):
        __size = 0
        if x:
            _Spelled__size = 5
        return __size


def test_one_variable_in_two_spellings_is_refused():
    assert Spelled().twice(1) == 5
    with pytest.raises(ConversionError, match="`__size` and `_Spelled__size` are one variable") as caught:
        autograph.convert(Spelled.twice)(Spelled(), 1)
    assert caught.value.hint == "write it in one way"
