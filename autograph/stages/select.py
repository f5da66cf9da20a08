"""A stage for libraries that choose between two values: `where(condition, a, b)`.

Both branches of an `if` run, each from the same beginning. What they leave in variables, lists, dicts and
attributes is merged by `where`; what cannot be merged is refused. Loops over symbols are unrolled.

    class MyStage(SelectStage):
        name, types = "mine", (Symbol,)

        def where(self, condition, a, b):
            return my_library.if_else(condition, a, b)
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from autograph.stages.base import CarryingStage
from autograph.stages.carrying import Left, Places, built, count, same
from autograph.stages.heap import NO_STATE
from autograph.staging import State, Thunk


class Dead(BaseException):
    """This path ends: what it left counts for nothing, and the rest runs under the opposite condition."""


class SelectStage(CarryingStage):
    """`types` are the classes of the library's values, `where` its choice; the rest has defaults."""

    #: how often a loop may ask a value of the library's whether to go on
    limit: int = 0
    needs = {"where": "`where(condition, a, b)`: `a` where the condition is true, else `b`"}

    # What a library says

    def where(self, condition: Any, a: Any, b: Any) -> Any:
        """`a` where the condition is true, else `b`: each is a value of the library's or of `plain`."""
        raise NotImplementedError

    def negate(self, a: Any) -> Any:
        """The opposite condition."""
        return self.where(a, False, True)

    def unfinished(self, go_on: Any) -> None:
        """A loop was unrolled `limit` times, and may go on if `go_on`. Refused by default."""
        hint = "end it by a number of Python's as well, or give the stage a larger `limit`"
        self.refuse(f"a loop that may take more than {self.limit} iterations", hint)

    def asserted(self, condition: Any, message: Thunk | None) -> None:
        """`assert`: `condition` holds unless the path is not taken. Refused by default."""
        self.refuse("an `assert` statement")

    def path(self) -> Any:
        """The condition of the branches that we are in; True outside of all."""
        conditions = [condition for condition in self._here.path if condition is not True]
        return functools.reduce(self.both, conditions) if conditions else True

    # Branches

    def branch(self, condition: Any, then: Thunk, orelse: Thunk, state: State) -> Any:
        """Run both, merge what they leave, give the merged results."""
        with self._taken_back():
            opposite, places = self.opposite(condition), Places(self, state, (then, orelse))
            a = self._side(condition, places, then)
            b = self._side(opposite, places, orelse)
            return self._merged(condition, opposite, places, a, b)

    def opposite(self, condition: Any) -> Any:
        return self.asked("negate", "the opposite of a condition", condition)

    def second(self, condition: Any, wanted: bool, block: Thunk) -> Any:
        stores, there = len(self._here.stores), condition if wanted else self.opposite(condition)
        left = self._side(there, Places(self, NO_STATE, (block,)), block)
        if left is None or left.places or len(self._here.stores) > stores:
            self._take_back(stores)
            return NotImplemented
        return self.condition(left.result)

    def _side(self, condition: Any, places: Places, block: Thunk) -> Left | None:
        """What a block leaves where the condition holds; None where that path ends."""
        places.path = (*self._here.path, condition)
        try:
            return places.run(block)
        except Dead:
            return None

    @contextlib.contextmanager
    def _taken_back(self, sides: Sequence[tuple[Any, Places]] = ()) -> Iterator[None]:
        """What a statement changes is taken back if it fails."""
        stores = len(self._here.stores)
        try:
            yield
        except BaseException:
            for _, places in reversed(sides):
                places.restore()
            self._take_back(stores)
            raise

    def _take_back(self, count: int) -> None:
        """Take back the stores after the first ones."""
        while len(self._here.stores) > count:
            target, key, before = self._here.stores[-1]
            target[key], self._here.stores = before, self._here.stores[:-1]

    def _merged(self, condition: Any, opposite: Any, places: Places, a: Left | None, b: Left | None) -> Any:
        """Write what both left, merged, and give the merged results."""
        if a is None or b is None:
            left = a or b
            if left is None:
                raise Dead
            self._here.path += (opposite if a is None else condition,)  # until the block around it ends
            places.grown(left)
            return places.set(places.values(left))
        places.grown(a)
        places.grown(b)
        values, others = places.values(a), places.values(b)
        for place, filler in places.gaps(values, others).items():
            values[place] = others[place] = filler
        (leaves, shape), (other_leaves, other) = places.leaves(values), places.leaves(others)
        places.agree(shape, other)
        of = [name for name, part in zip(places.names(), shape, strict=True) for _ in range(count(part))]
        pairs = zip(of, leaves, other_leaves, strict=True)
        found = [a if same(a, b) else self._chosen(name, condition, a, b) for name, a, b in pairs]
        return places.set(built(shape, found))

    def _chosen(self, name: str, condition: Any, a: Any, b: Any) -> Any:
        where = f"`where` for {name}"
        found = self.asked("where", where, condition, a, b)
        if found is not a and found is not b and not self.is_leaf(found):
            self.refuse(f"a {where} that gives {found!r}", "give a value of the library's")
        return found

    # Loops

    def repeat(self, held: Any, step: Callable[[Any], Any], state: State) -> None:
        """Each iteration is on the path of all tests before it.

        So what the program counts stays a number of Python's, and `while far(x) and n < 20` ends by itself.
        """
        path, limit = self._here.path, self.limit
        sides: list[tuple[Any, Places]] = []
        dead = False
        with self._taken_back(sides):
            while not dead:
                condition = self.condition(held[-1])
                known = self.decided(condition)
                if known is False:
                    break
                if type(condition) is not bool:
                    if limit == 0:  # a loop may never end where each test is known, too
                        self.unfinished(condition)
                        break
                    limit -= 1
                if known is None:
                    path = (*path, condition)
                    sides.append((condition, Places(self, state, (step,), path)))
                try:
                    held = sides[-1][1].inside(functools.partial(step, held)) if sides else step(held)
                except Dead:
                    if not sides:
                        raise
                    dead = True
            self._unwound(sides, dead)

    def _unwound(self, sides: list[tuple[Any, Places]], dead: bool) -> None:
        """Merge what each iteration left, the last one first, with what was there before it."""
        path = self._here.path
        while sides:
            condition, places = sides[-1]
            self._here.path = path
            gone_on = None if dead else places.left()
            places.restore()
            stopped, dead = places.left(), False
            self._merged(condition, self.opposite(condition), places, gone_on, stopped)
            sides.pop()

    def not_(self, a: Any) -> Any:
        return self.negate(self.truth(a))

    # Effects

    def assert_stmt(self, test: Any, message: Thunk | None) -> Any:
        if not self.claims(test) and (test or not self._here.path):
            return NotImplemented
        condition = self.condition(test)
        for there in reversed(self._here.path):
            condition = self.where(there, condition, True)
        return self.asserted(condition, message)

    def set_item(self, target: Any, key: Any, value: Any) -> Any:
        """Items of an object are merged; those of a value are stored where the path is taken."""
        if not self._here.path or not self.claims(target) or self.watch(target) is not None:
            return super().set_item(target, key, value)
        before = target[key]
        target[key] = self.where(self.path(), value, before)
        self._here.stores += ((target, key, before),)
        return target
