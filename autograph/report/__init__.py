"""What conversion makes of a program, found without running it: `autograph check`, `autograph explain`."""
