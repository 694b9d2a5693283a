"""Wrappers: one behaviour round one tool, a file each; what is round a tool is a tool again."""
