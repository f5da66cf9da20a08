"""The Stage protocol: how a kind of value takes control flow over.

Converted code runs as Python until an operator meets a value that a registered stage claims; from there
the stage decides. A stage implements what it can; what it leaves out raises `StagingError` at the user's
line. Which stages there are: `registry.py`.

A `Stage` is registered with `autograph.register_stage(stage)`. `State(names, get, set)` is what
a statement may change: `names` are the names of variables (attributes and items are not among
them: a stage watches objects, or compares them before and after), `get()` returns the tuple of
values, `set(values)` assigns them.

A function that `autograph.convert` made holds both the user's own statements and the converted
ones, and asks on entry: while no registered stage is awake, no value can be claimed, and the
user's statements run, at their own speed. `awake` is True unless a stage says otherwise; one
that traces says `active()`. Text from `to_code` and `autograph convert` holds the converted
statements only.

A variable without a value holds `Undefined(name)`, whose reads are guarded by `bound`.
Variables that the passes add (`retval`) hold `Undefined()`, without a name, and are never read
before they are set: a stage may carry anything there.

`autograph.convert(f, stage=stage)` and `with autograph.trace_of(stage):` begin a trace: the stage is active
in this thread until it ends, registered or not, and of two traces in each other the innermost is asked first.
A registered stage that begins traces of its own says so by `active()`; beside another trace that is refused.
`autograph.stages.heap` is for stages that trace both branches without a journal: it compares
the reachable objects before and after.

`Stage` is a base class whose every method raises `StagingError` naming the construct and the
user's line, so a stage implements what it can; what each method is asked stands there.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator
from typing import Any, NoReturn

from autograph.errors import StagingError, error_at_frame, user_frame
from autograph.records import record

Thunk = Callable[[], Any]


class _Nothing:
    def __repr__(self) -> str:
        return "NOTHING"


NOTHING = _Nothing()
"""What `raise_stmt` gets for a missing operand; `None` means something there."""


@record
class State:
    """What a statement may change: variable names, their current values, and a way to set them.

    These are the variables that the statement may rebind and that somebody reads afterwards. What it does
    to objects (attributes, items, globals of callees) a stage finds out by itself. A value may be
    `ag__.Undefined(name)`; without a name, it stands in a variable of the conversion's own, which is never
    read before it is set.

    >>> cell = [1]
    >>> state = State(("x",), lambda: (cell[0],), lambda values: cell.__setitem__(0, values[0]))
    >>> state.set((2,)); state.get()
    (2,)
    """

    names: tuple[str, ...]
    get: Callable[[], tuple[Any, ...]]
    set: Callable[[tuple[Any, ...]], object]


@record
class Handler:
    """One `except` clause: `types()` evaluates what it catches (None: all), `body(exception)` runs it."""

    types: Thunk | None
    body: Callable[[BaseException], None]


@record
class Clause:
    """One `for` of a comprehension: `element(*variables) for unpack in iterable if keep(*variables)`.

    An element that is a clause itself is the next `for`, whose elements take its place. `unpack` is the
    text of the target (`"i, (a, b)"`) where that is more than one variable.
    """

    element: Callable[..., Any]
    iterable: Any
    keep: Callable[..., Any] | None = None
    unpack: str | None = None


@record
class Place:
    """A place in the user's program; `text` is its line."""

    file: str | None
    line: int | None
    column: int | None
    function: str
    text: str


class Stage:
    """A kind of value, and what control flow over it means. See this module.

    Methods of two sorts: those called because a value is claimed (their default refuses), and those *offered*
    to an active stage, which may return NotImplemented to decline (their default declines, and refuses when
    one of the operands is claimed).
    """

    name: str = "stage"
    #: are exceptions to keep the frames of operators and stages while a trace of this stage is under way?
    asks_for_frames: bool = False
    #: is code to be converted so that this stage sees each operator, each container made, each read of an
    #: item or attribute, and each store to a variable that functions share? True, or which of "compare",
    #: "arithmetic", "items", "containers", "attributes", "variables";
    #: by name also "truth": tests that stay Python's are refused
    marks: bool | frozenset[str] = False
    #: packages whose functions are called as they are, and whose objects nobody looks into
    packages: tuple[str, ...] = ()

    def lacks(self) -> str | None:
        """What a stage must have and this one has not, in words: `autograph.convert(f, stage=stage)` asks."""
        return None

    def watch(self, value: Any) -> Any:
        """How to read and write what a mutable value of the library holds, an `autograph.stages.heap.Slot`.

        None where a value never changes, or is an object of Python's.
        """
        return None

    def active(self) -> bool:
        """Is a trace of this stage under way in this thread?"""
        return False

    def trace_ended(self, raised: bool) -> None:
        """The outermost trace of this stage in this thread has ended; `raised`: by an exception."""

    def awake(self) -> bool:
        """May a value of ours reach converted code of this thread now?

        A stage that traces says so while it does. While all stages are asleep, converted functions run the
        user's own statements.
        """
        return True

    def claims(self, value: Any) -> bool:
        """Is `value` one of ours? Asked often, so it should be quick (an `isinstance`)."""
        return False

    def text_of(self, value: Any) -> str | None:
        """What a claimed value is, for error messages; None where there is nothing to say about it.

        >>> class Num: pass
        >>> Stage().text_of(Num()), Stage().text_of(3)
        ('a Num', '3')
        """
        cls = type(value)
        if cls.__repr__ is object.__repr__:
            return f"a {cls.__name__}"
        try:
            text = repr(value)
        except Exception:  # noqa: BLE001  # the library's, while something else is said
            return f"a {cls.__name__}"
        return text if len(text) <= 60 and "\n" not in text else f"{text.splitlines()[0][:60]} ..."

    # A loop whose test may turn out to be claimed evaluates it once as Python and once more in `while_stmt`.

    def stages_while(self) -> bool:
        """Must the `while` that begins here be staged, whatever its test gives the first time?"""
        return False

    def checkpoint(self) -> Any:
        """Called on the active stage before a `while` test is evaluated as Python: where do we stand?"""
        return None

    def rollback(self, checkpoint: Any) -> None:
        """That evaluation is void, for `while_stmt` comes next and evaluates the test itself: forget it."""

    # Statements. A claimed condition, or an offer.

    def stages_if(self) -> bool:
        """Must the `if` that begins here be staged, though its test is a value of Python's?

        Asked of the stage of a trace (`trace_of`) that has this method.
        """
        return False

    def if_stmt(self, cond: Any, body: Thunk, orelse: Thunk, state: State) -> Any:
        """`if cond:` where `cond` is claimed, or where `stages_if`; NotImplemented asks its truth."""
        self.refuse("an `if` statement")

    def while_stmt(self, test: Thunk, body: Thunk, state: State) -> Any:
        """`while`: `state` is current, and `test()` was just found to give a claimed value.

        NotImplemented gives the loop to Python, which asks the test for its truth.
        """
        self.refuse("a `while` loop")

    def knows_truth(self, value: Any) -> bool:
        """May Python ask a claimed value for its truth, which the same code will have in each run?"""
        return False

    def while_rest(self, go_on: Any, test: Thunk, body: Thunk, state: State) -> Any:
        """`while`, offered when `test()` just gave the claimed `go_on`; `state` is as the test left it.

        A stage that takes it need not evaluate the test once more before the first iteration. One that
        declines gets the variables set back, `rollback`, and then `while_stmt`.
        """
        return NotImplemented

    def for_stmt(self, iterable: Any, test: Thunk | None, body: Callable[[Any], None], state: State) -> Any:
        """`for`, offered before Python iterates. `test`, if any, says after an iteration whether to go on.

        None: it is done; NotImplemented, or an iterator: Python iterates, over that in place of the iterable.
        """
        return self.decline("a `for` loop", iterable)

    def for_rest(
        self, iterator: Iterator[Any], test: Thunk, body: Callable[[Any], None], state: State
    ) -> None:
        """The rest of a loop that Python began: `test()` was just found to give a claimed value."""
        self.refuse("a `for` loop that ends early")

    def try_stmt(
        self,
        body: Thunk,
        handlers: tuple[Handler, ...],
        orelse: Thunk | None,
        finalbody: Thunk | None,
        state: State,
    ) -> Any:
        """`try`, offered; NotImplemented runs it as Python. `orelse` and `finalbody` may be missing."""
        return NotImplemented

    def context(self, manager: Any) -> Any:
        """The context manager of a `with` statement, asked of an active stage: what to enter in its place."""
        return manager

    def with_stmt(
        self, manager: Any, body: Callable[[Any], None], swallowed: Thunk, orelse: Thunk | None, state: State
    ) -> Any:
        """`with`, offered to a stage for which the code was converted so; NotImplemented runs it as Python.

        `swallowed()` runs after an exit that took an exception, `orelse()` after one that had none."""
        return NotImplemented

    def python_try(self, reason: str) -> Any:
        """A context manager around each part of a `try` that stays Python's, asked of an active stage."""
        return contextlib.nullcontext()

    def constructed(self, made: Any) -> None:
        """A constructor of a user's class has made this, told to an active stage."""

    def special_method(self, owner: Any, name: str) -> Any:
        """A special method that is not called, `__dict__`, `__defaults__`, `__cause__` and the like, asked of
        an active stage; or NotImplemented: what a stage has put there meanwhile is not the program's."""
        return NotImplemented

    def stored_to(self, owner: Any, name: str) -> Any:
        """What to store an attribute to, for `owner.name = value`, asked of an active stage."""
        return owner

    def read_from(self, owner: Any) -> Any:
        """What to read an attribute of, for `owner.name`, asked of an active stage whose code is marked."""
        return owner

    def new_variables(self, read: Callable[[], Any]) -> None:
        """A call begins whose variables, free ones of `read`, are rebound by functions in it; told an active
        stage whose code is marked."""

    def stored_variable(self, read: Callable[[], Any]) -> None:
        """The one free variable of `read`, of such a call or from outside, was bound or unbound."""

    def stored_global(self, namespace: dict[str, Any], name: str) -> None:
        """A global was bound or unbound, in a function or class body that declares it."""

    def assert_stmt(self, test: Any, message: Thunk | None) -> Any:
        """`assert test, message()`, offered."""
        return self.decline("an `assert` statement", test)

    def raise_stmt(self, exception: Any, cause: Any) -> Any:
        """`raise exception from cause`, offered. Either is `NOTHING` where the statement has none."""
        return self.decline("a `raise` statement", exception, cause)

    # Stores, offered.

    def set_item(self, target: Any, key: Any, value: Any) -> Any:
        """`target[key] = value`; returns what the variable that held `target` holds from now on."""
        return self.decline("an item assignment", target)

    def del_item(self, target: Any, key: Any) -> Any:
        """`del target[key]`; returns what the variable that held `target` holds from now on."""
        return self.decline("an item deletion", target)

    def aug_item(self, target: Any, key: Any, operator: Callable[[Any, Any], Any], value: Any) -> Any:
        """`target[key] op= value`; `operator` is one of Python's `operator.iadd`, ..."""
        return self.decline("an augmented item assignment", target)

    # Expressions over claimed values.

    def if_exp(self, cond: Any, then: Thunk, orelse: Thunk) -> Any:
        """`then() if cond else orelse()`."""
        return self.refuse("a conditional expression")

    def and_(self, a: Any, thunks: tuple[Thunk, ...]) -> Any:
        """`a and ...`: `a` is claimed, `thunks` give the other operands."""
        return self.refuse("`and`")

    def or_(self, a: Any, thunks: tuple[Thunk, ...]) -> Any:
        """`a or ...`: `a` is claimed, `thunks` give the other operands."""
        return self.refuse("`or`")

    def all_true(self, a: Any, thunks: tuple[Thunk, ...]) -> Any:
        """`and_` where only the truth matters, as in `if a and ...:`. By default `and_`."""
        return self.and_(a, thunks)

    def any_true(self, a: Any, thunks: tuple[Thunk, ...]) -> Any:
        """`or_` where only the truth matters, as in `while a or ...:`. By default `or_`."""
        return self.or_(a, thunks)

    def last_true(self, a: Any, thunks: tuple[Thunk, ...]) -> Any:
        """`and_` where only a true value matters, as in `a and b or c`. By default `all_true`."""
        return self.all_true(a, thunks)

    def last_false(self, a: Any, thunks: tuple[Thunk, ...]) -> Any:
        """`or_` where only a false value matters, as in `(a or b) and c`. By default `any_true`."""
        return self.any_true(a, thunks)

    def not_(self, a: Any) -> Any:
        """`not a`."""
        return self.refuse("`not`")

    def in_(self, item: Any, container: Any) -> Any:
        """`item in container`, where either is claimed. `not in` asks `not_` of the result."""
        return self.refuse("`in`")

    def searches(self, container: Any) -> bool:
        """Shall `in_` be asked for this container, which nobody claims?"""
        return False

    def is_(self, a: Any, b: Any) -> Any:
        """`a is b`, where either is claimed. `is not` asks `not_` of the result.

        By default as Python says, but for True and False: `(x > 3) is True` would never hold.
        """
        if type(a) is bool or type(b) is bool:
            self.refuse("`is True` and `is False`", "write `if x:`, or `==`")
        return a is b

    def fstr(self, pieces: tuple[Any, ...]) -> Any:
        """An f-string. `pieces` are texts and (value, conversion, spec) triples, one of them claimed.

        NotImplemented formats them as Python does.
        """
        return self.refuse("an f-string")

    def text(self, value: Any, conversion: str, spec: str) -> Any:
        """A value in an f-string that no stage claims (a list, an object), offered while the stage is active;
        NotImplemented formats it as Python."""
        return NotImplemented

    def formatted(self, value: Any, conversion: str, spec: Any) -> Any:
        """A claimed value in an f-string in which others come after it that may change it; NotImplemented
        leaves it to `fstr`."""
        return NotImplemented

    def percent(self, text: str, values: Any) -> Any:
        """`text % values`, offered while the stage is active; NotImplemented formats it as Python."""
        return NotImplemented

    def comprehension(self, kind: str, clause: Clause) -> Any:
        """A `list`, `set` or `dict` comprehension, offered; NotImplemented runs it as Python."""
        return NotImplemented

    def keeps(self, kept: Any, clause: Clause) -> bool:
        """The claimed test of a comprehension's `if`: does its element belong to the result?"""
        self.refuse("the `if` of a comprehension", "write it as a loop")

    def generator(self, clause: Clause) -> Any:
        """A generator expression, offered; NotImplemented makes a generator of Python's."""
        return NotImplemented

    def bound(self, value: Any) -> Any:
        """A maybe-bound value is read: give the value, or arrange for UnboundLocalError at run time."""
        return value

    def bound_free(self, value: Any) -> Any:
        """`bound`, for a variable of an enclosing function, of which Python says NameError."""
        return self.bound(value)

    # Containers and operators, offered to a stage that asks for them (`marks`).

    def made(self, container: Any) -> Any:
        """A list, dict or set that was just made; returns what stands for it from now on."""
        return container

    def get_item(self, container: Any, key: Any) -> Any:
        """`container[key]`; NotImplemented reads it as Python."""
        return NotImplemented

    def binary_operator(self, operator: Callable[[Any, Any], Any], a: Any, b: Any) -> Any:
        """`a + b`, `a == b`, `a < b`, `a += b` and their like; NotImplemented runs it as Python."""
        return NotImplemented

    def unary_operator(self, operator: Callable[[Any], Any], a: Any) -> Any:
        """`-a`, `+a` or `~a`; NotImplemented runs it as Python."""
        return NotImplemented

    def unpack(self, value: Any, before: int, after: int | None) -> Any:
        """The items for `before` variables; or for `before`, a list of the rest, and `after`, as a tuple."""
        return NotImplemented

    def star(self, items: Any) -> Any:
        """What to iterate over for `*items` in a call or a display; NotImplemented: the items themselves."""
        return NotImplemented

    def double_star(self, mapping: Any) -> Any:
        """What to pass by its keys for `**mapping`; NotImplemented: the mapping itself."""
        return NotImplemented

    def starred(self, function: Any) -> Any:
        """What to call in place of `function`, with what `star` gave among the arguments; NotImplemented
        calls it like any other."""
        return NotImplemented

    def set_of(self, items: list[Any]) -> Any:
        """A set display of these items; NotImplemented makes a set of Python's."""
        return NotImplemented

    def dict_of(self, pairs: list[tuple[Any, Any]]) -> Any:
        """A dict display of these keys and items; NotImplemented makes a dict of Python's."""
        return NotImplemented

    # Calls, offered.

    def call(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """A call of something that is not converted; NotImplemented just calls it."""
        return NotImplemented

    def converts(self, function: Callable[..., Any]) -> bool | None:
        """Shall calls of this Python function run it converted? None: as `autograph.config` says."""
        if not self.packages:
            return None
        module = function.__globals__.get("__name__") or ""
        return False if module.partition(".")[0] in self.packages else None

    def passes_on(self, function: Callable[..., Any]) -> bool:
        """Are functions among the arguments of this callee, which is not converted, called by it?

        Then it gets them as `autograph.converted_later` makes them.
        """
        return False

    def enter(self, function: Any, converted: Callable[..., Any]) -> Callable[..., Any]:
        """The callable to run in place of user function `function`, which was converted to `converted`."""
        return converted

    # For subclasses.

    def place(self) -> Place:
        """Where the program is: for warnings, and for what a library keeps of its values."""
        found, frame = error_at_frame(StagingError, ""), user_frame(sys._getframe(1))
        name = "" if frame is None else frame.f_code.co_name
        return Place(found.file, found.line, found.column, name, (found.source_line or "").strip())

    def refuse(self, construct: str, hint: str | None = None) -> NoReturn:
        """Raise the StagingError that says: this stage has no such construct."""
        raise error_at_frame(
            StagingError, f"{construct} over values of stage {self.name!r} is not supported", hint=hint
        )

    def decline(self, construct: str, *operands: Any) -> Any:
        """NotImplemented, or a StagingError when one of `operands` is claimed."""
        if any(map(self.claims, operands)):
            self.refuse(construct)
        return NotImplemented
