"""What is said of a function: `explain()`, and `check="first"`, which runs it beside plain Python."""

from autograph.loading import later

later(__name__, "checking")
