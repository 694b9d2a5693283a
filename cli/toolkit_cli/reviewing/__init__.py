"""Reviewing: the console asks whether a call may run, and obeys."""
