"""Print a function with a margin that says what becomes of each statement. Nothing is run.

    autograph explain model.py:relu
    autograph explain model.py:Net

In the margin: `staged if: y` can be handed to a stage, together with the variable y; `Python` stays as it
is, for the reason below; `asks: and` is an expression that a stage is asked about; where nothing stands,
nothing changes.
"""

from __future__ import annotations

import argparse

from autograph import source
from autograph.cli.files import find_definition, parse_target, read_program, with_room_for, write_result
from autograph.report import formats, statements


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `autograph explain`."""
    parser.add_argument("target", metavar="FILE[:NAME]", help="a Python file, and a function or class in it")
    parser.add_argument("-o", "--output", metavar="OUT", help="write to this file instead of printing")


def run(options: argparse.Namespace) -> int:
    """Print the lines and their margin."""
    target = parse_target(options.target)
    shown = "<stdin>" if target.file == "-" else target.file
    text = read_program(target.file)
    report = with_room_for(shown, statements.report_on, text, shown)
    first, last = 1, len(report.lines)
    if target.name is not None:
        node = find_definition(source.parse_text(text, shown), target.name, shown)
        decorators = getattr(node, "decorator_list", None)
        first = decorators[0].lineno if decorators else node.lineno
        last = node.end_lineno or last
    write_result(formats.annotated(report, first, last), options.output)
    return 0
