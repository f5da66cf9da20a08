"""Deques."""

from collections import deque

from tests.programs import Programs

PROGRAMS = Programs()


@PROGRAMS.of((5,), (0,), (60,))
def dq(n):
    q = deque()
    for i in range(n):
        q.append(i)
        if len(q) > 3:
            q.popleft()
    return q, list(q), len(q)


@PROGRAMS.of((1,), (6,))
def bfs(n):
    q = deque([n])
    seen = []
    while q:
        v = q.popleft()
        seen.append(v)
        if v < 20:
            q.append(v * 2)
            q.appendleft(v * 3)
    return seen


@PROGRAMS.of((5,), (60,))
def dq_max(n):
    q = deque(maxlen=4)
    for i in range(n):
        q.append(i)
    s = 0
    for v in q:
        s += v
    return s, q


test_program = PROGRAMS.test()
