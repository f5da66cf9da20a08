"""A generated program: its text, and the calls that are made of its function `f`."""

from __future__ import annotations

import dataclasses
import hashlib
import sys
import types
from typing import Any

import numpy as np

import autograph
from tests.differential import Call, is_user_file

HEADER = "import numpy as np\n"


@dataclasses.dataclass(frozen=True)
class Program:
    """Text that defines `f`, and argument texts, one per call.

    >>> program = Program("def f(a):\\n    return a[0]\\n", ("np.array([2.0])",))
    >>> program.call_values()
    [Call(array([2.]))]
    """

    source: str
    calls: tuple[str, ...]
    features: frozenset[str] = frozenset()

    @property
    def filename(self) -> str:
        return f"<random program {hashlib.sha1(self.source.encode()).hexdigest()[:12]}>"

    def load(self) -> Any:
        """Run the text, and return its `f`; its source is registered, so that it can be converted."""
        filename = autograph.register_source(self.source, self.filename)
        assert is_user_file(filename)
        sys.modules.setdefault("random_program", types.ModuleType("random_program"))  # dataclasses ask for it
        names: dict[str, Any] = {"__name__": "random_program"}
        exec(compile(self.source, filename, "exec"), names)
        return names["f"]

    def call_values(self) -> list[Call]:
        return [eval(f"Call({text})", {"np": np, "Call": Call}) for text in self.calls]

    def __str__(self) -> str:
        return self.source + "".join(f"\nf({text})" for text in self.calls) + "\n"
