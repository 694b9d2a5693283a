"""Posts findings on a pull request, as one comment and as suggested changes."""
