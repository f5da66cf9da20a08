"""The edit distance between two real texts: Shakespeare's Sonnet 18 as printed in 1609, and as today.

Fills a table of 600 by 600 distances cell by cell, then walks back through it to show the changes.

    python examples/edit_distance.py
"""

from pathlib import Path

import numpy as np

import runtime as rt
from beside import beside_python

DATA = Path(__file__).parent / "data"
KEEP, CHANGE, DELETE, INSERT = range(4)


@rt.function
def distances(old, new):
    """table[i, j]: how many letters to change, delete or insert to make new[:j] of old[:i]."""
    table = np.zeros((len(old) + 1, len(new) + 1), dtype=np.int64)
    for i in range(1, len(old) + 1):
        table[i, 0] = i
    for j in range(1, len(new) + 1):
        table[0, j] = j
    for i in range(1, len(old) + 1):
        for j in range(1, len(new) + 1):
            if old[i - 1] == new[j - 1]:
                table[i, j] = table[i - 1, j - 1]
                continue
            best = table[i - 1, j - 1]
            if table[i - 1, j] < best:
                best = table[i - 1, j]
            if table[i, j - 1] < best:
                best = table[i, j - 1]
            table[i, j] = best + 1
    return table


@rt.function
def edits(table, old, new):
    """Walk back from the last cell; the kind of each edit, last one first, and how many there are."""
    i, j = len(old), len(new)
    kinds = np.zeros(len(old) + len(new), dtype=np.int64)
    count = 0
    while i > 0 or j > 0:
        if i > 0 and j > 0 and old[i - 1] == new[j - 1]:
            kinds[count] = KEEP
            i, j = i - 1, j - 1
        elif i > 0 and j > 0 and table[i, j] == table[i - 1, j - 1] + 1:
            kinds[count] = CHANGE
            i, j = i - 1, j - 1
        elif i > 0 and table[i, j] == table[i - 1, j] + 1:
            kinds[count] = DELETE
            i -= 1
        else:
            kinds[count] = INSERT
            j -= 1
        count += 1
    return kinds, count


def codes(text: str) -> np.ndarray:
    """The letters of a text as numbers."""
    return np.array([ord(letter) for letter in text], dtype=np.int64)


def marked(old: str, new: str, kinds: np.ndarray) -> str:
    """The old text with what goes in [brackets] and what comes in {braces}."""
    pieces, i, j = [], 0, 0
    for kind in kinds:
        if kind in (CHANGE, DELETE):
            pieces.append(f"[{old[i]}]")
        if kind in (CHANGE, INSERT):
            pieces.append("{" + new[j] + "}")
        if kind == KEEP:
            pieces.append(new[j])
        i += kind != INSERT
        j += kind != DELETE
    return "".join(pieces).replace("][", "").replace("}{", "")


def main(letters: int | None = None, engine: str = "auto") -> int:
    """Compare the first `letters` of both texts (all of them by default); returns the distance."""
    old = (DATA / "sonnet18-1609.txt").read_text(encoding="utf-8")[:letters]
    new = (DATA / "sonnet18-modern.txt").read_text(encoding="utf-8")[:letters]
    table = beside_python(distances, codes(old), codes(new), engine=engine)
    kinds, count = beside_python(edits, table, codes(old), codes(new), engine=engine)
    print(f"{table[-1, -1]} edits lead from {len(old)} letters of 1609 to {len(new)} of today:\n")
    print(marked(old, new, kinds[:count][::-1]))
    return int(table[-1, -1])


if __name__ == "__main__":
    main()
