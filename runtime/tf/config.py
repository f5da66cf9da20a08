"""`tf.config`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from autograph.optional_packages import needing
from runtime.ops import threads
from runtime.tf.functions import functions_run_eagerly as functions_run_eagerly
from runtime.tf.functions import run_functions_eagerly as run_functions_eagerly
from runtime.tf.names import refusing


@dataclass(frozen=True)
class PhysicalDevice:
    name: str
    device_type: str


@dataclass(frozen=True)
class LogicalDeviceConfiguration:
    """One of the parts into which a device is cut."""

    memory_limit: int | None = None


_CPU = PhysicalDevice("/physical_device:CPU:0", "CPU")
_parts = 1


def list_physical_devices(device_type: str | None = None) -> list[PhysicalDevice]:
    """The one CPU."""
    return [_CPU] if device_type in (None, "CPU") else []


def list_logical_devices(device_type: str | None = None) -> list[PhysicalDevice]:
    if device_type not in (None, "CPU"):
        return []
    return [PhysicalDevice(f"/device:CPU:{k}", "CPU") for k in range(_parts)]


def set_logical_device_configuration(device: PhysicalDevice, logical_devices: list[Any]) -> None:
    """As many names for the CPU."""
    global _parts
    if device != _CPU:
        raise ValueError(f"there is no device {device!r}: the only one is {_CPU}")
    _parts = max(1, len(logical_devices))


class threading:
    """`tf.config.threading`: several threads work on one convolution or product of matrices."""

    @staticmethod
    def set_intra_op_parallelism_threads(num_threads: int) -> None:
        """At most so many threads in one operation. Needs threadpoolctl."""
        with needing("tf", "set_intra_op_parallelism_threads"):
            from threadpoolctl import threadpool_limits

        threadpool_limits(num_threads or None)
        threads.limit = num_threads or threads.cores()

    @staticmethod
    def set_inter_op_parallelism_threads(num_threads: int) -> None:
        """Operations run one after another: any limit is kept."""
        if num_threads < 0:
            raise ValueError(f"the number of threads is {num_threads}")


class experimental:
    """`tf.config.experimental`."""

    list_physical_devices = staticmethod(list_physical_devices)


__getattr__ = refusing(__name__, "tf.config")
