"""pydantic-ai."""
