"""Packages that are extras: one clear error where one is missing, which says what to install."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from autograph.errors import AutographError

#: the extras of pyproject.toml that are asked for, and the packages that each brings
EXTRAS = {
    "jax": ("jax",),
    "onnx": ("onnx", "google"),
    "tensorboard": ("tensorboard", "google", "PIL"),
    "tf": ("tqdm", "threadpoolctl"),
}
#: those that are not called as what is imported
_PROJECTS = {"google": "protobuf", "PIL": "pillow"}


@contextmanager
def needing(extra: str, what: str) -> Iterator[None]:
    """Around imports of what stands on packages of an extra. Raises AutographError where one is missing."""
    try:
        yield
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        if package not in EXTRAS[extra]:
            raise
        message = f"{what} needs the package {_PROJECTS.get(package, package)}"
        raise AutographError(message, hint=f"pip install 'autograph-runtime[{extra}]'") from None
