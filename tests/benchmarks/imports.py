"""What importing costs: `autograph` beside an empty program, `runtime` beside `numpy`."""

import os
import subprocess
import sys
from pathlib import Path

from tests.benchmarks.measure import paired, readable, report

ROOT = Path(__file__).resolve().parents[2]


def python(program: str) -> None:
    """Run a program in a fresh interpreter that finds both packages."""
    start = f"import sys; sys.path.insert(0, {str(ROOT)!r}); "
    # With compiled bytecode kept, as it is for an installed package; the first run of each does not count.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    subprocess.run([sys.executable, "-c", start + program], check=True, env=environment)


def main(rounds: int = 15) -> None:
    autograph = paired("autograph", lambda: python("import autograph"), lambda: python("pass"), rounds)
    report("import autograph", readable(autograph.difference), "< 50 ms", autograph.difference < 0.050)
    runtime = paired("runtime", lambda: python("import runtime"), lambda: python("import numpy"), rounds)
    report(
        "import runtime beyond import numpy",
        f"{readable(runtime.difference)} ({readable(runtime.theirs)})",
        "< 30 ms",
        runtime.difference < 0.030,
    )


if __name__ == "__main__":
    main()
