"""Anthropic SDK."""
