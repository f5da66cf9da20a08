"""How the result of a call is built from what a graph gives: one small class for each kind of structure.

>>> pair = TupleOf(tuple, (Leaf(1), Constant("mean")))
>>> pair([1.5, 2.5], ())
(2.5, 'mean')

A plan is called with the flat results and the flat arguments of a call. Those here are data, which can be
written to a file; what only code can build (an object of the user's, an exception) is a plain function.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from autograph.records import record
from runtime import tensor
from runtime.guards.paths import Names

#: takes the flat results (`Built` where some are shared) and the flat arguments of a call
Plan = Callable[[Any, Sequence[Any]], Any]


class Built(list[Any]):
    """The flat results of one call, and the containers that were built of them so far.

    ``choose``: for what JAX traces. It gives one of several values by their number; Tensors are their arrays.
    """

    def __init__(self, results: Sequence[Any], choose: Callable[[Any, list[Any]], Any] | None = None) -> None:
        super().__init__(results)
        self.built: dict[int, Any] = {}
        self.choose = choose


@record
class Leaf:
    """One of the flat results."""

    leaf: int

    def __call__(self, results: Sequence[Any], args: Sequence[Any]) -> Any:
        return results[self.leaf]


@record
class Boxed:
    """One of the flat results, as a Tensor."""

    index: int

    def __call__(self, results: Sequence[Any], args: Sequence[Any]) -> Any:
        found, is_traced = results[self.index], isinstance(results, Built) and results.choose is not None
        return found if is_traced else tensor.Tensor(found)


@record
class Constant:
    """The same object at each call."""

    value: Any

    def __call__(self, results: Sequence[Any], args: Sequence[Any]) -> Any:
        return self.value


@record
class Given:
    """One of the flat arguments: a list that was passed in, say."""

    index: int

    def __call__(self, results: Sequence[Any], args: Sequence[Any]) -> Any:
        return args[self.index]


@record
class TupleOf:
    """A tuple, or a namedtuple of class ``kind``."""

    kind: Any
    items: tuple[Plan, ...]

    def __call__(self, results: Sequence[Any], args: Sequence[Any]) -> Any:
        items = [plan(results, args) for plan in self.items]
        return tuple(items) if self.kind is tuple else self.kind._make(items)


def source_of(plan: Plan, names: Names) -> str:
    """Python source that builds the result of ``results`` and ``args``, as the plan does.

    >>> source_of(TupleOf(tuple, (Leaf(1), TupleOf(tuple, (Given(0),)))), Names())
    '(results[1], (args[0], ), )'
    """
    match plan:
        case Leaf(leaf):
            return f"results[{leaf}]"
        case Boxed(index):
            return f"{names.of(tensor.Tensor)}(results[{index}])"
        case Constant(value):
            return names.of(value)
        case Given(index):
            return f"args[{index}]"
        case TupleOf(kind, items):
            built = f"({''.join([f'{source_of(item, names)}, ' for item in items])})"
            return built if kind is tuple else f"{names.of(kind)}._make({built})"
        case Building(inner) if _are_apart(inner, set()):
            return source_of(inner, names)
        case Shared(_, None, items):
            return f"[{', '.join([source_of(item, names) for item in items])}]"
        case Shared(_, keys, items) if keys is not None:
            pairs = zip(keys, items, strict=True)
            return f"{{{', '.join([f'{names.of(key)}: {source_of(item, names)}' for key, item in pairs])}}}"
        case _:
            return f"{names.of(plan)}(results, args)"


@record(frozen=False, eq=False)
class Shared:
    """A list, or a dict with these keys, built once per call: it may be found twice, or be its own part.

    ``items`` is filled after the plan is made.
    """

    number: int
    keys: tuple[Any, ...] | None  # None: a list
    items: tuple[Plan, ...] = ()

    def __call__(self, results: Built, args: Sequence[Any]) -> Any:
        built = results.built
        if self.number in built:
            return built[self.number]
        if self.keys is None:
            items = built[self.number] = []
            items.extend([plan(results, args) for plan in self.items])
        else:
            held = built[self.number] = {}
            held.update(zip(self.keys, [plan(results, args) for plan in self.items], strict=True))
        return built[self.number]


@record(frozen=False, eq=False)
class Filled:
    """A list or dict of the run, with items in their places that no run has. It may be its own part.

    ``items``, by index or key, is filled after the plan is made.
    """

    number: int
    container: Plan
    items: tuple[tuple[Any, Plan], ...] = ()

    def __call__(self, results: Built, args: Sequence[Any]) -> Any:
        built = results.built
        if self.number not in built:
            made = built[self.number] = self.container(results, args)
            for key, plan in self.items:
                made[key] = plan(results, args)
        return built[self.number]


@record(frozen=False, eq=False)
class Anew:
    """What a function makes of its parts, once per call: a set, a deque. It is none of its own parts."""

    number: int
    function: Callable[..., Any]
    parts: tuple[Plan, ...]

    def __call__(self, results: Built, args: Sequence[Any]) -> Any:
        built = results.built
        if self.number not in built:
            built[self.number] = self.function(*[plan(results, args) for plan in self.parts])
        return built[self.number]


@record
class Chosen:
    """One of several, as the tag says. ``unbound``: options where a variable has no value, and its name.

    ``promoted``: where all are numbers, that number with the widest of their types.
    """

    tag: Plan
    options: tuple[Plan, ...]
    unbound: Mapping[int, str]
    promoted: Plan | None = None

    def __call__(self, results: Sequence[Any], args: Sequence[Any]) -> Any:
        chosen = self.tag(results, args)
        if isinstance(results, Built) and results.choose is not None:
            if self.promoted is not None:
                return self.promoted(results, args)
            return results.choose(chosen, [option(results, args) for option in self.options])
        if chosen in self.unbound:
            raise unbound_variable(self.unbound[chosen])
        return self.options[chosen](results, args)


@record
class Building:
    """A plan with containers in it: they are built anew for each call."""

    plan: Plan

    def __call__(self, results: Sequence[Any], args: Sequence[Any]) -> Any:
        return self.plan(results if isinstance(results, Built) else Built(results), args)


def _are_apart(plan: Plan, met: set[int]) -> bool:
    """Is each container built in one place only? ``met``: the numbers of those that were found so far."""
    match plan:
        case Leaf() | Boxed() | Constant() | Given():
            return True
        case TupleOf(_, items):
            return all(_are_apart(item, met) for item in items)
        case Shared(number, _, items):
            is_new = number not in met
            met.add(number)
            return is_new and all(_are_apart(item, met) for item in items)
    return False


def unbound_variable(name: str) -> UnboundLocalError:
    """The error (not raised) for a variable that is returned and has no value."""
    return UnboundLocalError(f"cannot access local variable '{name}' where it is not associated with a value")
