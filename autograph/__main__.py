"""`python -m autograph`: the command line."""

import sys

from autograph.cli import main

sys.exit(main())
