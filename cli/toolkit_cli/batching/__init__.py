"""Batching: one tool for every item of a file, from what was typed to what came of them all."""
