"""Ordinary programs: what people write in an afternoon, and expect to run at once.

    @case((np.eye(3),), (np.ones((2, 2)),))
    def lu(a): ...

Each is compared with plain Python on both engines; `tests/benchmarks/first_calls.py` times its first call.
"""

from tests.programs import Programs

CASES = Programs()
case = CASES.of
