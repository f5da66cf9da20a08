"""A decorated function: its signatures, its traces, and what a call does."""
