"""Each row of the table of methods, done to items that a trace knows and to those of a run: as in Python."""

import copy
from types import SimpleNamespace
from typing import Any

import pytest

import runtime as rt
from runtime.heap.shadow import UNKNOWN
from runtime.ops import REGISTRY
from runtime.ops.item_patterns import CONTAINERS
from runtime.ops.methods import METHODS, Method, methods_of
from runtime.tracer.known_items import Effect, effect_of
from runtime.types import ContainerType

#: what stands for the letters of a row: at a place that is there, and at one that is not
GIVEN: dict[str, tuple[Any, Any]] = {
    "i": (1, 7), "k": (2, 9), "v": (4, 4), "x": (2, 9), "d": (8, 8), "s": ([5, 6], ()),
    "o": ({2, 5}, {1, 2, 3}),
}  # fmt: skip
CASES = [(kind, name) for kind in CONTAINERS for name in methods_of(kind)]


def made(kind: str, numbers: list[Any]) -> Any:
    """A container with these numbers, of which a trace knows no more than of these."""
    cls = CONTAINERS[kind]
    if issubclass(cls, dict):
        items = cls()
        for number in numbers:
            items[number] = number * 10
        return items
    return cls(numbers)


def outcome(items: Any, name: str, args: tuple[Any, ...]) -> tuple[Any, Any]:
    try:
        given = getattr(items, name)(*args)
    except (LookupError, TypeError, ValueError) as error:
        given = type(error).__name__
    return given, items


@pytest.mark.parametrize(("kind", "name"), CASES)
def test_a_method_does_what_it_does_in_python(kind: str, name: str) -> None:
    row = methods_of(kind)[name]
    letters = row.letters[1:]
    calls = [tuple(GIVEN[letter][k] for letter in letters) for k in (0, 1)]
    if not row.is_of_collections:
        calls += [calls[0][:-1], (*calls[0], 1)]  # one less, and one more

    def known(args: tuple[Any, ...]) -> Any:
        return outcome(made(kind, [3, 1, 2]), name, args)

    def of_run(n: int, args: tuple[Any, ...]) -> Any:
        numbers = [3]
        for number in range(1, n):
            numbers.append(number)
        return outcome(made(kind, numbers), name, args)

    for args in dict.fromkeys(map(repr, calls)):
        args = eval(args)
        assert repr(rt.function(known, engine="numpy")(args)) == repr(known(args))
        assert repr(rt.function(of_run, engine="numpy")(3, args)) == repr(of_run(3, args))


def result_of_kernel(row: Method, args: list[Any]) -> Any:
    """What a run gets; what it changes, it changes in the arguments."""
    whole = SimpleNamespace(read=lambda item: item, types=())
    attributes: dict[str, Any] = {"type": ContainerType("list")} if row.makes else {"reader": whole}
    return REGISTRY[row.name].kernel(*args, **({} if row.answers else attributes))  # type: ignore[misc]


@pytest.mark.parametrize("name", [name for name, row in METHODS.items() if row.writes or row.makes])
def test_what_is_done_to_known_items_is_what_a_run_does(name: str) -> None:
    row = METHODS[name]
    items: Any = {3: 30, 1: 10, 2: 20} if row.family == "dict" else [3, 1, 2]
    collection: Any = {4: 40, 2: 21} if row.family == "dict" else [5, 6]
    given = {"c": (items, items), "h": (items, items), "q": ([2, 3, 1], [1, 1, 1]), "s": (collection, items)}
    if name.endswith("slice"):
        given["i"] = (slice(1, None), slice(5, 7))
    for k in (0, 1):
        args = [(GIVEN | given)[letter][k] for letter in row.letters]
        expected, found = copy.deepcopy(args), copy.deepcopy(args)
        try:
            result = result_of_kernel(row, expected)
        except (LookupError, TypeError, ValueError, AttributeError):  # which a run raises
            result, expected = None, [None]
        try:
            effect = effect_of(None, name, tuple(found))  # type: ignore[arg-type]
        except (LookupError, TypeError, ValueError, AttributeError):
            effect = Effect()
        assert found == args  # the trace's own lists are as they were
        if effect.items is not None:
            assert effect.items == (result if row.makes else expected[0])
        if effect.taken is not UNKNOWN:
            assert effect.taken == result
        if row.family in ("list", "dict") and row.letter(0) in "cs":
            assert effect.items is not None or expected == [None]
