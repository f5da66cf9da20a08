"""Functions, and what variables hold, in files: no pickle, no source, nothing that loading would run."""
