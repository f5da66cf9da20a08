"""Folders and files that appear whole or not at all: written beside their place, then renamed."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from runtime.arguments import wrong_argument
from runtime.saving.data import READ_ERRORS
from runtime.saving.errors import LoadError, damaged

MANIFEST = "manifest.json"
INDEX = "index.json"


@contextmanager
def new_folder(path: Path) -> Iterator[Path]:
    """A folder to write into, which takes the place of ``path`` at the end; after an exception it is gone.

    An older folder of ours is replaced. Raises ArgumentError where something else is in the way.
    """
    check_place(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix=f".{path.name}.", dir=path.parent))
    try:
        os.chmod(folder, 0o777 & ~_umask())  # mkdtemp's is for its owner alone
        yield folder
        _put_in_place(folder, path)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise


def check_place(path: Path) -> None:
    """Refuse to write over what is not ours."""
    if not path.exists() or (path.is_dir() and (is_ours(path) or not any(path.iterdir()))):
        return
    raise wrong_argument(
        f"{str(path)!r} exists, and is no folder that this function has written",
        "give the name of a new folder",
        "path",
    )


def is_ours(path: Path) -> bool:
    """Has rt.save, or a checkpoint, written this folder?"""
    return (path / MANIFEST).is_file()


def _put_in_place(folder: Path, path: Path) -> None:
    if not path.exists():
        os.rename(folder, path)
        return
    old = Path(tempfile.mkdtemp(prefix=f".{path.name}.old.", dir=path.parent))
    os.rename(path, old / "was")
    try:
        os.rename(folder, path)
    except OSError:
        os.rename(old / "was", path)
        raise
    finally:
        shutil.rmtree(old, ignore_errors=True)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


@contextmanager
def new_file(path: Path) -> Iterator[Path]:
    """A file to write, which takes the place of ``path`` at the end; after an exception it is gone."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    os.close(handle)
    made = Path(name)
    try:
        yield made
        os.chmod(made, 0o666 & ~_umask())
        os.replace(made, path)
    except BaseException:
        made.unlink(missing_ok=True)
        raise


def write_json(file: Path, value: Any) -> None:
    file.write_text(json.dumps(value, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def read_manifest(folder: Path, kind: str, version: int, name: str = MANIFEST) -> dict[str, Any]:
    """The manifest of a folder of this kind, and at most of this version. Raises LoadError."""
    file = folder / name
    try:
        manifest = json.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        what = "this folder was not written by rt.save" if folder.exists() else "there is no such folder"
        raise LoadError(
            what, file=str(folder), hint="give the folder that was named when it was saved"
        ) from None
    except OSError as error:
        raise LoadError(f"this cannot be read: {error.strerror}", file=str(file)) from None
    except READ_ERRORS as error:
        raise damaged(str(file), error) from None
    if not isinstance(manifest, dict) or not isinstance(manifest.get("format"), str):
        raise damaged(str(file), "it does not say what it is")
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
    return manifest


FUNCTIONS = "saved functions"
CHECKPOINTS = "checkpoints"
OBJECTS = "objects of runtime.tf"
_READERS = {
    CHECKPOINTS: "rt.Checkpoints(folder).restore(...) reads checkpoints",
    FUNCTIONS: "rt.load reads saved functions",
    OBJECTS: "tf.saved_model.load reads objects of runtime.tf",
}
