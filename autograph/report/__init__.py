"""What conversion makes of a program, found without running it: `autograph check`, `autograph explain`."""

from autograph.loading import later

later(__name__, "margin", "statements")
