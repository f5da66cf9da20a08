"""What stands for an attribute of a class that cannot be read in a trace."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn


class Unreadable:
    """Stands in a class for what cannot be read in a trace: whoever uses it is refused."""

    def __init__(self, original: Any, refusal: Callable[[], Exception]) -> None:
        object.__setattr__(self, "original", original)
        object.__setattr__(self, "refusal", refusal)

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        return type(self.original)

    def __getattr__(self, name: str) -> NoReturn:
        raise self.refusal()


def _refuses(self: Any, *_: Any) -> NoReturn:
    raise self.refusal()


for _name in (
    "setattr delattr getitem setitem delitem contains len iter next bool call enter exit hash repr str "
    "format eq ne lt le gt ge add radd iadd sub rsub mul rmul truediv rtruediv floordiv mod pow matmul "
    "rmatmul and or xor neg pos abs invert int float complex index round array copy deepcopy reduce_ex"
).split():
    setattr(Unreadable, f"__{_name}__", _refuses)
