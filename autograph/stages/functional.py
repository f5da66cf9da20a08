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

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from autograph.operators import Undefined
from autograph.stages.base import CarryingStage
from autograph.stages.carrying import Places, Steps
from autograph.stages.shapes import Const, Missing, Shape, difference, is_missing, same
from autograph.staging import State, Thunk

Values = tuple[Any, ...]


class Again(BaseException):
    """The statement carries more, or other things, than was thought: trace it again."""


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

    # Branches

    def choose(
        self, condition: Any, then: Thunk, orelse: Thunk, state: State, blocks: tuple[Any, ...]
    ) -> Any:
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
        self._settled(state, (test, body), lambda carried: carried.loop(go_on, lambda _: (body(), test())[1]))

    def while_stmt(self, test: Thunk, body: Thunk, state: State) -> None:
        self.while_rest(test(), test, body, state)

    def for_range(self, steps: Steps, test: Thunk | None, body: Callable[[Any], None], state: State) -> None:
        if test is None:
            return self._settled(state, (body,), lambda carried: carried.count(steps, body))
        begin = steps.at, steps.goes_on(steps.at)

        def step(held: tuple[Any, Any]) -> tuple[Any, Any]:
            return steps.iterated(held[0], test, body)

        return self._settled(state, (test, body), lambda carried: carried.loop(begin, step))

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
        #: for variables without a value: zeros for the conversion's own, Missing for the program's
        self.fillers: dict[int, Any] = {}

    def begin(self, result: Any = None) -> tuple[list[Any], Shape]:
        """What is carried into the statement."""
        values = self.values(result=result)
        return self.leaves([self.fillers.get(place, value) for place, value in enumerate(values)])

    def traced(
        self, block: Callable[[Any], Any], leaves: Iterable[Any], shape: Shape
    ) -> tuple[list[Any], Shape]:
        """What a block leaves that begins with these values, of which it gets the last one."""
        last = self.set(self.fill(leaves, shape))
        left = self.run(lambda: block(last))
        if self.grown(left):
            raise Again
        values = self.values(left)
        for place, filler in self.fillers.items():
            if isinstance(filler, Missing):
                values[place] = filler
        return self.leaves(values)

    def recorded(self, block: Callable[..., Values]) -> Callable[..., Values]:
        """The block for the library, which may put an exception of its own in place of ours."""

        def run(*values: Any) -> Values:
            try:
                return block(*values)
            except BaseException as error:
                self.raised = self.raised or error
                raise

        return run

    def branch(self, condition: Any, then: Thunk, orelse: Thunk) -> Any:
        before, shape = self.begin()
        ours = [isinstance(leaf, self.stage.types) for leaf in before]
        sides: dict[bool, tuple[list[Any], Shape]] = {}

        def side(which: bool, block: Thunk) -> Callable[..., Values]:
            def run(*values: Any) -> Values:
                given = iter(values)  # numbers of Python's stay what they are in a branch
                leaves = [next(given) if own else leaf for own, leaf in zip(ours, before, strict=True)]
                sides[which] = made = self.traced(lambda _: block(), leaves, shape)
                if len(sides) == 2:
                    self.agree(sides[True], sides[False])
                return tuple(made[0])

            return self.recorded(run)

        operands = tuple(leaf for own, leaf in zip(ours, before, strict=True) if own)
        found = self.asked("cond", sides, condition, side(True, then), side(False, orelse), operands)
        (a, shape), (b, _) = next(iter(sides.values())), [*sides.values()][-1]
        kept = [
            x if same(x, y) and not isinstance(x, self.stage.types) else new
            for x, y, new in zip(a, b, found, strict=True)
        ]
        return self.set(self.fill(kept, shape))

    def asked(self, method: str, sides: dict[bool, Any], *arguments: Any) -> Values:
        """What the stage's method gives: as many values as the blocks."""
        stage = self.stage
        found = stage.asked(method, f"`{method}`", *arguments)
        if not sides:
            stage.refuse(f"a `{method}` that traces no block,", "call the functions that it is given")
        wanted = len(next(iter(sides.values()))[0])
        if not isinstance(found, (tuple, list)) or len(found) != wanted:
            sequence = isinstance(found, (tuple, list))
            given = f"{len(found)} values" if sequence else f"a {type(found).__name__}"
            stage.refuse(f"a `{method}` that gives {given} where its blocks give {wanted}")
        return tuple(found)

    def agree(self, a: tuple[list[Any], Shape], b: tuple[list[Any], Shape]) -> None:
        """Are both shapes the same? Variables without a value get fillers, then; or it is refused."""
        again = False
        for place, (name, x, y) in enumerate(zip(self.names(), a[1], b[1], strict=True)):
            if x == y:
                continue
            missing = [isinstance(s, Const) and is_missing(s.value) for s in (x, y)]
            if not any(missing) or place >= len(self.state.names):
                self.stage.differs(name, "is set on one path only" if any(missing) else difference(x, y))
            before, again = self.before[place], True
            if isinstance(before, Undefined) and not before.name and place not in self.fillers:
                self.fillers[place] = self._zeros(self.fill(*(b if missing[0] else a))[place])
            else:
                self.fillers[place] = Missing(self.state.names[place], self.stage)
        if again:
            raise Again

    def _zeros(self, value: Any) -> Any:
        leaves, shape = self.leaves((value,))
        return self.fill(map(self.stage.zeros, leaves), shape)[0]

    def loop(self, go_on: Any, step: Callable[[Any], Any]) -> None:
        """The test's value is carried, too: it is evaluated once for each iteration, whatever it assigns."""
        init = self.begin(go_on)
        sides: dict[bool, tuple[list[Any], Shape]] = {}

        def following(*values: Any) -> Values:
            sides[True] = made = self.traced(step, values, init[1])
            self.agree(init, made)
            return tuple(made[0])

        found = self.asked(
            "while_loop", sides, lambda *values: values[-1], self.recorded(following), tuple(init[0])
        )
        self.set(self.fill(found, init[1]))

    def count(self, steps: Steps, body: Callable[[Any], None]) -> None:
        """A loop over a range that nothing ends early."""
        init = self.begin()
        sides: dict[bool, tuple[list[Any], Shape]] = {}

        def following(i: Any, *values: Any) -> Values:
            sides[True] = made = self.traced(lambda _: body(steps.item(i)), values, init[1])
            self.agree(init, made)
            return tuple(made[0])

        found = self.asked(
            "for_loop", sides, steps.at, steps.stop, steps.step, self.recorded(following), tuple(init[0])
        )
        self.set(self.fill(found, init[1]))
