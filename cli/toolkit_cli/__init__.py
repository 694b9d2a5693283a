"""The command line of toolkit: parse, call, render, exit."""
