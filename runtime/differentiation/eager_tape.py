"""A tape outside of decorated functions: the steps that it recorded, undone from the last to the first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from runtime.arguments import wrong_argument
from runtime.differentiation.operations import program_of_call
from runtime.functions.programs import Program
from runtime.recording import Node, Record, Step, note, paused, start, stop
from runtime.staged.operands import ArrayHolder, Boxed
from runtime.tensor import Tensor
from runtime.tracer.builder import Staged


class EagerTape:
    """What `GradientTape` does outside of decorated functions."""

    def __init__(self, watches_accessed: bool) -> None:
        self.record = Record(watches_accessed)
        self.is_recording = False
        self._was_used = False

    def note_use(self) -> bool:
        """Is this the first use?"""
        first, self._was_used = not self._was_used, True
        return first

    def start(self) -> None:
        self.is_recording = True
        start(self.record)

    def stop(self) -> None:
        self.is_recording = False
        stop(self.record)

    @contextmanager
    def paused(self) -> Iterator[None]:
        self.is_recording = False
        try:
            with paused(self.record):
                yield
        finally:
            self.is_recording = True

    def reset(self) -> None:
        self.record.clear()
        self._was_used = False

    def watch(self, leaf: Any) -> None:
        if isinstance(leaf, ArrayHolder):
            self.record.watch_variable(leaf)
        else:
            self.record.watch(array_of(leaf))

    def variables(self) -> list[Any]:
        return list(self.record.variables.values())

    def target(self, what: str, leaf: Any, name: str) -> Any:
        if not isinstance(leaf, Boxed | ArrayHolder):
            raise refuse_target(what, leaf, name)
        array = array_of(leaf)
        if array.dtype.kind not in "fc":
            raise refuse_int_target(what, array.dtype, name)
        return array

    def dtype(self, leaf: Any) -> Any:
        return array_of(leaf).dtype

    def shape(self, target: Any) -> tuple[int, ...]:
        return np.shape(target)

    def zeros(self, source: Any, lead: tuple[Any, ...] = ()) -> Tensor:
        array = array_of(source)
        return Tensor(np.zeros((*lead, *array.shape), array.dtype))

    def gradient(
        self, targets: Sequence[Any], weights: Sequence[Any], sources: Sequence[Any]
    ) -> list[Tensor | None]:
        pairs = [
            (target, Tensor(np.ones_like(target)) if weight is None else Tensor(weight, target.dtype))
            for target, weight in zip(targets, weights, strict=True)
        ]
        return eager_gradient(self.record, pairs, list(map(array_of, sources)))

    def jacobian(self, target: Any, sources: Sequence[Any]) -> list[Tensor | None]:
        rows = [self._row(target, place, sources) for place in np.ndindex(target.shape)]
        if not rows:
            return [self.zeros(source, target.shape) for source in sources]
        found: list[Tensor | None] = []
        for parts, source in zip(zip(*rows, strict=True), sources, strict=True):
            if all(part is None for part in parts):
                found.append(None)
                continue
            known = [self.zeros(source) if part is None else part for part in parts]
            shape = (*target.shape, *array_of(source).shape)
            found.append(np.reshape(np.stack(known), shape))  # type: ignore[arg-type]
        return found

    def _row(self, target: Any, place: tuple[int, ...], sources: Sequence[Any]) -> list[Tensor | None]:
        unit = np.zeros_like(target)
        if target.shape:
            unit[place] = 1
        else:
            unit = np.ones_like(target)
        return self.gradient([target], [unit], sources)


def array_of(leaf: Any) -> Any:
    """The array of a Tensor or a variable."""
    return leaf._storage if isinstance(leaf, ArrayHolder) else leaf.numpy()


def eager_gradient(
    record: Record, targets: Sequence[tuple[Any, Any]], sources: Sequence[Any]
) -> list[Tensor | None]:
    """The adjoints of the arrays ``sources``, None where there is none; ``targets`` are pairs of an array and
    its adjoint, a Tensor."""
    adjoints: dict[Node, Tensor] = {}
    for array, adjoint in targets:
        node = record.node_of(array)
        if node is not None:
            _add(adjoints, node, adjoint)
    wanted = [record.source_of(array) for array in sources]
    found: dict[Node, Tensor] = {}
    for step in reversed(list(record.steps)):
        given = [adjoints.pop(node, None) if node is not None else None for node in step.outputs]
        for node, adjoint in zip(step.outputs, given, strict=True):
            if node in wanted and adjoint is not None and node is not None:
                found[node] = adjoint
        if any(adjoint is not None for adjoint in given):
            _undo(record, step, given, adjoints)
    adjoints.update(found)
    return [None if node is None else adjoints.get(node) for node in wanted]


def _add(adjoints: dict[Node, Tensor], node: Node, adjoint: Tensor) -> None:
    adjoints[node] = adjoints[node] + adjoint if node in adjoints else adjoint


def _undo(record: Record, step: Step, given: Sequence[Tensor | None], adjoints: dict[Node, Tensor]) -> None:
    """Add what the adjoints of a step's results give to those of its inputs."""
    if isinstance(step.function, Program):
        program, positions = step.function, list(range(len(step.inputs)))
    else:
        program, positions = program_of_call(step.function, step.template, step.inputs, len(step.outputs))
    of = tuple([k for k, adjoint in enumerate(given) if adjoint is not None])
    wrt = tuple(
        [
            k
            for k, position in enumerate(positions)
            if record.knows(step.nodes[position])
            and (program.is_gradient or not program.reached_from(k).isdisjoint(of))
        ]
    )
    if not wrt:
        return
    gradient = program.gradient(wrt, of)
    inputs = [step.inputs[position] for position in positions]
    cotangents = [adjoint.numpy() for adjoint in given if adjoint is not None]
    results = run_program(gradient, [*inputs, *cotangents], [step.nodes[position] for position in positions])
    for k, result in zip(wrt, results, strict=True):
        node = step.nodes[positions[k]]
        assert node is not None
        _add(adjoints, node, Tensor(result))


def run_program(program: Program, arguments: Sequence[Any], nodes: Sequence[Node | None]) -> list[Any]:
    """Its results, noted as a step by the tapes that record. ``nodes``: of the first arguments."""
    results = [np.asarray(x)[()] if not isinstance(x, np.ndarray) else x for x in program.run(arguments)]
    note(program, None, arguments, results, nodes)
    return results


def refuse_target(what: str, target: Any, name: str) -> Exception:
    """The error for a target that no tape can follow."""
    kind = target.type if isinstance(target, Staged) else f"of type {type(target).__name__}"
    return wrong_argument(
        f"GradientTape.{what}: `{name}` is {kind}, which no tape follows",
        "compute it of Tensors and Variables inside the `with`; .numpy(), float() and .item() leave the tape",
        name,
    )


def refuse_int_target(what: str, dtype: Any, name: str) -> Exception:
    return wrong_argument(
        f"GradientTape.{what}: `{name}` is of dtype {dtype}; derivatives are of floats",
        "compute it with floats all the way",
        name,
    )
