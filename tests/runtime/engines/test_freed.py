"""Machine code is freed some time after its function, and never where a program cannot bear it."""

import gc
import sys
import weakref

import numpy as np
import pytest

import runtime as rt
from tests.benchmarks.leaks import resident_kilobytes

pytestmark = pytest.mark.usefixtures("fresh_heap")


def test_code_is_freed_when_the_next_function_compiles():
    from runtime.engines.native.jit import jit

    def make(k):
        f = rt.function(engine="native")(lambda x: x * k + 1)
        f(np.ones(3))
        return f

    f = make(2.0)
    held = jit(print)._held  # the process has one JIT, made by the call above
    gone = weakref.ref(f)
    before = set(held)
    del f
    gc.collect()
    assert gone() is None
    assert set(held) == before
    kept = make(3.0)
    assert len(set(held) & before) < len(before)
    assert kept(np.ones(3))[0] == 4.0


def test_code_that_goes_at_the_limit_of_the_stack_says_nothing(monkeypatch):
    functions = []
    said = []
    gc.collect()  # what other tests have left
    monkeypatch.setattr(sys, "unraisablehook", lambda raised: said.append(repr(raised.object)))

    def fill():
        for k in range(3):
            functions.append(rt.function(engine="native")(lambda x, k=k: x * k + 1))
            functions[-1](np.ones(3))

    def down():
        try:
            down()
        except RecursionError:
            if functions:
                functions.clear()
                gc.collect()
            raise

    fill()
    with pytest.raises(RecursionError):
        down()
    assert not functions
    fill()
    assert said == []


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
def test_machine_code_that_is_dropped_leaves_no_memory():
    from runtime.engines.native.jit import jit

    def compile_some(count):
        for _ in range(count):
            jit().compile_loops("define i64 @same(i64 %x) { ret i64 %x }", ["same"])

    compile_some(100)
    before = resident_kilobytes()
    compile_some(300)
    assert resident_kilobytes() - before < 300 * 5  # 85 each, while what llvmlite forgets was kept
