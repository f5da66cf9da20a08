"""A Series or an Index of numbers of pandas: a loop, or `len`, reads its values at each call."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograph.loading import loaded_classes
from runtime.guards.paths import Attribute
from runtime.tracer.trace import Trace


def values_of(trace: Trace, items: Any) -> Any:
    """The values of a Series or an Index of pandas, an array that each call reads; None for anything else.

    None too where pandas holds them otherwise: texts, dates, categories, numbers that may be missing.
    """
    if not trace.outside.is_foreign(items) or type(items) not in loaded_classes(*_OF_PANDAS):
        return None
    values = items.values
    if type(values) is not np.ndarray or values.dtype.kind not in "biufc":
        return None
    path = trace.outside.path_of(items)
    return None if path is None else trace.outside.import_value(values, Attribute(path, "values"))


_OF_PANDAS = (
    "pandas.core.series.Series", "pandas.core.indexes.base.Index", "pandas.core.indexes.range.RangeIndex",
)  # fmt: skip
