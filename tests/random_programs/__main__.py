"""`python -m tests.random_programs`: see long_run.py."""

import sys

from tests.random_programs.long_run import main

if __name__ == "__main__":
    sys.exit(main())
