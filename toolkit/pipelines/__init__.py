"""Pipelines: chains of tools that run with no model in between, written in YAML or in Python."""
