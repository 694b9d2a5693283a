"""One run: what its tools know in common, what was called, what it cost, and to whom it speaks. Pure data."""
