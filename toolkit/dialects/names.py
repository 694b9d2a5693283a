"""Lists the dialects."""

DIALECTS = (
    "openai", "openai-strict", "anthropic", "anthropic-strict", "gemini", "bedrock", "mistral", "ollama", "mcp",
    "json-schema",
)  # fmt: skip
"""The names of the dialects."""
