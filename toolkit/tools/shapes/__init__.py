"""Shapes describe and validate the arguments of tools; they are built from annotations or JSON Schemas."""
