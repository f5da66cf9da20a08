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

    files.append(File.generated(config, "errors/every-message.md", content=every_message()))
    return files
