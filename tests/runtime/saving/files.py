"""What is in a saved folder, and changes of it with right checksums, as of a person who means harm."""

import json
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from runtime.saving.folders import MANIFEST, write_json


def generation(folder: Path) -> Path:
    """The folder with the graphs and arrays."""
    (found,) = folder.glob("generation-*")
    return found


def files_in(folder: Path) -> Iterator[Path]:
    """All files, in folders too."""
    return (file for file in sorted(folder.rglob("*")) if file.is_file())


def manifest_of(folder: Path, name: str = MANIFEST) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / name).read_text())
    del found["crc32"]
    return found


def change(folder: Path, edit: Callable[[dict[str, Any]], object], name: str = MANIFEST) -> None:
    """Edit the manifest."""
    manifest = manifest_of(folder, name)
    edit(manifest)
    write_json(folder / name, manifest)


def signature_in(manifest: dict[str, Any]) -> dict[str, Any]:
    """The first signature of the first function."""
    found: dict[str, Any] = next(iter(manifest["functions"].values()))["signatures"][0]
    return found


def write_graph(folder: Path, text: str) -> None:
    """Replace the graph of the first signature."""
    signature = signature_in(manifest_of(folder))
    (generation(folder) / signature["graph"]).write_text(text)
    change(folder, lambda manifest: signature_in(manifest).update(crc32=zlib.crc32(text.encode())))
