"""The command line: `autograph check`, `explain`, `graph` and so on; also `python -m autograph`.

Exit status: 0 done, 1 the code is refused, 2 the command or its input is wrong. Errors go to stderr as
`file:line:column: message`, with the source line and what to write instead.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from typing import IO, NoReturn

from autograph.loading import later

later(__name__, "checking")
from autograph import __version__
from autograph.cli import check, convert, explain, graph, tree
from autograph.cli.files import UsageError
from autograph.deep import too_deep
from autograph.errors import AutographError, SourceNotFoundError, SourceSyntaxError, did_you_mean

COMMANDS = {"check": check, "explain": explain, "convert": convert, "tree": tree, "graph": graph}


class _Parser(argparse.ArgumentParser):
    """Errors as one line and a hint, with the exit status of bad usage."""

    def error(self, message: str) -> NoReturn:
        hint = ""
        if "invalid choice: " in message:
            wrong = message.split("invalid choice: ", 1)[1].split("'")[1]
            choices = [name for action in self._actions for name in map(str, action.choices or ())]
            hint = did_you_mean(wrong, choices)
        elif message.startswith("unrecognized arguments: -"):
            wrong = message.removeprefix("unrecognized arguments: ").split()[0].split("=")[0]
            hint = did_you_mean(wrong, self._option_string_actions)
        command = self.prog
        self.exit(2, f"{command}: {message}{hint}\n{command}: `{command} --help` shows what it takes\n")


_EXAMPLES = """\
examples:
  autograph check src/                      what would be staged below src/, and what cannot be
  autograph explain model.py:relu           a function beside what becomes of each statement
  autograph convert model.py -o out.py      a converted file that imports and runs
  autograph graph model.py:relu f64[10]     the graph of a call with an array of ten numbers

`autograph COMMAND --help` says more. The exit status is 0 when all is well, 1 when code is refused
or findings are reported, 2 when the command or its input is wrong.
"""


def parser() -> argparse.ArgumentParser:
    """The parser of the whole command line."""
    top = _Parser(
        prog="autograph",
        description="Rewrite Python control flow so that values may stage it.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    top.add_argument(
        "--version", action="version", version=f"autograph {__version__}", help="print the version"
    )
    commands = top.add_subparsers(dest="command", metavar="COMMAND", required=True, parser_class=_Parser)
    for name, module in COMMANDS.items():
        command = commands.add_parser(
            name,
            help=(module.__doc__ or "").partition("\n")[0],
            description=module.__doc__,
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
        )
        module.add_arguments(command)
        command.set_defaults(run=module.run, parser=command)
    return top


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit status."""
    options, unknown = parser().parse_known_args(arguments)
    if unknown:
        options.parser.error("unrecognized arguments: " + " ".join(unknown))
    try:
        status: int = options.run(options)
        if sys.stdout is not None:
            sys.stdout.flush()
        return status
    except AutographError as error:
        print(error, file=sys.stderr)
        return 2 if isinstance(error, (UsageError, SourceSyntaxError, SourceNotFoundError)) else 1
    except (RecursionError, MemoryError):
        print(too_deep(), file=sys.stderr)
        return 1
    except BrokenPipeError:
        # The reader has gone (`| head`). Python would complain once more when it flushes at exit.
        _discard(sys.stdout)
        return 1
    except OSError as error:  # of standard output: what reads and writes files has errors of its own
        _discard(sys.stdout)
        print(UsageError(f"cannot write: {error.strerror}", file="<stdout>"), file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130


def _discard(stream: IO[str]) -> None:
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
