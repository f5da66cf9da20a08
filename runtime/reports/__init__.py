"""What is said of a function: `explain()`, and `check="first"`, which runs it beside plain Python."""
