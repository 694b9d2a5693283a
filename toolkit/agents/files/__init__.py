"""Agents in YAML files, which declare the instructions, the tools and the order of calls."""
