"""What is said on stderr of a trace, or of a compilation, that takes long."""

import threading

import numpy as np
import pytest

import runtime as rt
from runtime.control_flow.loops import UnrolledLoop
from runtime.functions import slow_notice


def layers(x):
    for weights in [np.ones((2, 3)), np.ones((3, 2))]:
        for k in range(3):
            x = x + k
        x = x @ weights
    return x


LINE = layers.__code__.co_firstlineno
X = np.ones((2, 2))


@pytest.fixture(autouse=True)
def noticing(monkeypatch):
    monkeypatch.delenv("AUTOGRAPH_SLOW_NOTICE")


def test_what_takes_long_is_said_once(monkeypatch, capsys):
    said = threading.Event()
    say = slow_notice.say
    monkeypatch.setattr(slow_notice, "SECONDS", 0.0)
    monkeypatch.setattr(slow_notice, "say", lambda text: (say(text), said.set()))
    with slow_notice.telling(True, "tracing `f`", lambda: "it is at its end"):
        assert said.wait(60)
    told = "(slow_notice=False or AUTOGRAPH_SLOW_NOTICE=0 turns this notice off)"
    notice = f"autograph: tracing `f` takes more than 0 seconds; it is at its end {told}\n"
    assert capsys.readouterr().err == notice


def test_a_trace_is_at_the_loops_that_it_unrolls(monkeypatch):
    places, end_turn = [], UnrolledLoop._end_turn

    def note_and_end_turn(loop):
        places.append(slow_notice.place_of_trace(loop._trace, threading.get_ident()))
        end_turn(loop)

    monkeypatch.setattr(UnrolledLoop, "_end_turn", note_and_end_turn)
    rt.function(layers, engine="numpy").get_concrete_function(X)
    file = "the loop at test_slow_notice.py"
    assert places[0] == f"it is at {file}:{LINE + 2}, turn 1 of 3, in {file}:{LINE + 1}, turn 1 of 2"


def test_a_compilation_is_at_the_line_with_most_of_the_graph():
    traced = rt.function(layers, engine="numpy").get_concrete_function(X)
    part = slow_notice.costly_part(traced.graph, traced.unrolled)
    file = "test_slow_notice.py"
    assert part.endswith(f"% of it is {file}:{LINE + 3}; the loop at {file}:{LINE + 2} is unrolled, 6 times")


@pytest.mark.parametrize(("wanted", "variable", "watched"), [(True, "", 2), (False, "", 0), (True, "0", 0)])
def test_trace_and_compilation_are_watched_unless_that_is_turned_off(monkeypatch, wanted, variable, watched):
    monkeypatch.setenv("AUTOGRAPH_SLOW_NOTICE", variable)
    started = []
    monkeypatch.setattr(slow_notice._thread, "start_new_thread", lambda *args: started.append(args))
    rt.function(layers, engine="numpy", slow_notice=wanted)(X)
    assert len(started) == watched
