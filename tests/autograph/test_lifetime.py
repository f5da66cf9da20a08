"""Conversions are made once, in whichever thread comes first, and die with the function."""

import gc
import subprocess
import sys
import threading
import weakref

import pytest

import autograph
from tests.autograph.programs import define

pytestmark = pytest.mark.usefixtures("stages")


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

    def test_a_handler_that_raises_keeps_nothing_alive(self):
        class Held:
            pass

        def fails(held):
            raise ValueError(held)

        def f(held):
            try:
                fails(held)
            except ValueError as error:
                raise error

        held = Held()
        seen = weakref.ref(held)
        with pytest.raises(ValueError):
            autograph.convert(f)(held)
        del held
        assert seen() is None

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
    script = "import sys; import autograph; print('numpy' in sys.modules, 'gast' in sys.modules)"
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert run.stdout == "False False\n"


def test_nothing_is_printed_when_code_dies_after_the_names_of_the_modules():
    script = """
import sys, autograph, autograph.conversion

autograph.register_source("def f(x):\\n    return x + 1\\n", "<typed>")
names = {}
exec(compile("def f(x):\\n    return x + 1\\n", "<typed>", "exec"), names)
print(autograph.convert(names["f"])(1))
autograph.conversion._records = None  # as at the end of the interpreter: one name after the other
names.clear()
"""
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert (run.stdout, run.stderr) == ("2\n", "")
