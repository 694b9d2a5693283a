"""Runs checks for `toolkit lint`: baselines, fixes, suppressions, stdin and watching."""
