"""`tf.keras.callbacks`: what `fit` calls after each epoch."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import numpy as np

from runtime.export.events import EventWriter
from runtime.tf.names import refusing


class Callback:
    """A base class. `self.model` is the model that is trained."""

    model: Any = None

    def set_model(self, model: Any) -> None:
        self.model = model

    def on_train_begin(self, logs: Any = None) -> None: ...

    def on_train_end(self, logs: Any = None) -> None: ...

    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None: ...

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None: ...

    def on_train_batch_end(self, batch: int, logs: Any = None) -> None: ...


class History(Callback):
    """The numbers of each epoch."""

    def __init__(self) -> None:
        self.history: dict[str, list[float]] = {}
        self.epoch: list[int] = []

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        self.epoch.append(epoch)
        for name, value in (logs or {}).items():
            self.history.setdefault(name, []).append(value)


class _Best(Callback):
    """Is a number the best so far?"""

    def __init__(self, monitor: str, mode: str, min_delta: float = 0.0) -> None:
        if mode == "auto":
            mode = "max" if "acc" in monitor else "min"
        self.monitor, self.sign, self.min_delta = monitor, 1 if mode == "min" else -1, abs(min_delta)
        self.best = np.inf

    def is_better(self, logs: Any) -> bool:
        if self.monitor not in (logs or {}):
            raise ValueError(
                f"{type(self).__name__}: there is no {self.monitor!r} among {sorted(logs or {})}"
            )
        value = self.sign * logs[self.monitor]
        if value < self.best - self.min_delta:
            self.best = value
            return True
        return False


class EarlyStopping(_Best):
    """Ends the training when a number has not become better for ``patience`` epochs."""

    def __init__(
        self,
        monitor: str = "val_loss",
        min_delta: float = 0.0,
        patience: int = 0,
        verbose: int = 0,
        mode: str = "auto",
        restore_best_weights: bool = False,
    ) -> None:
        super().__init__(monitor, mode, min_delta)
        self.patience, self.restore, self.verbose = patience, restore_best_weights, verbose
        self.wait, self.weights, self.stopped_epoch = 0, None, 0

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        if self.is_better(logs):
            self.wait = 0
            self.weights = self.model.get_weights() if self.restore else None
            return
        self.wait += 1
        if self.wait >= max(self.patience, 1):
            self.stopped_epoch = epoch
            self.model.stop_training = True
            if self.verbose:
                print(f"Epoch {epoch + 1}: early stopping")
            if self.weights is not None:
                self.model.set_weights(self.weights)


class ModelCheckpoint(_Best):
    """Saves after each epoch. ``filepath`` may have fields such as `{epoch:02d}`."""

    def __init__(
        self,
        filepath: Any,
        monitor: str = "val_loss",
        verbose: int = 0,
        save_best_only: bool = False,
        save_weights_only: bool = False,
        mode: str = "auto",
    ) -> None:
        super().__init__(monitor, mode)
        self.filepath, self.best_only, self.weights_only = str(filepath), save_best_only, save_weights_only
        self.verbose = verbose

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        if self.best_only and not self.is_better(logs):
            return
        path = self.filepath.format(epoch=epoch + 1, **(logs or {}))
        if self.verbose:
            print(f"Epoch {epoch + 1}: saving model to {path}")
        (self.model.save_weights if self.weights_only else self.model.save)(path)


class LearningRateScheduler(Callback):
    def __init__(self, schedule: Callable[[int, float], float], verbose: int = 0) -> None:
        self.schedule, self.verbose = schedule, verbose

    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
        rate = float(self.model.optimizer.learning_rate)
        rate = self.schedule(epoch, rate)
        self.model.optimizer.learning_rate = rate
        if self.verbose:
            print(f"Epoch {epoch + 1}: the learning rate is {rate}")


class LambdaCallback(Callback):
    def __init__(self, on_epoch_end: Callable[[int, Any], None] | None = None) -> None:
        self._end = on_epoch_end

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        if self._end is not None:
            self._end(epoch, logs)


class TensorBoard(Callback):
    """The numbers of each epoch, in `train` and `validation` below ``log_dir``, for TensorBoard.

    The graph of the training step is written after the first epoch; with ``histogram_freq`` the weights are
    every so many epochs, with ``update_freq`` ("batch" or a number) the numbers are during an epoch, too.
    """

    def __init__(
        self,
        log_dir: Any = "logs",
        histogram_freq: int = 0,
        write_graph: bool = True,
        update_freq: Any = "epoch",
    ) -> None:
        self.log_dir, self.histogram_freq, self.write_graph = os.fspath(log_dir), histogram_freq, write_graph
        self.every = {"epoch": 0, "batch": 1}.get(update_freq, update_freq)
        if not isinstance(self.every, int):
            raise ValueError(f"update_freq is 'epoch', 'batch' or a number of batches, not {update_freq!r}")
        self._writers: dict[str, EventWriter] = {}
        self._batches = 0

    def _writer(self, name: str) -> EventWriter:
        if name not in self._writers:
            self._writers[name] = EventWriter(os.path.join(self.log_dir, name), filename_suffix=".v2")
        return self._writers[name]

    def on_train_begin(self, logs: Any = None) -> None:
        self._batches = 0
        self._graph_is_due = self.write_graph

    def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
        self._batches += 1
        if self.every and self._batches % self.every == 0:
            for name, value in self.model._logs().items():
                self._writer("train").scalar(f"batch_{name}", value, self._batches)

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        for name, value in (logs or {}).items():
            writer = self._writer("validation" if name.startswith("val_") else "train")
            writer.scalar(f"epoch_{name.removeprefix('val_')}", value, epoch)
        self._writer("train").scalar("epoch_learning_rate", self.model.optimizer.learning_rate, epoch)
        if self._graph_is_due:
            self._write_graph()
        if self.histogram_freq and epoch % self.histogram_freq == 0:
            for variable in self.model.weights:
                name = variable.name.partition(":")[0]
                self._writer("train").histogram(f"{name}/histogram", variable.numpy(), epoch)
        for writer in self._writers.values():
            writer.flush()

    def _write_graph(self) -> None:
        """There is none where the model runs eagerly."""
        self._graph_is_due = False
        for trace in list(getattr(self.model._train_function, "_traces", {}).values())[:1]:
            self._writer("train").graph(trace.graph)

    def on_train_end(self, logs: Any = None) -> None:
        for writer in self._writers.values():
            writer.close()
        self._writers.clear()


__getattr__ = refusing(__name__, "tf.keras.callbacks")
