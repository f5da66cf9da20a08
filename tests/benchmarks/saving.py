"""Saving and loading variables, beside plain writes and reads; calls of a loaded function."""

import itertools
import tempfile
from pathlib import Path

import numpy as np

import runtime as rt
from tests.benchmarks.measure import Pair, median, paired, readable, report

#: as much is in the files in a full run
MEGABYTES = 100


class Weights(rt.Module):
    def __init__(self, megabytes: int) -> None:
        self.parts = [
            rt.Variable(np.random.default_rng(i).random(megabytes * 10**6 // 80)) for i in range(10)
        ]

    @rt.function
    def first(self, x):  # type: ignore[no-untyped-def]
        return x * self.parts[0].value[0]


def main(rounds: int = 5) -> None:
    megabytes = MEGABYTES if rounds > 2 else 1
    module = Weights(megabytes)
    module.first(2.0)
    with tempfile.TemporaryDirectory() as folder:
        files(module, Path(folder), rounds, megabytes)
        loaded = rt.load(Path(folder) / "module").first
        x = np.arange(3.0)
        rt.save(Path(folder) / "small", small, rt.TensorSpec([3]))
        again = rt.load(Path(folder) / "small")
        again(x), small(x)
        call = paired("a call", lambda: again(x), lambda: small(x), rounds * 10, repeat=50)
        show("a call of a loaded function, beside the original", call, 1.5)
        time = median(lambda: rt.load(Path(folder) / "small"), rounds)
        report("loading a small function", readable(time), "20 ms", time < 0.02)
        assert loaded(2.0) == module.first(2.0)


@rt.function
def small(x):  # type: ignore[no-untyped-def]
    return x + 1.0


def files(module: Weights, folder: Path, rounds: int, megabytes: int) -> None:
    numbers = itertools.count()

    def write() -> None:
        file = folder / f"plain-{next(numbers)}"
        with open(file, "wb") as opened:
            for part in module.parts:
                opened.write(part.value)
        file.unlink()

    with open(folder / "plain", "wb") as opened:
        for part in module.parts:
            opened.write(part.value)

    def read() -> None:
        with open(folder / "plain", "rb") as opened:
            [np.fromfile(opened, count=part.size) for part in module.parts]

    checkpoints = rt.CheckpointFolder(folder / "checkpoints", keep=1)
    what = f"{megabytes} MB of variables:"
    save = paired("save", lambda: rt.save(folder / "module", module), write, rounds)
    show(f"{what} rt.save, beside a plain write", save, 1.5)
    load = paired("load", lambda: rt.load(folder / "module"), read, rounds)
    show(f"{what} rt.load, beside a plain read", load, 1.5)
    show(f"{what} a checkpoint", paired("save", lambda: checkpoints.save(module), write, rounds), 1.5)
    show(f"{what} restored", paired("load", lambda: checkpoints.restore(module), read, rounds), 2.0)


def show(what: str, pair: Pair, most: float) -> None:
    measured = f"{readable(pair.ours)}, {pair.ratio:.2f} x"
    report(what, measured, f"{most} x", pair.ratio <= most)
