"""Linting: what the command `lint` does with the findings, apart from showing them."""
