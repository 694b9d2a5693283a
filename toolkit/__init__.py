"""Write, check and run the tools that language models call."""

__version__ = "0.1.0"
