"""Object files of LLVM's in memory, without LLVM: sections are copied, and addresses written into them.

The code that `llvm.py` makes refers to all other places by addresses of 64 bits, so that there is one kind of
relocation (https://refspecs.linuxfoundation.org/elf/gabi4+/contents.html, and the ABI of x86-64).
"""

from __future__ import annotations

import ctypes
import functools
import mmap
import os
import struct
import sys
from collections.abc import Mapping, Sequence
from typing import NamedTuple

_HEADER = struct.Struct("<16sHHIQQQIHHHHHH")
_SECTION = struct.Struct("<IIQQQQIIQQ")
_SYMBOL = struct.Struct("<IBBHQQ")
_RELOCATION = struct.Struct("<QQq")
_WORD = struct.Struct("<Q")

_SYMBOLS, _RELOCATIONS, _ZEROS, _UNWINDING = 2, 4, 8, 0x70000001  # kinds of sections
_WRITTEN, _LOADED = 1, 2  # flags of sections
_COMMON = 0xFFF2  # the "section" of symbols that a linker makes room for
_ABSOLUTE_64 = 1  # R_X86_64_64


class NotLoadable(Exception):
    """The object cannot be brought into memory here; says why."""


@functools.cache
def why_not() -> str:
    """Why objects cannot be loaded on this system; empty where they can."""
    if sys.platform != "linux" or os.uname().machine != "x86_64":
        return "machine code is kept on Linux on x86-64 only"
    return ""


class _Section(NamedTuple):
    name: int
    kind: int
    flags: int
    address: int
    offset: int
    size: int
    link: int
    info: int
    alignment: int
    entry_size: int

    @property
    def is_loaded(self) -> bool:
        return bool(self.flags & _LOADED) and self.kind != _UNWINDING


class Image:
    """An object in memory, as long as this is there. ``addresses``: of what it exports."""

    def __init__(self, code: bytes, symbols: Mapping[str, int], exports: Sequence[str]) -> None:
        """``symbols``: addresses of what the code uses; others are looked for in the process.

        Raises NotLoadable."""
        self._code = code
        header = _HEADER.unpack_from(code)
        table, size, count = header[6], header[11], header[12]
        self._sections = [_Section(*_SECTION.unpack_from(code, table + size * k)) for k in range(count)]
        self._map()
        values = self._values(symbols)
        for section in self._sections:
            if section.kind == _RELOCATIONS and section.info in self._places:
                self._relocate(section, values)
        self._make_executable()
        self.addresses = {name: self._defined[name] for name in exports}

    def _map(self) -> None:
        """Copy the sections: first those that are only read, then on pages of their own those written to."""
        self._places: dict[int, int] = {}
        loaded = [(k, s) for k, s in enumerate(self._sections) if s.is_loaded]
        end = 0
        for written in (0, _WRITTEN):
            for number, section in loaded:
                if section.flags & _WRITTEN == written:
                    end = -(-end // max(section.alignment, 1)) * max(section.alignment, 1)
                    self._places[number] = end
                    end += section.size
            end = -(-end // mmap.PAGESIZE) * mmap.PAGESIZE
            if not written:
                self._only_read = end
        flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
        self._memory = mmap.mmap(-1, end or mmap.PAGESIZE, flags=flags)
        self._hold = ctypes.c_char.from_buffer(self._memory)
        self._start = ctypes.addressof(self._hold)
        for number, section in loaded:
            if section.kind != _ZEROS:
                at = self._places[number]
                self._memory[at : at + section.size] = self._code[section.offset :][: section.size]

    def _values(self, symbols: Mapping[str, int]) -> list[int | str]:
        """The addresses of all symbols; the names of those that nobody knows."""
        (table,) = [s for s in self._sections if s.kind == _SYMBOLS]
        texts = self._sections[table.link].offset
        values: list[int | str] = []
        self._defined: dict[str, int] = {}
        for at in range(table.offset, table.offset + table.size, _SYMBOL.size):
            text, _, _, number, value, _ = _SYMBOL.unpack_from(self._code, at)
            name = self._code[texts + text : self._code.index(b"\0", texts + text)].decode()
            if number == _COMMON:
                raise NotLoadable(f"a linker has to make room for {name}")
            if number in self._places:
                self._defined[name] = value = self._start + self._places[number] + value
                values.append(value)
            else:
                values.append(symbols.get(name, name) if number == 0 else name)
        return values

    def _relocate(self, section: _Section, values: list[int | str]) -> None:
        start = self._places[section.info]
        for at in range(section.offset, section.offset + section.size, _RELOCATION.size):
            offset, what, more = _RELOCATION.unpack_from(self._code, at)
            if what & 0xFFFFFFFF != _ABSOLUTE_64:
                raise NotLoadable(f"it has a relocation of kind {what & 0xFFFFFFFF}")
            value = values[what >> 32]
            if isinstance(value, str):
                value = values[what >> 32] = _in_process(value)
            _WORD.pack_into(self._memory, start + offset, (value + more) & 0xFFFFFFFFFFFFFFFF)

    def _make_executable(self) -> None:
        protect = ctypes.CDLL(None, use_errno=True).mprotect
        protect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
        if self._only_read and protect(self._start, self._only_read, mmap.PROT_READ | mmap.PROT_EXEC):
            raise NotLoadable(f"the system has no executable memory: {os.strerror(ctypes.get_errno())}")


def _in_process(name: str) -> int:
    """The address of a function that the process has, as of the C library."""
    try:
        return ctypes.cast(getattr(ctypes.CDLL(None), name), ctypes.c_void_p).value or 0
    except AttributeError:
        raise NotLoadable(f"it needs {name or 'a section that is not loaded'}") from None
