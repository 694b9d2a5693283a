"""Claude Agent SDK."""
