"""`tf.train.Checkpoint`: the variables of objects, in files of safetensors, numbered.

A name is the path that leads to the variable: `net/layers/0/kernel`. What is restored before an object has
its variables waits for them.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import numpy as np

from runtime.saving.arrays import read_arrays, write_described
from runtime.saving.folders import new_file
from runtime.tf.errors import NotFoundError
from runtime.tf.names import refusing
from runtime.tf.traces import init_scope
from runtime.tf.variables import Module, Variable, variables_in, waiting

_INDEX = "checkpoint"


class Checkpoint:
    """`Checkpoint(model=model, optimizer=optimizer)`."""

    def __init__(self, root: Any = None, **kwargs: Any) -> None:
        self._objects: dict[str, Any] = {} if root is None else {"root": root}
        self._pending: dict[str, Any] = {}
        self.save_counter = Variable(np.int64(0), trainable=False, name="save_counter")
        for name, value in kwargs.items():
            setattr(self, name, value)

    def __setattr__(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value)
        if isinstance(value, Variable | Module | list | dict) and not name.startswith("_"):
            self._objects[name] = value
            if self._pending:
                self.assign_pending()

    def _named(self) -> dict[str, Variable]:
        return dict(variables_in(self._objects))

    def write(self, file_prefix: Any) -> str:
        """Into one file, which appears whole or not at all."""
        arrays = {name: np.asarray(v.numpy()) for name, v in self._named().items()}
        with new_file(Path(f"{os.fspath(file_prefix)}.safetensors")) as made:
            write_described(made, arrays)
        return os.fspath(file_prefix)

    def save(self, file_prefix: Any) -> str:
        """Into `PREFIX-1`, `PREFIX-2`, ...; `latest_checkpoint` of the folder finds the last one."""
        self.save_counter.assign_add(np.int64(1))
        prefix = f"{os.fspath(file_prefix)}-{int(self.save_counter.numpy())}"
        self.write(prefix)
        folder = Path(f"{prefix}.safetensors").parent
        with new_file(folder / _INDEX) as made:
            made.write_text(json.dumps({"latest": prefix}), encoding="utf-8")
        return prefix

    def read(self, save_path: Any) -> Status:
        path = Path(f"{os.fspath(save_path)}.safetensors")
        if not path.is_file():
            raise NotFoundError(message=f"Unsuccessful: could not find a checkpoint at {save_path}")
        self._pending = read_arrays(path)
        before = set(self._named())
        missing = before - set(self._pending) - {"save_counter"}
        self.assign_pending()
        for owner in self._objects.values():
            if isinstance(owner, Module):  # what waits for its variables lives as long as it does
                object.__setattr__(owner, "_restored", self)
        return Status(self, os.fspath(save_path), missing)

    def restore(self, save_path: Any) -> Status:
        if save_path is None:
            return Status(self, "nothing", set())
        return self.read(save_path)

    def assign_pending(self) -> None:
        """To the variables that there are by now; an object that makes one later asks again."""
        for name, variable in self._named().items():
            if name in self._pending:
                array = self._pending.pop(name)
                if array.shape != tuple(variable.shape):
                    raise ValueError(
                        f"{name} has shape {array.shape} in the checkpoint, and {variable.shape} in"
                        f" the program"
                    )
                with init_scope():  # perhaps the first call, which is traced, has made it
                    variable.assign(array[()])
        (waiting.add if self._pending else waiting.discard)(self)


class Status:
    """What a restore has found."""

    def __init__(self, checkpoint: Checkpoint, where: str, missing: set[str]) -> None:
        self._checkpoint, self._where, self._missing = checkpoint, where, missing

    def assert_consumed(self) -> Status:
        """Everything in the file has gone to a variable, and each variable got a value."""
        left = sorted(self._checkpoint._pending)
        if left:
            raise AssertionError(
                f"in {self._where} are values for which there is no variable: {', '.join(left)}"
            )
        return self.assert_existing_objects_matched()

    def assert_existing_objects_matched(self) -> Status:
        if self._missing:
            raise AssertionError(f"in {self._where} are no values for {', '.join(sorted(self._missing))}")
        return self

    def expect_partial(self) -> Status:
        return self


def latest_checkpoint(checkpoint_dir: Any, latest_filename: str | None = None) -> str | None:
    """The prefix that was saved last in a folder; None where there is none."""
    index = Path(checkpoint_dir) / (latest_filename or _INDEX)
    if not index.is_file():
        return None
    return json.loads(index.read_text(encoding="utf-8"))["latest"]


class CheckpointManager:
    """Keeps the last ``max_to_keep`` checkpoints of a folder."""

    def __init__(
        self, checkpoint: Checkpoint, directory: Any, max_to_keep: int, checkpoint_name: str = "ckpt"
    ) -> None:
        self._checkpoint, self._prefix = checkpoint, str(Path(directory) / checkpoint_name)
        self._directory, self._keep = directory, max_to_keep
        self.checkpoints: list[str] = []

    @property
    def latest_checkpoint(self) -> str | None:
        return latest_checkpoint(self._directory)

    def save(self) -> str:
        self.checkpoints.append(self._checkpoint.save(self._prefix))
        while len(self.checkpoints) > self._keep:
            Path(f"{self.checkpoints.pop(0)}.safetensors").unlink(missing_ok=True)
        return self.checkpoints[-1]


__getattr__ = refusing(__name__, "tf.train")
