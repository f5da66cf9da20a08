"""A file of the user's that bears the name of a package of ours, and is found before it."""

from __future__ import annotations

import importlib.util
import os
import sys

import autograph
from autograph.cli.files import UsageError


def check_not_hidden() -> None:
    """Raise UsageError where `import runtime` gives something else than our package."""
    loaded = sys.modules.get("runtime")
    spec = None if loaded is not None else importlib.util.find_spec("runtime")
    found = getattr(loaded, "__file__", None) or (spec and spec.origin)
    folder = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(autograph.__file__))), "runtime")
    if (
        found
        and os.path.isdir(folder)
        and os.path.dirname(os.path.realpath(found)) != os.path.realpath(folder)
    ):
        raise UsageError(
            f"this file hides the package `runtime` ({folder})",
            file=found,
            hint="rename the file, or the folder that it makes a package",
        )
