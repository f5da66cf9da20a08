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
from typing import Any

from autograph.stages.base import CarryingStage
from autograph.stages.carrying import Left, Missing, Places, Steps, built, same
from autograph.staging import State, Thunk

Values = tuple[Any, ...]


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

    def begin(self, result: Any = None) -> list[Any]:
        """What is carried into the statement."""
        values = self.values(Left(result, self.before, {}))
        return [self.fillers.get(place, value) for place, value in enumerate(values)]

    def block(
        self, run: Callable[[Any], Any], begin: list[Any], ours: list[bool], sides: list[list[Any]]
    ) -> Callable[..., Values]:
        """A block for the library, which gets values for the leaves of `begin` that are `ours`.

        What it leaves is what the library gets, and added to `sides`: all are of one shape. The body of
        a loop gets the last of what is carried, or the number in front of the values.
        """
        leaves, shape = self.leaves(begin)

        def traced(*values: Any) -> Values:
            try:
                first = len(values) - sum(ours)
                given = iter(values[first:])
                filled = [next(given) if own else leaf for own, leaf in zip(ours, leaves, strict=True)]
                last = self.set(built(shape, filled))
                left = self.run(partial(run, values[0] if first else last))
                if self.grown(left):
                    raise Again
                held = self.values(left)
                for place, filler in self.fillers.items():
                    held[place] = filler if isinstance(filler, Missing) else held[place]
                sides.append(held)
                return tuple(self.agreed(sides[0], held))
            except BaseException as error:  # the library may put an exception of its own in its place
                self.raised = self.raised or error
                raise

        return traced

    def agreed(self, begin: list[Any], held: list[Any]) -> list[Any]:
        """The leaves of what a block left, of one shape with the others; a variable without a value gets a
        filler first."""
        gaps = self.gaps(begin, held)
        for place, filler in gaps.items():
            leaves, shape = self.leaves([filler])
            (self.fillers[place],) = built(shape, map(self.stage.zeros, leaves))
        if gaps:
            raise Again
        leaves, shape = self.leaves(held)
        self.agree(self.leaves(begin)[1], shape)
        return leaves

    def branch(self, condition: Any, then: Thunk, orelse: Thunk) -> Any:
        begin, sides = self.begin(), list[list[Any]]()
        leaves, _ = self.leaves(begin)
        ours = [isinstance(leaf, self.stage.types) for leaf in leaves]  # Python's numbers stay what they are
        blocks = (self.block(side, begin, ours, sides) for side in (lambda _: then(), lambda _: orelse()))
        found = self.asked("cond", sides, condition, *blocks, tuple(compress(leaves, ours)))
        (a, shape), (b, _) = self.leaves(sides[0]), self.leaves(sides[-1])
        kept = [
            x if same(x, y) and not isinstance(x, self.stage.types) else new
            for x, y, new in zip(a, b, found, strict=True)
        ]
        return self.set(built(shape, kept))

    def asked(self, method: str, sides: list[list[Any]], *arguments: Any) -> Values:
        """What the stage's method gives: as many values as the blocks."""
        stage, traced = self.stage, len(sides)
        found = stage.asked(method, f"`{method}`", *arguments)
        if len(sides) == traced:
            stage.refuse(f"a `{method}` that traces no block,", "call the functions that it is given")
        wanted = len(self.leaves(sides[0])[0])
        given = f"{len(found)} values" if isinstance(found, (tuple, list)) else f"a {type(found).__name__}"
        if given != f"{wanted} values":
            stage.refuse(f"a `{method}` that gives {given} where its blocks give {wanted}")
        return tuple(found)

    def loop(self, method: str, arguments: tuple[Any, ...], held: Any, step: Callable[[Any], Any]) -> None:
        """`held`, such as the test's value, is carried, too: a test is evaluated once for each iteration."""
        begin = self.begin(held)
        leaves, shape = self.leaves(begin)
        sides = [begin]
        block = self.block(step, begin, [True] * len(leaves), sides)
        self.set(built(shape, self.asked(method, sides, *arguments, block, tuple(leaves))))
