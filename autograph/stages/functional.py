"""A stage for libraries with `cond` and `while_loop` over tuples of values.

What a statement carries are the variables, lists, dicts and attributes that it changes: found by tracing, and
traced again where a block changes more than was thought.

    class MyStage(FunctionalStage):
        name, types = "mine", (Tracer,)

        def cond(self, condition, then, orelse, values):
            return my_library.cond(condition, then, orelse, *values)

        def while_loop(self, test, body, values):
            return my_library.while_loop(test, body, values)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NoReturn

from autograph.operators import Undefined, all_true, and_, any_true, or_
from autograph.records import record
from autograph.stages.base import CarryingStage
from autograph.stages.carrying import (
    NO_STATE,
    Const,
    Missing,
    Places,
    Shape,
    Steps,
    is_missing,
    same,
)
from autograph.staging import State, Thunk

Values = tuple[Any, ...]


class Again(BaseException):
    """The statement carries more, or other things, than was thought: trace it again."""


@record
class Side:
    """What a traced block left: values, their shape; the same of its result."""

    leaves: list[Any]
    shape: Shape
    extra: list[Any]
    of_result: Shape


class FunctionalStage(CarryingStage):
    """`types` are the classes of the library's values; `cond` and `while_loop` are its control flow."""

    name = "functional"

    # What a library says

    def lacks(self) -> str | None:
        for name, meaning in (
            ("cond", "`cond(condition, then, orelse, values)`: `then(*values)` or `orelse(*values)`, tuples"),
            (
                "while_loop",
                "`while_loop(test, body, values)`: `values = body(*values)` while `test(*values)`",
            ),
        ):
            if getattr(type(self), name) is getattr(FunctionalStage, name):
                return meaning
        return super().lacks()

    def cond(
        self, condition: Any, then: Callable[..., Values], orelse: Callable[..., Values], values: Values
    ) -> Values:
        """`then(*values)` where the condition is true, else `orelse(*values)`: tuples of one length."""
        raise NotImplementedError

    def while_loop(self, test: Callable[..., Any], body: Callable[..., Values], values: Values) -> Values:
        """`values = body(*values)` as long as `test(*values)`; then the values."""
        raise NotImplementedError

    def for_loop(
        self, start: Any, stop: Any, step: int, body: Callable[..., Values], values: Values
    ) -> Values:
        """`values = body(i, *values)` for each `i` of the range. By default a `while_loop`."""

        def test(i: Any, *_: Any) -> Any:
            return i > stop if step < 0 else i < stop

        def following(i: Any, *values: Any) -> Values:
            return (i + step, *body(i, *values))

        return self.while_loop(test, following, (start, *values))[1:]

    def zeros(self, like: Any) -> Any:
        """A value of the type and shape of another, for a variable that is never read as it is.

        `like` belongs to a traced block: the value must not be computed from it. By default 0.
        """
        return 0 if isinstance(like, self.types) else type(like)()

    def both(self, a: Any, b: Any) -> Any:
        """Both conditions."""
        return self.if_exp(a, lambda: b, lambda: False)

    def either(self, a: Any, b: Any) -> Any:
        """One of the conditions, or both."""
        return self.if_exp(a, lambda: True, lambda: b)

    def not_(self, a: Any) -> Any:
        return self.if_exp(a, lambda: False, lambda: True)

    def differs(self, name: str, what: str) -> NoReturn:
        """A variable, place or result is of another kind, or set on one path only. Refused by default."""
        self.refuse(f"{name}, which {what},", "give it the same kind of value on every path")

    # Branches

    def if_stmt(self, cond: Any, body: Thunk, orelse: Thunk, state: State) -> None:
        self._choose(cond, lambda: body() and None, lambda: orelse() and None, state, (body, orelse))

    def if_exp(self, cond: Any, then: Thunk, orelse: Thunk) -> Any:
        return self._choose(cond, then, orelse, NO_STATE, (then, orelse))

    def _choose(
        self, condition: Any, then: Thunk, orelse: Thunk, state: State, blocks: tuple[Any, ...]
    ) -> Any:
        condition = self.truth(condition)
        known = self.known(condition)
        if known is not None:
            return then() if known else orelse()
        return self._settled(state, blocks, lambda carried: carried.branch(condition, then, orelse))

    def _settled(self, state: State, blocks: tuple[Any, ...], traced: Callable[[_Carried], Any]) -> Any:
        """Trace until the statement carries what it changes; what goes wrong leaves all as it was."""
        carried = _Carried(self, state, blocks)
        for _ in range(50):
            carried.raised, point, refusal = None, self.checkpoint(), self._here.refusal
            try:
                return traced(carried)
            except BaseException as error:  # noqa: BLE001  # raised again, or the block is traced again
                carried.restore()
                self.rollback(point)
                cause = carried.raised or error  # a library may wrap what our blocks raise
                if not isinstance(cause, Again):
                    raise cause from cause.__cause__
                self._here.refusal = refusal
        self.refuse("a statement that carries more each time it is traced")

    # Loops

    def while_rest(self, go_on: Any, test: Thunk, body: Thunk, state: State) -> Any:
        self._settled(state, (test, body), lambda carried: carried.loop(go_on, lambda: (body(), test())[1]))

    def while_stmt(self, test: Thunk, body: Thunk, state: State) -> None:
        self.while_rest(test(), test, body, state)

    def for_range(self, steps: Steps, test: Thunk | None, body: Callable[[Any], None], state: State) -> None:
        if test is None:
            return self._settled(state, (body,), lambda carried: carried.count(steps, body))
        go_on, step = steps.as_while(test, body)

        def set_all(values: Values) -> None:
            state.set(values[:-1])
            steps.at = values[-1]

        with_at = State((*state.names, "the range"), lambda: (*state.get(), steps.at), set_all)
        return self._settled(with_at, (test, body), lambda carried: carried.loop(go_on, step))

    def for_rest(
        self, iterator: Iterator[Any], test: Thunk, body: Callable[[Any], None], state: State
    ) -> None:
        """A loop of Python's whose end a value decides: the iterations are copies, each under an `if`."""
        self.ends_early(iterator)
        for item in iterator:
            go_on = test()
            if self.claims(go_on):
                self.if_stmt(go_on, lambda item=item: body(item), lambda: None, state)  # type: ignore[misc]
            elif go_on:
                body(item)
            else:
                return

    # Logic

    def and_(self, a: Any, thunks: tuple[Thunk, ...]) -> Any:
        return self._choose(a, lambda: and_(thunks[0](), *thunks[1:]), lambda: a, NO_STATE, thunks)

    def or_(self, a: Any, thunks: tuple[Thunk, ...]) -> Any:
        return self._choose(a, lambda: a, lambda: or_(thunks[0](), *thunks[1:]), NO_STATE, thunks)

    def all_true(self, a: Any, thunks: tuple[Thunk, ...]) -> Any:
        b = self._second(lambda: all_true(thunks[0](), *thunks[1:]), thunks)
        if b is NotImplemented:
            return self.and_(a, thunks)
        return self.both(a, b) if self.claims(b) else (a if b else False)

    def any_true(self, a: Any, thunks: tuple[Thunk, ...]) -> Any:
        b = self._second(lambda: any_true(thunks[0](), *thunks[1:]), thunks)
        if b is NotImplemented:
            return self.or_(a, thunks)
        return self.either(a, b) if self.claims(b) else (True if b else a)

    def _second(self, rest: Thunk, thunks: tuple[Thunk, ...]) -> Any:
        """The second operand, computed in any case; NotImplemented where it changes something."""
        left = Places(self, NO_STATE, thunks).run(rest)
        return NotImplemented if left.places else left.result

    # Effects

    def set_item(self, target: Any, key: Any, value: Any) -> Any:
        if self._here.places and self.claims(target):
            self.refuse("a store to an item of a value in a branch or a loop")
        return super().set_item(target, key, value)


class _Carried(Places):
    """The places of a statement, with the library's values in them as operands of `cond` and `while_loop`."""

    stage: FunctionalStage

    def __init__(self, stage: FunctionalStage, state: State, blocks: tuple[Any, ...]) -> None:
        super().__init__(stage, state, blocks)
        self.raised: BaseException | None = None
        self.zeros: dict[int, Any] = {}
        self.dropped: dict[int, Missing] = {}

    def begin(self) -> tuple[list[Any], Shape]:
        """What is carried into the statement."""
        values = list(self.values())
        for place, value in {**self.zeros, **self.dropped}.items():
            values[place] = value
        return self.leaves(values)

    def traced(self, block: Thunk, shape: Shape, leaves: list[Any]) -> Side:
        """A block that begins with these values."""
        try:
            self.set(self.fill(leaves, shape))
            left = self.run(block)
            if self.grown(left):
                raise Again
            extra, of_result = self.leaves((left.result,))
            values = [self.dropped.get(place, value) for place, value in enumerate(self.values(left))]
            return Side(*self.leaves(values), extra, of_result)
        except BaseException as error:
            self.raised = self.raised or error
            raise

    # Branches

    def branch(self, condition: Any, then: Thunk, orelse: Thunk) -> Any:
        before, shape = self.begin()
        ours = [isinstance(leaf, self.stage.types) for leaf in before]
        sides: dict[bool, Side] = {}

        def side(which: bool, block: Thunk) -> Callable[..., Values]:
            def run(*values: Any) -> Values:
                given = iter(values)  # numbers of Python's stay what they are in a branch
                leaves = [
                    next(given) if is_ours else leaf for is_ours, leaf in zip(ours, before, strict=True)
                ]
                made = sides[which] = self.traced(block, shape, leaves)
                if len(sides) == 2:
                    self.agree(sides[True], sides[False])
                return (*made.leaves, *made.extra)

            return run

        operands = tuple(leaf for leaf, is_ours in zip(before, ours, strict=True) if is_ours)
        found = self.asked("cond", sides, condition, side(True, then), side(False, orelse), operands)
        first, other = next(iter(sides.values())), [*sides.values()][-1]
        count = len(first.leaves)
        kept = [
            x if same(x, y) and not isinstance(x, self.stage.types) else new
            for x, y, new in zip(
                (*first.leaves, *first.extra), (*other.leaves, *other.extra), found, strict=True
            )
        ]
        self.set(self.fill(kept[:count], first.shape))
        return self.fill(kept[count:], first.of_result)[0]

    def asked(self, method: str, sides: dict[bool, Side], *arguments: Any) -> Values:
        """What the stage's method gives: as many values as the blocks."""
        stage = self.stage
        found = stage.asked(method, f"`{method}`", *arguments)
        side = next(iter(sides.values()), None)
        wanted = None if side is None else len(side.leaves) + (method != "for_loop" and len(side.extra))
        if wanted is None:
            stage.refuse(f"a `{method}` that traces no block,", "call the functions that it is given")
        if not isinstance(found, (tuple, list)) or len(found) != wanted:
            given = (
                f"{len(found)} values" if isinstance(found, (tuple, list)) else f"a {type(found).__name__}"
            )
            stage.refuse(f"a `{method}` that gives {given} where its blocks give {wanted}")
        return tuple(found)

    def agree(self, a: Side, b: Side) -> None:
        """Are both shapes the same? Variables without a value get zeros or are dropped, or it is refused."""
        again = False
        for place, (name, x, y) in enumerate(zip(self.names(), a.shape, b.shape, strict=True)):
            if x == y:
                continue
            again = True
            missing = [isinstance(s, Const) and is_missing(s.value) for s in (x, y)]
            if not any(missing) or place >= len(self.state.names):
                what = "is set on one path only" if any(missing) else "changes its kind or length"
                self.stage.differs(name, what)
            before = self.before[place]
            if isinstance(before, Undefined) and not before.name and place not in self.zeros:
                side = b if missing[0] else a
                self.zeros[place] = self._zeros(self.fill(side.leaves, side.shape)[place])
            else:
                self.dropped[place] = Missing(self.state.names[place], self.stage)
        if again:
            raise Again
        if a.of_result != b.of_result:
            self.stage.differs("a conditional expression", "differs in kind or length")

    def _zeros(self, value: Any) -> Any:
        """For a variable of the conversion's own, which is set before it is read."""
        leaves, shape = self.leaves((value,))
        return self.fill([self.stage.zeros(leaf) for leaf in leaves], shape)[0]

    # Loops

    def loop(self, go_on: Any, step: Thunk) -> None:
        """The test's value is carried, too: it is evaluated once for each iteration, whatever it assigns."""
        init, shape = self.begin()
        sides: dict[bool, Side] = {}

        def following(*values: Any) -> Values:
            made = self._iteration(step, sides, shape, init, values[:-1])
            if len(made.extra) != 1:
                self.stage.refuse("a loop whose test is not a value in each iteration")
            return (*made.leaves, *made.extra)

        found = self.asked("while_loop", sides, lambda *values: values[-1], following, (*init, go_on))
        self.set(self.fill(found[:-1], shape))

    def count(self, steps: Steps, body: Callable[[Any], None]) -> None:
        """A loop over a range that nothing ends early."""
        init, shape = self.begin()
        sides: dict[bool, Side] = {}

        def following(i: Any, *values: Any) -> Values:
            return tuple(self._iteration(lambda: body(steps.item(i)), sides, shape, init, values).leaves)

        found = self.asked("for_loop", sides, steps.at, steps.stop, steps.step, following, tuple(init))
        self.set(self.fill(found, shape))

    def _iteration(
        self, step: Thunk, sides: dict[bool, Side], shape: Shape, init: list[Any], values: Values
    ) -> Side:
        made = sides[True] = self.traced(step, shape, list(values))
        self.agree(Side([*init], shape, made.extra, made.of_result), made)
        return made
