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
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from autograph.operators import Undefined, all_true, and_, any_true, or_
from autograph.stages.base import CarryingStage
from autograph.stages.carrying import (
    NO_STATE,
    Left,
    Missing,
    Places,
    Steps,
    is_missing,
    same,
    same_keys,
)
from autograph.stages.slots import Contents, Slot
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

    def chosen(self, name: str, condition: Any, a: Any, b: Any) -> Any:
        """`where`, asked for `name`: its faults are said at the user's line."""
        found = self.asked("where", f"`where` for {name}", condition, a, b)
        if found is not a and found is not b and not (self.claims(found) or self.is_plain(found)):
            self.refuse(f"a `where` that gives {found!r} for {name}", "give a value of the library's")
        return found

    def path(self) -> Any:
        """The condition of the branches that we are in; True outside of all."""
        conditions = [condition for condition in self._here.path if condition is not True]
        return functools.reduce(self.both, conditions) if conditions else True

    # Branches

    def choose(
        self,
        condition: Any,
        then: Thunk,
        orelse: Thunk,
        state: State = NO_STATE,
        blocks: Iterable[Any] = (),
        join: Callable[[Any, Any], Any] | None = None,
    ) -> Any:
        """Run both, merge what they leave, give the merged results (`join` of them, where it is given).

        `blocks` are those of the program, which `then` and `orelse` run.
        """
        known = condition if type(condition) is bool else self.known(condition)
        if known is not None:
            return then() if known else orelse()
        places = Places(self, state, blocks)
        opposite = self.asked("negate", "the opposite of a condition", condition)
        a = self._side(condition, places, then)
        b = self._side(opposite, places, orelse)
        return self._merged(condition, opposite, places, a, b, join)

    def _side(self, condition: Any, places: Places, block: Thunk) -> Left | None:
        """What a block leaves where the condition holds; None where that path ends."""
        here, path = self._here, self._here.path
        here.path = (*path, condition)
        try:
            return places.run(block)
        except Dead:
            return None
        finally:
            here.path = path

    def _merged(
        self,
        condition: Any,
        opposite: Any,
        places: Places,
        a: Left | None,
        b: Left | None,
        join: Callable[[Any, Any], Any] | None = None,
    ) -> Any:
        """Write what both left, merged, and give the merged results."""
        if a is None or b is None:
            left = a or b
            if left is None:
                raise Dead
            self._here.path += (opposite if a is None else condition,)  # until the block around it ends
        else:
            merge = _Merge(self, condition, places)
            join = join or functools.partial(merge.value, "the result")
            variables = tuple(map(merge.variable, places.state.names, a.variables, b.variables))
            slots = [slot for slot, _ in {**a.places, **b.places}.values()]
            held = [merge.place(slot, places.held(a, slot), places.held(b, slot)) for slot in slots]
            pairs = {slot.identity: (slot, value) for slot, value in zip(slots, held, strict=True)}
            left = Left(join(a.result, b.result), variables, pairs)
        places.write(left)
        return left.result

    def if_stmt(self, cond: Any, body: Thunk, orelse: Thunk, state: State) -> None:
        self.choose(
            self.truth(cond), lambda: body() and None, lambda: orelse() and None, state, (body, orelse)
        )

    def if_exp(self, cond: Any, then: Thunk, orelse: Thunk) -> Any:
        return self.choose(self.truth(cond), then, orelse, blocks=(then, orelse))

    # Loops

    def while_rest(self, go_on: Any, test: Thunk, body: Thunk, state: State) -> Any:
        self.unroll(go_on, lambda: (body(), test())[1], state, (test, body), self.limit)

    def unroll(
        self, go_on: Any, step: Thunk, state: State, blocks: tuple[Any, ...], limit: int | None
    ) -> None:
        """Repeat `step()`, which says whether to go on: each iteration on the path of all tests before it.

        So what the program counts stays a number of Python's, and `while far(x) and n < 20` ends by itself.
        """
        here, path = self._here, self._here.path
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
            for _, _, places in reversed(sides):
                places.restore()
            raise

    def for_range(self, steps: Steps, test: Thunk | None, body: Callable[[Any], None], state: State) -> None:
        self.unroll(*steps.as_while(test, body), state, (body, test), self.limit)

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

    # Logic

    def and_(self, a: Any, thunks: tuple[Thunk, ...]) -> Any:
        return self.choose(self.truth(a), lambda: and_(thunks[0](), *thunks[1:]), lambda: a, blocks=thunks)

    def or_(self, a: Any, thunks: tuple[Thunk, ...]) -> Any:
        return self.choose(self.truth(a), lambda: a, lambda: or_(thunks[0](), *thunks[1:]), blocks=thunks)

    def all_true(self, a: Any, thunks: tuple[Thunk, ...]) -> Any:
        condition = self.truth(a)

        def joined(b: Any, _: Any) -> Any:
            return (condition if b else False) if type(b) is bool else self.both(condition, b)

        rest = functools.partial(self._test, all_true, thunks)
        return self.choose(condition, rest, lambda: False, blocks=thunks, join=joined)

    def any_true(self, a: Any, thunks: tuple[Thunk, ...]) -> Any:
        condition = self.truth(a)

        def joined(_: Any, b: Any) -> Any:
            return (True if b else condition) if type(b) is bool else self.either(condition, b)

        rest = functools.partial(self._test, any_true, thunks)
        return self.choose(condition, lambda: True, rest, blocks=thunks, join=joined)

    def _test(self, joined: Callable[..., Any], thunks: tuple[Thunk, ...]) -> Any:
        return self.condition(joined(thunks[0](), *thunks[1:]))

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


class _Merge:
    """What two branches left, in one: lists that both made are merged into one list, once."""

    def __init__(self, stage: SelectStage, condition: Any, places: Places) -> None:
        self.stage, self.condition = stage, condition
        self.places = places
        self.made: dict[tuple[int, int], tuple[Any, Any, Any]] = {}
        self.partners: dict[tuple[bool, int], int] = {}

    def variable(self, name: str, a: Any, b: Any) -> Any:
        if a is b:
            return a
        for value, other in ((a, b), (b, a)):
            if isinstance(value, Undefined) and not value.name:
                return other  # a variable of the conversion's own, which nobody reads here
        if is_missing(a) or is_missing(b):
            return a if type(a) is type(b) is Undefined else Missing(name, self.stage)
        return self.value(f"`{name}`", a, b)

    def place(self, slot: Slot, a: Any, b: Any) -> Any:
        name = self.places.name_of(slot)
        if is_missing(a) or is_missing(b):
            if is_missing(a) and is_missing(b):
                return a
            self.stage.refuse(f"{name}, which is set in one branch only,", "set it before the `if`")
        if not isinstance(a, Contents):
            return self.value(name, a, b)
        if not same_keys(a, b):
            self.stage.refuse(
                f"{name} that changes its length or keys in one branch",
                "append in both, or choose the item",
            )
        return Contents(a.keys, self._items(name, a.values, b.values))

    def value(self, name: str, a: Any, b: Any) -> Any:
        stage, kind = self.stage, type(a)
        if same(a, b):
            return a
        if kind is type(b) and (kind in (list, dict) or isinstance(a, tuple)) and len(a) == len(b):
            if isinstance(a, tuple):
                items = self._items(name, a, b)
                return kind(*items) if hasattr(a, "_fields") else kind(items)
            if kind is list or all(map(same, a, b)):
                return self._container(name, a, b)
        for value in (a, b):
            if is_missing(value) or not (stage.is_plain(value) or stage.claims(value)):
                self._refuse(name, a, b)
        return stage.chosen(name, self.condition, a, b)

    def _items(self, name: str, a: Iterable[Any], b: Iterable[Any]) -> tuple[Any, ...]:
        return tuple([self.value(f"an item of {name}", x, y) for x, y in zip(a, b, strict=True)])

    def _container(self, name: str, a: Any, b: Any) -> Any:
        """One list for two that the branches made: where two variables hold one, they do afterwards."""
        known = self.made.get((id(a), id(b)))
        if known is not None:
            return known[0]
        here = ((False, id(a)), (True, id(b)))
        if a in self.places.heap or b in self.places.heap or any(key in self.partners for key in here):
            kind = type(a).__name__
            self.stage.refuse(f"{name} that is one {kind} or another", "choose the items")
        self.partners.update(dict.fromkeys(here, 0))
        made = type(a)()
        self.made[id(a), id(b)] = made, a, b
        if isinstance(a, list):
            made.extend(self._items(name, a, b))
        else:
            made.update(zip(a, self._items(name, a.values(), b.values()), strict=True))
        return made

    def _refuse(self, name: str, a: Any, b: Any) -> None:
        x, y = type(a).__name__, type(b).__name__
        both = f"is one {x} or another" if x == y else f"is {x} on one path and {y} on the other"
        self.stage.refuse(f"{name} that {both}", "give it a number on every path")
