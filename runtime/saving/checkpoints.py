"""``CheckpointFolder``: what variables held, in numbered safetensors files of which the newest few are kept.

    checkpoints = rt.CheckpointFolder("runs/first", keep=3)
    checkpoints.save(model, number=100)
    checkpoints.restore(model)         # the latest, into the variables of `model`

A folder holds ``index.json`` and a file for each checkpoint. A file is written beside its place and renamed,
then the index is, then the oldest files are deleted: whenever a program is stopped, what the index names is
there and whole. Of two programs that save at the same time, one waits for the other.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from runtime.arguments import wrong_argument
from runtime.saving.admissible import READ_ERRORS, is_plain_name
from runtime.saving.arrays import read_arrays, write_described
from runtime.saving.folders import (
    CHECKPOINTS,
    INDEX,
    LoadError,
    alone_in,
    damaged,
    read_manifest,
    read_while_written,
    remove_unfinished,
    replaced,
    write_json,
)
from runtime.state.variables import Module, Variable
from runtime.types import is_supported_dtype

VERSION = 2


@dataclass(frozen=True)
class Report:
    """What ``restore`` did: the names of the arrays that it restored, and of those that did not match."""

    restored: tuple[str, ...]
    missing: tuple[str, ...]  # in the target, not in the checkpoint
    unexpected: tuple[str, ...]  # in the checkpoint, not in the target
    different: tuple[str, ...]  # of another shape or dtype: a sentence each

    @property
    def is_complete(self) -> bool:
        """Did everything match?"""
        return not (self.missing or self.unexpected or self.different)

    def __str__(self) -> str:
        lines = [f"{len(self.restored)} restored"]
        for words, names in (
            ("not in the checkpoint", self.missing),
            ("in the checkpoint only", self.unexpected),
            ("of another shape or dtype", self.different),
        ):
            lines += [f"{len(names)} {words}: {', '.join(names)}"] if names else []
        return "; ".join(lines if len(lines) > 1 else [*lines, "all matched"])


class CheckpointFolder:
    """Numbered checkpoints in a folder. ``keep``: so many of the newest stay; None keeps all."""

    def __init__(self, folder: str | os.PathLike[str], keep: int | None = None) -> None:
        if keep is not None and (not isinstance(keep, int) or keep < 1):
            hint = "write how many of the newest checkpoints stay, or None for all"
            raise wrong_argument(f"keep is {keep!r}", hint, "keep")
        self.folder = Path(folder)
        self.keep = keep

    @property
    def numbers(self) -> list[int]:
        """The numbers of the checkpoints that are there, in the order in which they were saved."""
        return [number for number, _ in self._index()]

    @property
    def latest(self) -> int | None:
        """The number of the one that was saved last."""
        numbers = self.numbers
        return numbers[-1] if numbers else None

    def save(self, target: Any, number: int | None = None) -> int:
        """Write what the variables of ``target`` hold; gives the number, by default one more than the latest.

        target: an rt.Module, an rt.Variable or an array, or a dict or list of these. Arrays of JAX's may be
            split over the devices of this process; the file holds them whole.
        """
        if number is not None and (type(number) is not int or number < 0):
            raise wrong_argument(f"the number of a checkpoint is {number!r}", "count from 0", "number")
        arrays = {name: np.asarray(_array_of(place)) for name, place in places_in(target)}
        self.folder.mkdir(parents=True, exist_ok=True)
        with alone_in(self.folder) as is_alone:
            index = self._index()
            if number is None:
                number = index[-1][0] + 1 if index else 0
            if is_alone:
                remove_unfinished(self.folder)
            file = f"checkpoint-{number}.safetensors"
            with replaced(self.folder / file) as made:
                write_described(made, arrays)
            index = [(other, name) for other, name in index if other != number] + [(number, file)]
            kept = index if self.keep is None else index[-self.keep :]
            with replaced(self.folder / INDEX) as made:
                write_json(made, {"format": CHECKPOINTS, "version": VERSION, "checkpoints": kept})
            for _, name in index[: len(index) - len(kept)]:
                (self.folder / name).unlink(missing_ok=True)
        return number

    def restore(self, target: Any, number: int | None = None, *, partial: bool = False) -> Report:
        """Write what a checkpoint holds, the latest if no number is given, into the variables of ``target``.

        Raises LoadError, and writes nothing, where names, shapes or dtypes do not match. partial: restore
        what matches; the report says what did not.
        """
        held = self.read(number)
        places = dict(places_in(target))
        different = {
            name: f"{name} is {_form(held[name])} in the checkpoint, {_form(_array_of(place))} here"
            for name, place in places.items() if name in held and _form(held[name]) != _form(_array_of(place))
        }  # fmt: skip
        fitting = [name for name in places if name in held and name not in different]
        report = Report(
            tuple(fitting),
            tuple([name for name in places if name not in held]),
            tuple([name for name in held if name not in places]),
            tuple(different.values()),
        )
        if not partial and not report.is_complete:
            raise LoadError(
                f"the checkpoint does not match: {report}",
                file=str(self.folder),
                hint="restore(..., partial=True) restores what matches",
            )
        for name in fitting:
            _put(places[name], name, held[name])
        return report

    def read(self, number: int | None = None) -> dict[str, np.ndarray]:
        """The arrays of a checkpoint by name, the latest if no number is given."""
        return read_while_written(self._index, lambda index: self._read(dict(index), number))

    def _read(self, files: dict[int, str], number: int | None) -> dict[str, np.ndarray]:
        if not files:
            raise LoadError("there is no checkpoint here", file=str(self.folder), hint="save one first")
        if number is None:
            number = [*files][-1]
        if number not in files:
            known = ", ".join(map(str, files))
            raise LoadError(
                f"there is no checkpoint {number}", file=str(self.folder), hint=f"there are {known}"
            )
        return read_arrays(self.folder / files[number])

    def _index(self) -> list[tuple[int, str]]:
        if not (self.folder / INDEX).exists():
            return []
        found = read_manifest(self.folder, CHECKPOINTS, VERSION, INDEX)
        try:
            index = [(int(number), name) for number, name in found["checkpoints"]]
        except READ_ERRORS as error:
            raise damaged(str(self.folder / INDEX), error) from None
        if not all(is_plain_name(name) for _, name in index):
            raise damaged(str(self.folder / INDEX), "it names a file that is not in this folder")
        return index


def _form(array: Any) -> str:
    return f"{array.dtype}{list(array.shape)}"


def _array_of(place: Any) -> Any:
    return place.value if isinstance(place, Variable) else place


def _is_of_jax(array: Any) -> bool:
    jax = sys.modules.get("jax")
    return jax is not None and isinstance(array, jax.Array)


def _put(place: Any, name: str, content: np.ndarray) -> None:
    array = _array_of(place)
    if not _is_of_jax(array):
        array[...] = content
    elif isinstance(place, Variable):
        place._storage = sys.modules["jax"].device_put(content, array.sharding)
    else:
        raise wrong_argument(
            f"`{name}` is an array of JAX's, which nobody writes",
            f"take checkpoints.read()[{name!r}], and jax.device_put it",
            "target",
        )


def places_in(target: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    """The variables and arrays that a checkpoint of ``target`` holds, by name.

    >>> [name for name, _ in places_in({"w": np.zeros(2), "steps": [Variable(0), Variable(1)]})]
    ['w', 'steps[0]', 'steps[1]']
    """
    if isinstance(target, Module):
        for path, variable in target.named_variables().items():
            yield f"{name}.{path}" if name else path, variable
    elif isinstance(target, Variable):
        yield name or target.name or "variable", target
    elif isinstance(target, dict):
        for key, item in target.items():
            step = key if isinstance(key, str) and not name else f"[{key!r}]"
            yield from places_in(item, f"{name}{step}")
    elif isinstance(target, list | tuple):
        for position, item in enumerate(target):
            yield from places_in(item, f"{name}[{position}]")
    elif (type(target) is np.ndarray or _is_of_jax(target)) and is_supported_dtype(target.dtype):
        yield name or "array", target
    else:
        where = f"`{name}`, a {type(target).__name__}," if name else f"a {type(target).__name__}"
        raise wrong_argument(
            f"{where} cannot be in a checkpoint",
            "give an rt.Module, an rt.Variable or an array, or a dict or list of these",
            "target",
        )
