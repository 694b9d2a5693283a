"""Opens tools for `toolkit serve`, and serves them over stdio or HTTP."""
