"""What type checkers are told of ``@rt.function``: the signature and the result of a function stay."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, ParamSpec, Protocol, TypedDict, TypeVar

P = ParamSpec("P")
R = TypeVar("R", covariant=True)
Rest = ParamSpec("Rest")
Instance = TypeVar("Instance", contravariant=True)
#: they hold functions, each of which is decorated
Holder = TypeVar("Holder", bound="staticmethod[Any, Any] | classmethod[Any, Any, Any] | property")


class Options(TypedDict, total=False):
    """The options of ``function``; their meaning is told there."""

    engine: Literal["auto", "native", "exact", "numpy", "jax"]
    input_signature: Sequence[Any] | None
    reduce_retracing: bool
    check: Literal["first", "always"] | None
    fallback: Literal["python"] | None
    max_traces: int | None
    name: str | None
    slow_notice: bool
    cache: bool | None


class OfInstance(Protocol[Instance, Rest, R]):
    """A function whose first parameter takes what a method is called on."""

    def __call__(self, first: Instance, /, *args: Rest.args, **kwargs: Rest.kwargs) -> R: ...


class OfClass(Protocol[Instance, Rest, R]):
    """A function whose first parameter takes the class of that."""

    def __call__(self, first: type[Instance], /, *args: Rest.args, **kwargs: Rest.kwargs) -> R: ...
