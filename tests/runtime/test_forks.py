"""Processes that fork while other threads trace and compile."""

import os
import subprocess
import sys

import pytest

PROGRAM = """
import os, signal, threading
import numpy as np
import runtime as rt

@rt.function(slow_notice=False)
def shared(x, k):
    return x * k + np.sin(x)

def work():
    k = 0
    while True:
        k += 1
        shared(np.ones(k), k)
        rt.function(lambda x: x * k + np.sin(x), slow_notice=False)(np.ones(3))

threading.Thread(target=work, daemon=True).start()
shared(np.ones(2), 1)
hung = 0
for turn in range(8):
    for _ in range(turn):
        rt.function(lambda x: x - turn)(np.ones(2))  # so that the other thread is at another place
    child = os.fork()
    if not child:
        signal.alarm(30)
        assert shared(np.zeros(2), -1.0).tolist() == [0.0, 0.0]
        assert rt.function(lambda x: x + 2)(np.ones(2)).tolist() == [3.0, 3.0]
        os._exit(0)
    hung += os.waitpid(child, 0)[1] != 0
print(hung, "children failed", flush=True)
os._exit(0)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the platform does not fork")
def test_children_of_a_fork_compile_while_a_thread_of_the_parent_did(tmp_path):
    file = tmp_path / "forks.py"
    file.write_text(PROGRAM)
    command = [sys.executable, "-W", "ignore::DeprecationWarning", str(file)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.stdout == "0 children failed\n", done.stderr


COLLECTOR = """
import gc, os
from autograph import AutographError
from autograph.loading import without_collections
import runtime as rt

with without_collections():
    assert not gc.isenabled()
    child = os.fork()
    if not child:
        os._exit(not gc.isenabled())
assert gc.isenabled() and not os.waitpid(child, 0)[1]
try:
    rt.function(lambda x: open(x))("nothing")
except (AutographError, OSError):
    assert gc.isenabled()
gc.disable()
assert rt.function(lambda x: x + 1)(1.0) == 2.0 and not gc.isenabled()
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the platform does not fork")
def test_the_collector_of_garbage_is_as_it_was_after_a_first_call_and_on_in_a_child(tmp_path):
    file = tmp_path / "collector.py"
    file.write_text(COLLECTOR)
    subprocess.run([sys.executable, str(file)], check=True)
