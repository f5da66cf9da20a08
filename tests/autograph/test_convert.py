"""`convert`: the converted function is the same program, in what it returns and in what can be seen of it."""

import functools
import gc
import inspect
import sys
import threading
import traceback
import weakref

import pytest

import autograph
from autograph.errors import ConversionError, SourceNotFoundError
from autograph.source import register_source

THRESHOLD = 3


@pytest.fixture(autouse=True, params=["asleep", "awake"])
def stages(request):
    """Everything twice: with the user's own statements, and with a stage for which operators run."""
    if request.param == "asleep":
        yield
        return
    stage = autograph.Stage()
    autograph.register_stage(stage)
    yield
    autograph.unregister_stage(stage)


def define(text, **names):
    """The function `f` of some text."""
    namespace = {"__name__": "example", **names}
    exec(compile(text, register_source(text), "exec"), namespace)
    return namespace["f"]


def trace_of(call):
    """The traceback entries (function, line, columns) of the exception that `call` raises."""
    with pytest.raises(Exception) as caught:
        call()
    entries = traceback.extract_tb(caught.value.__traceback__)[1:]  # without this function's
    return [(e.name, e.lineno, e.line) for e in entries if e.filename == __file__]


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
        namespace = {"__name__": "clean"}
        text = "def f(x): return not x"
        exec(compile(text, register_source(text), "exec"), namespace)
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
        import types

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


def fail(message):
    raise ValueError(message)


class TestTracebacks:
    def both(self, f, *args):
        converted = autograph.convert(f)
        assert trace_of(lambda: f(*args)) == trace_of(lambda: converted(*args))
        return trace_of(lambda: converted(*args))

    def test_in_a_branch(self):
        def f(x):
            if x:
                y = 1
                fail("in branch")
            return y

        assert [name for name, *_ in self.both(f, 1)] == ["<lambda>", "f", "fail"]

    def test_in_nested_loops(self):
        def f(n):
            total = 0
            for i in range(n):
                while True:
                    total += 1
                    if total > 2:
                        total += fail("deep")
                        break
            return total

        self.both(f, 3)

    def test_in_conditional_expressions(self):
        def f(x):
            return 1 if x else (x or fail("x"))

        self.both(f, 0)

    def test_in_a_test(self):
        def f(x):
            while fail("test") if x else False:
                pass
            for _ in fail("iterable"):
                pass

        self.both(f, 1)
        self.both(f, 0)

    def test_in_a_nested_function_and_lambda(self):
        def f(x):
            def inner(y):
                if y:
                    y = (lambda z: z or fail(z))(0)
                return y

            for _ in range(2):
                x = inner(x)
            return x

        self.both(f, 1)

    def test_raise_and_assert(self):
        def f(x):
            if x:
                raise KeyError(x)
            assert x, "zero"

        self.both(f, 1)
        self.both(f, 0)

    def test_in_a_generator_expression(self):
        def f(xs):
            return sum(
                1 // x
                for x in xs
            )  # fmt: skip

        assert self.both(f, [1, 0])[-1][0] == "<genexpr>"

    def test_in_a_comprehension(self):
        def f(xs):
            return [
                x
                for x in xs
                if 1 // x
            ]  # fmt: skip

        assert self.both(f, [1, 0])[-1][2] == "if 1 // x"

    def test_in_a_generator(self):
        def f(n):
            def numbers():
                for i in range(n):
                    if i == 1:
                        fail("second")
                    yield i

            return list(numbers())

        self.both(f, 3)

    def test_chained_exceptions_have_clean_tracebacks_too(self):
        def f(x):
            try:
                if x:
                    fail("first")
            except ValueError as error:
                raise KeyError("second") from error

        with pytest.raises(KeyError) as caught:
            autograph.convert(f)(1)
        files = {e.filename for e in traceback.extract_tb(caught.value.__cause__.__traceback__)}
        assert files == {__file__}

    def test_raised_again(self):
        def bare(x):
            try:
                if x:
                    fail("first")
            except ValueError as error:
                if x > 1:
                    raise error
                raise

        def through(x):
            try:
                bare(x)
            except KeyError:
                pass
            finally:
                x = 0

        for argument in (1, 2):
            self.both(bare, argument)
            self.both(through, argument)

    def test_what_a_handler_sees(self):
        def f(x):
            try:
                while x:
                    x = fail("first")
            except ValueError as error:
                return [(e.name, e.lineno) for e in traceback.extract_tb(error.__traceback__)]

        assert autograph.convert(f)(1) == f(1)

    def test_deep_recursion(self):
        def f(n):
            if n:
                return f(n - 1)
            return fail("deep")

        f = autograph.convert(f)
        assert [e[0] for e in trace_of(lambda: f(100))] == ["<lambda>", *["f"] * 101, "fail"]

    def test_the_exception_is_the_same_object(self):
        error = RuntimeError("mine")

        @autograph.convert
        def f(x):
            if x:
                raise error

        with pytest.raises(RuntimeError) as caught:
            f(1)
        assert caught.value is error

    def test_all_frames_with_debug(self, monkeypatch, stages, request):
        monkeypatch.setenv("AUTOGRAPH_DEBUG", "1")

        @autograph.convert
        def f(x):
            while x:
                y = fail("x")
            return y

        with pytest.raises(ValueError) as caught:
            f(1)
        files = [e.filename for e in traceback.extract_tb(caught.value.__traceback__)]
        is_awake = "awake" in request.node.name
        assert any("control_flow" in file for file in files) == is_awake


class TestLifetime:
    def test_conversions_are_made_once_per_code_object(self):
        def outer(k):
            return lambda x: x and k

        records = {autograph.conversion_of(outer(k)) for k in range(5)}
        assert len(records) == 1

    def test_fresh_lambdas_do_not_leak(self):
        def make():
            # A text of its own each time: a code object of its own.
            text = "f = lambda x: x and not x"
            return define(text)

        def convert_and_forget(number):
            f = make()
            assert autograph.convert(f)(1) is False
            return weakref.ref(f.__code__)

        codes = [convert_and_forget(i) for i in range(50)]
        gc.collect()
        assert [c for c in codes if c() is not None] == []

    def test_concurrent_first_calls(self):
        def f(x):
            while x > 10:
                x -= 3 if x % 2 else 1
            return x

        barrier = threading.Barrier(8)
        records, results = [], []

        def work():
            barrier.wait()
            records.append(autograph.conversion_of(f))
            results.append(autograph.convert(f)(100))

        threads = [threading.Thread(target=work) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(set(records)) == 1
        assert set(results) == {f(100)}


def test_import_loads_little():
    import subprocess

    script = "import sys; import autograph; print('numpy' in sys.modules, 'gast' in sys.modules)"
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert run.stdout == "False False\n"


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
