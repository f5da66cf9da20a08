"""Print converted source, of a module or of one function in it.

The result imports and runs: of one function, with those definitions of its module that it needs.

    autograph convert model.py
    autograph convert model.py:relu --diff
    autograph convert model.py -o converted_model.py
"""

from __future__ import annotations

import argparse

from autograph import conversion, modules, printing, source
from autograph.cli import colour
from autograph.cli.diffs import unified
from autograph.cli.files import (
    Program,
    Target,
    find_definition,
    parse_target,
    read_as_written,
    write_result,
)
from autograph.cli.needed import needed_for
from autograph.deep import with_room


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `autograph convert`."""
    parser.add_argument("target", metavar="FILE[:NAME]", help="a Python file, and a function or class in it")
    parser.add_argument("-o", "--output", metavar="OUT", help="write to this file instead of printing")
    parser.add_argument("--diff", action="store_true", help="show what changes, as a unified diff")
    parser.add_argument("--no-color", action="store_true", help="no colours, also on a terminal")


def run(options: argparse.Namespace) -> int:
    """Convert, and print or write."""
    target = parse_target(options.target)
    program, after = convert_target(target)
    encoding = "utf-8"
    if options.diff:
        text, encoding = unified(program.written, after, target.file), program.encoding
        paint = colour.paint_diff
    else:
        text, paint = after, colour.paint_python
    if options.output in (None, "-") and colour.wanted(options.no_color):
        text = paint(text)
    write_result(text, options.output, encoding)
    return 0


def convert_target(target: Target) -> tuple[Program, str]:
    """What is converted, and the text that it becomes."""
    from gast import ast_to_gast

    shown = "<stdin>" if target.file == "-" else target.file
    program = read_as_written(target.file)
    text = program.text
    if target.name is not None:
        tree = source.parse_program(text, shown)
        wanted = find_definition(tree, target.name, shown)
        if not modules.is_converted_text(tree):
            # While the lines are those of the file.
            conversion.check_no_reserved_name(with_room(ast_to_gast, tree), shown)
        text = with_room(printing.part_text, needed_for(tree, wanted), tree, text)
        program = Program(text, text, "utf-8")
    return program, modules.convert_source(text, shown)
