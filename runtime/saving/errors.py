"""The error for files that cannot be loaded."""

from __future__ import annotations

from autograph.errors import AutographError


class LoadError(AutographError, ValueError):
    """What was saved cannot be loaded: a file is missing, damaged, of a newer version, or not ours."""


def damaged(file: str, reason: object, line: int | None = None) -> LoadError:
    """The error (not raised) for a file whose contents make no sense."""
    return LoadError(
        f"this is damaged, or was not written by rt.save: {reason}",
        file=file,
        line=line,
        hint="save it again, or load another copy",
    )
