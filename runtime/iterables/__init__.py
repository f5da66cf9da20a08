"""What is iterated over in a trace: items, iterators, generators, comprehensions."""

from autograph.loading import later

later(__name__, "comprehensions")
