"""Run the blocks of a documentation page and compare what they print with what the page says.

The Python blocks of a page run in order in one module. That module is a real file in the page's scratch
folder, and each block stands in it at the line it has on the page; so functions can be converted, and a
traceback that says `tutorial.py, line 42` means line 42 of tutorial.md.
"""

import ast
import contextlib
import importlib
import io
import linecache
import os
import re
import shutil
import subprocess
import sys
import traceback
import types
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import tests.quiet  # noqa: F401
from tests.guide.markdown import Block, read_blocks

ROOT = Path(__file__).resolve().parents[2]
SHOWN_ONLY = {"", "text", "toml", "yaml", "c", "llvm", "diff", "html", "make", "markdown"}


@dataclass(frozen=True)
class Outcome:
    """What the block at `line` of the page printed, and the block that says what it should have printed."""

    line: int
    printed: str
    expected: Block | None

    @property
    def agrees(self) -> bool:
        return matches(self.expected.text if self.expected else "", self.printed)


def pages() -> list[Path]:
    """README.md and every page of docs/, as paths from the root of the repository."""
    found = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    return [path.relative_to(ROOT) for path in found]


def matches(expected: str, printed: str) -> bool:
    """Compare line by line; `...` in a line stands for any characters, a line `...` for any lines.

    >>> matches("took ... ms\\n", "took 12.3 ms\\n")
    True
    >>> matches("first\\n...\\nlast\\n", "first\\n2\\n3\\nlast\\n")
    True
    >>> matches("1\\n", "2\\n")
    False
    """
    pattern = ""
    for line in expected.rstrip().splitlines():
        if line.strip() == "...":
            pattern += r"(?:.*\n)*?"
        else:
            pattern += ".*".join(re.escape(part) for part in line.rstrip().split("...")) + r"\n"
    tidy = "".join(line.rstrip() + "\n" for line in printed.rstrip().splitlines())
    return re.fullmatch(pattern, tidy) is not None


def run_page(name: str, text: str, scratch: Path) -> list[Outcome]:
    """Run every block of a page in the folder `scratch`; `name` is the name of its module."""
    blocks = read_blocks(text)
    module = types.ModuleType(name)
    module.__file__ = f"{name}.py"
    outcomes: list[Outcome] = []
    with _standing_in(scratch), _installed(module):
        imports = _write_module(module.__file__, blocks)
        for block, following in zip(blocks, [*blocks, None][1:], strict=True):
            if block.not_run is not None:
                continue
            if "title" in block.options:
                _write_file(block)
            elif block.language == "python":
                expected = following if following is not None and _is_output(following) else None
                printed = _run_python(block, imports, module, expected)
                outcomes.append(Outcome(block.line, printed, expected))
            elif block.language == "console":
                outcomes.extend(_run_console(block))
            elif block.language not in SHOWN_ONLY:
                raise ValueError(f"line {block.line}: cannot run a block of {block.language!r}")
    return outcomes


def _is_output(block: Block) -> bool:
    return block.language == "text" and block.not_run is None


def _write_file(block: Block) -> None:
    path = Path(block.options["title"])
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(block.text, encoding="utf-8")


def _runs_as_python(block: Block) -> bool:
    return block.language == "python" and block.not_run is None and "title" not in block.options


def _write_module(filename: str, blocks: list[Block]) -> str:
    """Write the page's module; returns the names it imports, as a line that does nothing.

    CPython compiles `np.sum(x)` in another way where it sees that `np` is imported. A block is compiled
    alone, but has to become the code that its file says; so it is shown all imports of the page.
    """
    lines: list[str] = []
    for block in filter(_runs_as_python, blocks):
        lines += [""] * (block.line - 1 - len(lines)) + block.text.splitlines()
    text = "\n".join(lines) + "\n"
    Path(filename).write_text(text, encoding="utf-8")
    linecache.checkcache(filename)
    imports = [
        ast.unparse(node) for node in ast.parse(text).body if isinstance(node, ast.Import | ast.ImportFrom)
    ]
    return f"if 0: {'; '.join(imports or ['pass'])}"


def _run_python(block: Block, imports: str, module: types.ModuleType, expected: Block | None) -> str:
    """What the block prints, to either stream. An exception is part of that if the page shows it."""
    text = imports + "\n" * (block.line - 1) + block.text
    code = compile(text, str(module.__file__), "exec", dont_inherit=True)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
        try:
            exec(code, module.__dict__)
        except Exception as error:
            if expected is None or type(error).__name__ not in expected.text:
                raise
            printed.write("".join(traceback.format_exception_only(error)))
    return printed.getvalue()


def _run_console(block: Block) -> Iterator[Outcome]:
    """One outcome per `$ command`; what stands under it up to the next is what it should print."""
    lines = block.text.splitlines()
    starts = [at for at, line in enumerate(lines) if line.startswith("$ ")]
    if not starts or starts[0] != 0:
        raise ValueError(f"line {block.line}: a console block begins with `$ command`")
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        expected = "".join(line + "\n" for line in lines[start + 1 : end])
        line = block.line + start
        wanted = Block("text", {}, expected, line + 1, block.indent)
        yield Outcome(line, _run_command(lines[start][2:], line), wanted)


def _run_command(command: str, line: int) -> str:
    """What a shell command prints. `command; echo $?` shows the status; else it has to be zero."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    environment = os.environ | {"PATH": path, "PYTHONPATH": str(ROOT), "NO_COLOR": "1", "COLUMNS": "80"}
    installed = shutil.which("autograph", path=path) is not None
    prelude = "" if installed else 'autograph() { python -m autograph "$@"; }; '
    done = subprocess.run(
        ["bash", "-c", prelude + command],
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
    )
    if done.returncode:
        raise AssertionError(f"line {line}: {command!r} ended with {done.returncode}:\n{done.stdout}")
    return done.stdout


@contextlib.contextmanager
def _installed(module: types.ModuleType) -> Iterator[None]:
    """The page's module can be found by its name, as dataclasses and pickle do."""
    before = sys.modules.get(module.__name__)
    sys.modules[module.__name__] = module
    importlib.invalidate_caches()
    try:
        yield
    finally:
        if before is None:
            del sys.modules[module.__name__]
        else:
            sys.modules[module.__name__] = before
        linecache.checkcache(module.__file__)


@contextlib.contextmanager
def _standing_in(folder: Path) -> Iterator[None]:
    with contextlib.chdir(folder):
        yield
