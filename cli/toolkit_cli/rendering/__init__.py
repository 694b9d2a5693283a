"""Renders problems, tools, schemas and events as text, JSON and annotations; nothing here writes output."""
