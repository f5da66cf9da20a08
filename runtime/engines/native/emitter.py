"""What the writers of operations (lists.py, nests.py, control.py ...) write machine code with."""

from __future__ import annotations

from typing import Any

from runtime.engines.native.calls import Calls
from runtime.engines.native.loops import Body, Program
from runtime.graph import Location, Operation, Value


class Codegen(Calls):
    """The LLVM module of one program while it is written; `codegen.py` knows who writes which operation."""

    def __init__(self, program: Program, handed_stacks: set[Value], put_again: set[Operation]) -> None:
        super().__init__()
        self.program = program
        self.handed_stacks = handed_stacks
        self.put_again = put_again
        self.in_one_thread: list[tuple[Location | None, str]] = []  # loops over `prange`, and why
        self.landed: dict[int, Any] = {}  # by the region of a ``try``: tries.Landed

    def body(self, body: Body) -> None:
        """Write the statements of a body, at the place where the writer is."""
        raise NotImplementedError
