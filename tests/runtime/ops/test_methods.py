"""Each row of the table of methods, done to items that a trace knows and to those of a run: as in Python."""

from typing import Any

import pytest

import runtime as rt
from runtime.ops.item_patterns import CONTAINERS
from runtime.ops.methods import methods_of

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
