"""Runs the cases of case files, for `toolkit test` and for pytest."""
