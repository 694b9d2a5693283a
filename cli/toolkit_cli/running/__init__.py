"""Running: one call from the shell, from the questions it may raise to how it ended."""
