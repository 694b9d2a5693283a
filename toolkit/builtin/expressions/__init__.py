"""Regular expressions of the ready tools: what both engines read alike, and where in a text one matches, with RE2."""
