"""The web: addresses that may be reached, exchanges within bounds, and pages that are read apart from us."""
