"""Structures of staged values as templates, which a run fills."""

from __future__ import annotations

from typing import Any

from runtime.ops.template import Template, build
from runtime.tracer import spec
from runtime.tracer.builder import Staged


def make_template(structure: Any) -> tuple[Template, list[Any]]:
    """The template of a structure with staged leaves, and these leaves in the order of the holes."""
    return build(structure, lambda item: isinstance(item, Staged) or spec.reference_of(item) is not None)
