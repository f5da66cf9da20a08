"""What each operation is in a loop, by dtype: the table of docs/machine-code.md.

    python -m tests.runtime.ops.lowering_table

writes it anew. `test_lowering_table.py` says where it is no longer so.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from pathlib import Path

from runtime.engines.native import lower
from runtime.engines.native.loops import Nest
from runtime.ops import REGISTRY
from runtime.passes import write_out
from runtime.types import type_of
from tests.runtime.engines.native.graphs import Maker
from tests.runtime.engines.native.test_operations import arguments_of

PAGE = Path(__file__).parents[3] / "docs" / "machine-code.md"
DTYPES = ["bool", "int64", "uint8", "float16", "float32", "float64", "complex128"]
#: compiled code that is called by its address: BLAS, loops of NumPy's, generators of random numbers
BY_ADDRESS = {"product", "ufunc", "draw"}


def hows(name: str, dtype: str) -> Iterator[set[str]]:
    """How the statements run that each sample of an operation becomes."""
    for sample in REGISTRY[name].samples:
        values, attributes = arguments_of(sample, dtype, False)
        maker = Maker(*[type_of(v) for v in values])
        try:
            made = maker(name, *maker.params, **attributes)
        except (TypeError, ValueError, IndexError):  # not for this dtype
            continue
        graph = maker.returns(*(made if isinstance(made, tuple) else (made,)))
        in_loop = write_out._WriteOut(lower.is_called)
        in_loop.loops = 1
        statements = lower.lower(in_loop.graph(graph), False).statements()
        yield {"nest" if isinstance(s, Nest) else s.how for s in statements} - {"constant"}  # type: ignore[attr-defined]


def letter(name: str, dtype: str) -> str:
    """M: machine code; C: a call of compiled code; N: a call of NumPy; small: for some arguments."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = list(hows(name, dtype))
    if not found:
        return ""
    called = ["call" in one for one in found]
    if any(called):
        return "N" if all(called) else "m"
    return "C" if any(not one.isdisjoint(BY_ADDRESS) for one in found) else "M"


def rows() -> list[str]:
    """A line for each operation on arrays and numbers that has samples; those alike stand in one."""
    alike: dict[tuple[str, ...], list[str]] = {}
    for name, definition in sorted(REGISTRY.items()):
        letters = tuple([letter(name, dtype) for dtype in DTYPES]) if definition.samples else ()
        if any(letters):
            alike.setdefault(letters, []).append(name)
    ordered = sorted(alike.items(), key=lambda row: (row[0].count("N"), -len(row[1]), row[1]))
    return [f"| {', '.join(f'`{n}`' for n in names)} | {' | '.join(found)} |" for found, names in ordered]


def page(text: str) -> str:
    """The page with the table as it is now."""
    head, _, rest = text.partition("<!-- table -->\n")
    _, _, tail = rest.partition("<!-- end -->\n")
    lines = [f"| operations | {' | '.join(DTYPES)} |", "|---|" + "---|" * len(DTYPES), *rows()]
    return head + "<!-- table -->\n" + "\n".join(lines) + "\n<!-- end -->\n" + tail


if __name__ == "__main__":
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
