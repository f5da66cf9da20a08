"""Report what would be staged, what cannot be and why. Nothing is run.

    autograph check model.py
    autograph check src/ --quiet --format github
    autograph check model.py:Net.forward --ignore AG302

The exit status is 0 when nothing is wrong, 1 when there are errors or warnings (notes do not count), 2 when
a file cannot be read as Python. A line that says `# autograph: ignore[AG102]` has no such finding.
"""

from __future__ import annotations

import argparse

from autograph.cli import checking

FORMATS = ("text", "json", "github")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `autograph check`."""
    parser.add_argument(
        "targets",
        metavar="FILE[:NAME]",
        nargs="+",
        help="a Python file, a function or class in it, a directory",
    )
    parser.add_argument("--format", choices=FORMATS, default="text", help="default: text")
    parser.add_argument("-q", "--quiet", action="store_true", help="the findings only, not what is staged")
    parser.add_argument("--select", metavar="CODES", help="only findings whose code begins so: AG1,AG202")
    parser.add_argument("--ignore", metavar="CODES", help="no findings whose code begins so")
    parser.add_argument("-o", "--output", metavar="OUT", help="write to this file instead of printing")


def run(options: argparse.Namespace) -> int:
    """Check each file, print what was found."""
    return checking.run(options)
