"""Folders and files that appear whole or not at all, whenever their writer is stopped.

A folder holds a manifest, and beside it the folder of one *generation*, which the manifest names, with all
other files:

    manifest.json
    generation-k3x0a1/predict.0.graph
    generation-k3x0a1/arrays.safetensors

A new generation is written beside the old one. Then its manifest takes the place of the old manifest, by one
rename, and the old generation is deleted. A file is written beside its place, and renamed. Each is on the
disk before it is renamed.

A text holds a checksum of all its bytes, with zeros in its own place:

>>> text = summed(b'{"crc32": "00000000", "a": 1}')
>>> text, is_intact(text, "eeb7bf8e"), is_intact(text.replace(b"1}", b"2}"), "eeb7bf8e")
(b'{"crc32": "eeb7bf8e", "a": 1}', True, False)
"""

from __future__ import annotations

import json
import os
import shutil
import stat
import tempfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from io import BufferedReader
from pathlib import Path
from typing import Any, TypeVar

from autograph.errors import AutographError
from runtime.arguments import wrong_argument
from runtime.saving.admissible import READ_ERRORS, is_plain_name


class LoadError(AutographError, ValueError):
    """What was saved cannot be loaded: a file is missing, damaged, of a newer version, or not ours."""


def damaged(file: str, reason: object) -> LoadError:
    """The error (not raised) for a file whose contents make no sense."""
    return LoadError(
        f"this is damaged, or was not written by rt.save: {reason}",
        file=file,
        hint="save it again, or load another copy",
    )


NAME = "crc32"
#: the value that stands for the checksum while it is computed
ZEROS = "00000000"


def summed(text: bytes) -> bytes:
    """The text with its checksum in the place of the zeros."""
    return text.replace(_place(ZEROS), _place(f"{zlib.crc32(text):08x}"), 1)


def unsummed(text: bytes, checksum: object) -> bytes:
    """The inverse."""
    return text.replace(_place(checksum), _place(ZEROS), 1)


def is_intact(text: bytes, checksum: object) -> bool:
    """Is it the text that was summed?"""
    return f"{zlib.crc32(unsummed(text, checksum)):08x}" == checksum


def _place(checksum: object) -> bytes:
    return f'"{NAME}": "{checksum}"'.encode()


try:
    import fcntl
except ImportError:  # on Windows
    fcntl = None  # type: ignore[assignment]

MANIFEST = "manifest.json"
INDEX = "index.json"
#: the version from which on files have checksums, and folders generations
CHECKED = 2
_GENERATION = "generation-"
_UNFINISHED = ".new"
#: a manifest, or a graph, is no longer
_MOST = 1 << 26

Found = TypeVar("Found")
Read = TypeVar("Read")


# -- writing -------------------------------------------------------------------------------------------


@contextmanager
def new_folder(path: Path) -> Iterator[Path]:
    """The folder of a new generation, to write into, the manifest too. After an exception it is gone.

    An older folder of ours is replaced. Raises ArgumentError where something else is in the way.
    """
    check_place(path)
    is_new = not path.exists()
    path.mkdir(parents=True, exist_ok=True)
    with alone_in(path) as is_alone:
        made = Path(tempfile.mkdtemp(prefix=_GENERATION, dir=path))
        try:
            os.chmod(made, 0o777 & ~_umask())  # mkdtemp's is for its owner alone
            yield made
            for file in (*made.iterdir(), made):
                _flush(file)
            os.replace(made / MANIFEST, path / MANIFEST)
        except BaseException:
            shutil.rmtree(made, ignore_errors=True)
            if is_new:
                with suppress(OSError):
                    path.rmdir()
            raise
        _flush(path)
        for other in path.iterdir() if is_alone else ():
            if other.name not in (MANIFEST, made.name):
                _remove(other)


def check_place(path: Path) -> None:
    """Refuse to write over what is not ours."""
    if not path.exists() or (path.is_dir() and is_ours(path)):
        return
    raise wrong_argument(
        f"{str(path)!r} exists, and is no folder that this function has written",
        "give the name of a new folder",
        "path",
    )


def is_ours(path: Path) -> bool:
    """Has rt.save written this folder, or begun to, or is it empty?"""
    return (path / MANIFEST).is_file() or all(one.name.startswith(_GENERATION) for one in path.iterdir())


@contextmanager
def new_file(path: Path) -> Iterator[Path]:
    """A file to write, which takes the place of ``path`` at the end; after an exception it is gone."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with alone_in(path.parent) as is_alone:
        if is_alone:
            remove_unfinished(path.parent, path.name)
        with replaced(path) as made:
            yield made


@contextmanager
def replaced(path: Path) -> Iterator[Path]:
    """The same where the writer is ``alone_in`` the folder already."""
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=_UNFINISHED, dir=path.parent)
    os.close(handle)
    made = Path(name)
    try:
        yield made
        os.chmod(made, 0o666 & ~_umask())
        _flush(made)
        os.replace(made, path)
    except BaseException:
        made.unlink(missing_ok=True)
        raise
    _flush(path.parent)


def remove_unfinished(folder: Path, name: str = "") -> None:
    """Delete what writers that were killed have left of files, or of the file of this name."""
    for file in folder.iterdir():
        if file.name.startswith(f".{name}") and file.name.endswith(_UNFINISHED):
            file.unlink(missing_ok=True)


@contextmanager
def alone_in(folder: Path) -> Iterator[bool]:
    """Wait until no other writer of ours is in this folder, be it a thread or a process.

    False where the system has no such locks: two writers at once leave whole files, and what a killed one
    has left stays.
    """
    if fcntl is None:
        yield False
        return
    descriptor = os.open(folder, os.O_RDONLY)
    _locks.add(descriptor)
    try:
        is_alone = True
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        except OSError:  # a file system of a network
            is_alone = False
        yield is_alone
    finally:
        if descriptor in _locks:
            _locks.discard(descriptor)
            os.close(descriptor)


_locks: set[int] = set()


def _leave_locks() -> None:
    """A child that was forked meanwhile has no part in them, and may live longer."""
    for descriptor in _locks:
        os.close(descriptor)
    _locks.clear()


if fcntl is not None:
    os.register_at_fork(after_in_child=_leave_locks)


def _flush(path: Path) -> None:
    """Put a file on the disk, so that it is whole after a loss of power, too; or the names in a folder."""
    is_file = path.is_file()
    if not is_file and fcntl is None:
        return
    descriptor = os.open(path, os.O_RDWR if is_file else os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def write_json(file: Path, value: dict[str, Any]) -> None:
    """Write it with a checksum."""
    text = json.dumps({NAME: ZEROS, **value}, indent=1, ensure_ascii=False) + "\n"
    file.write_bytes(summed(text.encode()))


# -- reading -------------------------------------------------------------------------------------------


@contextmanager
def opened(file: Path) -> Iterator[tuple[BufferedReader, int]]:
    """A file to read, and its size. Raises LoadError where it is no file proper: a pipe would never end."""
    found = file.stat()
    if not stat.S_ISREG(found.st_mode):
        raise damaged(str(file), "it is no file proper")
    with open(file, "rb") as source:
        yield source, found.st_size


def read_text(file: Path) -> bytes:
    """All of a manifest or a graph. Raises LoadError where it is far too long."""
    with opened(file) as (source, size):
        if size > _MOST:
            raise damaged(str(file), f"it has {size} bytes, where {_MOST} are more than it takes")
        return source.read(size)


def read_manifest(folder: Path, kind: str, version: int, name: str = MANIFEST) -> dict[str, Any]:
    """The manifest of a folder of this kind, and at most of this version. Raises LoadError."""
    file = folder / name
    try:
        text = read_text(file)
        manifest = json.loads(text)
    except FileNotFoundError:
        what = "this folder was not written by rt.save" if folder.exists() else "there is no such folder"
        raise LoadError(
            what, file=str(folder), hint="give the folder that was named when it was saved"
        ) from None
    except LoadError:
        raise
    except OSError as error:
        raise LoadError(f"this cannot be read: {error.strerror}", file=str(file)) from None
    except READ_ERRORS as error:
        raise damaged(str(file), error) from None
    if not isinstance(manifest, dict) or not isinstance(manifest.get("format"), str):
        raise damaged(str(file), "it does not say what it is")
    if NAME in manifest and not is_intact(text, manifest[NAME]):
        raise damaged(str(file), "its contents are not those that were saved")
    if manifest["format"] != kind:
        raise LoadError(
            f"this holds {manifest['format']}, not {kind}",
            file=str(folder),
            hint=_READERS.get(manifest["format"]),
        )
    if not isinstance(manifest.get("version"), int) or manifest["version"] < 1:
        raise damaged(str(file), "it has no version")
    if manifest["version"] > version:
        raise LoadError(
            f"this is of version {manifest['version']}, and this package reads up to version {version}",
            file=str(folder),
            hint="update the package, or save it again with this version",
        )
    if is_checked(manifest) and NAME not in manifest:
        raise damaged(str(file), "it has no checksum")
    return manifest


def is_checked(manifest: dict[str, Any]) -> bool:
    """Do its files have checksums? Those of the first version had none, but for graphs."""
    return bool(manifest["version"] >= CHECKED)


def generation_of(folder: Path, manifest: dict[str, Any]) -> Path:
    """The folder with the files that a manifest speaks of. Raises ValueError, KeyError."""
    if not is_checked(manifest):
        return folder
    if not is_plain_name(manifest["generation"]):
        raise ValueError(f"{manifest['generation']!r} is no name of a folder in this one")
    return folder / manifest["generation"]


def read_while_written(find: Callable[[], Found], read: Callable[[Found], Read]) -> Read:
    """What ``read`` makes of a manifest; from the start again where a writer has replaced it meanwhile."""
    found = find()
    while True:
        try:
            return read(found)
        except LoadError:
            now = find()
            if now == found:
                raise
            found = now


FUNCTIONS = "saved functions"
CHECKPOINTS = "checkpoints"
OBJECTS = "objects of runtime.tf"
_READERS = {
    CHECKPOINTS: "rt.CheckpointFolder(folder).restore(...) reads checkpoints",
    FUNCTIONS: "rt.load reads saved functions",
    OBJECTS: "tf.saved_model.load reads objects of runtime.tf",
}
