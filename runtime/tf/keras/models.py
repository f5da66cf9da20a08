"""`tf.keras.Model` and `tf.keras.Sequential`: training, and files.

The weights are saved by safetensors; a model of layers of this package is saved
with them, as JSON, in one zip.
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import optree

from autograph.optional_packages import needing
from runtime.saving.arrays import read_arrays, write_described
from runtime.saving.folders import new_file
from runtime.tf import math
from runtime.tf.arguments import only
from runtime.tf.data import Dataset
from runtime.tf.functions import Function, TensorSpec
from runtime.tf.keras import layers as layers_module
from runtime.tf.keras import losses as losses_module
from runtime.tf.keras import metrics as metrics_module
from runtime.tf.keras import optimizers as optimizers_module
from runtime.tf.keras.callbacks import Callback, History
from runtime.tf.keras.layers import Input, Layer, _layers_below
from runtime.tf.tape import GradientTape
from runtime.tf.traces import name_scope
from runtime.tf.variables import variables_in


class Model(Layer):
    """A layer that can be trained. Layers and variables among its attributes are its weights."""

    optimizer: Any = None
    loss: Any = None

    def __init__(self, /, *args: Any, name: str | None = None, **kwargs: Any) -> None:
        if args or "inputs" in kwargs:
            raise NotImplementedError(
                "tf.keras.Model(inputs, outputs) is not supported: write a subclass with `call`, or"
                " tf.keras.Sequential"
            )
        super().__init__(name=name, **kwargs)
        self.stop_training = False

    @property
    def layers(self) -> list[Layer]:
        return [layer for layer in reversed(_layers_below(self)) if layer is not self]

    # -- training --------------------------------------------------------------------------------------

    def compile(
        self,
        optimizer: Any = "rmsprop",
        loss: Any = None,
        metrics: Any = None,
        run_eagerly: bool = False,
        jit_compile: Any = None,
    ) -> None:
        self.optimizer = optimizers_module.get(optimizer)
        self.loss = None if loss is None else losses_module.get(loss)
        self._loss_metric = metrics_module.Mean("loss")
        self._metrics = [metrics_module.get(m) for m in metrics or ()]
        plain = (lambda f: f) if run_eagerly else Function
        self._train_function = plain(self._train_step)
        self._test_function = plain(self._test_step)
        self._predict_function = plain(lambda inputs: self(inputs, training=False))

    @property
    def metrics(self) -> list[Any]:
        return [self._loss_metric, *self._metrics] if self.optimizer is not None else []

    @property
    def metrics_names(self) -> list[str]:
        return [m.name for m in self.metrics]

    @property
    def weights(self) -> list[Any]:
        """Of the layers; those of the optimizer and the metrics are not the model's."""
        return list(self._named_weights().values())

    def _train_step(self, x: Any, y: Any, weight: Any) -> None:
        with GradientTape() as tape:
            predicted = self(x, training=True)
            loss = self.loss(y, predicted, weight)
        variables = self.trainable_variables
        self.optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables, strict=True))
        self._update(x, y, predicted, loss, weight)

    def _test_step(self, x: Any, y: Any, weight: Any) -> None:
        predicted = self(x, training=False)
        self._update(x, y, predicted, self.loss(y, predicted, weight), weight)

    def _update(self, x: Any, y: Any, predicted: Any, loss: Any, weight: Any) -> None:
        with name_scope("metrics"):
            count = math.cast_(math.shape(optree.tree_leaves(x)[0])[0], np.float32)
            self._loss_metric.update_state(loss, count)
            for metric in self._metrics:
                metric.update_state(y, predicted, weight)

    def _require_compiled(self) -> None:
        if self.optimizer is None or self.loss is None:
            raise RuntimeError(
                "You must call `compile()` with an optimizer and a loss before using the model."
            )

    def fit(
        self,
        x: Any = None,
        y: Any = None,
        batch_size: int | None = None,
        epochs: int = 1,
        verbose: Any = "auto",
        callbacks: Any = None,
        validation_split: float = 0.0,
        validation_data: Any = None,
        shuffle: bool = True,
        class_weight: None = None,
        sample_weight: Any = None,
        initial_epoch: int = 0,
        steps_per_epoch: int | None = None,
    ) -> History:
        """Train. Gives the history, whose `history` has the numbers of each epoch."""
        self._require_compiled()
        if class_weight is not None:
            raise NotImplementedError("fit: class_weight= is not supported; give sample_weight=")
        if validation_split:
            count = round(len(x) * (1 - validation_split))
            validation_data, x, y = (x[count:], y[count:]), x[:count], y[:count]
        batches = _batches(x, y, sample_weight, batch_size, shuffle)
        history = History()
        watching = [history, *([callbacks] if isinstance(callbacks, Callback) else callbacks or ())]
        self.stop_training = False
        for callback in watching:
            callback.set_model(self)
            callback.on_train_begin()
        for epoch in range(initial_epoch, epochs):
            for callback in watching:
                callback.on_epoch_begin(epoch)
            logs = self._epoch(batches, steps_per_epoch, f"Epoch {epoch + 1}/{epochs}", verbose, watching)
            if validation_data is not None:
                given = (validation_data,) if isinstance(validation_data, Dataset) else validation_data
                x_val, y_val, *w_val = given if len(given) > 1 else (*given, None)
                weight_val = w_val[0] if w_val else None
                found = self.evaluate(x_val, y_val, batch_size, 0, weight_val, return_dict=True)
                logs |= {f"val_{name}": value for name, value in found.items()}
            for callback in watching:
                callback.on_epoch_end(epoch, logs)
            if self.stop_training:
                break
        for callback in watching:
            callback.on_train_end()
        self.history = history
        return history

    def _epoch(
        self, batches: Dataset, steps: int | None, title: str, verbose: Any, watching: list[Any]
    ) -> dict[str, float]:
        for metric in self.metrics:
            metric.reset_state()
        for k, each in enumerate(_shown(title, batches, steps, verbose, self._logs)):
            self._train_function(*each)
            for callback in watching:
                callback.on_train_batch_end(k)
        return self._logs()

    def _logs(self) -> dict[str, float]:
        return {metric.name: float(metric.result()) for metric in self.metrics}

    def train_on_batch(
        self, x: Any, y: Any = None, sample_weight: Any = None, return_dict: bool = False
    ) -> Any:
        self._require_compiled()
        for metric in self.metrics:
            metric.reset_state()
        self._train_function(*_tensors((x, y)), sample_weight)
        return self._logs() if return_dict else _plain(list(self._logs().values()))

    def evaluate(
        self,
        x: Any = None,
        y: Any = None,
        batch_size: int | None = None,
        verbose: Any = "auto",
        sample_weight: Any = None,
        steps: int | None = None,
        return_dict: bool = False,
    ) -> Any:
        """The loss, and the metrics after it."""
        self._require_compiled()
        for metric in self.metrics:
            metric.reset_state()
        batches = _batches(x, y, sample_weight, batch_size, shuffle=False)
        for each in _shown("Evaluation", batches, steps, verbose):
            self._test_function(*each)
        logs = self._logs()
        return logs if return_dict else _plain(list(logs.values()))

    def predict(
        self, x: Any, batch_size: int | None = None, verbose: Any = "auto", steps: int | None = None
    ) -> Any:
        """What the model gives for all examples, as an array."""
        run = getattr(self, "_predict_function", None)
        if run is None:
            run = self._predict_function = Function(lambda inputs: self(inputs, training=False))
        batches = _batches(x, None, None, batch_size, shuffle=False)
        found = [run(each) for each, _, _ in _shown("Prediction", batches, steps, verbose)]
        return optree.tree_map(lambda *parts: np.concatenate([p.numpy() for p in parts]), *found)

    def summary(self, print_fn: Any = print) -> None:
        """The layers and their weights."""
        print_fn(f'Model: "{self.name}"')
        for layer in self.layers:
            print_fn(f"{layer.name + ' (' + type(layer).__name__ + ')':<40} {layer.count_params():>12,}")
        print_fn(f"Total params: {self.count_params():,}")

    def _functions_to_save(self) -> dict[str, Any]:
        """What `tf.saved_model.save` writes: the model as a function, for inputs of the shape it has."""
        shape = getattr(self, "_shape", None)
        run = getattr(self, "_predict_function", None)
        if not isinstance(run, Function):
            run = Function(lambda inputs: self(inputs, training=False))
        if shape is not None:
            run.get_concrete_function(TensorSpec([None, *shape[1:]]))
        return {"__call__": run}

    # -- files -----------------------------------------------------------------------------------------

    def _named_weights(self) -> dict[str, Any]:
        """By path, so that layers made in another order get their own."""
        hidden = ("optimizer", "_loss_metric", "_metrics", "history")
        own = {k: v for k, v in vars(self).items() if k not in hidden}
        return dict(variables_in(own))

    def save_weights(self, filepath: Any, overwrite: bool = True) -> None:
        path = Path(filepath)
        _require_free(path, overwrite)
        with new_file(path) as made:
            write_described(made, {name: np.asarray(v.numpy()) for name, v in self._named_weights().items()})

    def load_weights(self, filepath: Any) -> None:
        self._load(read_arrays(Path(filepath)), str(filepath))

    def _load(self, arrays: dict[str, Any], where: str) -> None:
        own = self._named_weights()
        if own.keys() != arrays.keys():
            raise ValueError(
                f"the weights in {where} do not match the model: only in the file"
                f" {sorted(arrays.keys() - own.keys())},"
                f" only in the model {sorted(own.keys() - arrays.keys())}; call the model once"
                f" before, so that it is built"
            )
        for name, variable in own.items():
            variable.assign(arrays[name].reshape(tuple(variable.shape)))

    def save(self, filepath: Any, overwrite: bool = True) -> None:
        raise NotImplementedError(
            "save: only a tf.keras.Sequential of the package's own layers is saved as a model: use"
            " save_weights,"
            " and make the object anew before load_weights"
        )


class Sequential(Model):
    """Layers one after another."""

    def __init__(self, layers: Any = None, name: str | None = None) -> None:
        super().__init__(name=name)
        self._layers: list[Layer] = []
        self._shape: tuple[Any, ...] | None = None
        for layer in layers or ():
            self.add(layer)

    @property
    def layers(self) -> list[Layer]:
        return list(self._layers)

    def add(self, layer: Any) -> None:
        given = layer.shape if isinstance(layer, Input) else getattr(layer, "input_shape_given", None)
        if not isinstance(layer, Input):
            self._layers.append(layer)
        if given is not None and self._shape is None:
            self._shape = (None, *given)
        if self._shape is not None:
            self.build(self._shape)

    def pop(self) -> None:
        self._layers.pop()

    def build(self, input_shape: Any = None) -> None:
        """Make all weights, for inputs of this shape: by tracing the layers once."""
        shape = tuple(input_shape)
        self._shape = shape
        if self._layers:
            # lengths that are not known do not matter for weights, but have to be large enough for windows
            example = math.zeros([1] + [64 if n is None else n for n in shape[1:]])
            self._run(example, built_only=True)

    def _run(self, x: Any, built_only: bool = False) -> Any:
        if built_only and all(layer.built for layer in self._layers):
            return x
        for layer in self._layers:
            x = layer(x)
        return x

    def call(self, inputs: Any) -> Any:
        if self._shape is None and hasattr(inputs, "shape"):
            self._shape = (None, *inputs.shape[1:])
        return self._run(inputs)

    def _ensure_built(self, args: tuple[Any, ...]) -> None:
        self.built = True

    def get_config(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "shape": self._shape,
            "layers": [_config_of(layer) for layer in self._layers],
        }

    def save(self, filepath: Any, overwrite: bool = True) -> None:
        """One file: what the layers were made of, and their weights."""
        from safetensors.numpy import save as to_bytes

        path = Path(filepath)
        if path.suffix != ".keras":
            raise ValueError(f"Invalid filepath extension for saving: {path.name} has to end in .keras")
        held = self._named_weights()
        compiled = None
        if self.optimizer is not None:
            held |= {_OPTIMIZER + name: v for name, v in self.optimizer.state().items()}
            compiled = {
                "optimizer": _config_of(self.optimizer),
                "loss": _name_of_loss(self.loss),
                "metrics": [m.name for m in self._metrics],
            }
        _require_free(path, overwrite)
        with new_file(path) as made, zipfile.ZipFile(made, "w") as file:
            file.writestr("config.json", json.dumps({"model": self.get_config(), "compile": compiled}))
            arrays = {name: np.array(v.numpy(), order="C") for name, v in held.items()}
            file.writestr("weights.safetensors", to_bytes(arrays))


_OPTIMIZER = "optimizer/"


def _require_free(path: Path, overwrite: bool) -> None:
    if not overwrite and path.exists():
        raise FileExistsError(f"{path} is there already, and overwrite=False")


def _name_of_loss(loss: Any) -> Any:
    if not type(loss).__module__.startswith("runtime.tf."):
        raise NotImplementedError(f"save: the loss {loss!r} is not the package's own")
    return [
        type(loss).__name__,
        {k: v for k, v in vars(loss).items() if k in ("from_logits", "reduction", "delta")},
    ]


def _config_of(layer: Any) -> dict[str, Any]:
    """What a layer or an optimizer was made of."""
    config = layer.get_config()
    if not type(layer).__module__.startswith("runtime.tf."):
        raise NotImplementedError(f"save: {layer.name} is of a class of your own: use save_weights")
    try:
        json.dumps(config)
    except TypeError:
        raise NotImplementedError(
            f"save: {layer.name} was made with something that JSON has not (a function?): say it by name"
        ) from None
    return {"class": type(layer).__name__, **config}


def load_model(filepath: Any, custom_objects: None = None, compile: bool = True) -> Sequential:
    """`tf.keras.models.load_model`."""
    only("load_model", custom_objects=(custom_objects, None))
    from safetensors.numpy import load as from_bytes

    with zipfile.ZipFile(filepath) as file:
        config = json.loads(file.read("config.json"))
        arrays = from_bytes(file.read("weights.safetensors"))
    model = Sequential(
        [
            getattr(layers_module, each["class"])(*each["args"], **each["kwargs"])
            for each in config["model"]["layers"]
        ],
        config["model"]["name"],
    )
    if config["model"]["shape"] is not None:
        model.build(config["model"]["shape"])
    kept = {name: arrays.pop(name) for name in list(arrays) if name.startswith(_OPTIMIZER)}
    model._load(arrays, str(filepath))
    if compile and config["compile"] is not None:
        loss, options = config["compile"]["loss"]
        made = config["compile"]["optimizer"]
        optimizer = getattr(optimizers_module, made["class"])(*made["args"], **made["kwargs"])
        model.compile(optimizer, getattr(losses_module, loss)(**options), config["compile"]["metrics"])
        if any(name.startswith(_OPTIMIZER + "slots/") for name in kept):
            optimizer.build(model.trainable_variables)
        for name, variable in optimizer.state().items():
            variable.assign(kept[_OPTIMIZER + name].reshape(tuple(variable.shape)))
    return model


# -- batches -----------------------------------------------------------------------------------------------


def _tensors(structure: Any) -> Any:
    return optree.tree_map(math.convert_to_tensor, structure)


def _batches(x: Any, y: Any, weight: Any, batch_size: int | None, shuffle: bool) -> Dataset:
    """(x, y, weight) for each batch; what is missing is None."""
    if isinstance(x, Dataset):
        return Dataset(lambda: (_triple(element) for element in x), x._length)
    given: Any = (x, y, weight)  # None is no leaf
    leaves, structure = optree.tree_flatten(given)
    arrays = [np.asarray(a) for a in leaves]
    arrays = [a.astype(np.float32) if a.dtype == np.float64 else a for a in arrays]
    count, size = len(arrays[0]), batch_size or 32
    if any(len(a) != count for a in arrays):
        raise ValueError(f"the arrays have different lengths: {[len(a) for a in arrays]}")
    generator = np.random.default_rng(np.random.randint(2**31))

    def make() -> Iterator[Any]:
        order = generator.permutation(count) if shuffle else np.arange(count)
        for start in range(0, count, size):
            chosen = order[start : start + size]
            yield optree.tree_unflatten(structure, [math.convert_to_tensor(a[chosen]) for a in arrays])

    return Dataset(make, -(-count // size))


def _triple(element: Any) -> Any:
    if not isinstance(element, tuple):
        return element, None, None
    return (*element, *[None] * (3 - len(element)))


def _plain(values: list[float]) -> Any:
    return values[0] if len(values) == 1 else values


def _shown(title: str, batches: Dataset, steps: int | None, verbose: Any, logs: Any = dict) -> Iterator[Any]:
    """The batches, or so many of them, with a bar of tqdm's, which shows what `logs` gives at the end."""
    chosen = batches if steps is None else batches.take(steps)
    if not verbose:
        yield from chosen
        return
    with needing("tf", "a progress bar (verbose=1)"):
        from tqdm import tqdm

    with tqdm(desc=title, total=steps or batches._known_length, disable=False) as bar:
        for each in chosen:
            yield each
            bar.update()
        bar.set_postfix({name: f"{value:.4f}" for name, value in logs().items()})
