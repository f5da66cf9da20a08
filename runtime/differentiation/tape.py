"""``GradientTape``: records what is computed inside a `with` statement, and gives gradients of it.

>>> from runtime import Variable
>>> w = Variable([1.0, 2.0])
>>> with GradientTape() as tape:
...     loss = (w * w).sum()
>>> tape.gradient(loss, w)
Tensor([2., 4.], shape=(2,), dtype=float64)
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Any, Literal, overload

import numpy as np

from autograph.operators import call
from runtime.arguments import wrong_argument
from runtime.differentiation.eager_tape import EagerTape
from runtime.differentiation.leaves import change_leaves, leaves_of
from runtime.differentiation.traced_tape import TracedTape
from runtime.staged.operands import ArrayHolder, Boxed
from runtime.state.hooks import Collection
from runtime.state.variables import Variable
from runtime.tracer.builder import Staged
from runtime.tracer.call_handlers import handles
from runtime.tracer.trace import current_trace
from runtime.types import lengths

_UNCONNECTED = ("none", "zero")


class GradientTape:
    """Records the operations on Tensors and Variables inside its `with` statement.

    persistent: gradients may be asked for more than once.
    watch_accessed_variables: trainable variables are watched when they are read; else only what is given
        to `watch`.

    While a tape records, what is read of a variable is a Tensor, and so is what is computed of it. A
    decorated function that is called inside is one step, with a compiled gradient. In a decorated function
    a tape is a part of the graph.
    """

    def __init__(self, persistent: bool = False, watch_accessed_variables: bool = True) -> None:
        for name, given in (
            ("persistent", persistent),
            ("watch_accessed_variables", watch_accessed_variables),
        ):
            if not isinstance(given, bool):
                raise wrong_argument(
                    f"GradientTape: `{name}` is {given!r}", f"write {name}=True, or {name}=False", name
                )
        self._persistent = persistent
        trace = current_trace()
        make = EagerTape if trace is None else TracedTape
        self._tape: EagerTape | TracedTape = make(watch_accessed_variables)

    #: a trace calls its methods as they are
    __runtime_traced_methods__ = True

    @staticmethod
    def __runtime_import__(value: GradientTape, outside: Any, path: Any) -> Any:
        raise outside.trace.refuse(
            "a tape that was made outside is used in a decorated function",
            "make the tape inside the function, or pass the function what the tape gave",
        )

    def __enter__(self) -> GradientTape:
        if self._tape.is_recording:
            raise wrong_argument(
                "GradientTape: this tape records already", "leave its `with` statement first"
            )
        self._tape.start()
        return self

    def __exit__(self, *exception: Any) -> None:
        if self._tape.is_recording:
            self._tape.stop()

    # -- what is recorded ---------------------------------------------------------------------------------

    def watch(self, tensor: Any) -> None:
        """Derivatives may be taken with respect to this Tensor or Variable, or to those in a structure."""
        if not self._tape.is_recording:
            raise wrong_argument(
                "GradientTape.watch: the tape does not record", "call watch() inside the `with` statement"
            )
        for leaf, name in _leaves(tensor, "tensor"):
            self._require_source("watch", leaf, name)
            self._tape.watch(leaf)

    def watched_variables(self) -> tuple[Variable, ...]:
        """The variables that were watched, in the order in which they were first read."""
        return tuple(self._tape.variables())

    def stop_recording(self) -> AbstractContextManager[None]:
        """A `with` statement whose operations are not recorded: their results are constants."""
        if not self._tape.is_recording:
            raise wrong_argument(
                "GradientTape.stop_recording: the tape does not record",
                "call it inside the `with` statement of the tape",
            )
        return _Paused(self._tape)

    def reset(self) -> None:
        """Forget what was recorded and watched."""
        self._tape.reset()

    # -- what it gives ------------------------------------------------------------------------------------

    @overload
    def gradient(self, target: Any, sources: list[Any], *given: Any, **options: Any) -> list[Any]: ...
    @overload
    def gradient(self, target: Any, sources: Any, *given: Any, **options: Any) -> Any: ...
    def gradient(
        self,
        target: Any,
        sources: Any,
        output_gradients: Any = None,
        unconnected_gradients: Literal["none", "zero"] = "none",
    ) -> Any:
        """The gradient of ``target``, the sum of all its items, of the structure of ``sources``.

        output_gradients: the weights of that sum, of the structure of ``target``.
        unconnected_gradients: what a source gets of which the target does not depend on a recorded path, None
            or zeros.
        """
        self._check_unconnected("gradient", unconnected_gradients)
        targets = self._targets("gradient", target)
        weights = self._weights(targets, output_gradients)
        flat = self._sources("gradient", sources)
        self._use("gradient")
        found = iter(self._tape.gradient(targets, weights, flat))
        if unconnected_gradients == "zero":
            found = iter([self._tape.zeros(x) if g is None else g for x, g in zip(flat, found, strict=True)])
        return _like(sources, found)

    def jacobian(
        self, target: Any, sources: Any, unconnected_gradients: Literal["none", "zero"] = "none"
    ) -> Any:
        """The derivatives of each item of ``target``, of its shape followed by that of the source."""
        self._check_unconnected("jacobian", unconnected_gradients)
        targets = self._targets("jacobian", target)
        if len(targets) != 1:
            raise wrong_argument(
                f"GradientTape.jacobian: there are {len(targets)} targets", "give one Tensor", "target"
            )
        flat = self._sources("jacobian", sources)
        self._use("jacobian")
        found = iter(self._jacobian(targets[0], flat))
        if unconnected_gradients == "zero":
            shape = self._tape.shape(targets[0])
            found = iter(
                [self._tape.zeros(x, shape) if j is None else j for x, j in zip(flat, found, strict=True)]
            )
        return _like(sources, found)

    def _jacobian(self, target: Any, sources: Sequence[Any]) -> list[Any]:
        """Row by row, each a gradient of its own."""
        self._tape.check_rows(target)
        shape, dtype = self._tape.shape(target), getattr(target, "type", target).dtype
        rows = []
        for place in np.ndindex(lengths(shape)):
            unit = call(np.zeros, shape, dtype) if shape else dtype.type(1)
            if shape:
                unit[place] = 1
            rows.append(self._tape.gradient([target], [unit], sources))
        if not rows:
            return [self._tape.zeros(source, shape) for source in sources]
        found: list[Any] = []
        for parts, source in zip(zip(*rows, strict=True), sources, strict=True):
            if all(part is None for part in parts):
                found.append(None)
            else:
                known = [self._tape.zeros(source) if part is None else part for part in parts]
                made = call(np.stack, known)
                found.append(call(np.reshape, made, (*shape, *known[0].shape)))
        return found

    # -- what is asked of arguments -------------------------------------------------------------------------

    def _use(self, what: str) -> None:
        if not self._tape.note_use() and not self._persistent:
            raise wrong_argument(
                f"GradientTape.{what}: this tape was used already, and is not persistent",
                "write rt.GradientTape(persistent=True), or ask once for the gradients of all sources: "
                "tape.gradient(loss, [a, b])",
            )
        if not self._persistent and self._tape.is_recording:
            self._tape.stop()

    def _check_unconnected(self, what: str, given: Any) -> None:
        if given not in _UNCONNECTED:
            raise wrong_argument(
                f"GradientTape.{what}: unconnected_gradients is {given!r}",
                'it is "none" or "zero"',
                "unconnected_gradients",
            )

    def _targets(self, what: str, target: Any) -> list[Any]:
        found = []
        for leaf, name in _leaves(target, "target"):
            found.append(self._tape.target(what, leaf, name))
        if not found:
            raise wrong_argument(
                f"GradientTape.{what}: the target is empty", "give the Tensor to differentiate", "target"
            )
        return found

    def _weights(self, targets: Sequence[Any], given: Any) -> list[Any]:
        if given is None:
            return [None] * len(targets)
        weights = [leaf for leaf, _ in _leaves(given, "output_gradients")]
        if len(weights) != len(targets):
            raise wrong_argument(
                f"GradientTape.gradient: {len(weights)} output_gradients for {len(targets)} targets",
                "give one for each target, of its shape",
                "output_gradients",
            )
        for weight, target in zip(weights, targets, strict=True):
            shape, wanted = np.shape(weight), self._tape.shape(target)
            if weight is not None and shape != wanted:
                raise wrong_argument(
                    f"GradientTape.gradient: an output gradient has shape {shape}, its target {wanted}",
                    "give it the shape of the target",
                    "output_gradients",
                )
        return weights

    def _sources(self, what: str, sources: Any) -> list[Any]:
        found = []
        for leaf, name in _leaves(sources, "sources"):
            self._require_source(what, leaf, name)
            found.append(leaf)
        return found

    def _require_source(self, what: str, leaf: Any, name: str) -> None:
        if not isinstance(leaf, Boxed | ArrayHolder):
            raise wrong_argument(
                f"GradientTape.{what}: `{name}` is {_described(leaf)}, which no tape follows",
                "give Tensors or Variables; x = rt.constant(x) makes a Tensor of an array or a number",
                name,
            )
        dtype = self._tape.dtype(leaf)
        if dtype is None or dtype.kind not in "fc":
            raise wrong_argument(
                f"GradientTape.{what}: `{name}` is of dtype {dtype}; derivatives are of floats",
                "make it of floats: rt.constant(x, dtype='float64')",
                name,
            )


class _Paused:
    """See `GradientTape.stop_recording`."""

    __runtime_traced_methods__ = True

    def __init__(self, tape: EagerTape | TracedTape) -> None:
        self._paused = tape.paused()

    def __enter__(self) -> None:
        self._paused.__enter__()

    def __exit__(self, *exception: Any) -> None:
        self._paused.__exit__(None, None, None)


def _described(value: Any) -> str:
    return str(value.type) if isinstance(value, Staged) else f"of type {type(value).__name__}"


def _leaves(value: Any, name: str) -> list[tuple[Any, str]]:
    """The leaves of a structure; of a module its trainable variables."""
    if isinstance(value, Collection):
        raise wrong_argument(
            f"GradientTape: `{name}` is a {type(value).__name__}",
            "give its variables: module.trainable_variables",
            name,
        )
    return list(leaves_of(value, name))


def _like(sources: Any, found: Iterator[Any]) -> Any:
    return change_leaves(sources, lambda leaf, _: next(found), "sources")


@handles(GradientTape)
def _made_in_a_trace(trace: Any, /, *args: Any, **kwargs: Any) -> GradientTape:
    return GradientTape(*args, **kwargs)
