"""Streams that a run finds when it writes to them."""

from __future__ import annotations

import sys
from typing import Any


def stderr() -> Any:
    """The stream that stands in ``sys.stderr`` when it is written to."""
    return sys.stderr
