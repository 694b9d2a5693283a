"""Shapes: what arguments must look like, made of annotations or of a JSON Schema, and what was sent held against it."""
