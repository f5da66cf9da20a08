"""Settings that all tests share."""

from hypothesis import settings

# A slow machine is no failure, so no deadlines. The suite tries the same examples each time, so that a
# failure is there for the next person too; `make fuzz` tries new ones.
settings.register_profile("suite", deadline=None, derandomize=True)
settings.load_profile("suite")
