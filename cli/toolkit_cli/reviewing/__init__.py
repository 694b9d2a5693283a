"""Asks on the terminal whether a call may run."""
