"""Lists, dicts, sets and deques whose length or keys only a run knows."""
