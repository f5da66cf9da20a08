"""What conversion makes of a program, found without running it: `autograph check`, `autograph explain`.

* **Reports** (`report/`): `autograph check` and `explain` convert the program and read off what
  became of each statement, so they need no rules of their own. `statements.py` says why a statement
  stays (`analysis/static.py` decides), `findings.py` lists the findings, each with an example; tests
  run the examples, so a finding whose example can be staged by now fails.
"""

from autograph.loading import later

later(__name__, "formats", "statements")
