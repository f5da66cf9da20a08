"""Machine code in files, so that another process need not compile it.

A file holds the object code of one text of LLVM's. The text is the whole program: what a function's source,
globals and arguments make of it, the places of fields in Python's and NumPy's objects. Its digest names the
file, with the versions and the processor, so that a file is never for anything else. No address is in a text
(see `module.py`): each process links the code to its own objects. Tracing is done anew, LLVM is not loaded.

    <folder>/<digest>.code      "AGCODE01", a digest of the rest, the digest in the name, the object code

A file that is damaged, or belongs to somebody else, is ignored, and written again.
"""

from __future__ import annotations

import functools
import hashlib
import os
import stat
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

import numpy as np

from autograph import __version__
from runtime.engines.native import elf

VARIABLE = "AUTOGRAPH_CACHE_DIR"
_MARK = b"AGCODE01"


class How(NamedTuple):
    """How good machine code is to be, from 0 to 3, and what the passes before it do."""

    optimising: int
    speed: int
    vectorizes: bool
    unrolls: bool


class Use:
    """Is the code of a function kept on disk, and what became of that?"""

    def __init__(self, wanted: bool) -> None:
        self.wanted = wanted
        self.place = folder()
        self.read = self.written = 0
        self.reason = ""  # why some was not kept

    def __str__(self) -> str:
        """For ``explain()``; empty where nobody asked for a cache."""
        if not self.wanted:
            return ""
        if self.reason:
            return f"compiled, and not kept on disk: {self.reason}"
        return f"compiled, and kept in {self.place}" if self.written else f"read from {self.place}"


_use: ContextVar[Use | None] = ContextVar("autograph_cache", default=None)
_ever: list[bool] = []  # has any function asked for a cache?


@contextmanager
def using(wanted: bool | None) -> Iterator[Use]:
    """What compiles in the ``with`` block is kept on disk; None: if the environment has a folder for it."""
    use = Use(bool(os.environ.get(VARIABLE)) if wanted is None else wanted)
    if use.wanted:
        _ever.append(True)
    token = _use.set(use)
    try:
        yield use
    finally:
        _use.reset(token)


def folder() -> Path:
    """Where the files are: AUTOGRAPH_CACHE_DIR, or ``autograph`` in the user's folder for caches."""
    named = os.environ.get(VARIABLE)
    home = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return Path(named) if named else Path(home, "autograph")


class Entry:
    """The place of one text's code."""

    def __init__(self, place: Path, key: bytes, use: Use) -> None:
        self._place = place
        self._key = key
        self._use = use

    def read(self) -> bytes | None:
        """The code; None where there is none that is ours and whole."""
        follows_nothing, waits_for_nothing = getattr(os, "O_NOFOLLOW", 0), getattr(os, "O_NONBLOCK", 0)
        flags = os.O_RDONLY | follows_nothing | waits_for_nothing
        try:
            with open(os.open(self._place, flags), "rb") as file:
                found = file.read() if _is_ours(os.fstat(file.fileno())) else b""
        except OSError:
            return None
        rest = found[len(_MARK) + 32 :]
        if found[: len(_MARK) + 32] != _MARK + hashlib.sha256(rest).digest() or rest[:32] != self._key:
            return None
        self._use.read += 1
        return rest[32:]

    def write(self, code: bytes) -> None:
        """Whole or not at all: others read and write the same file meanwhile."""
        rest = self._key + code
        try:
            new = self._place.with_suffix(f".{os.urandom(8).hex()}")
            try:
                with open(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
                    file.write(_MARK + hashlib.sha256(rest).digest() + rest)
                os.replace(new, self._place)
            finally:
                with suppress(FileNotFoundError):
                    os.unlink(new)
        except OSError as error:
            self.refuse(_warned(f"{self._place.parent} cannot be written: {error.strerror}"))
        else:
            self._use.written += 1

    def refuse(self, reason: str) -> None:
        self._use.reason = reason


def entry(text: str, how: How) -> Entry | None:
    """Where the code of a text is kept; None where it is not. What serves many functions, and compiles when
    none of them does, is kept where any function asked for that."""
    use = _use.get() or Use(bool(_ever))
    if not use.wanted:
        return None
    place = use.place
    reason = elf.why_not() or _why_not(str(place)) or ("" if _processor() else "the processor is unknown")
    if reason:
        use.reason = reason
        return None
    key = hashlib.sha256(repr((_system(), how, text)).encode()).digest()
    return Entry(place / f"{key.hex()[:40]}.code", key, use)


@functools.cache
def _why_not(place: str) -> str:
    """Why a folder is not used, which is said once; empty where it is. It is made if there is none."""
    try:
        os.makedirs(place, mode=0o700, exist_ok=True)
        found = os.stat(place)
    except OSError as error:
        return _warned(f"{place} cannot be used: {error.strerror}")
    if not _is_ours(found):
        return _warned(f"others own {place}, or can write to it: what they put there would run")
    return ""


def _is_ours(found: os.stat_result) -> bool:
    """Does a file belong to this user, and can nobody else write to it?"""
    return found.st_uid == os.geteuid() and not found.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def _warned(reason: str) -> str:
    """Say it once for each text and place, as Python's filters do."""
    warnings.warn(f"autograph: machine code is not kept on disk: {reason}", RuntimeWarning, stacklevel=2)
    return reason


@functools.cache
def _system() -> tuple[str, ...]:
    """What machine code rests on beside its text."""
    spec = find_spec("llvmlite")
    version = os.path.join(os.path.dirname(spec.origin or ""), "_version.py") if spec else ""
    compiler = ""
    with suppress(OSError):
        compiler = Path(version).read_text(encoding="utf-8")
    return __version__, sys.version, np.__version__, compiler, _processor()


@functools.cache
def _processor() -> str:
    """The model and the abilities of the first processor, as Linux tells them."""
    names = ("vendor_id", "cpu family", "model", "model name", "stepping", "flags")
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            first = file.read(1 << 14).partition("\n\n")[0].splitlines()
    except OSError:
        return ""
    return "\n".join([line for line in first if line.partition(":")[0].strip() in names])
