"""Where and when: `tf.device`, `tf.executing_eagerly`, `tf.control_dependencies`, `tf.name_scope`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from runtime.tf.config import list_logical_devices
from runtime.tf.errors import InvalidArgumentError
from runtime.tf.traces import current
from runtime.tf.traces import name_scope as name_scope


def executing_eagerly() -> bool:
    """Do operations run at once?"""
    return current() is None


@contextmanager
def device(device_name: Any) -> Iterator[None]:
    """There is one kind of device, the CPU; all of its names are the same place."""
    text = str(getattr(device_name, "name", device_name) or "/device:CPU:0").lower()
    if "cpu" not in text:
        raise InvalidArgumentError(message=f"{device_name!r} is not here: the only device is /device:CPU:0")
    number = text.rpartition(":")[2]
    if number.isdigit() and int(number) >= len(list_logical_devices("CPU")):
        known = [device.name for device in list_logical_devices("CPU")]
        raise InvalidArgumentError(message=f"{device_name!r} is not here: there are {', '.join(known)}")
    yield


@contextmanager
def control_dependencies(control_inputs: Any) -> Iterator[None]:
    """What has an effect stays in program order without it."""
    yield
