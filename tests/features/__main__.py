"""Say how the rows of the feature table stand: `python -m tests.features [--update] [NAME...]`.

Prints each row that is not right, with the first lines of why, then the counts. `--update` writes the rows
that are refused properly to refused.py (never those that are wrong).
"""

from __future__ import annotations

import argparse
import pathlib
from collections import Counter

from tests.differential import ENGINES, Refused
from tests.features import registry
from tests.programs import Program, Programs


def main() -> None:
    rows = registry.load()
    sections: dict[str, list[str]] = {}
    for section, name in registry.table():
        sections.setdefault(section, []).append(name)
    run_command("tests.features", rows, [name for _, name in registry.table()], __file__, sections)


def run_command(
    module: str,
    rows: Programs,
    order: list[str],
    file: str,
    sections: dict[str, list[str]] | None = None,
) -> None:
    """The command line of a package of rows."""
    parser = argparse.ArgumentParser(prog=f"python -m {module}", description=__doc__)
    parser.add_argument("rows", nargs="*", help="names of rows, or of sections; all by default")
    parser.add_argument("--engine", action="append", choices=[*ENGINES, "convert", "jax"])
    parser.add_argument("--update", action="store_true", help="write refused.py")
    parser.add_argument("--full", action="store_true", help="print whole messages")
    options = parser.parse_args()
    chosen = {name for word in options.rows for name in (sections or {}).get(word, [word])}
    counts: Counter[tuple[str, str]] = Counter()
    refused = set()
    for name in order if not options.rows else [name for name in order if name in chosen]:
        for engine in options.engine or ENGINES:
            status, reason = state_of(rows[name], engine)
            counts[engine, status] += 1
            refused |= {name} if status == "refused" else set()
            if status != "right":
                text = reason if options.full else "\n    ".join(reason.splitlines()[:4])
                print(f"{status:8} {engine:8} {name}\n    {text}", flush=True)
    for (engine, status), count in sorted(counts.items()):
        print(f"{engine:8} {status:8} {count:4}")
    if options.update and not options.rows:
        write_refused(pathlib.Path(file).parent / "refused.py", refused)


def state_of(row: Program, engine: str) -> tuple[str, str]:
    """("right" | "refused" | "WRONG", why)."""
    try:
        if row.run(engine, may_refuse=True):
            return "right", ""
        row.run(engine)
    except Refused as error:
        return "refused", str(error)
    except Exception as error:
        return "WRONG", f"{type(error).__name__}: {error}"
    return "WRONG", "refused at first and then not"


def write_refused(path: pathlib.Path, names: set[str]) -> None:
    """Replace the table in refused.py."""
    head = path.read_text().partition("REFUSED")[0]
    lines = "".join(f'    "{name}": True,\n' for name in sorted(names))
    table = "{\n" + lines + "}" if names else "{}"
    path.write_text(f"{head}REFUSED: dict[str, bool] = {table}\n")


if __name__ == "__main__":
    main()
