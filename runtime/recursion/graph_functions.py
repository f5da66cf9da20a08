"""A function of the graph under construction, and a call of a user's function that is being traced."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import field
from types import CodeType
from typing import Any

from autograph.records import record
from runtime.control_flow.joins import hint_of
from runtime.graph import Block
from runtime.recursion import function_state
from runtime.specs.spec import Spec, Tuple, leaf_types
from runtime.tracer.trace_globals import made_in_trace


def origin_of(function: Any) -> Any:
    """What tells functions of one code apart, as those that one decorator makes.

    One that was made outside is known by itself. One that was made inside is made anew in each call of the
    function around: what its closure holds tells.
    """
    return None if made_in_trace(function) else function


@record(slots=False, frozen=False, eq=False)
class Activation:
    """A call that is being traced: inlined, or the body of a graph function."""

    code: CodeType
    origin: Any  # `origin_of` the function
    frames: int  # how deep in staged control flow
    arguments: tuple[tuple[Any, ...], dict[str, Any]]


@record(slots=False, frozen=False, eq=False)
class GraphFunction:
    """One function of the graph under construction: a user's function for one kind of arguments."""

    name: str
    code: CodeType
    origin: Any  # `origin_of` it
    arguments: Spec  # of those without a name, and of those with one
    keywords: tuple[str, ...]  # the names
    state: function_state.FunctionState
    frames: int  # how deep in staged control flow its body begins
    result: Spec | None = None  # None: it never returns, as far as known
    used: bool = False  # called while in work
    in_work: bool = True
    body: Block = field(default_factory=Block)

    def params(self) -> list[tuple[Any, str]]:
        """Types and names of its parameters: those of the user's function, then those of its state."""
        params = _params(self.arguments, self.code.co_varnames, self.keywords)
        return params + _types(self.state.parameters.values())

    def outputs(self, result: Spec) -> list[tuple[Any, str]]:
        """Types and names of what a call gives: the result, then the places that it writes."""
        return [(t, "") for t in leaf_types(result)] + _types(self.written)

    @property
    def written(self) -> list[function_state.Parameter]:
        return [one for one in self.state.parameters.values() if one.written]


def _types(parameters: Iterable[function_state.Parameter]) -> list[tuple[Any, str]]:
    return [(t, hint_of(p.place.name, p.spec)) for p in parameters for t in leaf_types(p.spec)]


def _params(spec: Spec, names: tuple[str, ...], keywords: tuple[str, ...]) -> list[tuple[Any, str]]:
    """Types and names of a function's parameters."""
    assert isinstance(spec, Tuple)
    args, kwargs = spec.items
    assert isinstance(args, Tuple) and isinstance(kwargs, Tuple)
    named = [
        *zip((*names, *[""] * len(args.items)), args.items, strict=False),
        *zip(keywords, kwargs.items, strict=True),
    ]
    return [(t, hint_of(name, part)) for name, part in named for t in leaf_types(part)]
