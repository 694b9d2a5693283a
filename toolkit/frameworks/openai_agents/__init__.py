"""OpenAI Agents."""
