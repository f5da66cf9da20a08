"""Writers that are killed, meet a full disk, or write at the same time: each in a process of its own.

    python -m tests.runtime.saving.writers killed folder /tmp/somewhere

Run by `test_writers.py`, for a process with threads, as pytest may be, is better not forked.
"""

import os
import resource
import shutil
import signal
import sys
import warnings
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import runtime as rt
from runtime.saving.folders import new_file

number = np.zeros(1000)


@rt.function(engine="numpy")
def read() -> Any:
    return number[:1]


def save_folder(place: Path, value: float) -> None:
    number[:] = value
    rt.save(place / "f", read)


def save_checkpoint(place: Path, value: float) -> None:
    rt.CheckpointFolder(place / "run", keep=1).save(np.full(1000, value), 7)


def save_arrays(place: Path, value: float) -> None:
    with new_file(place / "a.npz") as made, open(made, "wb") as file:
        np.savez(file, result=np.full(1000, value))


class Kind(NamedTuple):
    """What is written, how it is read back, and how many files there are afterwards."""

    save: Callable[[Path, float], None]
    load: Callable[[Path], Any]
    files: int


def read_checkpoint(place: Path) -> Any:
    return rt.CheckpointFolder(place / "run").read()["array"][0]


KINDS = {
    "folder": Kind(save_folder, lambda place: rt.load(place / "f", engine="numpy")()[0], 3),
    "checkpoint": Kind(save_checkpoint, read_checkpoint, 2),
    "arrays": Kind(save_arrays, lambda place: np.load(place / "a.npz")["result"][0], 1),
}


def in_child(run: Callable[[], None]) -> int:
    """The exit status of a child that runs this."""
    child = os.fork()
    if child == 0:
        try:
            run()
            os._exit(0)
        except BaseException as error:
            print(f"{type(error).__name__}: {error}", file=sys.stderr)
            os._exit(1)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def files_below(place: Path) -> list[str]:
    return sorted(str(file.relative_to(place)) for file in place.rglob("*") if file.is_file())


# -- killed ----------------------------------------------------------------------------------------------

#: what a writer asks of the system
STEPS = "chmod close fsync mkdir open remove rename replace rmdir truncate umask unlink utime write".split()
KILLED = 9


def kill_at(step: int) -> None:
    """Let this process end where it would take its k-th step."""
    steps = count()

    def stopping(function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **kwargs: Any) -> Any:
            if next(steps) == step:
                os._exit(KILLED)
            return function(*args, **kwargs)

        return call

    for name in STEPS:
        setattr(os, name, stopping(getattr(os, name)))


def killed(kind: Kind, place: Path) -> None:
    """At each step: what was there before or what comes is found, and the next writer leaves nothing else."""
    for is_first in (True, False):
        for step in count():
            shutil.rmtree(place, ignore_errors=True)
            place.mkdir()
            if not is_first:
                kind.save(place, 1.0)

            def write(step: int = step) -> None:
                kill_at(step)
                kind.save(place, 2.0)

            status = in_child(write)
            if status == 0:
                break
            assert status == KILLED, status
            try:
                found = kind.load(place)
            except (rt.LoadError, FileNotFoundError):
                assert is_first, f"nothing is left after step {step}"
            else:
                assert found in (1.0, 2.0), found
            kind.save(place, 3.0)
            assert kind.load(place) == 3.0
            assert len(files_below(place)) == kind.files, (step, files_below(place))
        assert step > 5, "no steps were seen"


# -- a full disk ------------------------------------------------------------------------------------------


def full(kind: Kind, place: Path) -> None:
    """OSError, and what was there is as it was."""
    kind.save(place, 1.0)
    before = files_below(place)

    def write() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        for most in (0, 100, 5000):
            resource.setrlimit(resource.RLIMIT_FSIZE, (most, resource.RLIM_INFINITY))
            try:
                kind.save(place, 2.0)
            except OSError:
                continue
            raise AssertionError("there was room")

    assert in_child(write) == 0
    assert kind.load(place) == 1.0
    assert files_below(place) == before


# -- at the same time --------------------------------------------------------------------------------------


def together(kind: Kind, place: Path) -> None:
    """Two writers and a reader: each time one of the values, whole."""
    kind.save(place, 1.0)

    def write() -> None:
        for _ in range(25):
            kind.save(place, float(os.getpid()))

    children = []
    for _ in range(2):
        child = os.fork()
        if child == 0:
            write()
            os._exit(0)
        children.append(child)
    running = set(children)
    while running:
        assert kind.load(place) in (1.0, *children)
        running -= {child for child in running if os.waitpid(child, os.WNOHANG)[0]}
    assert kind.load(place) in children
    assert len(files_below(place)) == kind.files, files_below(place)


if __name__ == "__main__":
    warnings.simplefilter("ignore", DeprecationWarning)  # NumPy may have threads, which do not matter here
    do, what, where = sys.argv[1:]
    {"killed": killed, "full": full, "together": together}[do](KINDS[what], Path(where))
