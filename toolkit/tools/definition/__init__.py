"""What defines a tool: its specification, and what is read from the signature, types and docstring of a function."""
