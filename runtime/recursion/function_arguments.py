"""What a graph function is traced for: the kinds of its arguments, and what its closure holds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from runtime.specs.spec import Const, Leaf, Spec, Variant, generalise, leaf_types
from runtime.tracer.cells import cells_of, contents_of
from runtime.tracer.spec import Choice, join, spec_of
from runtime.types import STR, ArrayType


def has_staged(args: tuple[Any, ...], kwargs: dict[str, Any], function: Any) -> bool:
    """Does a call depend on anything that is known only at run time?"""
    cells = [contents_of(cell) for _, cell in cells_of((function,))]
    return any(map(_is_staged, (*args, *kwargs.values(), *cells)))


def _is_staged(value: Any) -> bool:
    return isinstance(value, Choice) or bool(leaf_types(spec_of(value)))


def any_number(spec: Spec) -> Spec:
    """The spec with any number or string in place of each one, and arrays of any lengths."""
    if isinstance(spec, Const):
        if type(spec.value) is str:
            return Leaf(STR)
        return spec if isinstance(spec.value, bool) else generalise(spec)
    if isinstance(spec, Leaf) and isinstance(spec.type, ArrayType):
        return replace(spec, type=ArrayType(spec.type.dtype, (None,) * spec.type.ndim))
    return _mapped(spec, any_number)


def staged_numbers(spec: Spec) -> Spec:
    """Numbers that are known on one path are staged: other paths, and other calls, give others."""
    return generalise(spec) if isinstance(spec, Const) else _mapped(spec, staged_numbers)


def _mapped(spec: Spec, change: Callable[[Spec], Spec]) -> Spec:
    if isinstance(spec, Leaf | Const):
        return spec
    if isinstance(spec, Variant):
        found = change(spec.alternatives[0])
        for alternative in spec.alternatives[1:]:
            found = join(found, change(alternative))
        return found
    return replace(spec, items=tuple(map(change, spec.items)))
