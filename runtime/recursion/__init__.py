"""Functions of a graph: calls of a function that is under way already."""

from autograph.loading import later

later(__name__, "guarded_calls")
