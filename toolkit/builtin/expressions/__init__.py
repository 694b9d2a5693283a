"""Regular expressions of the ready tools."""
