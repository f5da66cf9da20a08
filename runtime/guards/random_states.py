"""The state of NumPy's random generators: no hook sees who reads it, so that code that may is refused.

rng.bit_generator.state       changes with each number that is drawn
"""

from __future__ import annotations

import dis
from types import CodeType

from autograph.errors import StagingError, place
from runtime.guards.paths import Path

_NAME = "bit_generator"


class RandomStates:
    """What one trace knows of random generators from outside, and of code that reads their states."""

    def __init__(self) -> None:
        self._path: Path | None = None
        self._reader: tuple[CodeType, dis.Positions] | None = None

    def know(self, path: Path) -> None:
        """A generator is found at ``path``. Raises StagingError where code that was entered reads states."""
        self._path = path
        self._check()

    def enter(self, code: CodeType) -> None:
        """A function with this code is run. Raises StagingError where it may read a generator's state."""
        self._reader = self._reader or reader_of(code)
        self._check()

    def _check(self) -> None:
        if self._path is None or self._reader is None:
            return
        code, at = self._reader
        error = StagingError(
            f"the state of `{self._path}` is read, which no hook sees, and a graph would keep what it is now",
            line=at.lineno,
            variable=str(self._path),
            hint="read `bit_generator` outside the decorated function",
        )
        error.column = (at.col_offset or 0) + 1
        error.end_column = (at.end_col_offset or 0) + 1
        raise place(error, code.co_filename)


def reader_of(code: CodeType) -> tuple[CodeType, dis.Positions] | None:
    """The code, or that of a function in it, which reads the state of a generator, and where.

    >>> code, at = reader_of((lambda: lambda rng: rng.bit_generator).__code__)
    >>> code.co_varnames, at.lineno
    (('rng',), 1)
    """
    if _NAME in code.co_names:
        at = next((i.positions for i in dis.get_instructions(code) if i.argval == _NAME), None)
        return (code, at) if at is not None else None
    inner = (reader_of(c) for c in code.co_consts if isinstance(c, CodeType))
    return next((found for found in inner if found is not None), None)
