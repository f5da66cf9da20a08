"""List the syntax tree of a file, or of one function in it, before or after conversion.

    autograph tree model.py:relu
    autograph tree model.py:relu --converted

The nodes are those of Python's own module `ast`.
"""

from __future__ import annotations

import argparse
import ast

from autograph import modules, source
from autograph.cli.files import find_definition, parse_target, read_program, with_room_for, write_result


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `autograph tree`."""
    parser.add_argument("target", metavar="FILE[:NAME]", help="a Python file, and a function or class in it")
    parser.add_argument("--converted", action="store_true", help="the tree after conversion")
    parser.add_argument("-o", "--output", metavar="OUT", help="write to this file instead of printing")


def run(options: argparse.Namespace) -> int:
    """List the tree."""
    import astunparse

    target = parse_target(options.target)
    shown = "<stdin>" if target.file == "-" else target.file
    text = read_program(target.file)
    tree: ast.AST = source.parse_program(text, shown)
    if target.name is not None:
        find_definition(tree, target.name, shown)  # the error names the user's file
    if options.converted:
        tree = source.parse_text(modules.convert_source(text, shown), shown)
    if target.name is not None:
        tree = find_definition(tree, target.name, shown)
    write_result(with_room_for(shown, astunparse.dump, tree), options.output)
    return 0
