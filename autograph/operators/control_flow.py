"""The statements `if`, `while` and `for` over values that a stage may claim.

On plain values each does what the statement does. Bodies are closures without arguments (a loop body over
`for` takes the item); what they assign, they assign to variables of the function around them.

>>> y = 0
>>> def then_body():
...     global y
...     y = 1
>>> if_stmt(3 > 2, then_body, lambda: None)
>>> y
1
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from autograph.registered import thread
from autograph.registry import active_stage, claiming, present_stages
from autograph.staging import State, Thunk

Get = Callable[[], tuple[Any, ...]]
Set = Callable[[tuple[Any, ...]], object]


def no_state(state: tuple[Any, ...] = ()) -> tuple[Any, ...]:
    """The getter, and the setter, of a statement that changes no variable."""
    return ()


def if_stmt(
    cond: Any,
    body: Thunk,
    orelse: Thunk,
    get_state: Get = no_state,
    set_state: Set = no_state,
    names: tuple[str, ...] = (),
) -> None:
    """`if cond: body() else: orelse()`."""
    if (type(cond) is not bool or thread.stages_if) and _hand_over(
        cond, body, orelse, get_state, set_state, names
    ):
        return
    then = body if cond else orelse
    del cond  # Python drops it before the block runs
    then()


Branch = Callable[[], Any]
Link = tuple[Callable[[], Any]]
"""A branch that ends in an `if`: gives back the branch or link that is to run after it."""


def branch(
    cond: Any,
    body: Branch | Link,
    orelse: Branch | Link,
    get_state: Get = no_state,
    set_state: Set = no_state,
    names: tuple[str, ...] = (),
) -> Branch:
    """`if_stmt(...)` in two steps, `branch(...)()`, so that no frame of ours is below what the branch calls.

    A chain of `elif`s is decided here; only its last branch is left to run.

    >>> branch(False, lambda: print("a"), (lambda: elif_branch(True, lambda: print("b"), print),))()
    b
    """
    if (type(cond) is not bool or thread.stages_if) and _hand_over(
        cond, body, orelse, get_state, set_state, names
    ):
        return _nothing
    then = body if cond else orelse
    while type(then) is tuple:
        then = then[0]()
    return then  # type: ignore[return-value]


def elif_branch(
    cond: Any,
    body: Branch | Link,
    orelse: Branch | Link,
    get_state: Get = no_state,
    set_state: Set = no_state,
    names: tuple[str, ...] = (),
) -> Branch | Link:
    """What an `if` at the end of a link gives back: its branch; an empty one where a stage has run both."""
    if (type(cond) is not bool or thread.stages_if) and _hand_over(
        cond, body, orelse, get_state, set_state, names
    ):
        return _nothing
    return body if cond else orelse


def _hand_over(
    cond: Any,
    body: Branch | Link,
    orelse: Branch | Link,
    get_state: Get,
    set_state: Set,
    names: tuple[str, ...],
) -> bool:
    """Let the stage that claims the test run both branches; False where none does."""
    stage = claiming(cond)
    if stage is None:
        active = active_stage() if thread.stages_if else None
        if active is None or not active.stages_if():
            return False
        stage = active
    state = State(names, get_state, set_state)
    return stage.if_stmt(cond, _whole(body), _whole(orelse), state) is not NotImplemented


def _whole(part: Branch | Link) -> Thunk:
    """A link with all that is to run after it; a branch is whole."""
    if not isinstance(part, tuple):
        return part
    (begin,) = part

    def run() -> None:
        then = begin()
        while type(then) is tuple:
            then = then[0]()
        then()

    return run


def _nothing() -> None:
    """The branch where a stage has run both."""


def while_stmt(
    test: Thunk,
    body: Thunk,
    get_state: Get = no_state,
    set_state: Set = no_state,
    names: tuple[str, ...] = (),
) -> None:
    """`while test(): body()`. The first time that `test()` is claimed, the stage takes over from there.

    A test that turns out to be claimed is taken back, for the stage evaluates it again.

    >>> items = [1, 2, 3]
    >>> while_stmt(lambda: items, lambda: print(items.pop()))
    3
    2
    1
    """
    if not present_stages():
        while test():
            body()
        return
    state = State(names, get_state, set_state)
    active = active_stage()
    if active is not None and active.stages_while():
        if active.while_stmt(test, body, state) is not NotImplemented:
            return
    while True:
        values = state.get()
        checkpoint = active.checkpoint() if active is not None else None
        go_on = test()
        if type(go_on) is not bool:
            stage = claiming(go_on)
            if stage is not None and not stage.knows_truth(go_on):
                if stage.while_rest(go_on, test, body, state) is not NotImplemented:
                    return
                state.set(values)
                if active is not None:
                    active.rollback(checkpoint)
                if stage.while_stmt(test, body, state) is not NotImplemented:
                    return
                go_on = test()
            go_on = True if go_on else False  # its value is not to outlive the test
        if not go_on:
            return
        body()


def for_stmt(
    iterable: Iterable[Any],
    test: Thunk | None,
    body: Callable[[Any], None],
    get_state: Get = no_state,
    set_state: Set = no_state,
    names: tuple[str, ...] = (),
) -> None:
    """`for item in iterable: body(item)`, ended early when `test()` is false after an iteration.

    >>> for_stmt("abc", None, print)
    a
    b
    c
    """
    stage = active_stage() or claiming(iterable)
    if stage is not None:
        state = State(names, get_state, set_state)
        offered = stage.for_stmt(iterable, test, body, state)
        if offered is None:
            return
        iterable = iterable if offered is NotImplemented else offered
    if test is None:
        for item in iterable:
            body(item)
            item = None  # only the variables of the loop hold it while the next one is made
        return
    iterator = iter(iterable)
    for item in iterator:
        body(item)
        item = None
        go_on = test()
        if type(go_on) is not bool:
            stage = claiming(go_on)
            if stage is not None:
                stage.for_rest(iterator, test, body, State(names, get_state, set_state))
                return
        if not go_on:
            return
