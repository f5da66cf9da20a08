"""Where and when: `tf.device`, `tf.executing_eagerly`, `tf.control_dependencies`, `tf.name_scope`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from runtime.tf.config import list_logical_devices
from runtime.tf.errors import InvalidArgumentError
from runtime.tf.graph_view import Operation
from runtime.tf.tensors import SymbolicTensor
from runtime.tf.traces import current, eager_devices
from runtime.tf.traces import name_scope as name_scope


def executing_eagerly() -> bool:
    """Do operations run at once?"""
    return current() is None


@contextmanager
def device(device_name: Any) -> Iterator[None]:
    """There is one kind of device, the CPU; all of its names are the same place, and tensors keep theirs."""
    known = [device.name for device in list_logical_devices("CPU")]
    text = str(getattr(device_name, "name", device_name) or known[0]).upper()
    number = text.rpartition(":")[2]
    wanted = f"/device:CPU:{number if number.isdigit() else 0}"
    if "CPU" not in text or wanted not in known:
        raise InvalidArgumentError(message=f"{device_name!r} is not here: there are {', '.join(known)}")
    trace = current()
    inside = eager_devices() if trace is None else trace.devices
    inside.append(wanted)
    try:
        yield
    finally:
        inside.pop()


@contextmanager
def control_dependencies(control_inputs: Any) -> Iterator[None]:
    """In a Function what has an effect stays in program order without it; in a `tf.Graph`, whose operations
    run only where they are asked for, these run before those inside."""
    trace = current()
    if trace is None or trace.owner is None:
        yield
        return
    before = trace.controls
    given = control_inputs() if callable(control_inputs) else control_inputs
    added = [] if given is None else [_operation_of(x) for x in given]
    trace.controls = [] if given is None else [*before, *[op for op in added if op is not None]]
    try:
        yield
    finally:
        trace.controls = before


def _operation_of(given: Any) -> Any:
    """The operation of a graph that is meant; None for a value from outside."""
    if isinstance(given, SymbolicTensor):
        return given._value.owner
    return given._operation if isinstance(given, Operation) else given
