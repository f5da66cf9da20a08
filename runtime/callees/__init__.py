"""Calls of what is not converted: builtins, library functions, what acts on the world."""

from autograph.loading import later

later(__name__, "method_calls", "overridden", "run_time_calls", "user_streams")
