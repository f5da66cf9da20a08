"""`tf.saved_model`: an object with its functions and variables in a folder, without Python source or pickle.

A folder holds

    manifest.json         the objects with their attributes, the functions with their traces
    step.0.graph          a graph as text
    arrays.safetensors    variables, and tensors from outside the functions

`rt.save` writes folders of the same kind for functions over arrays; their parts do the work here.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from runtime.graph.verify import VerificationError
from runtime.saving.admissible import READ_ERRORS
from runtime.saving.arrays import write_arrays
from runtime.saving.folders import (
    MANIFEST,
    OBJECTS,
    LoadError,
    damaged,
    new_folder,
    read_manifest,
    read_while_written,
    write_json,
)
from runtime.saving.save import ARRAYS
from runtime.tf.arguments import only
from runtime.tf.loaded_objects import LoadedObjects
from runtime.tf.names import refusing
from runtime.tf.restored import RestoredObject
from runtime.tf.saved_objects import SavedObjects

VERSION = 2


def save(obj: Any, export_dir: Any, signatures: Any = None, options: None = None) -> None:
    """Write an object, its functions that were traced, and its variables.

    signatures: a function with one signature, or a dict of such by name; a loaded object has them as
        `signatures[name]`, called by the names of their arguments, with a dict as result.

    A function is saved with the traces that it has; one with an `input_signature` is traced for it.
    """
    only("tf.saved_model.save", options=(options, None))
    saving = SavedObjects()
    root = saving.object(obj)
    given = {} if signatures is None else signatures if isinstance(signatures, dict) else None
    given = {"serving_default": signatures} if given is None else given
    named = {name: saving.signature(name, one) for name, one in given.items()}
    if not saving.functions:
        raise ValueError(
            f"no function of this {type(obj).__name__} has been traced, so that nothing of it could be"
            " called: call its tf.functions first, give them an input_signature, or give signatures="
        )
    with new_folder(Path(os.fspath(export_dir))) as folder:
        for file, text in saving.texts.items():
            (folder / file).write_bytes(text)
        write_arrays(folder / ARRAYS, saving.arrays)
        manifest = {
            "format": OBJECTS, "version": VERSION, "generation": folder.name, "root": root,
            "objects": saving.objects, "functions": saving.functions, "signatures": named,
            "arrays": saving.entries,
        }  # fmt: skip
        write_json(folder / MANIFEST, manifest)


def load(export_dir: Any, tags: None = None, options: None = None) -> RestoredObject:
    """The object that was saved: its functions, variables and inner objects are attributes.

    Raises LoadError where a file is missing, damaged, of a newer version, or holds what no file may.
    """
    only("tf.saved_model.load", tags=(tags, None), options=(options, None))
    folder = Path(os.fspath(export_dir))
    return read_while_written(
        lambda: read_manifest(folder, OBJECTS, VERSION), lambda manifest: _loaded(folder, manifest)
    )


def _loaded(folder: Path, manifest: dict[str, Any]) -> RestoredObject:
    try:
        return LoadedObjects(folder, manifest).result()
    except LoadError:
        raise
    except (*READ_ERRORS, VerificationError) as error:
        raise damaged(str(folder / MANIFEST), f"{type(error).__name__}: {error}") from None


__getattr__ = refusing(__name__, "tf.saved_model")
