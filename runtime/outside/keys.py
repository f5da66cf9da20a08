"""Keys of dicts from outside are known to a trace, so that what it reads of them is guarded."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Any

from runtime.guards.keys import PLAIN, is_known_by_identity, text_of_key
from runtime.guards.paths import Constant

if TYPE_CHECKING:
    from runtime.guards.paths import Path
    from runtime.outside.known import Known


def know_keys(outside: Known, keys: Collection[Any], path: Path) -> None:
    """The objects among the keys are known from now on, so that what a trace reads of them is guarded.

    The guard of the container says which they are. A trace has a copy of the container, with the hashes of
    now: raises StagingError where a hash was another when the key was put in.
    """
    objects = [key for key in keys if type(key) not in PLAIN]
    for key in objects:
        _know(outside, key, path)
    # A frozenset of a dict or a set has the hashes that these keep, and one of a list has new ones.
    kept = dict(keys) if isinstance(keys, dict) else keys
    is_moved = objects and hash(frozenset(kept)) != hash(frozenset(list(keys)))
    if is_moved or any(key not in keys for key in objects):
        raise outside.trace.refuse(
            f"the hash of a key in `{path}` has changed since it was put there",
            "put it in again, or let the hash read what does not change",
            str(path),
        )


def _know(outside: Known, key: Any, path: Path) -> None:
    if type(key) in (tuple, frozenset) or hasattr(type(key), "_make"):
        for item in key:
            _know(outside, item, path)
    elif type(key) not in PLAIN and is_known_by_identity(key):
        outside.import_value(key, Constant(key, f"{text_of_key(key)} among the keys of {path}"))
