"""What both bases of stages know: whose values are whose, and what a branch or a loop must not do."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from types import FunctionType, MemberDescriptorType, ModuleType
from typing import Any, NoReturn

from autograph.api import convert
from autograph.code_objects import is_converted_code
from autograph.errors import AutographError, StagingError, error_at_entry, error_at_frame
from autograph.operators import all_true, and_, any_true, or_, set_item
from autograph.operators.containers import MARKED
from autograph.stages.asking import AskingStage
from autograph.stages.carrying import Here, Missing, Places, Steps, is_array
from autograph.stages.heap import NO_STATE, contents_slot, same_contents
from autograph.staging import Handler, State, Thunk


class CarryingStage(AskingStage):
    """What both bases know: whose values are whose, and what a block must not do. `types` must be given."""

    #: what errors call it; by default as its class
    name = ""
    marks = frozenset({"compare", "containers", "truth"})
    #: the methods that a stage must have, and what they mean
    needs: dict[str, str] = {}

    def __new__(cls, /, *args: Any, **kwargs: Any) -> Any:
        made = super().__new__(cls)
        made._here = Here()
        made.name = made.name or cls.__name__
        return made

    def lacks(self) -> str | None:
        for name, meaning in self.needs.items():
            if str(getattr(getattr(type(self), name), "__module__", "")).startswith("autograph.stages."):
                return meaning
        kinds: Any = self.types
        if not isinstance(kinds, tuple) or not all(isinstance(kind, type) for kind in kinds):
            return "`types` that is a tuple of classes"
        own = type(self).claims is not CarryingStage.claims
        return None if kinds or own else "`types`, the classes of the library's values"

    def convert(self, function: Any) -> Any:
        """`autograph.convert(function, stage=self)`: the entry, and a decorator."""
        return convert(function, stage=self)

    def takes_apart(self, value: Any, was_there: bool) -> bool:
        """Is a list or dict in a variable carried by its items? One that was there before is that object."""
        return not was_there

    def known(self, condition: Any) -> bool | None:
        """True or False where the library can decide a condition here; else None."""
        return None

    def decided(self, condition: Any) -> bool | None:
        """What Python or the library knows of a condition here."""
        return condition if type(condition) is bool else self.known(condition)

    def refuse(self, construct: str, hint: str | None = None) -> NoReturn:
        try:
            super().refuse(construct, hint)
        except StagingError as error:
            self._here.refusal = error
            raise

    def trace_ended(self, raised: bool) -> None:
        here = self._here
        refusal, here.refusal = here.refusal, None
        here.stores = ()
        if refusal is not None and not raised:
            raise refusal  # a handler of the program's has caught it

    def refuse_raised(self, error: Exception, where: str = "a branch or a loop") -> NoReturn:
        """What a block raises, or a method of the stage: not for a handler of the program's.

        Other values may not reach the place. A stage may raise the exception itself.
        """
        what = f"{type(error).__name__} ({error})" if str(error) else type(error).__name__
        if isinstance(error, RecursionError):
            what = "a recursion whose end depends on a value"
        entry, users = error.__traceback__, None
        while entry is not None:
            users = entry if is_converted_code(entry.tb_frame.f_code) else users
            entry = entry.tb_next
        message = f"{what} in {where} over values of stage {self.name!r} is not supported"
        hint = "both branches run, and a loop's body runs for values that the test would end it at"
        make = partial(error_at_entry, entry=users) if users is not None else error_at_frame
        refusal = make(StagingError, message, hint=hint)
        self._here.refusal = refusal
        raise refusal from error

    def asked(self, method: str, where: str, *operands: Any) -> Any:
        """What a method of the stage gives. What it raises, or does to its operands, is refused."""
        watched = [slot for value in operands if (slot := self.watch(value)) is not None]
        before = [slot.read() for slot in watched]
        try:
            found = getattr(self, method)(*operands)
        except AutographError:
            raise
        except Exception as error:  # noqa: BLE001  # the library's, whatever it is
            self.refuse_raised(error, where)
        for slot, held in zip(watched, before, strict=True):
            if not same_contents(slot.read(), held):
                slot.write(held)
                self.refuse(f"{where}, which changes its operand {slot.name},")
        return found

    def text_of(self, value: Any) -> str | None:
        return None if type(value) is Missing else super().text_of(value)

    def bound(self, value: Any) -> Any:
        if isinstance(value, Missing):
            self.refuse(f"`{value.name}`, which has a value on one path only,", "give it a value before")
        return value

    def differs(self, name: str, what: str) -> NoReturn:
        """A variable, place or result is of another kind on the other path, or missing: refused."""
        way_out = "give it a number on every path"
        if "list" in what:
            way_out = "use a tuple, or change the items of one list"
        if what.startswith("changes its length"):
            way_out = "append on both paths, or choose the item"
        self.refuse(f"{name}, which {what},", way_out)

    # Branches, and what is made of them

    def choose(self, condition: Any, then: Thunk, orelse: Thunk, state: State) -> Any:
        """What one of the two gives and leaves."""
        known = self.decided(condition)
        if known is not None:
            return then() if known else orelse()
        return self.branch(condition, then, orelse, state)

    def branch(self, condition: Any, then: Thunk, orelse: Thunk, state: State) -> Any:
        """`choose`, where nobody knows the condition."""
        raise NotImplementedError

    def both(self, a: Any, b: Any) -> Any:
        """Both conditions."""
        return self.if_exp(a, lambda: b, lambda: False)

    def either(self, a: Any, b: Any) -> Any:
        """One of the conditions, or both."""
        return self.if_exp(a, lambda: True, lambda: b)

    def not_(self, a: Any) -> Any:
        return self.if_exp(a, lambda: False, lambda: True)

    def second(self, condition: Any, wanted: bool, block: Thunk) -> Any:
        """The second condition, where the first is `wanted`; NotImplemented where it changes something."""
        left = Places(self, NO_STATE, (block,)).run(block)
        return NotImplemented if left.places else self.condition(left.result)

    def if_stmt(self, cond: Any, body: Thunk, orelse: Thunk, state: State) -> None:
        self.choose(self.truth(cond), lambda: body() and None, lambda: orelse() and None, state)

    def if_exp(self, cond: Any, then: Thunk, orelse: Thunk) -> Any:
        return self.choose(self.truth(cond), then, orelse, NO_STATE)

    def and_(self, a: Any, thunks: tuple[Thunk, ...]) -> Any:
        return self.choose(self.truth(a), _rest(and_, thunks), lambda: a, NO_STATE)

    def or_(self, a: Any, thunks: tuple[Thunk, ...]) -> Any:
        return self.choose(self.truth(a), lambda: a, _rest(or_, thunks), NO_STATE)

    last_true, last_false = and_, or_

    def all_true(self, a: Any, thunks: tuple[Thunk, ...]) -> Any:
        return self._joined(a, thunks, True)

    def any_true(self, a: Any, thunks: tuple[Thunk, ...]) -> Any:
        return self._joined(a, thunks, False)

    def _joined(self, a: Any, thunks: tuple[Thunk, ...], wanted: bool) -> Any:
        """Two conditions are joined, if the second one changes nothing; the rest is asked where the first is
        `wanted`."""
        condition = self.truth(a)
        if self.decided(condition) is None:
            rest = _rest(all_true if wanted else any_true, thunks)
            b = self.second(condition, wanted, rest)
            if type(b) is bool:
                return condition if b is wanted else b
            if b is not NotImplemented:
                return self.both(condition, b) if wanted else self.either(condition, b)
        return self.and_(a, thunks) if wanted else self.or_(a, thunks)

    # Loops

    def repeat(self, held: Any, step: Callable[[Any], Any], state: State) -> None:
        """`held = step(held)` as long as the last item of `held` is true."""
        raise NotImplementedError

    def while_rest(self, go_on: Any, test: Thunk, body: Thunk, state: State) -> Any:
        self.repeat((go_on,), lambda _: (body(), test())[1:], state)

    def for_stmt(self, iterable: Any, test: Thunk | None, body: Callable[[Any], None], state: State) -> Any:
        steps = self.steps(iterable)
        return NotImplemented if steps is None else self.for_range(Steps(self, *steps), test, body, state)

    def steps(self, iterable: Any) -> tuple[Any, Any, Any, Callable[[Any], Any]] | None:
        """`start, stop, step, item` of what a `for` goes over by numbers, `item(i)` in place of `i`; or None.

        By default a `range` with a bound of the library's. None leaves a loop to Python.
        """
        if type(iterable) is not Steps:
            return None
        return iterable.at, iterable.stop, iterable.step, iterable.item

    def for_range(self, steps: Steps, test: Thunk | None, body: Callable[[Any], None], state: State) -> None:
        """`for` over a range whose bound is a value."""
        begin = steps.at, steps.goes_on(steps.at)
        self.repeat(begin, lambda held: steps.iterated(held[0], test, body), state)

    def for_rest(
        self, iterator: Iterator[Any], test: Thunk, body: Callable[[Any], None], state: State
    ) -> None:
        """A loop of Python's whose end a value decides: the iterations are copies, each under an `if`."""
        self.ends_early(iterator)
        for item in iterator:
            go_on = test()
            if self.claims(go_on):
                self.if_stmt(go_on, partial(body, item), lambda: None, state)
            elif go_on:
                body(item)
            else:
                return

    # What a block must not do

    def try_stmt(
        self,
        body: Thunk,
        handlers: tuple[Handler, ...],
        orelse: Thunk | None,
        finalbody: Thunk | None,
        state: State,
    ) -> Any:
        if handlers and self.reaches([body, *state.get()]):
            self.refuse("`try` with `except`", "test for what would be raised")
        return NotImplemented

    def stored_to(self, owner: Any, name: str) -> Any:
        if self._here.places:
            is_special = name.startswith("__") and name.endswith("__")  # `__class__`, `__dict__`
            kept = next((base.__dict__[name] for base in type(owner).__mro__ if name in base.__dict__), None)
            in_c = _in_c(kept, "__set__") and type(kept) not in _SEEN_STORES
            if is_special or in_c or isinstance(owner, ModuleType) or self.opaque(owner):
                self.refuse(f"a store to `{name}` of a {type(owner).__name__} in a branch or a loop")
        return owner

    def raise_stmt(self, exception: Any, cause: Any) -> Any:
        return self.raised(exception, cause) if self._here.places else NotImplemented

    def raised(self, exception: Any, cause: Any) -> None:
        """`raise` on a path that may not be taken. Refused by default; `select.Dead` goes on without it."""
        self.refuse("a `raise` in a branch or a loop", "return a value that stands for the error")

    def binary_operator(self, function: Any, a: Any, b: Any) -> Any:
        if (
            self._here.places
            and function.__name__.startswith("i")
            and hasattr(type(a), f"__{function.__name__}__")
        ):
            self._check_other(a, f"__{function.__name__}__", "an operation in place on")
        return self.compared(function, a, b)

    def set_item(self, target: Any, key: Any, value: Any) -> Any:
        return self._stored(target, key)

    def aug_item(self, target: Any, key: Any, operator: Callable[[Any, Any], Any], value: Any) -> Any:
        return set_item(target, key, MARKED[operator](target[key], value))

    def del_item(self, target: Any, key: Any) -> Any:
        return self._stored(target, key)

    def _stored(self, target: Any, key: Any) -> Any:
        if self.claims(target):
            if self._here.places and self.watch(target) is None:
                self.refuse("a store to an item of a value in a branch or a loop")
            return NotImplemented
        if self._here.places:
            self._check_other(target, "__setitem__", "a store to an item of")
            if type(target) is dict and "__builtins__" in target and target not in self._here.places[-1].heap:
                self.refuse("a store to `globals()` in a branch or a loop", "declare the variable `global`")
        return self.hashed([key])

    def _check_other(self, value: Any, method: str, doing: str) -> None:
        """A change that nobody sees, of another library's object or in C, is refused in a branch."""
        unseen = self.opaque(value) or (_in_c(value, method) and contents_slot(value) is None)
        if unseen and not self.claims(value) and not is_array(value):
            if self.watch(value) is None:
                self.refuse(f"{doing} a {type(value).__name__} in a branch or a loop", "do it outside")


#: descriptors that run the program's code, or store where a `Heap` sees it
_SEEN_STORES = (property, MemberDescriptorType)


def _in_c(value: Any, method: str) -> bool:
    """Does the type of this value have the method, not written in Python?"""
    return not isinstance(getattr(type(value), method, _in_c), FunctionType)


def _rest(joined: Callable[..., Any], thunks: tuple[Thunk, ...]) -> Thunk:
    return lambda: joined(thunks[0](), *thunks[1:])
