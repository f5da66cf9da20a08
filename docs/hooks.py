"""Pages that `make docs` makes and that nobody keeps: mkdocs.yml names this file."""

from __future__ import annotations

import sys
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

sys.path.insert(0, str(Path(__file__).parents[1]))


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """The pages of docs/, and those that are made."""
    from tests.errors.table import every_message
    from tests.features.page import programs

    for address, content in {
        "errors/every-message.md": every_message(),
        "situations/programs.md": programs(),
    }.items():
        files.append(File.generated(config, address, content=content))
    return files
