"""Values of the same variables from several blocks, brought to one: what a branch or an iteration leaves.

`spec.py` says how two values join; here it is decided what cannot be chosen at run time.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import reduce
from typing import Any

from runtime.graph import Value
from runtime.iteration.indexed import Indexed
from runtime.iteration.ranges import parts_of_views
from runtime.ops.template import plain_items
from runtime.specs.spec import Spec, leaf_types
from runtime.tracer.flattening import adapt, rebuild
from runtime.tracer.spec import Choice, join, spec_of
from runtime.tracer.trace import Trace


class Joined:
    """Values of the same variables from several blocks, and the specs that hold them all."""

    def __init__(
        self,
        trace: Trace,
        names: tuple[str, ...],
        alternatives: Sequence[Sequence[Any]],
        before: tuple[Any, ...],
    ) -> None:
        """``before``: what the variables held before."""
        self.trace = trace
        self.names = names
        self.alternatives = alternatives
        self.kept: list[bool] = []  # the same object on every path: nothing to join
        self.specs: list[Spec] = []
        for position in range(len(names)):
            views = [values[position] for values in alternatives]
            first = views[0]
            same = all(view is first for view in views[1:])
            was_there = first is before[position]
            if any(isinstance(part, Indexed) for part in parts_of_views(views)) and not (same and was_there):
                self._require_no_views(views, names[position])
                same = False
            kept = same and (len(views) > 1 or not _has_staged(first) or was_there)
            self.kept.append(kept)
            self.specs.append(reduce(join, map(spec_of, views)))

    def _require_no_views(self, views: list[Any], name: str) -> None:
        """A range or an iterator of a length that a run knows belongs to the path that makes it."""
        for view in parts_of_views(views):
            if isinstance(view, Indexed) and view.static is None:
                raise self.trace.refuse(
                    f"`{name}` is {view.what} of one path, and is used after it",
                    "make it where it is used, or make a list of it",
                    name,
                )

    def flat(self, index: int) -> list[Value]:
        parts = zip(self.alternatives[index], self.specs, self.kept, strict=True)
        return [v for value, spec, kept in parts if not kept for v in adapt(value, spec, self.trace)]

    def types(self) -> list[tuple[Any, str]]:
        parts = zip(self.names, self.specs, self.kept, strict=True)
        return [
            (type, hint_of(name, spec)) for name, spec, kept in parts if not kept for type in leaf_types(spec)
        ]

    def rebuild(self, values: Iterator[Value]) -> list[Any]:
        parts = zip(self.alternatives[0], self.specs, self.kept, strict=True)
        return [first if kept else rebuild(spec, values, self.trace) for first, spec, kept in parts]


def parts_of(value: Any) -> list[Any]:
    """A value, or the parts of it where it is a tuple or a choice, as objects."""
    if isinstance(value, tuple | Choice):
        parts = plain_items(value) if isinstance(value, tuple) else value.values
        return [found for part in parts for found in parts_of(part)]
    return [value]


def hint_of(name: str, spec: Spec) -> str:
    return name if name.isidentifier() else ""


def _has_staged(value: Any) -> bool:
    return bool(leaf_types(spec_of(value)))
