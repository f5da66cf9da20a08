"""A decorated function: its signatures, its traces, and what a call does."""

from autograph.loading import later

later(__name__, "differences", "input_signature", "programs")
