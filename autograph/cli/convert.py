"""Print converted source, of a module or of one function in it.

The text of a module imports and runs.

    autograph convert model.py:relu
    autograph convert model.py -o converted_model.py
"""

from __future__ import annotations

import argparse
import ast

from autograph import modules, source
from autograph.cli.files import Target, find_definition, parse_target, read_program, write_result
from autograph.deep import with_room


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `autograph convert`."""
    parser.add_argument("target", metavar="FILE[:NAME]", help="a Python file, and a function or class in it")
    parser.add_argument("-o", "--output", metavar="OUT", help="write to this file instead of printing")


def run(options: argparse.Namespace) -> int:
    """Convert, and print or write."""
    write_result(converted(parse_target(options.target)), options.output)
    return 0


def converted(target: Target) -> str:
    """The text that the file, or what is named in it, becomes."""
    shown = "<stdin>" if target.file == "-" else target.file
    text = read_program(target.file)
    if target.name is not None:
        find_definition(source.parse_program(text, shown), target.name, shown)  # the error names their file
    made = modules.convert_source(text, shown)
    if target.name is None:
        return made
    part = with_room(ast.unparse, find_definition(source.parse_text(made, shown), target.name, shown))
    return f"{modules.IMPORT}\n\n{part}\n" if "ag__" in part else f"{part}\n"
