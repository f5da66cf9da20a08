"""What an operation is: one definition holds all that the rest of the system asks about it.

    tanh = op("tanh",
        kernel = np.tanh,                  # eager meaning: takes runtime values, then attributes by name
        infer  = elementwise(np.tanh),     # (types, attributes) -> output types
        native = lambda b, x: b.tanh(x),   # machine code for one element; None = call the kernel
        samples = [[(3, 4)], [()]],        # argument shapes that every shared test runs
    )

``infer(types, **attributes)`` gets the input types and returns one type or a tuple of types; it raises
TypeError or ValueError with NumPy's own words where NumPy would.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from runtime.types import Type

Infer = Callable[..., "Type | tuple[Type, ...]"]


@dataclass(frozen=True)
class Effects:
    """What an operation does besides computing its outputs from its inputs.

    view_of:   the output may share memory with this input (None: the output is fresh memory or immutable)
    writes:    inputs whose memory is written in place
    reads:     the memory of array inputs is read (False for ``shape`` and for views)
    ordered:   observable from outside: print, raise, store, a call of unknown code
    may_raise: may raise at run time for some values of its inputs (given their types)
    """

    view_of: int | None = None
    writes: tuple[int, ...] = ()
    reads: bool = True
    ordered: bool = False
    may_raise: bool = False


PURE = Effects()
MAY_RAISE = Effects(may_raise=True)


@dataclass(frozen=True)
class OpDef:
    """One operation; see the module docstring. All fields are required in a definition."""

    name: str
    kernel: Callable[..., Any] | None  # None: the engine runs it itself (control flow)
    infer: Infer | None  # None: the builder states the output types (control flow)
    native: Callable[..., Any] | None  # lowering for one element or scalar; None = call back the kernel
    effects: Effects | Callable[..., Effects]  # a function of (types, **attributes) where it depends on them
    samples: Sequence[Any]
    family: str = ""
    traits: frozenset[str] = field(default_factory=frozenset)  # commutative, ...

    def effects_of(self, types: tuple[Type, ...], attributes: dict[str, Any]) -> Effects:
        if isinstance(self.effects, Effects):
            return self.effects
        return self.effects(types, **attributes)


class UnsupportedError(TypeError):
    """A type rule meets what NumPy allows, and the operation does not: the trace is refused."""


REGISTRY: dict[str, OpDef] = {}


def op(
    name: str,
    *,
    kernel: Callable[..., Any] | None,
    infer: Infer | None,
    native: Callable[..., Any] | None,
    effects: Effects | Callable[..., Effects],
    samples: Sequence[Any],
    family: str = "",
    traits: Sequence[str] = (),
) -> OpDef:
    """Define an operation and enter it into the registry. Raises ValueError for a name taken already."""
    if name in REGISTRY:
        raise ValueError(f"operation {name!r} is defined twice")
    definition = OpDef(name, kernel, infer, native, effects, samples, family, frozenset(traits))
    REGISTRY[name] = definition
    return definition


def kernel_family(family: str) -> Callable[..., None]:
    """A function that defines operations of one family, whose kernels machine code calls."""

    def define(
        name: str,
        kernel: Callable[..., Any],
        infer: Infer,
        effects: Effects | Callable[..., Effects],
        samples: Sequence[Any],
    ) -> None:
        op(
            name,
            kernel=kernel,
            infer=infer,
            native=None,
            effects=effects,
            samples=samples,
            family=family,
        )

    return define
