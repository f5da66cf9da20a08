"""What an operation is: one definition holds all that the rest of the system asks about it.

    tanh = op("tanh",
        kernel = np.tanh,                  # eager meaning: takes runtime values, then attributes by name
        infer  = elementwise(np.tanh),     # (types, attributes) -> output types
        formula = native("f", libm("tanh")),   # one element, for every target (runtime/ops/formulas.py)
        vjp    = lambda g, y, x: (g * (1 - y * y),),   # its derivative, see below
        samples = [[(3, 4)], [()]],        # argument shapes that every shared test runs
    )

``infer(types, **attributes)`` gets the input types and returns one type or a tuple of types; it raises
TypeError or ValueError with NumPy's own words where NumPy would.

``vjp(g, y, *inputs, **attributes)`` gets the cotangent of the output, the output and the inputs
(tuples where there are several outputs) as `Expr` (runtime/ops/expressions.py), and returns a tuple:
one cotangent for each input, None for one that gets none; those at the end may be left out. What it
writes is ordinary NumPy: operators, and ``ops.exp(x)`` for the operation of that name. A cotangent may
have any shape that broadcasts with that of its input, and any dtype: the sweep sums, spreads and casts.
A rule must be linear in ``g``.

The convention for complex numbers is JAX's: the cotangent of ``x + iy`` is ``dL/dx - i dL/dy``, so that
the rule of a holomorphic function is the one in the textbook, with no conjugate, and the transpose of a
linear map is its transpose. (The direction of steepest ascent is the conjugate.) For a real input
the sweep takes the real part.

``jvp(tangents, y, *inputs, **attributes)`` is made from ``vjp``, which is linear in ``g``, by
transposing it; an operation states its own only where that is slow. An operation that is written with
others (written.py) has the derivative of these where it states none; one without says ``none("comparison")``.

Instead of a tuple a rule may return ``Written(y)``, the function computed once more by operations that
have rules (``as_written`` in expressions.py); and in the place of one cotangent, or of all, a
``refused("the derivative by the order of a Bessel function")``, an error only where it is asked for.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, partial
from typing import Any

import numpy as np

from autograph.loading import loaded
from autograph.records import record
from runtime.types import Type

Infer = Callable[..., "Type | tuple[Type, ...]"]


@record(slots=False)
class NoDerivative:
    """Why an operation has no rule.

    ``refused``: a result on the path of a gradient is an error of the user's. Else the derivative is
    zero wherever it exists, and what came that far ends there.
    """

    reason: str
    refused: bool = False


def none(reason: str) -> NoDerivative:
    """The result is constant almost everywhere, or no number: ``none("comparison")``."""
    return NoDerivative(reason)


def refused(reason: str) -> NoDerivative:
    """The result may depend smoothly on the inputs, and nobody knows how: ``refused("an opaque call")``."""
    return NoDerivative(reason, refused=True)


@record(slots=False)
class Written:
    """What a rule returns that says: the derivative is that of these results, computed once more.

    ``results`` are an `Expr`, or a tuple of them; None for one without a derivative.
    """

    results: Any


#: a rule, or why there is none
Vjp = Callable[..., "tuple[Any, ...] | NoDerivative | Written"] | NoDerivative

#: of operations that write memory or hold blocks: runtime/gradients knows them by name
BY_SWEEP = NoDerivative("known to the sweep by name")
#: that of what the operation is written with
UNSTATED = NoDerivative("not stated")


@record
class Dynamic:
    """The k-th dynamic input of an operation, in a static attribute."""

    index: int

    def __repr__(self) -> str:
        return f"Dynamic({self.index})"


@record(slots=False)
class Effects:
    """What an operation does besides computing its outputs from its inputs.

    view_of:   the output may share memory with this input (None: the output is fresh memory or immutable)
    copies:    where the memory of that input asks for it, the output is a copy
    writes:    inputs whose memory is written in place
    reads:     the memory of array inputs is read (False for ``shape`` and for views)
    ordered:   observable from outside: print, raise, store, a call of unknown code
    may_raise: may raise at run time for some values of its inputs (given their types)
    raises:    all that it raises is "overflow": an int left 64 bits, where Python goes on; "division": the
               second number is zero; "memory": none is left; "rarely": in code of the user's. Else "anything"
    fields:    all that it reads and writes of the object that is its first input: an attribute (1: the one
               that the second input names), or of a container "items" and "length"; empty: anything
    touches:   what an ordered operation may read and write besides: the "world", "arrays" but no object that
               was there before, or "nothing"
    keeps:     an ordered operation may keep a reference to what it is given
    makes:     the output is "object", a new one, which may hold the inputs, or "memory" that holds none
    leaves:    the graph is left where it does anything
    """

    view_of: int | None = None
    copies: bool = False
    writes: tuple[int, ...] = ()
    reads: bool = True
    ordered: bool = False
    may_raise: bool = False
    raises: str = "anything"
    fields: tuple[str | int, ...] = ()
    touches: str = "world"
    keeps: bool = True
    makes: str = ""
    leaves: bool = False


PURE = Effects()
MAY_RAISE = Effects(may_raise=True)


@record(slots=False)
class OpDef:
    """One operation; see the module docstring. It enters the registry; raises ValueError for a name taken
    already, and for one that does not say what its derivative is."""

    name: str
    kernel: Callable[..., Any] | None  # None: the engine runs it itself (control flow)
    infer: Infer | None  # None: the builder states the output types (control flow)
    effects: Effects | Callable[..., Effects] = PURE  # a function of (types, **attributes), or for all
    samples: Sequence[Any] = ()
    vjp: Vjp = UNSTATED
    family: str = ""
    #: "commutative"; "literal": makes a container of known items; "part": reads or sees a part of its first
    #: input; "own shadow": a view that overlaps itself, or whose adjoint is no view; "read-only": such a
    #: view; "store": elements of an array get values; "like": of the second input the shape alone is read;
    #: "repeats": each element is one of the first input's; "quotient": a sum by the count of what is added;
    #: "place": that of an item; "reinterprets": a view of the bytes as of another dtype
    traits: Sequence[str] = ()
    jvp: Callable[..., Any] | None = None
    formula: Callable[..., Any] | None = None  # of one element
    exact: bool = True  # the formula rounds as the kernel
    #: who writes the machine code, in the order in which they are asked (`engines/native/lower.py`); nobody:
    #: that is the formula, or a call of compiled code or of Python
    lowered: tuple[str, ...] = ()
    #: the ufunc by whose loops the formula's operands are converted, or a function from their types, and the
    #: attributes, to dtypes
    loops: Any = None
    combines: str = ""  # the ufunc by which a reduction, or a product, takes one more element
    #: the kernel with its attributes filled in, if faster
    bind: Callable[..., Callable[..., Any]] | None = None

    def __post_init__(self) -> None:
        if self.vjp is UNSTATED:
            written = loaded(f"{__package__}.written").WRITTEN.get(self.name)
            if written is None:
                raise ValueError(f"operation {self.name!r} does not say what its derivative is")
            object.__setattr__(self, "vjp", as_written(written))
        if isinstance(self.kernel, np.ufunc):
            object.__setattr__(self, "loops", self.kernel)
        REGISTRY.enter(self)

    @property
    def native(self) -> Callable[..., Any] | None:
        """What machine code may compute in place of the kernel."""
        return self.formula if self.exact else None

    def effects_of(self, types: tuple[Type, ...], attributes: dict[str, Any]) -> Effects:
        if isinstance(self.effects, Effects):
            return self.effects
        return self.effects(types, **attributes)

    def output_types(self, types: Sequence[Type], attributes: Mapping[str, Any]) -> tuple[Type, ...]:
        """What its rule gives. Raises TypeError where it has none, beside what the rule raises."""
        if self.infer is None:
            raise TypeError(f"{self.name} has no type rule; append it with explicit types")
        found = self.infer(tuple(types), **attributes)
        return found if isinstance(found, tuple) else (found,)


class UnsupportedError(TypeError):
    """A type rule meets what NumPy allows, and the operation does not: the trace is refused."""


class Registry(dict[str, OpDef]):
    """The operations by name. Their families are loaded one after the other until a name is found."""

    def __init__(self) -> None:
        self._waiting: dict[str, None] = {}  # modules, in order
        self._interrupted = False  # a module was left halfway: what it defined is defined once more

    def await_families(self, modules: Iterable[str]) -> None:
        self._waiting |= dict.fromkeys(modules)

    def enter(self, definition: OpDef) -> None:
        if dict.__contains__(self, definition.name) and not self._interrupted:
            raise ValueError(f"operation {definition.name!r} is defined twice")
        self[definition.name] = definition

    def _load_until(self, name: str | None) -> bool:
        """Whether there is an operation of that name; of None there is none."""
        for module in list(self._waiting):
            if dict.__contains__(self, name):
                return True
            try:
                loaded(module)
            except BaseException:
                self._interrupted = True
                raise
            self._waiting.pop(module, None)
        return dict.__contains__(self, name)

    def __missing__(self, name: str) -> OpDef:
        if self._load_until(name):
            return dict.__getitem__(self, name)
        raise KeyError(name)

    def __contains__(self, name: object) -> bool:
        return dict.__contains__(self, name) or (isinstance(name, str) and self._load_until(name))

    def get(self, name: str, default: Any = None) -> Any:
        return self[name] if name in self else default

    def __iter__(self) -> Iterator[str]:
        self._load_until(None)
        return super().__iter__()

    def __len__(self) -> int:
        self._load_until(None)
        return super().__len__()

    def items(self) -> Any:
        self._load_until(None)
        return super().items()

    def values(self) -> Any:
        self._load_until(None)
        return super().values()


REGISTRY = Registry()


#: define an operation
op = OpDef


class as_written:
    """The rule of an operation, or a call, that ``function`` computes with operations that have rules.

    op("ptp", ..., vjp=as_written(lambda x, **_: ops.max(x, **_) - ops.min(x, **_)))
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function

    def __call__(self, g: Any, y: Any, *inputs: Any, **attributes: Any) -> Written | NoDerivative:
        found = self.function(*inputs, **attributes)
        return found if isinstance(found, NoDerivative) else Written(found)


def family(name: str, **given: Any) -> Callable[..., OpDef]:
    """``op`` of the operations of one family, with what they share."""
    return partial(OpDef, family=name, **given)


def same_as(name: str) -> Any:
    """The rule of another operation that computes the same: ``py.add`` has that of ``add``."""

    def vjp(g: Any, y: Any, *inputs: Any, **attributes: Any) -> tuple[Any, ...] | NoDerivative | Written:
        rule = REGISTRY[name].vjp
        assert not isinstance(rule, NoDerivative), f"{name} has no rule"
        return rule(g, y, *inputs, **attributes)

    return vjp


@cache
def takes_so_many(function: Callable[..., Any], given: int, names: tuple[str, ...] = ()) -> bool:
    """May it be called with so many arguments by position, and these by name?

    >>> takes_so_many(list.append, 2), takes_so_many(list.append, 1), takes_so_many(sorted, 1, ("key",))
    (True, False, True)
    """
    try:
        inspect.signature(function).bind(*range(given), **dict.fromkeys(names))
    except TypeError:
        return False
    except ValueError:  # a function in C that does not say: none of ours takes names
        return not names
    return True
