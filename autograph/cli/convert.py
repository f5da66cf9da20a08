"""Print converted source, of a module or of one function in it.

The result imports and runs: of one function, with those definitions of its module that it needs.

    autograph convert model.py
    autograph convert model.py -o converted_model.py
"""

from __future__ import annotations

import argparse
import ast

from autograph import conversion, modules, source
from autograph.cli.files import Target, find_definition, parse_target, read_program, write_result
from autograph.cli.needed import needed_for
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
    from gast import ast_to_gast

    shown = "<stdin>" if target.file == "-" else target.file
    text = read_program(target.file)
    if target.name is not None:
        tree = source.parse_program(text, shown)
        wanted = find_definition(tree, target.name, shown)
        if not modules.is_converted_text(tree):
            # While the lines are those of the file.
            conversion.check_no_reserved_name(with_room(ast_to_gast, tree), shown)
        text = with_room(ast.unparse, ast.Module(needed_for(tree, wanted), []))
    return modules.convert_source(text, shown)
