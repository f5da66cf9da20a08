"""What a converted function raises: the same traceback, the same exception, the same causes."""

import sys
import traceback

import pytest

import autograph
from autograph import tracebacks

pytestmark = pytest.mark.usefixtures("stages")


def trace_of(call):
    """The traceback entries (function, line, columns) of the exception that `call` raises."""
    with pytest.raises(Exception) as caught:
        call()
    entries = traceback.extract_tb(caught.value.__traceback__)[1:]  # without this function's
    return [(e.name, e.lineno, e.line) for e in entries if e.filename == __file__]


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

    @pytest.mark.parametrize("again", [False, True])
    def test_in_a_group_that_except_star_made(self, again):
        def f(x):
            try:
                if x:
                    raise ValueError("plain")
                else:
                    raise ExceptionGroup("several", [KeyError(1), ValueError(2)])
            except* ValueError as error:
                if again:
                    raise
                raise error

        def lines(call, x):
            with pytest.raises(ExceptionGroup) as caught:
                call(x)
            members = [traceback.extract_tb(member.__traceback__) for member in caught.value.exceptions]
            return [[(entry.name, entry.lineno) for entry in member] for member in members]

        for x in (True, False):
            assert lines(autograph.convert(f), x) == lines(f, x)

    def test_in_an_iterator(self):
        class Broken:
            def __iter__(self):
                return self

            def __next__(self):
                fail("next")

        def loop(x):
            for y in (
                x,
                Broken(),
            )[x]:
                return y

        def comprehension(x):
            return {
                y
                for y in (
                    Broken()
                )
            }  # fmt: skip

        self.both(loop, 1)
        if sys.version_info >= (
            3,
            12,
        ):  # before, a comprehension has a frame
            self.both(comprehension, 1)

    def test_in_what_a_finally_sees(self):
        def f(seen):
            try:
                if seen is not None:
                    raise ValueError
            finally:
                seen += [entry.name for entry in traceback.extract_tb(sys.exception().__traceback__)]
                raise KeyError

        self.both(f, [])
        seen, seen_converted = [], []
        for function, names in ((f, seen), (autograph.convert(f), seen_converted)):
            with pytest.raises(KeyError):
                function(names)
        assert seen == seen_converted == ["f"]

    def test_in_what_the_handler_of_a_generator_sees(self):
        def f(x):
            try:
                yield 1
                raise ValueError(x)
            except ValueError as error:
                yield [entry.name for entry in traceback.extract_tb(error.__traceback__)]

        assert list(f(0)) == list(autograph.convert(f)(0)) == [1, ["f"]]

    def test_where_the_stack_ends(self):
        def f(x):
            return f(x)

        def deepest(function):
            with pytest.raises(RecursionError) as caught:
                function(1)
            return {entry.name for entry in traceback.extract_tb(caught.value.__traceback__)[2:]}

        assert deepest(f) == deepest(autograph.convert(f)) == {"f"}

    def test_each_exception_of_a_long_chain_is_cleaned_a_few_times(self, monkeypatch):
        cleaned = []
        clean = tracebacks._clean
        monkeypatch.setattr(tracebacks, "_clean", lambda error: cleaned.append(error) or clean(error))

        def f(n):
            try:
                fail(n)
            except ValueError:
                if n:
                    f(n - 1)
                raise

        with pytest.raises(ValueError):
            autograph.convert(f)(50)
        assert len(cleaned) < 50 * 8

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

    def test_all_frames_with_debug(self, monkeypatch, request):
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
