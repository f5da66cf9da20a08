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

from collections.abc import Callable
from functools import partial
from itertools import compress
from typing import Any, NamedTuple

from autograph.stages.base import CarryingStage
from autograph.stages.carrying import Left, Missing, Places, Shape, Steps, built, same
from autograph.staging import State, Thunk

Values = tuple[Any, ...]


class Side(NamedTuple):
    """What variables and places hold, and the same taken apart."""

    values: list[Any]
    leaves: list[Any]
    shape: Shape


class Again(BaseException):
    """The statement carries more, or other things, than was thought: trace it again."""


class FunctionalStage(CarryingStage):
    """`types` are the classes of the library's values; `cond` and `while_loop` are its control flow."""

    needs = {
        "cond": "`cond(condition, then, orelse, values)`: `then(*values)` or `orelse(*values)`, tuples",
        "while_loop": "`while_loop(test, body, values)`: `values = body(*values)` while `test(*values)`",
    }

    # What a library says

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

    # Branches

    def branch(self, condition: Any, then: Thunk, orelse: Thunk, state: State) -> Any:
        return self._settled(state, (then, orelse), lambda carried: carried.branch(condition, then, orelse))

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

    def repeat(self, held: Any, step: Callable[[Any], Any], state: State) -> None:
        def test(*values: Any) -> Any:
            return values[-1]

        self._settled(state, (step,), lambda carried: carried.loop("while_loop", (test,), held, step))

    def while_stmt(self, test: Thunk, body: Thunk, state: State) -> None:
        self.while_rest(test(), test, body, state)

    def for_range(self, steps: Steps, test: Thunk | None, body: Callable[[Any], None], state: State) -> None:
        if test is not None:
            return super().for_range(steps, test, body, state)
        bounds = steps.at, steps.stop, steps.step
        return self._settled(
            state,
            (body,),
            lambda carried: carried.loop("for_loop", bounds, None, lambda i: body(steps.item(i))),
        )


class _Carried(Places):
    """The places of a statement, with the library's values in them as operands of `cond` and `while_loop`."""

    stage: FunctionalStage

    def __init__(self, stage: FunctionalStage, state: State, blocks: tuple[Any, ...]) -> None:
        super().__init__(stage, state, blocks)
        self.raised: BaseException | None = None
        #: for variables without a value: zeros for the conversion's own, Missing for the program's
        self.fillers: dict[int, Any] = {}

    def begin(self, result: Any = None) -> Side:
        """What is carried into the statement."""
        held = self.values(Left(result, self.before, {}))
        values = [self.fillers.get(place, value) for place, value in enumerate(held)]
        return Side(values, *self.leaves(values))

    def block(
        self, run: Callable[[Any], Any], begin: Side, ours: list[bool], sides: list[Side]
    ) -> Callable[..., Values]:
        """A block for the library, which gets values for the leaves of `begin` that are `ours`.

        What it leaves is what the library gets, and added to `sides`: all are of one shape. The body of
        a loop gets the last of what is carried, or the number in front of the values.
        """

        def traced(*values: Any) -> Values:
            try:
                first = len(values) - sum(ours)
                given = iter(values[first:])
                filled = [next(given) if own else leaf for own, leaf in zip(ours, begin.leaves, strict=True)]
                last = self.set(built(begin.shape, filled))
                left = self.run(partial(run, values[0] if first else last))
                if self.grown(left):
                    raise Again
                held = self.values(left)
                for place, filler in self.fillers.items():
                    held[place] = filler if isinstance(filler, Missing) else held[place]
                made = Side(held, *self.leaves(held))
                sides.append(made)
                self.agreed(sides[0], made)
                return tuple(made.leaves)
            except BaseException as error:  # the library may put an exception of its own in its place
                self.raised = self.raised or error
                raise

        return traced

    def agreed(self, a: Side, b: Side) -> None:
        """Are both of one shape? A variable without a value gets a filler first; or it is refused."""
        gaps = self.gaps(a.values, b.values)
        for place, filler in gaps.items():
            leaves, shape = self.leaves([filler])
            (self.fillers[place],) = built(shape, map(self.stage.zeros, leaves))
        if gaps:
            raise Again
        self.agree(a.shape, b.shape)

    def branch(self, condition: Any, then: Thunk, orelse: Thunk) -> Any:
        begin, sides = self.begin(), list[Side]()
        ours = [
            isinstance(leaf, self.stage.types) for leaf in begin.leaves
        ]  # Python's numbers stay what they are
        blocks = (self.block(side, begin, ours, sides) for side in (lambda _: then(), lambda _: orelse()))
        found = self.asked("cond", sides, condition, *blocks, tuple(compress(begin.leaves, ours)))
        kept = [
            x if same(x, y) and not isinstance(x, self.stage.types) else new
            for x, y, new in zip(sides[0].leaves, sides[-1].leaves, found, strict=True)
        ]
        return self.set(built(sides[0].shape, kept))

    def asked(self, method: str, sides: list[Side], *arguments: Any) -> Values:
        """What the stage's method gives: as many values as the blocks."""
        stage, traced = self.stage, len(sides)
        found = stage.asked(method, f"`{method}`", *arguments)
        if len(sides) == traced:
            stage.refuse(f"a `{method}` that traces no block,", "call the functions that it is given")
        wanted = len(sides[0].leaves)
        given = f"{len(found)} values" if isinstance(found, (tuple, list)) else f"a {type(found).__name__}"
        if given != f"{wanted} values":
            stage.refuse(f"a `{method}` that gives {given} where its blocks give {wanted}")
        return tuple(found)

    def loop(self, method: str, arguments: tuple[Any, ...], held: Any, step: Callable[[Any], Any]) -> None:
        """`held`, such as the test's value, is carried, too: a test is evaluated once for each iteration."""
        begin = self.begin(held)
        sides = [begin]
        block = self.block(step, begin, [True] * len(begin.leaves), sides)
        self.set(built(begin.shape, self.asked(method, sides, *arguments, block, tuple(begin.leaves))))
