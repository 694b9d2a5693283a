"""Turns the command line, files, stdin and prompts into the arguments of a call."""
