"""What the tests of the command line share."""

import sys
from pathlib import Path

import pytest

from autograph.cli import main


@pytest.fixture
def autograph(capsys):
    """Run a command; returns exit status, stdout, stderr."""

    def run(*arguments):
        try:
            status = main(list(arguments))
        except SystemExit as stop:  # argparse
            status = stop.code
        out, err = capsys.readouterr()
        return status, out, err

    return run


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty working directory; called with name=text, it writes files there."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))

    def write(files):
        for name, content in files.items():
            path = Path(name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content if isinstance(content, bytes) else content.encode())

    return write
