"""Print the graph that a function becomes.

    autograph graph model.py:relu f64[10,10]
    autograph graph my_package.model:power f64 n=3 --optimized --format dot -o power.dot

SPEC is a type (f64[10,None], i64, int), a Python value (3, 'relu'), or NAME=SPEC.
"""

from __future__ import annotations

import argparse
from typing import Any

from autograph.cli.files import check_not_hidden, write_result
from autograph.cli.functions import Spec, arguments_of, function_named, parse_spec

FORMATS = ("text", "dot")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `autograph graph`."""
    parser.add_argument("target", metavar="MODULE_OR_FILE:NAME", help="a function; its module is imported")
    parser.add_argument("specs", metavar="SPEC", nargs="*", help="an argument to trace with")
    parser.add_argument("--optimized", action="store_true", help="the graph after the passes")
    parser.add_argument("--format", choices=FORMATS, default="text", help="default: text")
    parser.add_argument("-o", "--output", metavar="OUT", help="write to this file instead of printing")


def run(options: argparse.Namespace) -> int:
    """Import, trace, print."""
    specs = [parse_spec(text) for text in options.specs]
    function = function_named(options.target)
    write_result(graph_text(function, specs, options), options.output)
    return 0


def graph_text(function: Any, specs: list[Spec], options: argparse.Namespace) -> str:
    """Trace `function` and format its graph."""
    check_not_hidden()
    import runtime
    from runtime.formats.dot import to_dot

    positional, named = arguments_of(function, specs)
    staged = function if hasattr(function, "get_concrete_function") else runtime.function(function)
    concrete = staged.get_concrete_function(*positional, **named)
    graph = concrete.optimized if options.optimized else concrete.graph
    if options.format == "text":
        return str(graph)
    return to_dot(graph)
