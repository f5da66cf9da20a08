"""What stages for other people's values share: what a statement changes, in objects and arrays."""
