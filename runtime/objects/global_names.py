"""What `globals()` gives in a trace: names are read, and looked for, one by one, each with its guard."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NoReturn

if TYPE_CHECKING:
    from runtime.tracer.trace_globals import TraceGlobals


class GlobalNames(dict[str, Any]):
    """A dict that stores nothing. Raises StagingError where it is read as a whole, or written."""

    __slots__ = ("names",)
    stands_for_more = True

    def __init__(self, names: TraceGlobals) -> None:
        super().__init__()
        self.names = names

    def __getitem__(self, name: str) -> Any:
        return self.names[name]  # a KeyError leaves a guard, too

    def get(self, name: str, default: Any = None) -> Any:
        try:
            return self.names[name]
        except KeyError:
            return default

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and self.get(name, self) is not self

    holds = __contains__

    def __bool__(self) -> bool:
        return True

    __hash__ = None


def _refusing(words: str, hint: str) -> Callable[..., NoReturn]:
    def refuse(self: GlobalNames, *args: Any, **kwargs: Any) -> NoReturn:
        raise self.names.trace.refuse(words, hint, "globals")

    return refuse


for _name in (
    "__iter__ __len__ __eq__ __ne__ __or__ __ror__ __reversed__ __repr__ __reduce_ex__ keys values items copy"
).split():
    setattr(
        GlobalNames,
        _name,
        _refusing(
            "`globals()` is read as a whole, so that no change is seen",
            "read the names that are needed, as in globals()['rate']",
        ),
    )
for _name in "__setitem__ __delitem__ __ior__ pop popitem update setdefault clear".split():
    setattr(
        GlobalNames,
        _name,
        _refusing(
            "`globals()` is changed, which no trace sees",
            "declare the name with `global` and assign to it",
        ),
    )
GlobalNames.__name__ = "dict"
