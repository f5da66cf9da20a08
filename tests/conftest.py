"""Settings that all tests share."""

import os

from hypothesis import settings

# A slow machine is no failure, so no deadlines. The suite tries the same examples each time, so that a
# failure is there for the next person too; `make fuzz` tries new ones.
settings.register_profile("suite", deadline=None, derandomize=True)
settings.register_profile(
    "fuzz", deadline=None, max_examples=int(os.environ.get("AUTOGRAPH_FUZZ_PROGRAMS", 1000))
)
settings.load_profile("fuzz" if "AUTOGRAPH_FUZZ_PROGRAMS" in os.environ else "suite")
