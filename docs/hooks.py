"""Pages and pictures that `make docs` makes and that nobody keeps: mkdocs.yml names this file."""

from __future__ import annotations

import sys
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

HERE = Path(__file__).parent


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """The pages of docs/, and those that are made."""
    sys.path[:0] = [str(HERE.parent), str(HERE), str(HERE.parent / "examples")]
    import pictures
    import tf_reference

    from tests.errors import table
    from tests.features import page

    for address, content in {
        "errors/every-message.md": table.every_message(),
        "situations/programs.md": page.programs(),
        "reference/tf.md": tf_reference.page(),
    }.items():
        files.append(File.generated(config, address, content=content))
    for name, drawn in pictures.pictures():
        files.append(File.generated(config, f"pictures/{name}", content=drawn))
    return files
