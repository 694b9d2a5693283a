"""Tools as rules see them: their definitions, from source, from processes that imported them, and from JSON."""
