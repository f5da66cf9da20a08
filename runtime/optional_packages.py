"""Packages that are extras: one clear error where they are missing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from autograph.errors import AutographError


@contextmanager
def needing_tensorboard(what: str) -> Iterator[None]:
    """Around imports of what stands on tensorboard, which brings the protocol buffers of graphs and events.

    Raises AutographError where it is missing."""
    try:
        yield
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("tensorboard", "google"):
            raise
        message = f"{what} needs the package tensorboard"
        raise AutographError(message, hint="pip install 'autograph-runtime[tensorboard]'") from None
