"""`tf.autograph.experimental.Feature`: parts of AutoGraph that TensorFlow turns on one by one.

Here all of them are on but one: `print` stays Python's, unless a `tf.function` asks for BUILTIN_FUNCTIONS.
"""

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


def features_of(function: str, given: Any) -> frozenset[Feature]:
    """A feature, several or None as a set. Raises TypeError for anything else."""
    parts = given if isinstance(given, list | tuple | set | frozenset) else () if given is None else (given,)
    for part in parts:
        if not isinstance(part, Feature):
            raise TypeError(f"{function}: {part!r} is no tf.autograph.experimental.Feature")
    return frozenset(parts)


def prints_in_graphs(features: frozenset[Feature]) -> bool:
    """Is `print` of a tensor an operation, which happens at each call?"""
    return not features.isdisjoint((Feature.ALL, Feature.BUILTIN_FUNCTIONS))
