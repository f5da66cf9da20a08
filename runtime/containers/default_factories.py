"""What a defaultdict makes for a new key: while tracing, and in a run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn


class Missing:
    """The factory of what stands for a defaultdict from outside: a new key is refused. It has the text of the
    real one, `function`, which copies take over."""

    def __init__(self, refuse: Callable[[], NoReturn], function: Any) -> None:
        self.refuse = refuse
        self.function = function

    def __call__(self) -> NoReturn:
        self.refuse()

    def __repr__(self) -> str:
        return repr(self.function)


def factory_of(container: Any) -> Any:
    """What the program gave to the defaultdict."""
    factory = container.default_factory
    return factory.function if type(factory) is Missing else factory
