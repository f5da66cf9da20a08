"""What Python asks of values silently: their truth, equality, order, hash and text, and what calls ask for.

A function or method of Python's that may reach a value, such as in a container, a generator or a closure that
it is given, is refused unless it is among those that are known to ask nothing of it.
"""

from __future__ import annotations

import functools
import itertools
import operator
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import partial, reduce
from types import BuiltinMethodType, FunctionType, ModuleType
from typing import Any, NoReturn

from autograph.config import is_excluded
from autograph.errors import user_frame
from autograph.operators import all_true, any_true, call, if_exp, not_
from autograph.operators.containers import MARKED
from autograph.stages.carrying import Here, Missing, Places, Steps, iterators_in
from autograph.stages.heap import NO_STATE, Heap
from autograph.staging import Stage

_ORDERS = (operator.lt, operator.le, operator.gt, operator.ge)


class AskingStage(Stage):
    """Whose values are whose, and what is asked of them: in comparisons, displays and calls of Python's."""

    #: the classes of the library's values
    types: tuple[type, ...] = ()
    #: Python's values that the library takes in place of its own
    plain: tuple[type, ...] = (bool, int, float)
    _here: Here

    def is_plain(self, value: Any) -> bool:
        """Does the library take this value of Python's (or number of NumPy's) in place of its own?"""
        kind = type(value)
        return kind in self.plain or (kind.__module__ == "numpy" and isinstance(value, self.plain))

    def holds(self, value: Any, depth: int = 4) -> bool:
        """Is this a value of the library's, or a tuple, list, dict or dataclass that has one in it?"""
        if self.claims(value):
            return True
        return depth > 0 and any(self.holds(part, depth - 1) for part in _parts(value))

    @property
    def packages(self) -> tuple[str, ...]:  # type: ignore[override]
        """By default the packages of `types`, without the one that the stage itself is in."""
        return _packages(self.types, type(self).__module__)

    def claims(self, value: Any) -> bool:
        """Is it of `types`? (Or something of ours, which stands in its place.)"""
        return isinstance(value, self.types) or (type(value) in (Missing, Steps) and value.stage is self)

    def is_leaf(self, value: Any) -> bool:
        """Does the library carry this value?"""
        return isinstance(value, self.types) or self.is_plain(value)

    def opaque(self, value: Any) -> bool:
        """Is this none of the program's objects? Nobody looks into it, for what a block may change."""
        if self.claims(value) or isinstance(value, Stage):
            return True
        module = type(value).__module__ or ""
        root = module.partition(".")[0]
        if root in self.packages:
            return True
        return is_excluded(module) and root not in sys.stdlib_module_names

    def ends_early(self, iterator: Iterator[Any]) -> None:
        """A value ends a loop over this iterator: so nobody may read what is left of it."""
        frame = user_frame(sys._getframe(1))
        heap = Heap(frame.f_locals.values() if frame is not None else (), opaque=self.opaque)
        if any(each in heap for each in iterators_in(iterator)):
            self.refuse("a loop over an iterator that a value ends early", "make a list of it before")

    def reaches(self, roots: Iterable[Any]) -> bool:
        """Is there a value of the library's in what these hold?"""
        return any(map(self.claims, Heap(roots, opaque=self.opaque)))

    # What is asked

    def truth(self, value: Any) -> Any:
        """The condition that a claimed value stands for."""
        return value

    def condition(self, value: Any) -> Any:
        """The truth of a value of the library's, or of Python's."""
        return self.truth(value) if self.claims(value) else bool(value)

    def equal(self, a: Any, b: Any) -> Any:
        """`a == b`, where either is claimed. By default as the library's `==` says."""
        return a == b

    def compared(self, function: Any, a: Any, b: Any) -> Any:
        """`==`, `!=` and the orders, where a value is in them; else NotImplemented."""
        if function is operator.eq:
            return self.equal_values(a, b)
        if function is operator.ne:
            found = self.equal_values(a, b)
            return found if found is NotImplemented else not_(found)
        if function in _ORDERS and not self.claims(a) and not self.claims(b) and self.holds([a, b]):
            self.refuse("an order of tuples or lists that hold values", "compare the items")
        return NotImplemented

    def equal_values(self, a: Any, b: Any) -> Any:
        """`a == b`, where either is a value, or of a class of the program's; NotImplemented for others."""
        if self.claims(a) or self.claims(b):
            found = self.equal(a, b)
            both = all(self.claims(value) or self.is_plain(value) for value in (a, b))
            if type(found) is bool and both and a is not b:
                hint = "give the stage a method `equal`"
                self.refuse("`==`, which asks whether two terms are written alike,", hint)
            return found
        if self.holds([a, b]):
            self.refuse("`==` of tuples, lists or objects that hold values", "compare the items")
        asked = getattr(type(a), "__eq__", None)
        return call(asked, a, b) if type(a) is type(b) and isinstance(asked, FunctionType) else NotImplemented

    def is_(self, a: Any, b: Any) -> Any:
        if a is not b:
            for one, other in ((a, b), (b, a)):
                if self.claims(one) and (type(other) in self.plain or self.claims(other)):
                    self.refuse("`is`", "write `==`, or ask for the value itself")
        return a is b

    def in_(self, item: Any, container: Any) -> Any:
        asked = getattr(type(container), "__contains__", None)
        if isinstance(asked, FunctionType):  # of the program's, which looks at the item
            return call(asked, container, item)
        found: Any = False
        for other in container:
            found = any_true(found, partial(self._alike, item, other))
        return found

    def _alike(self, a: Any, b: Any) -> Any:
        """As containers compare: one object, or equal."""
        found = a is b or self.equal_values(a, b)
        return a == b if found is NotImplemented else found

    def set_of(self, items: list[Any]) -> Any:
        return self.hashed(items)

    def dict_of(self, pairs: list[tuple[Any, Any]]) -> Any:
        return self.hashed([key for key, _ in pairs])

    def hashed(self, keys: Iterable[Any]) -> Any:
        """NotImplemented, or a refusal where a value is to be the key of a dict."""
        if any(map(self.holds, keys)):
            self.refuse("a set or dict whose keys are values", "use a list, and compare")
        return NotImplemented

    def text(self, value: Any, conversion: str, spec: str) -> Any:
        if self.holds(value):
            self.refuse("the text of something that holds values")
        return NotImplemented

    def percent(self, text: str, values: Any) -> Any:
        return self.text(values, "", "")

    # Calls

    def passes_on(self, function: Any) -> bool:
        return any(function is each for each in (map, reduce, itertools.accumulate, itertools.starmap))

    def call(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        owner = getattr(function, "__self__", None)
        module, name = _home(function, owner)
        called, root = f"{module}.{name}", module.partition(".")[0]
        of_python = not sys.stdlib_module_names.isdisjoint((root, f"_{root}"))
        unseen = of_python and _is_method_in_c(function, owner) and root not in _SEEN
        if self._here.places and (unseen or root in _WORLD or called.startswith(_EFFECTS)):
            self.refuse(f"a call of `{name}` in a branch or a loop", "call it outside")
        if isinstance(function, functools._lru_cache_wrapper) and self.holds([*args, *kwargs.values()]):
            return call(function.__wrapped__, *args, **kwargs)  # the cache would ask for the hash of a value
        if called in _HANDLERS:
            return _HANDLERS[called](self, function, args, kwargs)
        if called in _BY_KEY:
            return self.hashed(args[:1])
        kind = function if isinstance(function, type) else type(owner)
        if not of_python or issubclass(kind, BaseException):
            return NotImplemented
        if len(args) == 2 and any(function is each for each in MARKED):
            return self.binary_operator(function, *args)
        harmless = root in _QUIET or called in _ASK_NOTHING
        given = [owner, *args, *kwargs.values()]
        if not harmless and (self.holds(given) or self.reaches(filter(_is_read_or_called, given))):
            self.refuse_call(name)
        return NotImplemented

    def refuse_call(self, name: str) -> NoReturn:
        what = "which may ask for the truth, order, hash or text of values,"
        self.refuse(f"a call of `{name}`, {what}", "write a loop, or use a function of the library's")


@functools.lru_cache(maxsize=64)
def _packages(types: tuple[type, ...], own: str) -> tuple[str, ...]:
    roots = {kind.__module__.partition(".")[0] for kind in types}
    return tuple(roots - {own.partition(".")[0], "__main__", "builtins"})


def _parts(value: Any) -> Iterable[Any]:
    """What a plain tuple, list, dict or dataclass holds."""
    if type(value) is dict:
        return (*value, *value.values())
    if "__dataclass_fields__" in type(value).__dict__:
        return [getattr(value, name, None) for name in type(value).__dataclass_fields__]
    return value if isinstance(value, (tuple, list)) else ()


def _is_read_or_called(value: Any) -> bool:
    return hasattr(type(value), "__iter__") or callable(value)


def _is_method_in_c(function: Any, owner: Any) -> bool:
    return type(function) is BuiltinMethodType and not isinstance(owner, (ModuleType, type))


def _home(function: Any, owner: Any) -> tuple[str, str]:
    """The module and the name of a callee.

    >>> _home([].append, []), _home(operator.add, operator), _home(dict.get, None)
    (('builtins', 'list.append'), ('operator', 'add'), ('builtins', 'dict.get'))
    """
    name: str = getattr(function, "__qualname__", type(function).__qualname__)
    module = getattr(function, "__module__", None)
    if not module:
        owner = getattr(function, "__objclass__", owner)
        kind, last = owner if isinstance(owner, type) else type(owner), name.rpartition(".")[2]
        defines = next((base for base in kind.__mro__ if last in base.__dict__), None)
        module, name = (defines or kind).__module__, f"{defines.__name__}.{last}" if defines else name
    return module.lstrip("_"), name


def _range(stage: AskingStage, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    if not any(map(stage.claims, args)):
        return NotImplemented
    start, stop, step = (0, *args, 1) if len(args) == 1 else (*args, 1)[:3]
    return Steps(stage, start, stop, step, _itself)


def _truth(stage: AskingStage, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    return stage.truth(args[0]) if len(args) == 1 and stage.claims(args[0]) else NotImplemented


def _checked(stage: AskingStage, name: str, function: Any, item: Any) -> Any:
    """What Python is to ask for its truth or order: what `function` gives for an item, or the item."""
    found = item if function is None else call(function, item)
    if stage.holds(found):
        stage.refuse_call(name)
    return found


def _sorted(stage: AskingStage, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    key = partial(_checked, stage, function.__name__, kwargs.get("key"))
    return function(*args, **{**kwargs, "key": key})


def _tested(stage: AskingStage, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    return function(partial(_checked, stage, function.__name__, args[0]), *args[1:])


def _keyed(stage: AskingStage, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    if not args or hasattr(args[-1], "keys"):
        return NotImplemented
    items = [*args[-1]]
    kind = (
        function if isinstance(function, type) else getattr(function, "__objclass__", type(function.__self__))
    )
    stage.hashed([key for key, _ in items] if issubclass(kind, dict) else items)
    return function(*args[:-1], items, **kwargs)


def _extreme(stage: AskingStage, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    items = list(args[0] if len(args) == 1 else args)
    if kwargs or not any(map(stage.claims, items)):
        return _sorted(stage, function, (items,) if args else (), kwargs)
    best = items[0]
    for item in items[1:]:
        better = item > best if function is max else item < best
        best = if_exp(better, partial(_itself, item), partial(_itself, best))
    return best


def _any_or_all(stage: AskingStage, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What comes after a value is asked for, whatever that is: so it must do nothing else."""
    joined = all_true if function is all else any_true
    iterator = iter(args[0])
    for item in iterator:
        if stage.claims(item):
            stage.ends_early(iterator)
            places = Places(stage, NO_STATE, (iterator,))
            left = places.run(partial(list, iterator))
            for slot, _ in left.places.values():
                name = places.name_of(slot)
                stage.refuse(f"a change of {name} in a generator, after a value that may end it,")
            return reduce(lambda a, b: joined(a, partial(_itself, b)), left.result, stage.condition(item))
        if bool(item) is not (function is all):
            return function is any
    return function is all


def _itself(value: Any) -> Any:
    return value


_HANDLERS: dict[str, Callable[..., Any]] = {
    "builtins.range": _range, "builtins.bool": _truth,
    "builtins.any": _any_or_all, "builtins.all": _any_or_all,
    "builtins.min": _extreme, "builtins.max": _extreme,
    "builtins.sorted": _sorted, "builtins.list.sort": _sorted, "builtins.filter": _tested,
    "itertools.takewhile": _tested, "itertools.dropwhile": _tested, "itertools.filterfalse": _tested,
    "builtins.set": _keyed, "builtins.set.update": _keyed, "builtins.frozenset": _keyed,
    "builtins.dict": _keyed, "builtins.dict.update": _keyed,
    "collections.OrderedDict": _keyed, "collections.OrderedDict.update": _keyed,
}  # fmt: skip


def _names(**modules: str) -> frozenset[str]:
    return frozenset(f"{module}.{name}" for module, names in modules.items() for name in names.split())


#: what asks a value, or the items of a container, nothing, or only what they answer with a value
_ASK_NOTHING = _names(
    builtins="""abs callable classmethod delattr dir divmod enumerate getattr hasattr id isinstance issubclass
        iter len list map method next pow print property reversed round setattr slice staticmethod sum super
        tuple type vars zip
        dict.clear dict.copy dict.items dict.keys dict.popitem dict.values
        generator.close generator.send generator.throw list.__init__
        list.append list.clear list.copy list.extend list.insert list.pop list.reverse
        object.__delattr__ object.__getattribute__ object.__init__ object.__new__ object.__setattr__
        set.clear set.copy set.pop tuple.__new__""",
    collections="""deque deque.append deque.appendleft deque.clear deque.copy deque.extend deque.extendleft
        deque.insert deque.pop deque.popleft deque.reverse deque.rotate defaultdict defaultdict.copy
        OrderedDict.clear OrderedDict.copy OrderedDict.items OrderedDict.keys OrderedDict.move_to_end
        OrderedDict.popitem OrderedDict.values""",
    functools="cache cached_property lru_cache partial reduce update_wrapper wraps",
    itertools="""accumulate chain chain.from_iterable combinations combinations_with_replacement cycle islice
        pairwise permutations product repeat starmap tee zip_longest""",
    operator="abs attrgetter getitem inv invert itemgetter methodcaller neg pos setitem",
)
_BY_KEY = _names(
    builtins="dict.get dict.pop dict.setdefault set.add set.discard set.remove",
    collections="OrderedDict.pop OrderedDict.setdefault",
)
_QUIET = frozenset("abc contextlib copy dataclasses threading types typing weakref".split())
_WORLD = frozenset("io random time os posix nt sys subprocess socket shutil logging secrets uuid".split())
#: whose methods in C change nothing but what a `Heap` sees
_SEEN = frozenset("builtins collections array datetime decimal functools operator re struct".split())
_EFFECTS = (
    "numpy.random",
    "decimal.Context",
    *_names(builtins="print input open globals vars locals exec eval"),
)
