"""Lists, dicts, sets and deques whose length or keys only a run knows."""

from autograph.loading import later

later(__name__, "container_loops", "default_factories", "membership", "stars", "watching")
