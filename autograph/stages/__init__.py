"""Stages for other people's values. Each module here registers its stage when it is imported."""
