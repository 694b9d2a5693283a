"""Tools: a specification and one way to be called."""
