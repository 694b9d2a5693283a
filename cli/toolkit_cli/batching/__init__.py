"""Batches: a tool runs once for each item of a file, and each result is written as a line."""
