"""Comprehensions and generator expressions over values that a stage may claim.

Each `for` of one is a `Clause`; its `if`s are one test. On plain values they run as the loops that they
stand for: the iterables, the tests and the elements are evaluated in Python's order, and a generator
expression is as lazy as Python's.

>>> list_comp(lambda x: x * x, range(5), lambda x: x % 2)
[1, 9]
>>> list_comp(lambda row: each(lambda x: -x, row), [(1, 2), (3,)])
[-1, -2, -3]
>>> dict_comp(lambda k, v: (v, k), {"a": 1}.items(), unpack="k, v")
{1: 'a'}
>>> sum(generator(lambda x: x * x, [1, 2, 3]))
14

And what a generator function that was turned inside out calls where it yields.
"""

from __future__ import annotations

import ast
import functools
import itertools
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from autograph.operators.containers import unpack
from autograph.registry import active_stage, claiming
from autograph.staging import Clause
from autograph.walking import children


def give(consumer: Callable[[Any], Any], item: Any) -> Any:
    """Hand an item to the loop that consumes the generator; is it to go on?

    >>> found = []
    >>> give(lambda item: found.append(item) or len(found) < 2, "a")
    True
    """
    return consumer(item)


def list_comp(
    element: Callable[..., Any],
    iterable: Iterable[Any],
    keep: Callable[..., Any] | None = None,
    unpack: str | None = None,
) -> Any:
    """`[element for ... in iterable if keep]`.

    >>> list_comp(lambda a, b: a + b, [(1, 2), (3, 4)], unpack="a, b")
    [3, 7]
    """
    clause = Clause(element, iterable, keep, unpack)
    result: Any = _staged("list", clause)
    if result is NotImplemented:
        result = []
        _run(clause, result.append)
    return result


def set_comp(
    element: Callable[..., Any],
    iterable: Iterable[Any],
    keep: Callable[..., Any] | None = None,
    unpack: str | None = None,
) -> Any:
    """`{element for ... in iterable if keep}`.

    >>> set_comp(abs, [1, -1])
    {1}
    """
    clause = Clause(element, iterable, keep, unpack)
    result: Any = _staged("set", clause)
    if result is NotImplemented:
        result = set()
        _run(clause, result.add)
    return result


def dict_comp(
    item: Callable[..., tuple[Any, Any]],
    iterable: Iterable[Any],
    keep: Callable[..., Any] | None = None,
    unpack: str | None = None,
) -> Any:
    """`{key: value for ... in iterable if keep}`; `item` gives the key and the value.

    >>> dict_comp(lambda x: (x, x * x), [2, 3])
    {2: 4, 3: 9}
    """
    clause = Clause(item, iterable, keep, unpack)
    result: Any = _staged("dict", clause)
    if result is NotImplemented:
        result = {}
        _run(clause, lambda pair: result.__setitem__(*pair))
    return result


def each(
    element: Callable[..., Any],
    iterable: Iterable[Any],
    keep: Callable[..., Any] | None = None,
    unpack: str | None = None,
) -> Clause:
    """A further `for` of a comprehension: what the element of the `for` before it gives."""
    return Clause(element, iterable, keep, unpack)


def generator(
    element: Callable[..., Any],
    iterable: Iterable[Any],
    keep: Callable[..., Any] | None = None,
    unpack: str | None = None,
) -> Any:
    """`(element for ... in iterable if keep)`: the iterable is asked for its iterator at once.

    >>> squares = generator(lambda x: x * x, [1, 2])
    >>> next(squares), list(squares), list(squares)
    (1, [4], [])
    """
    clause = Clause(element, iterable, keep, unpack)
    stage = active_stage()
    made: Any = NotImplemented if stage is None else stage.generator(clause)
    return generate(clause, iter(iterable)) if made is NotImplemented else made


def generate(clause: Clause, items: Iterator[Any]) -> Iterator[Any]:
    """The elements of a comprehension, one after the other, with the names of a generator expression."""
    made: Any = _generate(clause, items)
    made.__name__ = "<genexpr>"
    made.__qualname__ = clause.element.__qualname__.rpartition(".")[0] + ".<genexpr>"
    return made


def _generate(clause: Clause, items: Iterator[Any]) -> Iterator[Any]:
    arguments, keeps, element = arguments_of(clause, _is_offered()), keeps_of(clause), clause.element
    for item in items:
        given = arguments(item)
        if keeps(given):
            made = element(*given)
            if type(made) is Clause:
                yield from _generate(made, iter(made.iterable))
            else:
                yield made


def _is_offered() -> bool:
    """May a stage know better how an item of plain ones is taken apart?"""
    return active_stage() is not None


def _staged(kind: str, clause: Clause) -> Any:
    stage = active_stage() or claiming(clause.iterable)
    return NotImplemented if stage is None else stage.comprehension(kind, clause)


def _run(clause: Clause, take: Callable[[Any], object]) -> None:
    arguments, keeps, element = arguments_of(clause, _is_offered()), keeps_of(clause), clause.element
    for item in clause.iterable:
        given = arguments(item)
        if keeps(given):
            made = element(*given)
            if type(made) is Clause:
                _run(made, take)
            else:
                take(made)


def arguments_of(clause: Clause, offered: bool = False) -> Callable[[Any], tuple[Any, ...]]:
    """What gives, for an item of the iterable, the values of the clause's variables.

    `offered`: a stage is asked first, as it is for assignments in code that shows it containers.
    """
    return _itself if clause.unpack is None else unpacker(clause.unpack, offered)


def keeps_of(clause: Clause) -> Callable[[tuple[Any, ...]], bool]:
    """The clause's `if`s as a test of the values of its variables."""
    keep = clause.keep
    if keep is None:
        return _always

    def keeps(given: tuple[Any, ...]) -> bool:
        kept = keep(*given)
        if type(kept) is not bool:
            stage = claiming(kept)
            if stage is not None:
                return stage.keeps(kept, clause)
        return bool(kept)

    return keeps


def _itself(item: Any) -> tuple[Any, ...]:
    return (item,)


def _always(given: tuple[Any, ...]) -> bool:
    return True


@functools.lru_cache(maxsize=1024)
def unpacker(target: str, offered: bool = False) -> Callable[[Any], tuple[Any, ...]]:
    """The function that takes an item apart as an assignment to `target` does.

    >>> unpacker("(a, *b), c")(("xyz", 1)), unpacker("(a, *b), c", offered=True)(("xyz", 1))
    (('x', ['y', 'z'], 1), ('x', ['y', 'z'], 1))
    """
    tree = ast.parse(target)
    names = _names_in_order(tree)
    assignments = [f"{target} = item"]
    if offered:
        held = (name for name in map("part{}".format, itertools.count()) if name not in names)
        assignments = _level_by_level(tree.body[0].value, "item", held)  # type: ignore[attr-defined]
    text = "\n    ".join(["def unpacked(item):", *assignments, f"return ({', '.join(names)},)"])
    namespace: dict[str, Any] = {"unpack": unpack}
    exec(compile(text, __file__, "exec"), namespace)
    function: Callable[[Any], tuple[Any, ...]] = namespace["unpacked"]
    return function


def _level_by_level(target: Any, value: str, held: Iterator[str]) -> list[str]:
    """Assignments that take `value` apart; a part that is to be taken apart again is held by a variable."""
    parts = []
    inner = []
    stars = [place for place, element in enumerate(target.elts) if isinstance(element, ast.Starred)]
    for element in target.elts:
        part = element.value if isinstance(element, ast.Starred) else element
        parts.append(part.id if isinstance(part, ast.Name) else next(held))
        if not isinstance(part, ast.Name):
            inner += _level_by_level(part, parts[-1], held)
    count = len(target.elts)
    counts = f"{stars[0]}, {count - stars[0] - 1}" if stars else f"{count}"
    return [f"[{', '.join(parts)}] = unpack({value}, {counts})", *inner]


def _names_in_order(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Name):
        return [node.id]
    return [name for part in children(node) for name in _names_in_order(part)]
