"""Dicts under tuples of which a run knows the parts: tables of a state machine, sparse grids, memos."""

from enum import Enum

import numpy as np

from tests.programs import Programs

PROGRAMS = Programs()
of = PROGRAMS.of

CALLS = [
    (np.array(values), np.int64(n))
    for values, n in (
        ([1.0, -2.0, 3.0], 2),
        ([-1.0, 2.0, 3.0], 1),
        ([1.0, 2.0, 3.0], 0),
        ([5.0, -2.0, -3.0], 4),
    )
]


class State(Enum):
    IDLE = 0
    RUNS = 1


class Machine:
    table = {
        (State.IDLE, True): State.RUNS,
        (State.RUNS, True): State.RUNS,
        (State.RUNS, False): State.IDLE,
        (State.IDLE, False): State.IDLE,
    }

    def __init__(self):
        self.state = State.IDLE

    def feed(self, signal):
        self.state = self.table[self.state, signal]


MOVES = {("a", 1): (0, 1), ("b", 2): (1, 0)}


@of(*CALLS)
def state_machine(x, n):
    machine = Machine()
    for v in x:
        machine.feed(bool(v > 0))
    return machine.state, machine.state.name


@of(*CALLS)
def chosen_and_staged(x, n):
    try:
        move = MOVES["a" if x[0] > 0 else "b", n]
    except KeyError:
        move = (9, 9)
    return move[0], move[1]


@of(*CALLS)
def changed_and_deleted(x, n):
    table = {(0, True): x[0], (0, False): x[1]}
    table[0, bool(x[1] > 0)] += 1
    del table[0, bool(x[2] > 0)]
    return table


test_program = PROGRAMS.test()
