"""Run a saved function on the arrays of an npz file.

    autograph run predict images.npz -o predictions.npz
    autograph run net images.npz --function predict

The names in INPUT.npz are those of the parameters. Without -o the result is printed; with it, a single
array is called `result`, and the parts of a structure by the way that leads to them: `result[0]`.
"""

from __future__ import annotations

import argparse

from autograph.cli.files import UsageError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `autograph run`."""
    parser.add_argument("folder", metavar="DIR", help="a folder that `autograph save` has written")
    parser.add_argument("input", metavar="INPUT.npz", nargs="?", help="the arguments")
    parser.add_argument("--function", metavar="NAME", help="which function, where the folder holds several")
    parser.add_argument("-o", "--output", metavar="OUT.npz", help="write to this file instead of printing")


def run(options: argparse.Namespace) -> int:
    """Load, run, print or write."""
    from runtime.saving.npz import function_in, run_on, write_npz

    function = function_in(options.folder, options.function)
    try:
        result = run_on(function, options.input)
        if options.output:
            write_npz(options.output, result)
        else:
            print(result)
    except OSError as error:
        raise UsageError(f"{error.strerror}", file=error.filename) from None
    return 0
