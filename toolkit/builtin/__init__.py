"""The ready tools: one a file, each safe enough for a model to hold."""
