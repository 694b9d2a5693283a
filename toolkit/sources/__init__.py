"""Sources: from what the user named to open tools; the composition root."""
