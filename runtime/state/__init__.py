"""State that outlives a call: variables, and modules that collect them."""
