"""What a trace reads from outside: where it comes from, and what must still hold at each call."""
