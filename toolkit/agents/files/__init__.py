"""Agents in files: YAML that says what a model is told and offered, and what may come before what."""
