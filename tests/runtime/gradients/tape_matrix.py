"""The programs of `tape_cells.py` three ways, against differences: a tape outside, one inside, `rt.grad`.

python -m tests.runtime.gradients.tape_matrix [GROUP] ...
"""

from __future__ import annotations

import collections
import contextlib
import sys
import warnings
from collections.abc import Callable, Iterator
from typing import Any
from unittest import mock

import numpy as np

import runtime as rt
from autograph.errors import AutographError, InternalError
from runtime.differentiation import replay
from tests.runtime.gradients.tape_cells import GROUPS, Program


def of_tape(program: Program, x: Any) -> Any:
    with rt.GradientTape() as tape:
        tape.watch(x)
        y = program(x)
    return tape.gradient(y, x)


def of_eager_tape(program: Program, x: Any) -> Any:
    """Asked for twice: of one step after the other, and of the graph of all."""
    with rt.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = program(x)
    found = tape.gradient(y, x)
    with mock.patch.object(replay, "OFTEN", 0):
        again = tape.gradient(y, x)
    if found is None or again is None:
        assert found is again
    else:
        np.testing.assert_allclose(found, again, rtol=1e-9, atol=1e-12)
    return found


WAYS: dict[str, Callable[[Program, Any], Any]] = {
    "eager": lambda program, x: of_eager_tape(program, rt.constant(x)),
    "traced": lambda program, x: rt.function(of_tape, engine="numpy", slow_notice=False)(
        program, rt.constant(x)
    ),
    "grad": lambda program, x: rt.grad(program)(x),
}


def differences(program: Program, x: Any) -> Any:
    step = 1e-6
    found = np.zeros(x.shape)
    for place in np.ndindex(x.shape):
        values = []
        for sign in (1, -1):
            moved = x.copy()
            moved[place] += sign * step
            values.append(float(np.real(program(moved))))
        found[place] = (values[0] - values[1]) / (2 * step)
    return found


def verdict(way: str, program: Program, x: Any, wanted: Any) -> tuple[str, str]:
    """ "right", "refused", "wrong" or "raised", and more about it."""
    try:
        found = WAYS[way](program, x.copy())
    except InternalError as error:
        return "raised", str(error)
    except AutographError as error:
        if "does not depend" in str(error) and not wanted.any():
            return "right", ""
        return "refused", error.message
    except Exception as error:
        if isinstance(error.__cause__, AutographError):
            return "refused", error.__cause__.message
        if "Supplied output array must be" in str(error):  # NumPy's generators take no Tensor there
            return "refused", str(error)
        return "raised", f"{type(error).__name__}: {error}"
    found = np.zeros(x.shape) if found is None else np.real(np.asarray(found))
    if found.shape == wanted.shape and np.allclose(found, wanted, rtol=1e-4, atol=1e-4, equal_nan=True):
        return "right", ""
    return "wrong", f"{found.tolist()}, wanted {wanted.tolist()}"


def cells(groups: list[str], every: int = 1) -> Iterator[tuple[str, str, dict[str, tuple[str, str]]]]:
    """Group, name, and what each way gives, where plain Python gives a number that is smooth."""
    named = [(group, name, *cell) for group, programs in GROUPS.items() for name, cell in programs.items()]
    for group, name, program, x in named[::every]:
        if groups and group not in groups:
            continue
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            wanted = np.array(np.nan)
            with contextlib.suppress(Exception):  # NumPy has other arguments for it
                wanted = differences(program, x)
            if np.isfinite(wanted).all() and np.abs(wanted).max() < 1e4:
                yield group, name, {way: verdict(way, program, x, wanted) for way in WAYS}


def together(found: dict[str, tuple[str, str]]) -> str:
    kinds = {kind for kind, _ in found.values()}
    for bad in ("wrong", "raised"):
        if bad in kinds:
            return bad
    return "agree" if kinds == {"right"} else "all refuse" if kinds == {"refused"} else "some refuse"


def main(groups: list[str]) -> int:
    counts: dict[str, collections.Counter[str]] = collections.defaultdict(collections.Counter)
    for group, name, found in cells(groups):
        kind = together(found)
        counts[group][kind] += 1
        counts["all"][kind] += 1
        if kind not in ("agree", "all refuse"):
            said = "; ".join([f"{way} {one}: {more[:90]}" for way, (one, more) in found.items() if more])
            print(f"{kind}: {group}, {name}: {said}")
    for group, kinds in counts.items():
        print(f"{group:24}", dict(kinds))
    return bool(counts["all"]["wrong"] + counts["all"]["raised"])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
