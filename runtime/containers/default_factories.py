"""What a defaultdict makes for a new key: while tracing, and in a run."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any, NoReturn

from autograph.errors import StagingError

if TYPE_CHECKING:
    from runtime.tracer.trace import Trace


class Factory:
    """What a defaultdict that is plain Python while tracing makes for a new key.

    In the block that made the dict only: elsewhere the key would be there on all paths, so that the dict has
    to be a real one.
    """

    def __init__(self, trace: Trace, function: Any) -> None:
        self.trace = trace
        self.function = function
        self.frame = trace.frames[-1] if trace.frames else None
        self.container: Any = None

    def __call__(self) -> Any:
        from autograph.operators import call

        if (self.trace.frames[-1] if self.trace.frames else None) is not self.frame:
            self.trace.containers.require(self.container)
            raise self.trace.refuse(
                "a defaultdict gets a new key under a staged condition or in a staged loop",
                "use a dict, and its `setdefault`",
            )
        return call(self.function)

    def __repr__(self) -> str:
        """For the text of the dict."""
        return repr(self.function)


def no_factory() -> NoReturn:
    """Stands in a real defaultdict for a function that the trace made, which calls it by itself."""
    raise StagingError(
        "a defaultdict that was made in a decorated function gets a new key outside, "
        "and the function that makes its items was made inside",
        hint="define that function outside the decorated function",
    )


def watch_factory(trace: Trace, container: defaultdict[Any, Any]) -> None:
    """Let an instance of a class of the user's make its items under the eyes of the trace."""
    function = factory_of(container)
    if function is not None:
        factory = Factory(trace, function)
        factory.container = container
        _slot.__set__(container, factory)


_slot: Any = vars(defaultdict)["default_factory"]  # past a property of the user's


def factory_of(container: Any) -> Any:
    """What the program gave to the defaultdict."""
    factory = _slot.__get__(container)
    return getattr(factory, "function", factory)  # of a Factory, or what stands for that of one from outside
