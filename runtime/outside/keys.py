"""Keys of dicts from outside are known to a trace, so that what it reads of them is guarded."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Any

from runtime.containers.special_methods import hashes_itself
from runtime.guards.keys import PLAIN, is_known_by_identity, text_of_key
from runtime.guards.paths import Constant

if TYPE_CHECKING:
    from runtime.guards.paths import Path
    from runtime.outside.known import Known


def know_keys(outside: Known, keys: Collection[Any], path: Path) -> None:
    """The objects among the keys are known from now on, so that what a trace reads of them is guarded.

    The guard of the container says which they are. A dict is looked up by each run. Of all else a trace has
    a copy: raises StagingError where a class of the user's says which of its instances are equal.
    """
    objects = [key for key in keys if type(key) not in PLAIN]
    for key in objects:
        _know(outside, key, path)
    odd = next((key for key in objects if hashes_itself(key)), None)
    if odd is not None and type(keys) is not dict:
        raise outside.trace.refuse(
            f"`{path}` holds a {type(odd).__name__}, whose class says which of them are equal",
            "keep such objects in a dict, or in a list",
            str(path),
        )


def _know(outside: Known, key: Any, path: Path) -> None:
    if type(key) in (tuple, frozenset) or hasattr(type(key), "_make"):
        for item in key:
            _know(outside, item, path)
    elif type(key) not in PLAIN and is_known_by_identity(key):
        outside.import_value(key, Constant(key, f"{text_of_key(key)} among the keys of {path}"))
