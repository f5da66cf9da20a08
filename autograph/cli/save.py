"""Save a function, traced for these arguments, to a folder that runs without its program.

    autograph save model.py:predict f32[None,784] -o predict
    autograph save model.py:net -o net                         an rt.Module whose methods say their signature

SPEC is a type (f64[10,None], i64, int), a Python value (3, 'relu'), or NAME=SPEC.
"""

from __future__ import annotations

import argparse
from typing import Any

from autograph.cli.files import UsageError
from autograph.cli.functions import arguments_of, value_named
from autograph.cli.specs import parse_spec


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `autograph save`."""
    parser.add_argument("target", metavar="MODULE_OR_FILE:NAME", help="a function; its module is imported")
    parser.add_argument("specs", metavar="SPEC", nargs="*", help="an argument to trace with")
    parser.add_argument("-o", "--output", metavar="DIR", required=True, help="the folder to write")


def run(options: argparse.Namespace) -> int:
    """Import, trace, save."""
    specs = [parse_spec(text) for text in options.specs]
    target = value_named(options.target)
    import runtime

    positional: list[Any] = []
    named: dict[str, Any] = {}
    if specs or (callable(target) and not says_its_signature(target)):
        positional, named = arguments_of(target, specs)
    try:
        runtime.save(options.output, target, *positional, **named)
    except OSError as error:
        raise UsageError(f"cannot write: {error.strerror}", file=options.output) from None
    return 0


def says_its_signature(target: Any) -> bool:
    """Is it a module, or a function that was traced or decorated with an input_signature?"""
    return hasattr(target, "named_variables") or bool(
        getattr(target, "concrete_functions", ()) or getattr(target, "input_signature", ())
    )
