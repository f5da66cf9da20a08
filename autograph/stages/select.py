"""A stage for libraries that choose between two values: `where(condition, a, b)`.

Both branches of an `if` run, each from the same beginning. What they leave in variables, lists, dicts and
attributes is merged by `where`; what cannot be merged is refused. Loops over symbols are unrolled.

    class MyStage(SelectStage):
        name, types = "mine", (Symbol,)

        def where(self, condition, a, b):
            return my_library.if_else(condition, a, b)
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import Any

from autograph.operators import Undefined
from autograph.stages.base import CarryingStage
from autograph.stages.carrying import NO_STATE, Left, Places, Steps
from autograph.stages.shapes import Missing, count, difference, is_missing, same
from autograph.staging import State, Thunk


class Dead(BaseException):
    """This path ends: what it left counts for nothing, and the rest runs under the opposite condition."""


class SelectStage(CarryingStage):
    """`types` are the classes of the library's values, `where` its choice; the rest has defaults."""

    name = "select"
    #: how often a loop may ask a value of the library's whether to go on
    limit: int = 0

    # What a library says

    def lacks(self) -> str | None:
        own = type(self).where is not SelectStage.where
        return (
            super().lacks() if own else "`where(condition, a, b)`: `a` where the condition is true, else `b`"
        )

    def where(self, condition: Any, a: Any, b: Any) -> Any:
        """`a` where the condition is true, else `b`: each is a value of the library's or of `plain`."""
        raise NotImplementedError

    def both(self, a: Any, b: Any) -> Any:
        """Both conditions."""
        return self.where(a, b, False)

    def either(self, a: Any, b: Any) -> Any:
        """One of the conditions, or both."""
        return self.where(a, True, b)

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

    def raised(self, exception: Any, cause: Any) -> None:
        """`raise` on a path that may not be taken. Refused by default; raise `Dead` to go on without it."""
        self.refuse("a `raise` in a branch or a loop", "return a value that stands for the error")

    def path(self) -> Any:
        """The condition of the branches that we are in; True outside of all."""
        conditions = [condition for condition in self._here.path if condition is not True]
        return functools.reduce(self.both, conditions) if conditions else True

    # Branches

    def choose(
        self, condition: Any, then: Thunk, orelse: Thunk, state: State, blocks: tuple[Any, ...]
    ) -> Any:
        """Run both, merge what they leave, give the merged results."""
        known = condition if type(condition) is bool else self.known(condition)
        if known is not None:
            return then() if known else orelse()
        places, stores = Places(self, state, blocks), len(self._here.stores)
        try:
            opposite = self.opposite(condition)
            a = self._side(condition, places, then)
            b = self._side(opposite, places, orelse)
            return self._merged(condition, opposite, places, a, b)
        except Exception:
            self._here.undo(stores)
            raise

    def opposite(self, condition: Any) -> Any:
        return self.asked("negate", "the opposite of a condition", condition)

    def second(self, condition: Any, wanted: bool, block: Thunk, thunks: tuple[Thunk, ...]) -> Any:
        there = condition if wanted else self.opposite(condition)
        left = self._side(there, Places(self, NO_STATE, thunks), block)
        return NotImplemented if left is None or left.places else self.condition(left.result)

    def _side(self, condition: Any, places: Places, block: Thunk) -> Left | None:
        """What a block leaves where the condition holds; None where that path ends."""
        here, path = self._here, self._here.path
        here.path = (*path, condition)
        try:
            places.renew()
            return places.run(block)
        except Dead:
            return None
        finally:
            here.path = path

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
        names = places.names()
        for place, (x, y) in enumerate(zip(values, others, strict=True)):
            if (is_missing(x) or is_missing(y)) and not same(x, y):
                values[place] = others[place] = self._on_one_path(places, place, x, y)
        (leaves, shape), (other_leaves, other) = places.leaves(values), places.leaves(others)
        for name, x, y in zip(names, shape, other, strict=True):
            if x != y:
                self.differs(name, difference(x, y))
        of = [name for name, part in zip(names, shape, strict=True) for _ in range(count(part))]
        pairs = zip(of, leaves, other_leaves, strict=True)
        found = [a if same(a, b) else self._chosen(name, condition, a, b) for name, a, b in pairs]
        return places.set(places.fill(found, shape))

    def _on_one_path(self, places: Places, place: int, x: Any, y: Any) -> Any:
        """What a variable holds that has a value on one path only; the conversion's own is not read there."""
        missing, value = (x, y) if is_missing(x) else (y, x)
        if place >= len(places.state.names):
            self.differs(places.names()[place], "is set on one path only")
        if isinstance(missing, Undefined) and not missing.name and not is_missing(value):
            return value
        return Missing(places.state.names[place], self)

    def _chosen(self, name: str, condition: Any, a: Any, b: Any) -> Any:
        where = f"`where` for {name}"
        found = self.asked("where", where, condition, a, b)
        if found is not a and found is not b and not self.is_leaf(found):
            self.refuse(f"a {where} that gives {found!r}", "give a value of the library's")
        return found

    # Loops

    def while_rest(self, go_on: Any, test: Thunk, body: Thunk, state: State) -> Any:
        self.unroll(go_on, lambda: (body(), test())[1], state, (test, body), self.limit)

    def unroll(
        self, go_on: Any, step: Thunk, state: State, blocks: tuple[Any, ...], limit: int | None
    ) -> None:
        """Repeat `step()`, which says whether to go on: each iteration on the path of all tests before it.

        So what the program counts stays a number of Python's, and `while far(x) and n < 20` ends by itself.
        """
        here, path, stores = self._here, self._here.path, len(self._here.stores)
        sides: list[tuple[Any, Any, Places]] = []
        dead = False
        try:
            while not dead:
                condition = self.condition(go_on)
                known = condition if type(condition) is bool else self.known(condition)
                if known is False:
                    break
                if type(condition) is not bool and limit is not None:
                    if limit == 0:  # a loop may never end where each test is known, too
                        self.unfinished(condition)
                        break
                    limit -= 1
                if known is None:
                    sides.append((condition, self.negate(condition), Places(self, state, blocks)))
                    sides[-1][2].renew()
                    here.path = (*here.path, condition)
                try:
                    go_on = sides[-1][2].inside(step) if sides else step()
                except Dead:
                    if not sides:
                        raise
                    dead = True
            while sides:
                condition, opposite, places = sides[-1]
                here.path = here.path[: len(path) + len(sides) - 1]
                gone_on = None if dead else places.left()
                places.restore()
                stopped, dead = places.left(), False
                self._merged(condition, opposite, places, gone_on, stopped)
                sides.pop()
        except BaseException:
            here.path = path
            here.undo(stores)
            for _, _, places in reversed(sides):
                places.restore()
            raise

    def for_range(self, steps: Steps, test: Thunk | None, body: Callable[[Any], None], state: State) -> None:
        at = steps.at

        def step() -> Any:
            nonlocal at
            at, more = steps.iterated(at, test, body)
            return more

        self.unroll(steps.goes_on(at), step, state, (body, test), self.limit)

    def for_rest(
        self, iterator: Iterator[Any], test: Thunk, body: Callable[[Any], None], state: State
    ) -> None:
        def step() -> Any:
            for item in iterator:
                body(item)
                return test()
            return False

        self.ends_early(iterator)
        self.unroll(test(), step, state, (body, test, iterator), None)

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

    def raise_stmt(self, exception: Any, cause: Any) -> Any:
        return self.raised(exception, cause) if self._here.path else NotImplemented

    def set_item(self, target: Any, key: Any, value: Any) -> Any:
        """Items of an object are merged; those of a value are stored where the path is taken."""
        if not self._here.path or not self.claims(target) or self.watch(target) is not None:
            return super().set_item(target, key, value)
        before = target[key]
        target[key] = self.where(self.path(), value, before)
        self._here.stores.append((target, key, before))
        return target

    def aug_item(self, target: Any, key: Any, operator: Callable[[Any, Any], Any], value: Any) -> Any:
        if not self.claims(target):
            return NotImplemented
        return self.set_item(target, key, operator(target[key], value))

    def del_item(self, target: Any, key: Any) -> Any:
        if self._here.path and self.claims(target):
            self.refuse("`del` of an item")
        return super().del_item(target, key)
