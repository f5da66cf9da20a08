"""Export a function, traced for these arguments, to an ONNX file.

    autograph export model.py:predict f32[None,784] -o predict.onnx

SPEC is a type (f64[10,None], i64, int), a Python value (3, 'relu'), or NAME=SPEC. Needs the package onnx.
"""

from __future__ import annotations

import argparse

from autograph.cli.files import UsageError
from autograph.cli.functions import arguments_of, function_named
from autograph.cli.specs import parse_spec


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `autograph export`."""
    parser.add_argument("target", metavar="MODULE_OR_FILE:NAME", help="a function; its module is imported")
    parser.add_argument("specs", metavar="SPEC", nargs="*", help="an argument to trace with")
    parser.add_argument("-o", "--output", metavar="OUT.onnx", required=True, help="the file to write")


def run(options: argparse.Namespace) -> int:
    """Import, trace, export."""
    specs = [parse_spec(text) for text in options.specs]
    function = function_named(options.target)
    import runtime

    positional, named = arguments_of(function, specs)
    try:
        runtime.export_onnx(options.output, function, *positional, **named)
    except OSError as error:
        raise UsageError(f"cannot write: {error.strerror}", file=options.output) from None
    return 0
