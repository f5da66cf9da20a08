"""`tf.autograph.experimental.Feature`: parts of AutoGraph that TensorFlow turns on one by one. All are on."""

from __future__ import annotations

import enum
from typing import Any


class Feature(enum.Enum):
    ALL = "ALL"
    AUTO_CONTROL_DEPS = "AUTO_CONTROL_DEPS"
    ASSERT_STATEMENTS = "ASSERT_STATEMENTS"
    BUILTIN_FUNCTIONS = "BUILTIN_FUNCTIONS"
    EQUALITY_OPERATORS = "EQUALITY_OPERATORS"
    LISTS = "LISTS"
    NAME_SCOPES = "NAME_SCOPES"


def require_features(function: str, given: Any) -> None:
    """Raises TypeError for what is no feature, nor several."""
    parts = given if isinstance(given, list | tuple | set | frozenset) else () if given is None else (given,)
    for part in parts:
        if not isinstance(part, Feature):
            raise TypeError(f"{function}: {part!r} is no tf.autograph.experimental.Feature")
